"""Some of many like cases in every run, the others among the slow tests."""

import pytest


def some(values, every=4):
    """Return parameters of which every fourth, say, is always tried, and the others with the slow tests."""
    return [value if i % every == 0 else pytest.param(value, marks=pytest.mark.slow) for i, value in enumerate(values)]
