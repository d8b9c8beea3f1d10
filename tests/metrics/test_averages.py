"""Averages over classes, against scikit-learn, and what is asked where a class is missing."""

import numpy as np
import pytest
from sklearn import metrics

from adjudge import ConfusionCounts, InputError, Undefined
from adjudge.metrics.averages import averaged, by_class, the_class, value
from adjudge.metrics.catalogue import find

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
    assert "was never assigned" in found.reason
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
