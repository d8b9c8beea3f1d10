"""What a learner answered, unit by unit, as tables that any reader of predictions understands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.predictions.labels import text_of

Part: TypeAlias = Literal["unseen", "all", "seen"]
"""Rows the unit did not learn from; all rows, whether it did or not; or the rows of a unit that learnt from all."""
COLUMNS = ("unit", "fold", "repeat", "part", "row", "truth", "predicted")
_WORD = 8


class Scored(NamedTuple):
    """Scores by class: what they are, the classes that have a column, and rows x columns."""

    scale: Literal["probabilities", "scores"]
    classes: tuple[Any, ...]
    values: FloatArray

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, named so that the class can be read off."""
        return score_names(self.scale, self.classes)


def score_names(scale: str, classes: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the columns of scores, named so that the class can be read off."""
    return tuple(f"{'p' if scale == 'probabilities' else 'score'}_{text_of(label)}" for label in classes)


@dataclass(frozen=True, slots=True, eq=False)
class Said:
    """What a unit said of some rows, as arrays: many of these become one table sooner than many tables do."""

    unit: int
    repeat: int
    part: Part
    rows: IntArray
    truth: AnyArray
    predicted: AnyArray
    scored: Scored | None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table it becomes."""
        return COLUMNS if self.scored is None else (*COLUMNS, *self.scored.names)

    @property
    def table(self) -> pa.Table:
        """What was said, as a table."""
        return as_table(self.unit, self.repeat, self.part, self.rows, self.truth, self.predicted, self.scored)

    @property
    def plain(self) -> bool:
        """Whether Arrow surely holds the labels or numbers; of others it has to be tried."""
        return all(
            v.dtype.isnative and v.dtype.kind in "biuf" and v.dtype.itemsize <= _WORD for v in (self.truth, self.predicted)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The answer to one task: what was said, or the reason why nothing was."""

    unit: int
    said: pa.Table | Said | None
    failure: str | None
    seconds: float

    @property
    def table(self) -> pa.Table | None:
        """Columns unit, fold, repeat, part, row, truth, predicted and one per class with scores."""
        return self.said.table if isinstance(self.said, Said) else self.said

    @property
    def names(self) -> tuple[str, ...]:
        """The columns; none where nothing was said."""
        if self.said is None:
            return ()
        return self.said.names if isinstance(self.said, Said) else tuple(self.said.column_names)


def as_table(
    unit: IntArray | int,
    repeat: IntArray | int,
    part: Part,
    rows: IntArray,
    truth: AnyArray,
    predicted: AnyArray,
    scored: Scored | None,
) -> pa.Table:
    """Return what a unit said of some rows; folds count from 1, so that no two units share one."""
    n = rows.size
    number, again = (np.array(np.broadcast_to(np.asarray(each, dtype=np.int32), n)) for each in (unit, repeat))
    columns: list[Any] = [number, number + np.int32(1), again + np.int32(1), pa.repeat(part, n), rows, truth, predicted]
    names = list(COLUMNS)
    if scored is not None:
        columns += [np.ascontiguousarray(scored.values[:, at]) for at in range(len(scored.names))]
        names += scored.names
    return pa.Table.from_arrays([v if isinstance(v, pa.Array) else pa.array(v) for v in columns], names=names)


def together(parts: Sequence[pa.Table | Said]) -> pa.Table:
    """Return what units said of the same part, one below the other, as one table."""
    said = [each for each in parts if isinstance(each, Said)]
    if len(said) < len(parts):
        return joined(*(each.table if isinstance(each, Said) else each for each in parts))
    sizes = [each.rows.size for each in said]
    unit, repeat = (np.repeat(each, sizes) for each in ([s.unit for s in said], [s.repeat for s in said]))
    rows, truth, predicted = (np.concatenate(v) for v in zip(*((s.rows, s.truth, s.predicted) for s in said), strict=True))
    scored = [each.scored for each in said if each.scored is not None]
    values = scored[0]._replace(values=np.concatenate([each.values for each in scored])) if scored else None
    return as_table(unit, repeat, said[0].part, rows, truth, predicted, values)


def joined(*tables: pa.Table) -> pa.Table:
    """Return tables one below the other; a column that one of them lacks is null there."""
    return pa.concat_tables(tables, promote_options="default")
