"""The plan that nobody chose: the largest that a minute allows by the size of the data, the same everywhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import adjudge
from adjudge.resampling.plan_size import PLANS, SECONDS, affordable_plan

SIZES = st.integers(1, 200_000), st.integers(1, 200), st.integers(1, 400)


class Table:
    """A table that has a size, and nothing in it."""

    def __init__(self, rows, columns):
        self.shape = (rows, columns)

    def __len__(self):
        return self.shape[0]


def fits(rows, columns, models):
    return PLANS[affordable_plan(Table(rows, columns), models)]


@given(*SIZES)
def test_more_rows_columns_or_models_never_have_a_larger_plan(rows, columns, models):
    most = fits(rows, columns, models)
    assert fits(2 * rows, columns, models) <= most
    assert fits(rows, 2 * columns, models) <= most
    assert fits(rows, columns, 2 * models) <= most


@given(*SIZES)
def test_it_is_the_largest_that_a_minute_allows(rows, columns, models):
    chosen = fits(rows, columns, models)
    fold = models * (0.0015 + 1.5e-7 * rows * columns)  # written down a second time: what a tree was measured to take
    assert chosen * fold <= SECONDS * (1 + 1e-9) or chosen == min(PLANS.values())
    larger = [each for each in PLANS.values() if each > chosen]
    assert all(each * fold > SECONDS * (1 - 1e-9) for each in larger)


def test_every_kind_of_table_has_its_size():
    X = np.zeros((1797, 64))
    kinds = (X, X.tolist(), pd.DataFrame(X), sparse.csr_matrix(X), Table(1797, 64))
    assert {affordable_plan(each, 101) for each in kinds} == {"3x10-fold"}
    assert affordable_plan(np.zeros(50), 2) == affordable_plan([0.0] * 50, 2) == "10x10-fold"


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_makes_as_many_fits_as_it_says(name):
    X, y = np.zeros((60, 1)), [0, 1] * 30
    assert len(adjudge.plan(name, X, y, random_state=0)) == PLANS[name]
