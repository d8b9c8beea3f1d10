"""One pass over predictions: every table the verdict needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from adjudge._base.arrays import IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import quoted
from adjudge.counts.cells import CellCounter, Cells, pairs, pairs_by_part
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.scores import EXACT, ScoreCounter, ScoreCounts
from adjudge.predictions.blocks import Block, Encoder
from adjudge.predictions.duplicates import Identities, without_duplicates
from adjudge.predictions.labels import parse
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Scale
from adjudge.predictions.sources import ColumnsSource

MOST_PARTS = 10_000
"""Folds or groups counted apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """What was counted: small tables, whatever the number of rows."""

    confusion: ConfusionCounts
    rows: int
    scale: Scale | None = None
    scores: ScoreCounts | None = None
    probabilities: ProbabilityCounts | None = None
    by_fold: dict[Any, ConfusionCounts] = field(default_factory=dict)
    by_group: dict[Any, ConfusionCounts] = field(default_factory=dict)
    positive: int | None = None
    """The class looked for, where the user named it or its label says so."""
    families: tuple[str, ...] = ()
    """The types of the truth and the decision, where they differ."""
    gaps: dict[str, int] = field(default_factory=dict)
    """Missing values by column, for what was dropped or filled."""
    dropped: int = 0
    weight_spread: float = 1.0
    unchecked_rows: bool = False
    left_out: str | None = None
    """A column of confidences among more than two classes, which speaks of none of them."""


def tally(predictions: Predictions) -> Tally:
    """Count everything in one pass."""
    encoder = Encoder(without_duplicates(predictions))
    counters = _Counters(encoder)
    for block in encoder.blocks():
        counters.add(block)
    return counters.tally()


def count(predictions: Predictions) -> ConfusionCounts:
    """Count decisions only."""
    encoder, counter = Encoder(without_duplicates(predictions)), CellCounter()
    for block in encoder.blocks():
        counter.add(pairs(block.truth, block.predicted, _width(encoder), block.weight))
    return from_cells(counter.cells, encoder.classes, encoder.order, rejected=predictions.reading.rejected is not None)


def _width(encoder: Encoder) -> int:
    return max(len(encoder.labels.book), 2 if encoder.scores.form == "single" else 1)


class _Counters:
    """The tables of one pass while they grow."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        in_memory = isinstance(encoder.predictions.source, ColumnsSource)
        self.cells = CellCounter()
        self.folds: dict[int, CellCounter] = {}
        self.groups: dict[int, CellCounter] = {}
        self.scores = ScoreCounter(None if in_memory else EXACT)
        self.probabilities = ProbabilityCounts()
        row = encoder.roles.row
        self.identities = Identities(row) if row and encoder.reading.duplicates == "error" else None
        self.lightest, self.heaviest = np.inf, 0.0

    def add(self, block: Block) -> None:
        width = _width(self.encoder)
        self.cells.add(pairs(block.truth, block.predicted, width, block.weight))
        for part, counters, name in ((block.fold, self.folds, "fold"), (block.group, self.groups, "group")):
            if part is not None:
                self._add_parts(block, part, counters, name, width)
        if block.scores is not None:
            decided = block.predicted if self.encoder.decisions_given else None
            self.scores.add(block.scores, block.truth, block.weight, group=block.group, decided=decided)
            if self.encoder.scores.scale != "scores":
                single = self.encoder.scores.form == "single"
                self.probabilities.add(block.scores, np.minimum(block.truth, 1) if single else block.truth, block.weight)
        if block.row is not None and self.identities is not None:
            self.identities.add(block.row, block.fold, block.number)
        if block.weight is not None and block.weight.any():
            self.lightest = min(self.lightest, float(block.weight[block.weight > 0].min()))
            self.heaviest = max(self.heaviest, float(block.weight.max()))

    def _add_parts(self, block: Block, part: IntArray, counters: dict[int, CellCounter], name: str, width: int) -> None:
        for code, cells in pairs_by_part(part, block.truth, block.predicted, width, block.weight):
            if code not in counters and len(counters) >= MOST_PARTS:
                column = quoted(getattr(self.encoder.roles, name))
                msg = f"column {column} has more than {MOST_PARTS:,} values: it is no {name}. Name another with --{name}."
                raise InputError(msg)
            counters.setdefault(code, CellCounter()).add(cells)

    def tally(self) -> Tally:
        encoder = self.encoder
        if self.identities is not None:
            self.identities.check()
        classes, order = encoder.classes, encoder.order
        table = partial(from_cells, classes=classes, order=order, rejected=encoder.reading.rejected is not None)
        confusion = table(self.cells.cells)
        if confusion.n == 0:
            msg = "All weights are 0: no case counts. Give at least one case a weight above 0."
            raise InputError(msg)
        families = tuple(dict.fromkeys(encoder.labels.families.values()))
        has_scores = encoder.scores.form != "none"
        probable = has_scores and encoder.scores.scale != "scores"
        return Tally(
            confusion,
            encoder.n - encoder.dropped,
            encoder.scores.scale if has_scores else None,
            self.scores.counts(order) if has_scores else None,
            self.probabilities if probable else None,
            _parts(self.folds, encoder.folds.book.labels, table),
            _parts(self.groups, encoder.groups.book.labels, table),
            encoder.positive(classes),
            families if len(families) > 1 else (),
            {name: gap.n for name, gap in encoder.gaps.columns.items()},
            encoder.dropped,
            self.heaviest / self.lightest if self.heaviest else 1.0,
            self.identities is not None and not self.identities.complete,
            encoder.before.left_out,
        )


def _parts(
    counters: dict[int, CellCounter], labels: Sequence[Any], table: Callable[[Cells], ConfusionCounts]
) -> dict[Any, ConfusionCounts]:
    return {labels[code]: table(counters[code].cells) for code in sorted(counters, key=_by(labels))}


def _by(labels: Sequence[Any]) -> Callable[[int], tuple[bool, Any]]:
    """Sort parts by what their labels mean: '2' before '10', numbers before text."""

    def key(code: int) -> tuple[bool, Any]:
        label = parse(labels[code]) if isinstance(labels[code], str) else labels[code]
        return (not isinstance(label, (int, float)), label if isinstance(label, (int, float)) else str(label))

    return key
