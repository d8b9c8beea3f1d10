"""A measure, and the four counts of every class that measures of one class are made of."""

import numpy as np

from adjudge import ConfusionCounts
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import against_rest


def test_counts_against_the_rest_add_up_cell_by_cell():
    cells = np.array([[5, 2, 1], [0, 7, 3], [4, 1, 9]])
    found = against_rest(ConfusionCounts(cells))
    for k in range(3):
        rest = np.arange(3) != k
        assert found.hit[k] == cells[k, k]
        assert found.miss[k] == cells[k, rest].sum()
        assert found.alarm[k] == cells[rest, k].sum()
        assert found.quiet[k] == cells[np.ix_(rest, rest)].sum()


def test_direction_and_range():
    assert find("error").direction == "lower is better"
    assert find("mcc").range == (-1.0, 1.0)
