"""Rows with the same identity: refused, or made one before anything is counted."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arrays import IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, quoted
from adjudge.predictions.cells import indices_of, view
from adjudge.predictions.model import Predictions
from adjudge.predictions.sources import ColumnsSource

CHECKED = 1 << 23
"""Identities remembered; beyond that many rows repetitions go unnoticed, and a finding says so."""
_NAMED_ROWS = 5


@dataclass(slots=True)
class Identities:
    """The identities seen in one pass, as 64-bit hashes."""

    column: str
    _seen: list[IntArray] = field(default_factory=list)
    n: int = 0
    complete: bool = True

    def add(self, rows: pa.Array, fold: IntArray | None) -> None:
        """Remember some rows; the same case may come back in another fold."""
        if self.n + len(rows) > CHECKED:
            self.complete = False
            return
        keys = _hashes(rows)
        self._seen.append(keys if fold is None else keys * 1_000_003 + fold)
        self.n += len(rows)

    def check(self) -> None:
        """Refuse identities that came twice."""
        keys = np.concatenate(self._seen) if self._seen else np.empty(0, dtype=np.int64)
        order = np.argsort(keys, kind="stable")
        again = order[1:][keys[order][1:] == keys[order][:-1]]
        if again.size:
            rows = ", ".join(f"{int(i) + 1:,}" for i in np.sort(again)[:_NAMED_ROWS])
            more = " ..." if again.size > _NAMED_ROWS else ""
            msg = (
                f"column {quoted(self.column)} names cases more than once: {counted(int(again.size), 'row')} "
                f"with an identity seen before (rows {rows}{more}). "
                "Pass --duplicates=first or --duplicates=mean, or name another --row."
            )
            raise InputError(msg)


def _hashes(rows: pa.Array) -> IntArray:
    if kinds.is_integer(rows.type) and not rows.null_count:
        return np.asarray(view(rows), dtype=np.int64)
    encoded = rows if kinds.is_dictionary(rows.type) else rows.dictionary_encode()
    table = np.array([*(hash(v) for v in encoded.dictionary.to_pylist()), 0], dtype=np.int64)
    return np.asarray(table[indices_of(encoded)])


def without_duplicates(predictions: Predictions) -> Predictions:
    """Return predictions with one row per case where the user asked for it; this holds the columns in memory."""
    how, roles = predictions.reading.duplicates, predictions.roles
    if how == "error":
        return predictions
    if roles.row is None:
        msg = f"duplicates={how!r} needs to know what identifies a case; name the column with --row."
        raise InputError(msg)
    table = _table(predictions)
    keys = [roles.row, *([roles.fold] if roles.fold else [])]
    scores = [name for _, name in roles.scores]
    average = scores if how == "mean" else []
    others = [name for name in table.column_names if name not in (*keys, *average)]
    wanted = [(name, "mean") for name in average] + [(name, "first") for name in others]
    merged = table.group_by(keys, use_threads=False).aggregate(wanted)
    names = {f"{name}_{function}": name for name, function in wanted}
    merged = merged.rename_columns([names.get(name, name) for name in merged.column_names])
    decided = replace(roles, predicted=None) if how == "mean" and len(scores) > 1 else roles
    source = ColumnsSource(
        predictions.source.name, dict(zip(merged.column_names, merged.columns, strict=True)), predictions.source.cells
    )
    return Predictions.of(source, decided, predictions.reading, predictions.found)


def _table(predictions: Predictions) -> pa.Table:
    roles = predictions.roles
    numbers = [*(name for _, name in roles.scores), *([roles.weight] if roles.weight else [])]
    labels = [name for name in roles.columns if name not in numbers]
    batches = predictions.source.batches(labels, numbers)
    plain = [
        {name: array.dictionary_decode() if kinds.is_dictionary(array.type) else array for name, array in b.items()}
        for b in batches
    ]
    return pa.concat_tables([pa.table(columns) for columns in plain])
