"""Averages over classes, against scikit-learn, what is asked where a class is missing; and many tables at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics

from adjudge import ConfusionCounts, InputError, Undefined, measure
from adjudge.metrics.averages import averaged, by_class, of_tables, the_class, value
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure
from adjudge.metrics.on_counts import ON_COUNTS

CELLS = np.array([[5, 2, 1], [0, 7, 3], [4, 1, 9]])
TRUTH = np.repeat(np.arange(3), CELLS.sum(axis=1))
SAID = np.concatenate([np.repeat(np.arange(3), row) for row in CELLS])
THEIRS = {"precision": metrics.precision_score, "recall": metrics.recall_score, "f1": metrics.f1_score}


@pytest.mark.parametrize("name", sorted(THEIRS))
@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
def test_averages_are_those_of_scikit_learn(name, average):
    found = averaged(find(name), ConfusionCounts(CELLS), average)
    assert found == pytest.approx(THEIRS[name](TRUTH, SAID, average=average), rel=1e-14)


@pytest.mark.parametrize("name", sorted(THEIRS))
def test_each_class_against_the_rest(name):
    assert by_class(find(name), ConfusionCounts(CELLS)) == pytest.approx(THEIRS[name](TRUTH, SAID, average=None), rel=1e-14)


def test_an_average_over_a_class_without_value_says_why():
    found = averaged(find("precision"), ConfusionCounts([[5, 0], [2, 0]]), "macro")
    assert isinstance(found, Undefined)
    assert "was never predicted" in found.reason
    found = averaged(find("mcc"), ConfusionCounts([[5, 0], [2, 0]]), "macro")
    assert found.reason == "all decisions are the same"


def test_measures_of_the_table_with_a_class_are_those_of_that_class():
    counts = ConfusionCounts(CELLS)
    mine = metrics.matthews_corrcoef(TRUTH == 1, SAID == 1)
    assert value(find("mcc"), counts, positive=counts.classes[1]) == pytest.approx(mine, rel=1e-14)


def test_a_class_is_asked_for():
    with pytest.raises(InputError, match="speaks of one class; which"):
        the_class(find("recall"), ConfusionCounts(CELLS), None)
    with pytest.raises(InputError, match="average must be one of"):
        averaged(find("recall"), ConfusionCounts(CELLS), "mean")


@pytest.mark.parametrize("name", [m.name for m in ON_COUNTS])
@pytest.mark.parametrize("rejected", [0, 1])
def test_many_tables_agree_with_one_by_one(name, rejected):
    rng = np.random.default_rng(3)
    tables = rng.integers(0, 9, (200, 3, 3 + rejected))
    found, single = of_tables(find(name), tables), isinstance(find(name), ClassMeasure)
    of_one = of_tables(find(name), tables, 1) if single else None
    for i, table in enumerate(tables):
        counts = ConfusionCounts(table)
        alone = measure(counts, name, average="macro" if single else None)
        if not math.isnan(alone):
            assert found[i] == pytest.approx(alone, abs=1e-12)
        if of_one is not None and not math.isnan(measure(counts, name, positive=1)):
            assert of_one[i] == pytest.approx(measure(counts, name, positive=1), abs=1e-12)


def test_what_needs_scores_is_refused():
    with pytest.raises(InputError, match="auc"):
        of_tables(find("auc"), np.ones((2, 2, 2)))
