"""A small file of predictions, half of them right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def predictions(write_csv: Callable[..., Path]) -> Path:
    """Return a file of 80 cases, 20 in each cell of the table."""
    return write_csv({"y_true": ["sick", "well", "well", "sick"] * 20, "y_pred": ["sick", "well", "sick", "well"] * 20})
