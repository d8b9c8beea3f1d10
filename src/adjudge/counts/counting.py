"""One pass over predictions: rows in blocks become small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from adjudge._base.arguments import argument
from adjudge._base.arrays import ahead, counts_cases
from adjudge._base.errors import InputError
from adjudge._base.text import quoted
from adjudge.counts.cells import CellCounter, pairs, pairs_by_part
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.distributed import Spread, spread_over
from adjudge.counts.exact import ranked_exactly
from adjudge.counts.numbers import refuse_weightless
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.sampling import Drawing, small
from adjudge.counts.scores import EXACT, ScoreCounter, ScoredRows, as_tables
from adjudge.counts.tally import MOST_PARTS, Tally, in_order, merged
from adjudge.predictions.blocks import Block, Encoder
from adjudge.predictions.duplicates import Identities, without_duplicates
from adjudge.predictions.labels import Gap
from adjudge.predictions.model import Predictions, WatchedSource
from adjudge.predictions.parquet_source import ParquetSource
from adjudge.predictions.sources import ColumnsSource

GATHERED = 5 << 19  # scores gathered before they are counted, of a file known to have more than are kept


def tally(predictions: Predictions, *, exact: bool = False, ranking: bool = False) -> Tally:
    """Count everything in one pass, or where partitions lie; for an `exact` AUC read again what memory does not hold."""
    doubled: dict[int, int] = {}
    if (spread := spread_over(predictions, ranking=ranking)) is not None:
        counted = _tally_there(spread)
    else:
        predictions = without_duplicates(predictions)
        counters = _Counters(Encoder(predictions, ranking=ranking), exact=exact)
        blocks = counters.labelled()
        for block in ahead(blocks) if counters.drawing else blocks:
            counters.add_scores(block)
        counted, doubled = counters.tally(), counters.scores.doubled()
    refuse_weightless(counted.confusion.n)
    if not exact or counted.scores is None:
        return counted
    return replace(counted, scores=ranked_exactly(counted.scores, predictions, doubled))


def count_confusion(predictions: Predictions, *, any_labels: bool = False) -> ConfusionCounts:
    """Count decisions only; with `any_labels` truth and prediction need share none."""
    if (spread := spread_over(predictions, ranking=False)) is not None:
        return _tally_there(spread).confusion
    encoder, counter = Encoder(without_duplicates(predictions), any_labels=any_labels), CellCounter()
    for block in encoder.blocks():
        counter.add(pairs(block.truth, block.predicted, _width(encoder), block.weight))
    return from_cells(counter.cells, encoder.classes, encoder.order, rejected=predictions.reading.rejected is not None)


def _width(encoder: Encoder) -> int:
    return max(len(encoder.labels.book), 2 if encoder.scores.form == "single" else 1)


class _Counters:
    """The tables of one pass while they grow."""

    def __init__(self, encoder: Encoder, *, exact: bool = False, some: bool = False) -> None:
        self.encoder, self.some = encoder, some
        source, columns = encoder.predictions.source, len(encoder.scores.classes)
        file = source.source if isinstance(source, WatchedSource) else source
        held = isinstance(source, ColumnsSource) and not some
        larger = some or (isinstance(file, ParquetSource) and file.about() * columns > EXACT)
        self.cells = CellCounter()
        self.folds: dict[int, CellCounter] = {}
        self.groups: dict[int, CellCounter] = {}
        self.scores = ScoreCounter(None if held else min(GATHERED, EXACT) if larger else EXACT, keep=exact)
        self.drawing = None if held or encoder.roles.count is not None else Drawing()
        self.probabilities = ProbabilityCounts()
        row = encoder.roles.row
        self.identities = Identities(row) if row and encoder.reading.duplicates == "error" and not some else None
        self.lightest, self.heaviest = np.inf, 0.0

    def labelled(self) -> Iterator[ScoredRows]:
        """Count all but scores in the thread that reads, whose cache has the labels, and yield what counting scores takes."""
        for block in self.encoder.blocks(some=self.some):
            self._add_labels(block)
            if block.scores is not None:
                decided = block.predicted if self.encoder.decisions_given else None
                others = (None if part is None else small(part) for part in (block.group, decided))
                scored = ScoredRows(block.scores, small(block.truth), block.weight, *others)
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
        if block.weight is not None and not counts_cases(block.weight) and block.weight.any():
            self.lightest = min(self.lightest, float(block.weight[block.weight > 0].min()))
            self.heaviest = max(self.heaviest, float(block.weight.max()))

    def add_scores(self, block: ScoredRows) -> None:
        """Count scores, and where they are probabilities what these are worth."""
        self.scores.add(block)
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

        def parts(counters: dict[int, CellCounter], labels: Sequence[Any]) -> dict[Any, ConfusionCounts]:
            return {labels[code]: table(counters[code].cells) for code in in_order(counters, labels)}

        families = tuple(dict.fromkeys(encoder.labels.families.values()))
        has_scores = encoder.scores.form != "none"
        probable = has_scores and encoder.scores.scale != "scores"
        confusion = table(self.cells.cells)
        return Tally(
            confusion,
            encoder.judged if encoder.roles.count is None else confusion.n,
            encoder.scores.scale if has_scores else None,
            self.scores.counts(order, self.drawing) if has_scores else None,
            self.probabilities if probable else None,
            parts(self.folds, encoder.folds.book.labels),
            parts(self.groups, encoder.groups.book.labels),
            encoder.positive(classes),
            families if len(families) > 1 else (),
            {name: gap.n for name, gap in encoder.gaps.columns.items()},
            encoder.dropped,
            self.heaviest / self.lightest if self.heaviest else 1.0,
            self.identities is not None and not self.identities.complete,
            encoder.before.left_out,
            encoder.undecided,
            0 if encoder.roles.count is None else encoder.judged,
        )


# -- partitions of a cluster -----------------------------------------------------------------------------------


class _Counted(NamedTuple):
    """What was counted of some partitions; no tally where no row of them can be judged."""

    tally: Tally | None
    dropped: int
    gaps: Counter[str]
    lightest: float
    heaviest: float


def _tally_there(spread: Spread) -> Tally:
    """Return what all partitions hold, each counted where it lies; what one of them could not know is settled here."""
    encoder, identities = spread.encoder, spread.identities()
    if identities is not None:
        identities.check()
    counted: _Counted = spread.count(_count_some, _added)
    encoder.gaps.columns.update({name: Gap(n) for name, n in counted.gaps.items()})
    encoder.dropped = counted.dropped
    encoder.check()
    assert counted.tally is not None  # else no row was left, which was refused
    return replace(
        counted.tally,
        positive=encoder.positive(encoder.classes),
        gaps=dict(counted.gaps),
        dropped=counted.dropped,
        weight_spread=counted.heaviest / counted.lightest if counted.heaviest else 1.0,
        unchecked_rows=identities is not None and not identities.complete,
    )


def _count_some(encoder: Encoder) -> _Counted:
    """Count the rows of one partition, scores as tables."""
    counters = _Counters(encoder, some=True)
    for block in counters.labelled():
        counters.add_scores(block)
    found = counters.tally() if encoder.judged else None
    if found is not None and found.scores is not None:
        found = replace(found, scores=as_tables(found.scores))
    gaps = Counter({name: gap.n for name, gap in encoder.gaps.columns.items()})
    return _Counted(found, encoder.dropped, gaps, counters.lightest, counters.heaviest)


def _added(parts: Sequence[_Counted]) -> _Counted:
    tallies = [part.tally for part in parts if part.tally is not None]
    return _Counted(
        merged(tallies) if tallies else None,
        sum(part.dropped for part in parts),
        sum((part.gaps for part in parts), Counter()),
        min(part.lightest for part in parts),
        max(part.heaviest for part in parts),
    )
