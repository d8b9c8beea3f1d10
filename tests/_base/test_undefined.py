"""Undefined numbers say why."""

from __future__ import annotations

import math
import pickle

from adjudge._base.undefined import ratio


def test_an_undefined_number_is_nan_with_a_reason():
    value = ratio(0, 0, "no case")
    assert math.isnan(value)
    assert value.reason == "no case"
    assert math.isnan(value + 1)
    assert pickle.loads(pickle.dumps(value)).reason == "no case"  # noqa: S301 - our own bytes
