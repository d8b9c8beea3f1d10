"""One set of predictions held in memory: class numbers, and what is needed to find its cases in another set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.arguments import wording
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted, safe
from adjudge.predictions.blocks import REJECTED, Encoder
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.matching import identity_of
from adjudge.predictions.model import Predictions
from adjudge.predictions.numbers import number_blocks
from adjudge.predictions.roles import Scale


@dataclass(frozen=True, slots=True, eq=False)
class Held:
    """Rows that can be judged: true and decided class as places among `classes`, or numbers where there are none."""

    name: str
    classes: tuple[Any, ...]
    truth: AnyArray
    predicted: AnyArray
    """REJECTED where there is no decision."""
    scores: AnyArray | None = None
    columns: tuple[int, ...] = ()
    """The class that each column of the scores speaks of."""
    scale: Scale | None = None
    weight: FloatArray | None = None
    fold: IntArray | None = None
    folds: tuple[Any, ...] = ()
    """The names of the folds by their number."""
    column: str | None = None
    """The column of identities."""
    rows: pa.Array | None = None
    known: BoolArray | None = None
    positive: int | None = None
    rejects: bool = False
    dropped: int = 0
    """Rows left out while reading."""


def hold(predictions: Predictions, *, scores: bool, ranking: bool = False) -> Held:
    """Read predictions of classes into memory, `scores` only where they are wanted; for their `ranking` none need decide."""
    whole = Encoder(without_duplicates(predictions), ranking=ranking)
    encoder = whole if scores or predictions.roles.predicted is None else Encoder(_without_scores(whole.predictions))
    names = ("truth", "predicted", "scores", "weight", "fold")
    parts: dict[str, list[AnyArray]] = {name: [] for name in names}
    identities: list[tuple[pa.Array, BoolArray]] = []
    for block in encoder.blocks():
        kind = _kind(max(len(encoder.labels.book), len(encoder.folds.book)))
        for name in names:
            values = getattr(block, name)
            if values is not None:
                parts[name].append(values.astype(kind) if values.dtype == np.int64 else values)
        if block.row is not None:
            identities.append(_identified(predictions, block.row))
    found = {name: np.concatenate(held) if held else None for name, held in parts.items()}
    classes, rejects = encoder.classes, predictions.reading.rejected is not None
    rank = _ranks(encoder.order)
    rows, known = _joined(identities)
    scored = scores and encoder.scores.form != "none"
    return Held(
        predictions.source.name,
        classes,
        _ranked(found["truth"], rank),
        _ranked(found["predicted"], rank),
        found["scores"] if scored else None,
        tuple(int(rank[code]) for code in range(len(encoder.scores.classes))) if scored else (),
        encoder.scores.scale if scored else None,
        found["weight"],
        found["fold"],
        tuple(encoder.folds.book.labels),
        predictions.roles.row,
        rows,
        known,
        whole.positive(classes),
        rejects,
        encoder.dropped,
    )


def _without_scores(predictions: Predictions) -> Predictions:
    roles = replace(predictions.roles, scores=(), scale="probabilities")
    return Predictions.of(predictions.source, roles, predictions.reading, predictions.found)


def _kind(classes: int) -> type[np.signedinteger[Any]]:
    """Return the smallest whole numbers that count so many classes: sets held side by side shall stay small."""
    return np.int8 if classes < 1 << 7 else np.int16 if classes < 1 << 15 else np.int32


def _ranks(order: list[int]) -> AnyArray:
    """Return the place of each code among the classes as shown; codes of no class are never asked for."""
    rank = np.zeros(max(order, default=0) + 2, dtype=_kind(max(order, default=0) + 2))
    rank[np.asarray(order, dtype=np.int64)] = np.arange(len(order))
    return rank


def _ranked(codes: AnyArray | None, rank: AnyArray) -> AnyArray:
    """Return places for codes, and the codes themselves where they are their own places; REJECTED stays."""
    assert codes is not None  # every block has truths and decisions
    if np.all(rank[:-1] == np.arange(rank.size - 1)):
        return codes
    return np.where(codes < 0, REJECTED, rank[codes]) if codes.min() < 0 else np.asarray(rank[codes])


def _identified(predictions: Predictions, row: pa.Array) -> tuple[pa.Array, BoolArray]:
    try:
        return identity_of(row)
    except InputError as error:
        msg = wording(f"{safe(predictions.source.name)}: column {quoted(predictions.roles.row)}: ", error.wording, ".")
        raise InputError(msg) from error


def _joined(parts: list[tuple[pa.Array, BoolArray]]) -> tuple[pa.Array | None, BoolArray | None]:
    """Return identities in one piece: whole numbers where all blocks are, else texts."""
    if not parts:
        return None, None
    whole = all(kinds.is_integer(rows.type) for rows, _ in parts)
    rows = [rows if whole else rows.cast(pa.large_string()) for rows, _ in parts]
    return pa.concat_arrays(rows), np.concatenate([known for _, known in parts])


def hold_numbers(predictions: Predictions) -> Held:
    """Read predictions of numbers into memory."""
    parts: list[list[AnyArray]] = [[], [], []]
    identities = []
    for block in number_blocks(without_duplicates(predictions), rows=True):
        for held, values in zip(parts, (block.truth, block.predicted, block.weight), strict=True):
            held.append(values)
        if block.row is not None:
            identities.append(_identified(predictions, block.row))
    truth, predicted, weight = (np.concatenate(held) for held in parts)
    rows, known = _joined(identities)
    weighed = weight if predictions.roles.weight is not None else None
    return Held(
        predictions.source.name, (), truth, predicted, weight=weighed, column=predictions.roles.row, rows=rows, known=known
    )
