"""How much is held at most? Of files of more and more rows, and of very many classes, each in a process of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from files import write
from processes import ran
from rows import Growth, Row, grows, within

OURS = "import sys, adjudge; adjudge.evaluate(sys.argv[1])"
IN_ROWS = 0.1
"""Memory should not follow the rows; what Arrow reads ahead and a few tables may."""
MANY = 100_000


def rows(n: int = 1_000_000) -> list[Row]:
    """Return the row of very many classes."""
    with tempfile.TemporaryDirectory() as folder:
        held = ran(OURS, write(Path(folder) / "classes.parquet", n, classes=MANY)).megabytes
    return [within(1024, f"evaluate a Parquet file of {n:.0e} rows, {MANY:.0e} classes: memory", held)]


def growth(largest: int = 100_000_000, smallest: int = 1_000_000) -> list[Growth]:
    """Return how much more is held for ten times the rows, from `smallest` to `largest`."""
    sizes = list(_tenfold(smallest, largest))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for score, told in ((False, "labels alone"), (True, "labels and two scores")):
            held = {n: _held(Path(folder) / "x.parquet", n, score=score) for n in sizes}
            found.append(grows(IN_ROWS, f"memory of evaluating a Parquet file against rows, {told}", held, unit="MB"))
    return found


def _held(path: Path, n: int, *, score: bool) -> float:
    return ran(OURS, write(path, n, score=score)).megabytes


def _tenfold(smallest: int, largest: int) -> Iterable[int]:
    while smallest <= largest:
        yield smallest
        smallest *= 10
