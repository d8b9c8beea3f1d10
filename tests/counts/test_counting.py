"""One pass over predictions: folds and groups apart, and only as many as there can be."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import InputError, Predictions
from adjudge.counts import counting
from adjudge.counts.counting import count_confusion, tally
from adjudge.counts.passes import BlockPasses

TRUTH, SAID = np.array(["a", "b", "b", "a"] * 5), np.array(["a", "b", "a", "a"] * 5)


def test_folds_and_groups_add_up_to_the_whole():
    counted = tally(Predictions(TRUTH, SAID, fold=np.arange(20) % 4, group=np.arange(20) % 3))
    assert list(counted.by_fold) == [0, 1, 2, 3]
    for parts in (counted.by_fold, counted.by_group):
        np.testing.assert_array_equal(sum(part.cells for part in parts.values()), counted.confusion.cells)
    assert counted.confusion == count_confusion(Predictions(TRUTH, SAID))


def test_too_many_folds_are_refused_with_the_argument(monkeypatch):
    monkeypatch.setattr(counting, "MOST_PARTS", 3)
    with pytest.raises(InputError, match=r"more than 3 values: .*fold") as error:
        tally(Predictions(TRUTH, SAID, fold=np.arange(20)))
    assert error.value.parameter == "fold"


def test_passes_know_their_classes_and_sums():
    p = np.where(SAID == "a", 0.75, 0.25)
    passes = BlockPasses(Predictions(TRUTH, SAID, scores={"a": p, "b": 1 - p}))
    assert passes.classes == ("a", "b")
    np.testing.assert_allclose(passes.moments().totals, [10, 10])
    np.testing.assert_allclose(passes.moments().by_class[0], [p[TRUTH == "a"].sum(), (1 - p[TRUTH == "a"]).sum()])
