"""Predictions whose reading can be followed: what they are is not changed, only that someone is told of every block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from adjudge.predictions.model import Predictions
from adjudge.predictions.parts import PartSource
from adjudge.predictions.sources import CsvSource, ParquetSource, Source


@dataclass(frozen=True)
class WatchedSource:
    """A source that says how many rows it has just given out."""

    source: Source
    told: Callable[[int], None]

    @property
    def name(self) -> str:
        """What to call it."""
        return self.source.name

    @property
    def names(self) -> tuple[str, ...]:
        """The columns."""
        return self.source.names

    @property
    def cells(self) -> bool:
        """Whether labels are the texts of CSV cells."""
        return self.source.cells

    def head(self, rows: int) -> dict[str, pa.Array]:
        """Return the first rows."""
        return self.source.head(rows)

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks, and tell of each."""
        for batch in self.source.batches(labels, numbers):
            yield batch
            self.told(len(next(iter(batch.values()))))

    def declared(self, column: str) -> tuple[Any, ...] | None:
        """Return the categories a column declares."""
        return self.source.declared(column)

    def fingerprint(self) -> str | None:
        """Return the SHA-256 of the bytes read."""
        return self.source.fingerprint()


def watched(predictions: Predictions, told: Callable[[int], None]) -> Predictions:
    """Return the same predictions; whenever rows of them are read, `told` hears how many."""
    given = predictions
    return Predictions.of(WatchedSource(given.source, told), given.roles, given.reading, given.found, given.training)


def rows_about(predictions: Predictions) -> int | None:
    """Return about how many rows a file has, where that can be told without reading it."""
    source = predictions.source
    if isinstance(source, PartSource):
        return source.rows
    return source.about() if isinstance(source, (CsvSource, ParquetSource)) else None
