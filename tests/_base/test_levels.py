"""Levels are shares strictly between 0 and 1; percentages say 0 or 100 only where that is exact."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.described import refused

from adjudge._base.levels import checked_level, share


@pytest.mark.parametrize("level", [0, 1, 95, -0.5, True, "0.95", None, float("nan")])
def test_what_is_no_level_is_refused(level):
    with refused("level", "between 0 and 1"):
        checked_level(level)


@given(st.floats(0, 1))
def test_a_percentage_is_0_or_100_only_where_it_is_exactly_that(value):
    shown = share(value)
    assert (float(shown.strip("<>%")) in (0, 100)) == (value in (0, 1))
    assert float(shown.strip("<>%")) == pytest.approx(100 * value, abs=0.051)


def test_no_number_is_undefined():
    assert share(float("nan")) == "undefined"
    assert checked_level(0.95) == 0.95
    assert [share(v) for v in (0.858, 0.9999, 1.0, 1e-9)] == ["85.8%", "99.99%", "100.0%", "<0.0001%"]
