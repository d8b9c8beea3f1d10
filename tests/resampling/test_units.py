"""One unit: a fresh learner fitted to some rows and asked about others; what units said is put together as tables."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from tests.resampling.failing import FailsOn, X, Y, job

from adjudge.resampling.run import job_of, run
from adjudge.resampling.run_result import Said, together
from adjudge.resampling.units import serial

CASES, CODES = load_iris(return_X_y=True)
TARGETS = {
    "whole": (GaussianNB(), CODES),
    "small": (GaussianNB(), CODES.astype(np.int8)),
    "truth values": (GaussianNB(), CODES > 0),
    "floats": (GaussianNB(), CODES.astype(np.float32)),
    "scores": (RidgeClassifier(), CODES),
    "numbers": (Ridge(), CASES[:, 0]),
}


def test_a_failed_fit_on_all_rows_costs_the_resubstitution_only():
    ran = run(job(FailsOn(X[0, 0], seen=True), by=[(np.flatnonzero(X[:, 0] != X[0, 0]), np.flatnonzero(X[:, 0] == X[0, 0]))]))
    assert list(ran.failures) == [1]
    assert ran.seen is None


def test_rounds_of_a_bootstrap_are_asked_about_all_rows_too():
    ran = run(job(GaussianNB(), "bootstrap-3"))
    columns = ran.everything.source.columns
    for unit in range(3):
        fitted = GaussianNB().fit(X[ran.plan.learn[unit]], Y[ran.plan.learn[unit]])
        own = np.asarray(columns["fold"]) == unit + 1
        assert np.array_equal(np.asarray(columns["predicted"])[own], fitted.predict(X))
        unseen = ran.predictions.source.columns
        own = np.asarray(unseen["fold"]) == unit + 1
        assert np.array_equal(np.asarray(unseen["row"])[own], ran.plan.judge[unit])
        assert np.array_equal(np.asarray(unseen["predicted"])[own], fitted.predict(X[ran.plan.judge[unit]]))
        expected = fitted.predict_proba(X[ran.plan.judge[unit]])[:, 1]
        assert np.array_equal(np.asarray(unseen["p_versicolor"])[own], expected)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("by", ["5-fold", "2x3-fold", "subsampling-3"])
def test_arrays_put_together_are_the_tables_put_together(name, by):
    learner, y = TARGETS[name]
    job = job_of(learner, CASES, y, by, random_state=0)
    answers = list(serial(job, range(len(job.plan))))
    assert all(isinstance(answer.said, Said) for answer in answers)
    apart = pa.concat_tables([answer.table for answer in answers])
    assert together([answer.said for answer in answers]).equals(apart)
    mixed = [answer.table if answer.unit % 2 else answer.said for answer in answers]
    assert together(mixed).equals(apart)


@pytest.mark.parametrize("name", TARGETS)
def test_columns_are_known_before_there_is_a_table(name):
    learner, y = TARGETS[name]
    for answer in serial(job_of(learner, CASES, y, "3-fold", random_state=0), range(4)):
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
    answer = next(serial(job_of(GaussianNB(), CASES, y, "3-fold", random_state=0), [0]))
    assert answer.said is answer.table
