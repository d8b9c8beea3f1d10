"""What units said, put together as arrays, is what their tables put together are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

from adjudge.resampling.answers import Said, together
from adjudge.resampling.run import job_of
from adjudge.resampling.units import serial

X, CODES = load_iris(return_X_y=True)
TARGETS = {
    "whole": (GaussianNB(), CODES),
    "small": (GaussianNB(), CODES.astype(np.int8)),
    "truth values": (GaussianNB(), CODES > 0),
    "floats": (GaussianNB(), CODES.astype(np.float32)),
    "scores": (RidgeClassifier(), CODES),
    "numbers": (Ridge(), X[:, 0]),
}


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("by", ["5-fold", "2x3-fold", "subsampling-3"])
def test_arrays_put_together_are_the_tables_put_together(name, by):
    learner, y = TARGETS[name]
    job = job_of(learner, X, y, by, random_state=0)
    answers = list(serial(job, range(len(job.plan))))
    assert all(isinstance(answer.said, Said) for answer in answers)
    apart = pa.concat_tables([answer.table for answer in answers])
    assert together([answer.said for answer in answers]).equals(apart)
    mixed = [answer.table if answer.unit % 2 else answer.said for answer in answers]
    assert together(mixed).equals(apart)


@pytest.mark.parametrize("name", TARGETS)
def test_columns_are_known_before_there_is_a_table(name):
    learner, y = TARGETS[name]
    for answer in serial(job_of(learner, X, y, "3-fold", random_state=0), range(4)):
        assert answer.names == tuple(answer.table.column_names)


@pytest.mark.parametrize("code", [*np.typecodes["All"], ">i4", ">f8", ">u2"])
def test_what_stays_an_array_is_surely_a_column(code):
    """An array that Arrow refuses must fail in the unit that said it, not when all are put together."""
    values = np.zeros(3, dtype=code)
    if Said(0, 0, "unseen", np.arange(3), values, values, None).plain:
        assert len(pa.array(values)) == 3


def test_numbers_stay_arrays():
    kinds = [np.dtype(code) for code in "?bhilqBHILQefd"]
    assert all(Said(0, 0, "unseen", np.arange(3), v, v, None).plain for v in (np.zeros(3, dtype=kind) for kind in kinds))


def test_text_is_a_table_at_once():
    y = np.array(["a", "b", "c"])[CODES]
    answer = next(serial(job_of(GaussianNB(), X, y, "3-fold", random_state=0), [0]))
    assert answer.said is answer.table
