"""Results become plain data."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.show import plain
from adjudge._base.undefined import Undefined


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
        max_leaves=20,
    )
)
def test_everything_becomes_strict_json(value):
    json.dumps(plain(value), allow_nan=False)


def test_arrays_and_undefined_numbers_become_plain():
    assert plain({"a": np.array([1.0, np.nan, np.inf]), "u": Undefined("why")}) == {
        "a": [1.0, None, "inf"],
        "u": {"value": None, "reason": "why"},
    }
