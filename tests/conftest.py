"""What every test shares: a quiet hypothesis profile and a way to write files of predictions."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from tests.terminals import UNSAID

settings.register_profile("push", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("nightly", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "push"))

ORACLES = Path(__file__).parent / "oracles"


@pytest.fixture
def write_csv(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that writes columns to a CSV file."""

    def write(columns: Mapping[str, Sequence[Any]], name: str = "predictions.csv") -> Path:
        path = tmp_path / name
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))
        return path

    return write


@pytest.fixture
def iris(write_csv: Callable[..., Path]) -> Path:
    """Return a CSV file of the irises, whose species is to be told."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    names = ("setosa", "versicolor", "virginica")
    return write_csv({f"x{i}": X[:, i] for i in range(4)} | {"species": [names[c] for c in y]}, name="iris.csv")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Take away all that an environment says of terminals and browsers."""
    for name in UNSAID:
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let engines leave files and sockets to the collector: it may close them while a test of another engine runs."""
    for item in items:
        if item.get_closest_marker("engines"):
            for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))
