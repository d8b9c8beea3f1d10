"""What is measured, in which order and at which sizes: in full, and as a quick look."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from rows import Growth, Row

Sizes = dict[str, int]


@dataclass(frozen=True)
class Job:
    """What a module beside this one measures: the sizes of its functions in full and in a quick run, None where it has none."""

    rows: tuple[Sizes, Sizes] | None = None
    growth: tuple[Sizes, Sizes] | None = None


JOBS = {
    "startup": Job(({"repeats": 10}, {"repeats": 3})),
    "confusion": Job(({"n": 10_000_000}, {"n": 500_000})),
    "auc": Job(({"n": 10_000_000}, {"n": 500_000})),
    "intervals": Job(({"n": 1_000_000}, {"n": 200_000})),
    "comparing": Job(({"n": 10_000_000}, {"n": 1_000_000})),
    "textfiles": Job(({"n": 10_000_000, "few": 1_000_000}, {"n": 1_000_000, "few": 100_000, "repeats": 2})),
    "cores": Job(({"parquet": 20_000_000, "text": 10_000_000}, {"parquet": 1_000_000, "text": 500_000})),
    "outofcore": Job(({"n": 100_000_000}, {"n": 1_000_000})),
    "inengine": Job(({"n": 10_000_000}, {"n": 500_000, "repeats": 1})),
    "clusters": Job(({"n": 20_000_000}, {"n": 2_000_000})),
    "patients": Job(({"n": 2_000_000}, {"n": 200_000, "repeats": 1})),
    "corrections": Job(({"n": 1_000_000}, {"n": 200_000})),
    "partitions": Job(({"n": 1_000_000}, {"n": 200_000})),
    "posterior": Job(({"matrices": 1_000}, {"matrices": 100})),
    "oddtables": Job(({"tables": 200}, {"tables": 20})),
    "resampling": Job(({"n": 5_000, "few": 2_000}, {"n": 1_000, "few": 300, "repeats": 1})),
    "ensembles": Job(({"n": 100_000, "few": 20_000}, {"n": 5_000, "few": 1_000, "repeats": 1, "seeds": 1, "sets": 1})),
    "memory": Job(({"n": 1_000_000}, {"n": 1_000_000}), ({"largest": 100_000_000}, {"smallest": 300_000, "largest": 3_000_000})),
    "growth": Job(None, ({"largest": 10_000_000}, {"largest": 1_000_000, "repeats": 1, "forest": 1_000, "load": 3})),
}
"""In the order of the table."""


def known() -> list[str]:
    """Return the names of what can be measured here."""
    return [name for name in JOBS if find_spec(name)]


def rows_of(name: str, *, quick: bool) -> list[Row]:
    """Measure the rows of job `name`."""
    return _called(name, "rows", JOBS[name].rows, quick=quick)


def growth_of(name: str, *, quick: bool) -> list[Growth]:
    """Measure how the costs of job `name` grow."""
    return _called(name, "growth", JOBS[name].growth, quick=quick)


def _called(name: str, function: str, sizes: tuple[Sizes, Sizes] | None, *, quick: bool) -> list[Any]:
    return [] if sizes is None else list(getattr(import_module(name), function)(**sizes[quick]))
