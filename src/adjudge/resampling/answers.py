"""What a learner answered, unit by unit, as tables that any reader of predictions understands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.predictions.labels import text_of

Part: TypeAlias = Literal["unseen", "all", "seen"]
"""Rows the unit did not learn from; all rows, whether it did or not; or the rows of a unit that learnt from all."""


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
class Answer:
    """The answer to one task: a table, or the reason why there is none."""

    unit: int
    table: pa.Table | None
    """Columns unit, fold, repeat, part, row, truth, predicted and one per class with scores."""
    failure: str | None
    seconds: float


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
    columns: dict[str, Any] = {
        "unit": np.broadcast_to(np.asarray(unit, dtype=np.int32), n),
        "fold": np.broadcast_to(np.asarray(unit, dtype=np.int32) + 1, n).astype(np.int32),
        "repeat": np.broadcast_to(np.asarray(repeat, dtype=np.int32) + 1, n).astype(np.int32),
        "part": pa.repeat(part, n),
        "row": rows,
        "truth": truth,
        "predicted": predicted,
    }
    if scored is not None:
        columns |= {name: np.ascontiguousarray(scored.values[:, at]) for at, name in enumerate(scored.names)}
    return pa.table(columns)


def joined(*tables: pa.Table) -> pa.Table:
    """Return tables one below the other; a column that one of them lacks is null there."""
    return pa.concat_tables(tables, promote_options="default")
