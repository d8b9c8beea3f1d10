"""Integrals with singular ends, tables of densities and bracketed roots, against closed forms and SciPy."""

import numpy as np
import pytest
from scipy import stats

from adjudge.stats.series import mapped, rising_root, rule, tabulate


@pytest.mark.parametrize("power", [0.5, 0.25, 1.0])
def test_a_power_at_an_end_is_integrated(power):
    s, rest, weight = rule(power)
    assert (weight * s ** (power - 1)).sum() == pytest.approx(1 / power, rel=1e-12)
    assert (weight * rest ** (power - 1)).sum() == pytest.approx(1 / power, rel=1e-12)


def test_nodes_keep_both_distances():
    s, rest, _ = mapped(np.array([-2.5, 0.0, 2.5]))
    assert s[0] == pytest.approx(rest[2], rel=1e-14)
    assert s[0] < 1e-8
    assert s[1] == rest[1] == 0.5


def test_a_table_has_the_density_and_the_mass_above():
    theirs = stats.beta(2.5, 4.0)
    table = tabulate(np.array([[0.0, 1.0]]), 1.0, lambda _, low, high: theirs.pdf(np.where(low < high, low, 1 - high)))
    x = np.linspace(0.01, 0.99, 25)[None]
    assert table.total == pytest.approx(1.0, abs=1e-13)
    assert table.above_at(x)[0] == pytest.approx(theirs.sf(x[0]), abs=1e-13)
    assert table.density(0, x[..., None], 1 - x[..., None])[0, :, 0] == pytest.approx(theirs.pdf(x[0]), rel=1e-9)


def test_roots_of_many_curves_at_once():
    goal = np.array([2.0, 1e-9, 1e9])
    found = rising_root(lambda x: (x**3 - goal, 3 * x * x), np.zeros(3), np.full(3, 1e4), np.ones(3), 0.0)
    assert found == pytest.approx(np.cbrt(goal), rel=1e-13)
