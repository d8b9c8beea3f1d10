"""Confusion maps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import coo_array

import adjudge
from adjudge.plots.labels import NOTHING
from adjudge.plots.style import LEVELS
from adjudge.plots.tables import cell_map, levels


def test_shares_of_a_small_table():
    found = cell_map(adjudge.ConfusionCounts([[3, 1], [0, 0]], ("a", "b")))
    assert found.shares.tolist() == [[0.75, 0.25], [0, 0]]
    assert found.words(0, 0) == "75%"
    assert found.words(1, 1) == NOTHING
    assert [found.kind(0, 0), found.kind(0, 1)] == ["right", "wrong"]


def test_rejected_cases_have_a_column():
    found = cell_map(adjudge.ConfusionCounts([[3, 1, 6], [0, 5, 5]], ("a", "b")))
    assert found.columns == ("a", "b", "no decision")
    assert found.kind(0, 2) == "undecided"
    assert found.shares[0].tolist() == [0.3, 0.1, 0.6]


def test_many_classes_keep_the_most_confused_and_all_cases():
    rng = np.random.default_rng(0)
    cells = np.diag(rng.integers(50, 60, 100))
    cells[7, 9], cells[50, 3] = 40, 30
    found = cell_map(adjudge.ConfusionCounts(cells))
    assert len(found.rows) == 26
    assert {7, 9, 50, 3} <= set(found.rows)
    assert found.others
    assert found.counts.sum() == cells.sum()
    assert found.kind(25, 25) == "undecided"


def test_a_sparse_table_gives_the_same_map():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 3, (60, 60))
    dense, sparse = (cell_map(adjudge.ConfusionCounts(c)) for c in (cells, coo_array(cells)))
    assert dense.rows == sparse.rows
    assert np.array_equal(dense.counts, sparse.counts)


@given(arrays(np.float64, 10, elements=st.floats(0, 1)))
def test_only_nothing_has_no_shade(shares):
    steps = levels(shares)
    assert np.array_equal(steps == 0, shares == 0)
    assert steps.max() <= LEVELS
    assert np.all(np.diff(steps[np.argsort(shares)]) >= 0)
