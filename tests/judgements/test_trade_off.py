"""What random splits of one share say together, and when they say nothing."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.undefined import Undefined
from adjudge.judgements.trade_off import Share, TradeOff


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_mean_and_spread_are_those_of_the_textbook(values):
    share = Share(0.5, 10, np.array(values))
    assert share.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert share.spread == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert share.middle == pytest.approx(tuple(np.percentile(values, (25, 75))))


def test_splits_without_a_value_leave_none_with_its_reason():
    share = Share(0.5, 10, np.array([0.5, np.nan, np.nan]), reason="one class only")
    for value in (share.mean, share.spread, *share.middle):
        assert isinstance(value, Undefined)
        assert value.reason == "it has no value in 2 of 3 splits: one class only"
    assert "undefined: it has no value in 2 of 3 splits: one class only" in repr(TradeOff("x", "mcc", (share,), 0))
    assert Share(0.5, 10, np.array([np.nan])).mean.reason == "it has no value in 1 of 1 split"


def test_one_split_has_no_spread():
    share = Share(0.5, 1, np.array([0.5]), ("it failed",))
    assert (share.mean, share.spread.reason) == (0.5, "fewer than two splits answered")
    assert "(1 case)" in repr(TradeOff("x", "mcc", (share,), 0))


def test_infinite_losses_have_an_infinite_mean_and_no_spread():
    share = Share(0.5, 10, np.array([1.0, math.inf, 2.0]))
    assert share.mean == math.inf
    assert share.spread.reason == "the measure is infinite in some split"
    assert share.middle[0] in (1.0, 2.0)
