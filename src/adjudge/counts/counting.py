"""One pass over predictions: rows in blocks become small tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from adjudge._base.arguments import argument
from adjudge._base.arrays import AnyArray, FloatArray, ahead
from adjudge._base.errors import InputError
from adjudge._base.text import quoted
from adjudge.counts.cells import CellCounter, Cells, pairs, pairs_by_part
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.exact import ranked_exactly
from adjudge.counts.frame_passes import FramePasses
from adjudge.counts.moments import Passes
from adjudge.counts.numbers import NumberCounts, sum_blocks
from adjudge.counts.passes import BlockPasses
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.reduced import reduced_count, reduced_numbers, reduced_tally, reduces
from adjudge.counts.sampling import Drawing
from adjudge.counts.scores import EXACT, ScoreCounter, gathered_of, small
from adjudge.counts.tally import MOST_PARTS, Tally, in_order
from adjudge.predictions.blocks import Block, Encoder
from adjudge.predictions.duplicates import Identities, without_duplicates
from adjudge.predictions.engines import LazySource, collect
from adjudge.predictions.model import Predictions
from adjudge.predictions.sources import ColumnsSource
from adjudge.predictions.streams import joined


def tally(predictions: Predictions, *, exact: bool = False, ranking: bool = False) -> Tally:
    """Count everything in one pass, or where the rows live; for an `exact` AUC read again what memory does not hold.

    Where only the `ranking` is wanted, there need be no decisions.
    """
    doubled: dict[int, int] = {}
    if reduces(predictions):
        counted = reduced_tally(predictions, ranking=ranking)
    else:
        predictions = without_duplicates(predictions)
        counters = _Counters(Encoder(predictions, ranking=ranking), exact=exact)
        blocks = counters.labelled()
        for block in ahead(blocks) if counters.drawing else blocks:
            counters.add_scores(block)
        counted, doubled = counters.tally(), counters.scores.doubled()
    if not exact or counted.scores is None:
        return counted
    return replace(counted, scores=ranked_exactly(counted.scores, predictions, doubled))


def count_confusion(predictions: Predictions, *, any_labels: bool = False) -> ConfusionCounts:
    """Count decisions only; with `any_labels` truth and prediction need share none."""
    if reduces(predictions):
        return reduced_count(predictions)
    encoder, counter = Encoder(without_duplicates(predictions), any_labels=any_labels), CellCounter()
    for block in encoder.blocks():
        counter.add(pairs(block.truth, block.predicted, _width(encoder), block.weight))
    return from_cells(counter.cells, encoder.classes, encoder.order, rejected=predictions.reading.rejected is not None)


def _width(encoder: Encoder) -> int:
    return max(len(encoder.labels.book), 2 if encoder.scores.form == "single" else 1)


def count_numbers(predictions: Predictions) -> NumberCounts:
    """Sum the losses of predictions of numbers."""
    return reduced_numbers(predictions) if reduces(predictions) else sum_blocks(predictions)


class _Scored(NamedTuple):
    """Some rows with scores."""

    scores: AnyArray
    truth: AnyArray
    weight: FloatArray | None
    group: AnyArray | None
    decided: AnyArray | None


class _Counters:
    """The tables of one pass while they grow."""

    def __init__(self, encoder: Encoder, *, exact: bool) -> None:
        self.encoder = encoder
        source, columns = encoder.predictions.source, len(encoder.scores.classes)
        held = isinstance(source, ColumnsSource)
        self.cells = CellCounter()
        self.folds: dict[int, CellCounter] = {}
        self.groups: dict[int, CellCounter] = {}
        self.scores = ScoreCounter(None if held else gathered_of(source, columns, EXACT), keep=exact)
        self.drawing = None if held else Drawing()
        self.probabilities = ProbabilityCounts()
        row = encoder.roles.row
        self.identities = Identities(row) if row and encoder.reading.duplicates == "error" else None
        self.lightest, self.heaviest = np.inf, 0.0

    def labelled(self) -> Iterator[_Scored]:
        """Count all but scores, and yield what counting these takes, class numbers in as few bytes as will do.

        The thread that reads a file counts its labels, which are in its processor's cache.
        """
        for block in self.encoder.blocks():
            self._add_labels(block)
            if block.scores is not None:
                decided = block.predicted if self.encoder.decisions_given else None
                others = (None if part is None else small(part) for part in (block.group, decided))
                scored = _Scored(block.scores, small(block.truth), block.weight, *others)
                if self.drawing is not None:
                    self.drawing.add(scored.scores, scored.truth, scored.group, scored.decided)
                yield scored

    def _add_labels(self, block: Block) -> None:
        width = _width(self.encoder)
        self.cells.add(pairs(block.truth, block.predicted, width, block.weight))
        for part, counters, name in ((block.fold, self.folds, "fold"), (block.group, self.groups, "group")):
            if part is not None:
                for code, cells in pairs_by_part(part, block.truth, block.predicted, width, block.weight):
                    if code not in counters and len(counters) >= MOST_PARTS:
                        column = quoted(getattr(self.encoder.roles, name))
                        msg = f"column {column} has more than {MOST_PARTS:,} values: it is no {name}. Name another with "
                        raise InputError(msg, argument(name), ".")
                    counters.setdefault(code, CellCounter()).add(cells)
        if block.row is not None and self.identities is not None:
            self.identities.add(block.row, block.fold, block.number)
        if block.weight is not None and block.weight.any():
            self.lightest = min(self.lightest, float(block.weight[block.weight > 0].min()))
            self.heaviest = max(self.heaviest, float(block.weight.max()))

    def add_scores(self, block: _Scored) -> None:
        """Count scores, and where they are probabilities what these are worth."""
        self.scores.add(block.scores, block.truth, block.weight, group=block.group, decided=block.decided)
        if self.encoder.scores.scale != "scores":
            truth, decided = block.truth, block.decided
            if self.encoder.scores.form == "single":
                truth, decided = np.minimum(truth, 1), None if decided is None else np.minimum(decided, 1)
            self.probabilities.add(block.scores, truth, block.weight, decided)

    def tally(self) -> Tally:
        encoder = self.encoder
        if self.identities is not None:
            self.identities.check()
        classes, order = encoder.classes, encoder.order
        rejected = encoder.reading.rejected is not None or encoder.undecided
        table = partial(from_cells, classes=classes, order=order, rejected=rejected)
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
            self.scores.counts(order, self.drawing) if has_scores else None,
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
            encoder.undecided,
        )


def _parts(
    counters: dict[int, CellCounter], labels: Sequence[Any], table: Callable[[Cells], ConfusionCounts]
) -> dict[Any, ConfusionCounts]:
    return {labels[code]: table(counters[code].cells) for code in in_order(counters, labels)}


def passes_of(predictions: Predictions) -> Passes:
    """Return predictions that can be summed over: in their engine where there are many, else in blocks."""
    if reduces(predictions):
        return FramePasses(predictions)
    source, wanted = predictions.source, predictions.roles.columns
    if not isinstance(source, LazySource):
        return BlockPasses(predictions)
    # the few rows of a lazy frame are fetched: every pass would ask the engine again
    table = collect(source.frame.select(*wanted))
    levels = {name: known for name in wanted if (known := source.declared(name)) is not None}
    held = ColumnsSource(source.name, {name: joined(table.column(name)) for name in wanted}, levels=levels)
    return BlockPasses(Predictions.of(held, predictions.roles, predictions.reading, predictions.found))
