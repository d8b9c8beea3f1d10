"""Posteriors of many tables: the same as one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.described import mentions

from adjudge import ConfusionCounts, InputError, Posteriors, posterior

TABLES = st.integers(2, 4).flatmap(lambda k: arrays(np.int64, (3, k, k), elements=st.integers(0, 60)))


@pytest.mark.slow
@settings(max_examples=15)
@given(TABLES, st.sampled_from(["flat", "jeffreys", "dirichlet", (2, 3)]))
def test_many_are_as_one_by_one(tables, prior):
    many = posterior(tables, prior=prior)
    ones = [posterior(ConfusionCounts(table), prior=prior) for table in tables]
    low, high = many.interval(0.9)
    assert many.mean == pytest.approx([one.mean for one in ones], rel=1e-12)
    assert many.var == pytest.approx([one.var for one in ones], rel=1e-12)
    assert many.median == pytest.approx([one.median for one in ones], abs=1e-10)
    assert low == pytest.approx([one.interval(0.9).low for one in ones], abs=1e-10)
    assert high == pytest.approx([one.interval(0.9).high for one in ones], abs=1e-10)
    assert many.sf(0.6) == pytest.approx([one.sf(0.6) for one in ones], abs=1e-12)
    assert many.cdf(0.6) + many.sf(0.6) == pytest.approx(np.ones(3), abs=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "error", "sensitivity", "f1", "informedness", "mcc"])
def test_other_measures_come_in_arrays_too(name):
    tables = np.array([[[40, 5], [8, 2]], [[69, 1], [1, 69]]])
    many = posterior(tables, name, positive=0)
    ones = [posterior(ConfusionCounts(table), name, positive=0) for table in tables]
    assert isinstance(many, Posteriors)
    assert many.mean == pytest.approx([one.mean for one in ones], rel=1e-12)
    assert many.ppf(0.2) == pytest.approx([one.ppf(0.2) for one in ones], rel=1e-12)
    assert many.mode == pytest.approx([one.mode for one in ones], nan_ok=True)


@pytest.mark.slow
def test_more_than_are_held_at_once():
    tables = np.random.default_rng(1).integers(0, 30, (2_300, 2, 2))
    many = posterior(tables)
    above = many.sf(0.5)
    assert len(many) == above.size == 2_300
    assert above[2_299] == pytest.approx(posterior(ConfusionCounts(tables[2_299])).sf(0.5), abs=1e-12)
    assert many[-1].mean == pytest.approx(many.mean[-1])


def test_one_class_may_carry_all_the_weight():
    many = posterior([[[40, 5], [8, 2]]] * 2, weights=(1, 0), prior="flat")
    assert many.mean == pytest.approx([41 / 47] * 2)


def test_summaries_are_plain():
    many = posterior([[[40, 5], [8, 2]]], prior="flat")
    assert many.to_dict()["mean"] == pytest.approx([0.561170212766])
    assert mentions(repr(many), "balanced_accuracy", "1 table")


@pytest.mark.parametrize(
    ("tables", "how", "text"),
    [
        (np.zeros((0, 2, 2), dtype=int), {}, "tables x classes x classes"),
        (np.ones((2, 2, 4), dtype=int), {}, "tables x classes x classes"),
        ([[[1.5, 1], [1, 1]]], {}, "whole numbers"),
        ([[[-1, 1], [1, 1]]], {}, "cannot be negative"),
        ([[[1, 1], [1, 1]]], {"prior": "strong"}, "prior must be"),
        ([[[1, 1], [1, 1]]], {"weights": (0.5, 0.6)}, "sum to 1"),
        ([[[1, 1], [1, 1]]], {"name": "auc"}, "no posterior from counts"),
    ],
)
def test_what_is_no_array_of_tables_is_refused(tables, how, text):
    with pytest.raises(InputError, match=text):
        posterior(tables, **how)


def test_points_are_one_for_all_or_one_for_each():
    for name in ("balanced_accuracy", "accuracy"):
        many = posterior([[[40, 5], [8, 2]], [[69, 1], [1, 69]]], name)
        assert many.sf([0.5, 0.9]) == pytest.approx([many[0].sf(0.5), many[1].sf(0.9)], abs=1e-12)
        with pytest.raises(InputError, match=r"each of the 2 tables"):
            many.cdf([0.1, 0.2, 0.3])
        for q in (float("nan"), 2):
            with pytest.raises(InputError, match="between 0 and 1"):
                many.ppf(q)
