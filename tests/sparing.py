"""Some of many like cases in every run, the others among the slow tests."""

import pytest


def some(values, every=4):
    """Return parameters of which every fourth, say, is always tried, and the others with the slow tests."""
    each = [value if isinstance(value, tuple) else (value,) for value in values]
    return [pytest.param(*value, marks=[pytest.mark.slow] * bool(i % every)) for i, value in enumerate(each)]
