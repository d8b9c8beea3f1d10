"""A file to learn from, and the arrays that it holds."""

import numpy as np
import pytest


@pytest.fixture
def file_cases(write_csv):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    path = write_csv({"one": X[:, 0], "two": X[:, 1] + y, "id": range(60), "site": np.arange(60) % 6, "y": y})
    return path, np.column_stack([X[:, 0], X[:, 1] + y]), y
