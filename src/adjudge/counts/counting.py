"""One pass over predictions: rows in blocks become small tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from adjudge._base import InputError, argument, quoted
from adjudge._base.arrays import ahead, counts_cases
from adjudge.counts.belonging import Belonging, BelongingCounter
from adjudge.counts.cells import CellCounter, Cells, pairs, pairs_by_part, renumbered
from adjudge.counts.confusion import ConfusionCounts, from_cells
from adjudge.counts.distributed import Spread, spread_over
from adjudge.counts.exact import ranked_exactly
from adjudge.counts.numbers import refuse_weightless
from adjudge.counts.probabilities import ProbabilityCounts
from adjudge.counts.sampling import Drawing, SampledCases, cluster_numbers, regrouped, small
from adjudge.counts.scores import EXACT, ScoreCounter, ScoredRows, as_tables
from adjudge.counts.suspected import ByValue, SuspectCounter
from adjudge.counts.tally import MOST_PARTS, Tally, added_up, in_order, merged
from adjudge.counts.workers import done, workers_for
from adjudge.predictions.blocks import Block, Encoder
from adjudge.predictions.duplicates import CHECKED, Identities, without_duplicates
from adjudge.predictions.file_sources import CsvSource
from adjudge.predictions.labels import LARGEST_EXACT, Gap
from adjudge.predictions.model import Predictions, telling, unwatched
from adjudge.predictions.parquet_source import ParquetSource
from adjudge.predictions.sources import ColumnsSource, Source, base_of, in_parts
from adjudge.stats.ranking import ScoreTable

_TWO = 2
_PART = 40  # bits of the number of a row within a part, where those before it are not counted yet
_TOGETHER = "The parts are to be counted in one piece."  # which tells why
GATHERED = 5 << 19  # scores gathered before they are counted, of a file known to have more than are kept


def tally(predictions: Predictions, *, exact: bool = False, ranking: bool = False, suspecting: bool = False) -> Tally:
    """Count everything in one pass, or where partitions lie; for an `exact` AUC read again what memory does not hold.

    With `suspecting` columns that may be clusters are counted beside, but not where partitions lie.
    """
    doubled: dict[int, int] = {}
    if (spread := spread_over(predictions, ranking=ranking)) is not None:
        counted = _tally_there(spread)
    else:
        predictions = without_duplicates(predictions)
        counters = None if exact else _in_parts(predictions, ranking=ranking, suspecting=suspecting)
        if counters is None:
            counters = _Counters(Encoder(predictions, ranking=ranking, suspecting=suspecting), exact=exact)
            counters.count()
        counted, doubled = counters.tally(), counters.scores.doubled()
    refuse_weightless(counted.confusion.n)
    if not exact or counted.scores is None:
        return counted
    return replace(counted, scores=ranked_exactly(counted.scores, predictions, doubled))


def count_confusion(predictions: Predictions, *, any_labels: bool = False) -> ConfusionCounts:
    """Count decisions only, and the clusters of rows that name them; with `any_labels` truth and prediction need share none."""
    if predictions.roles.cluster is not None and not any_labels:
        return tally(predictions).confusion
    if (spread := spread_over(predictions, ranking=False)) is not None:
        return _tally_there(spread).confusion
    single = without_duplicates(predictions)
    if (counters := _in_parts(single, scores=False, any_labels=any_labels)) is not None:
        encoder, counter = counters.encoder, counters.cells
    else:
        encoder, counter = Encoder(single, any_labels=any_labels), CellCounter()
        for block in encoder.blocks():
            counter.add(pairs(block.truth, block.predicted, _width(encoder), block.weight))
    return from_cells(counter.cells, encoder.classes, encoder.order, rejected=predictions.reading.rejected is not None)


def _width(encoder: Encoder) -> int:
    return max(len(encoder.labels.book), 2 if encoder.scores.form == "single" else 1)


class _Counters:
    """The tables of one pass while they grow."""

    def __init__(self, encoder: Encoder, *, exact: bool = False, some: bool = False, parts: bool = False) -> None:
        self.encoder, self.some = encoder, some or parts
        file, columns = unwatched(encoder.predictions.source), len(encoder.scores.classes)
        held = isinstance(file, ColumnsSource) and not self.some
        surely = 1 if isinstance(file, ParquetSource) else 2  # of text the number of rows is an estimate
        about = file.about() if isinstance(file, (CsvSource, ParquetSource)) else None
        larger = self.some or (about or 0) * columns > surely * EXACT
        self.cells = CellCounter()
        self.folds, self.groups = dict[int, CellCounter](), dict[int, CellCounter]()
        self.scores = ScoreCounter(None if held else min(GATHERED, EXACT) if larger else EXACT, keep=exact)
        self.drawing = None if held or encoder.roles.count is not None else Drawing()
        self.probabilities = ProbabilityCounts()
        row = encoder.roles.row
        self.identities = Identities(row) if row and encoder.reading.duplicates == "error" and not some else None
        self.lightest, self.heaviest = np.inf, 0.0
        self.belonging, self.suspects = BelongingCounter(), SuspectCounter(encoder)

    def count(self) -> None:
        """Count all rows; where there may be many, scores in a thread of their own."""
        blocks = self.labelled()
        for block in ahead(blocks) if self.drawing else blocks:
            self.add_scores(block)

    def labelled(self) -> Iterator[ScoredRows]:
        """Count all but scores in the thread that reads, whose cache has the labels, and yield what counting scores takes."""
        for block in self.encoder.blocks(some=self.some):
            self._add_labels(block)
            if block.scores is not None:
                decided = block.predicted if self.encoder.decisions_given else None
                group = block.group if block.cluster is None else cluster_numbers(block.cluster)
                others = (None if part is None else small(part) for part in (group, decided))
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
        self.belonging.add(block, self.encoder)
        self.suspects.add(block)
        if block.row is not None and self.identities is not None:
            self.identities.add(block.row, block.fold, None if self.some else block.number, block.run)
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

    def begin(self, first: int) -> None:
        """Begin a part whose first row has this number: all but scores is counted by itself."""
        self.cells, self.folds, self.groups, self.probabilities = CellCounter(), {}, {}, ProbabilityCounts()
        self.lightest, self.heaviest = np.inf, 0.0
        self.belonging, self.suspects = BelongingCounter(), SuspectCounter(self.encoder, runs=not first)
        if self.drawing is not None:
            self.drawing = Drawing(first, self.drawing)
        if self.identities is not None:
            self.identities = Identities(self.identities.column)

    def include(self, answers: Sequence[tuple[int, _PartCounts]], rests: Sequence[list[ScoreTable]]) -> None:
        """Add what workers counted, part by part: labels get the numbers that one pass over all parts gives them."""
        encoder = self.encoder
        readers = (encoder.labels, encoder.folds, encoder.groups)
        places = [[np.arange(_TWO) for _ in readers] for _ in rests]  # of each worker's numbers among those here
        sums: list[ProbabilityCounts] = []
        for worker, part in answers:
            for i, named in enumerate(part.named):
                if named:
                    codes = {code: readers[i].book.code(label, cell=text) for label, text, code in named}
                    more = np.arange(places[worker][i].size, max(codes) + 1)
                    place = places[worker][i] = np.append(places[worker][i], more)
                    place[list(codes)] = list(codes.values())
            labels, *by_part = places[worker]
            self.cells.add(renumbered(part.cells, labels))
            for place, own, by_code in zip(by_part, (self.folds, self.groups), part.by_part, strict=True):
                for code, cells in by_code.items():
                    own.setdefault(int(place[code]), CellCounter()).add(renumbered(cells, labels))
            rows, dropped, absent, cases, changed = part.rows
            encoder.n, encoder.dropped, encoder.absent = encoder.n + rows, encoder.dropped + dropped, encoder.absent + absent
            encoder.cases, encoder.changed = encoder.cases + cases, encoder.changed + changed
            self.belonging.include(part.belonging, labels, *by_part)
            self.suspects.include(part.suspected)
            sums += [part.probabilities] if rows > dropped + absent else []
            self.lightest, self.heaviest = min(self.lightest, part.weights[0]), max(self.heaviest, part.weights[1])
            for name, n in part.gaps.items():
                encoder.gaps.columns.setdefault(name, Gap()).n += n
            encoder.labels.families = part.families | encoder.labels.families
            if part.drawn is not None and self.drawing is not None:
                group = regrouped(places[worker][-1], part.drawn.group)
                self.drawing.include(replace(part.drawn.moved(labels, len(encoder.labels.book) + 1), group=group))
            for own_labels, codes_met in zip((encoder.true, encoder.said), part.labels, strict=True):
                own_labels.update(labels[list(codes_met)].tolist())
            if self.identities is not None:
                self.identities.include(part.identities, places[worker][1])
        self.probabilities = added_up(sums) if sums else self.probabilities
        columns = np.arange(len(encoder.scores.classes))
        moved = any((own[0][: columns.size] != columns[: own[0].size]).any() for own in places)
        again = self.identities is not None and self.identities.repetitions()
        if again or moved or max(len(self.folds), len(self.groups)) > MOST_PARTS or encoder.cases > LARGEST_EXACT:
            raise InputError(_TOGETHER)
        for tables in rests:
            self.scores.include(tables)

    def tally(self) -> Tally:
        encoder = self.encoder
        if self.identities is not None:
            self.identities.check()
        classes, order = encoder.classes, encoder.order
        rejected = encoder.reading.rejected is not None or encoder.undecided
        table = partial(from_cells, classes=classes, order=order, rejected=rejected)

        def parts(counters: dict[int, CellCounter], labels: Sequence[Any], what: str) -> dict[Any, ConfusionCounts]:
            each = {code: self.belonging.clusters_within(what, code, order) for code in in_order(counters, labels)}
            return {labels[code]: replace(table(counters[code].cells), clusters=own) for code, own in each.items()}

        families = tuple(dict.fromkeys(encoder.labels.families.values()))
        has_scores = encoder.scores.form != "none"
        probable = has_scores and encoder.scores.scale != "scores"
        confusion = replace(table(self.cells.cells), clusters=self.belonging.clusters_of(order))
        return Tally(
            confusion,
            encoder.judged if encoder.roles.count is None else confusion.n,
            encoder.scores.scale if has_scores else None,
            self.scores.counts(order, self.drawing, in_order(self.groups, encoder.groups.book.labels)) if has_scores else None,
            self.probabilities if probable else None,
            parts(self.folds, encoder.folds.book.labels, "fold"),
            parts(self.groups, encoder.groups.book.labels, "group"),
            encoder.positive(classes),
            families if len(families) > 1 else (),
            {name: gap.n for name, gap in encoder.gaps.columns.items()},
            encoder.dropped,
            self.heaviest / self.lightest if self.heaviest else 1.0,
            self.identities is not None and not self.identities.complete,
            encoder.before.left_out,
            encoder.undecided,
            0 if encoder.roles.count is None else encoder.judged,
            encoder.changed if encoder.replaces else None,
            self.belonging.runs_of(order),
            self.suspects.values(),
        )


# -- parts of large files --------------------------------------------------------------------------------------


def _in_parts(predictions: Predictions, *, scores: bool = True, **how: bool) -> _Counters | None:
    """Return what a large file holds, its parts counted in several processes; None of what is counted in one piece.

    What the parts are depends on the file alone, and so does the answer. Where a part is refused the whole is read in one piece,
    which tells what is wrong and in which row.
    """
    source, base, roles = predictions.source, base_of(predictions.source), predictions.roles
    columns = len(roles.scores) if scores else 0
    if not isinstance(base, (CsvSource, ParquetSource)) or not base.is_large(columns):
        return None
    about = base.about()
    if about is not None and 0 < about * columns <= 2 * EXACT:
        return None  # all scores may be kept
    parts = in_parts(source)
    quarters = 4 if isinstance(base, ParquetSource) else 5  # of text the number of rows is an estimate
    remembered = len(parts) if about is None else len(parts) * CHECKED * quarters // (4 * about) + 1
    workers = workers_for(predictions.reading.n_jobs, len(parts), threads=not columns)
    more = telling(source)
    try:
        counters = _Counters(Encoder(Predictions.of(unwatched(source), roles, predictions.reading), **how), parts=True)
        job = _PartJob(deepcopy(counters), scores=scores, threads=workers == 1, remembered=remembered)
        with base.hashed.beside():
            answers, rests = done(job, parts, workers, lambda part: more(part.rows[0]), threads=not columns)
        counters.include(answers, rests)
        counters.encoder.check()
    except InputError:
        return None
    return counters


class _PartCounts(NamedTuple):
    """What was counted of one part by itself; numbers of classes, folds and groups are those of the worker that had it."""

    # all, those dropped, those that stand for no case, the cases the others stand for, and those a threshold decides otherwise
    rows: tuple[int, int, int, int, int]
    cells: Cells
    by_part: tuple[dict[int, Cells], dict[int, Cells]]  # by fold and by group
    probabilities: ProbabilityCounts
    weights: tuple[float, float]  # the lightest and the heaviest
    gaps: dict[str, int]
    families: dict[str, str]
    named: tuple[list[tuple[Any, str | None, int]], ...]  # labels, folds and groups that its worker had not met before
    labels: tuple[set[int], set[int]]  # the classes among truths and decisions
    drawn: SampledCases | None  # some of the cases
    identities: Identities | None
    belonging: Belonging
    suspected: tuple[ByValue, ...]


class _PartJob:
    """Counts parts of a file one after the other, wherever it is sent."""

    def __init__(self, counters: _Counters, *, scores: bool, threads: bool, remembered: int) -> None:
        self.counters, self.scores, self.threads = counters, scores, threads
        self.identities, self.remembered = counters.identities, remembered
        self.met = [0, 0, 0]

    def part(self, number: int, part: Source) -> _PartCounts:
        """Return what was counted of a part, but for its scores."""
        counters, encoder = self.counters, self.counters.encoder
        encoder.predictions = Predictions.of(part, encoder.roles, encoder.reading)
        encoder.n = encoder.dropped = encoder.absent = encoder.cases = encoder.changed = 0
        encoder.gaps.columns.clear()
        first = base_of(part).first  # type: ignore[attr-defined]  # of files alone there are parts
        counters.identities = self.identities if number < self.remembered else None
        counters.begin(number << _PART if first is None else first)
        if not self.scores:
            for block in encoder.blocks(some=True):
                counters.cells.add(pairs(block.truth, block.predicted, _width(encoder), block.weight))
        elif self.threads:
            counters.count()
        else:
            for scored in counters.labelled():
                counters.add_scores(scored)
        books = [reader.book.seen for reader in (encoder.labels, encoder.folds, encoder.groups)]
        named = tuple(book[met:] for book, met in zip(books, self.met, strict=True))
        self.met = [len(book) for book in books]
        return _PartCounts(
            (encoder.n, encoder.dropped, encoder.absent, encoder.cases, encoder.changed),
            counters.cells.cells,
            ({code: each.cells for code, each in counters.folds.items()}, {c: e.cells for c, e in counters.groups.items()}),
            counters.probabilities,
            (counters.lightest, counters.heaviest),
            {name: gap.n for name, gap in encoder.gaps.columns.items()},
            dict(encoder.labels.families),
            named,
            (encoder.true, encoder.said),
            None if counters.drawing is None else counters.drawing.kept,
            counters.identities,
            counters.belonging.counts,
            counters.suspects.values(),
        )

    def rest(self) -> list[ScoreTable]:
        """Return the scores of all parts as tables."""
        return self.counters.scores.tables()


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
    identities = spread.identities()
    if identities is not None:
        identities.check()
    counted: _Counted = spread.count(_count_some, _added)
    encoder = spread.encoder
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
    tallied = counters.tally() if encoder.judged else None
    if tallied is not None and tallied.scores is not None:
        tallied = replace(tallied, scores=as_tables(tallied.scores))
    gaps = Counter({name: gap.n for name, gap in encoder.gaps.columns.items()})
    return _Counted(tallied, encoder.dropped, gaps, counters.lightest, counters.heaviest)


def _added(parts: Sequence[_Counted]) -> _Counted:
    tallies = [part.tally for part in parts if part.tally is not None]
    return _Counted(
        merged(tallies) if tallies else None,
        sum(part.dropped for part in parts),
        sum((part.gaps for part in parts), Counter()),
        min(part.lightest for part in parts),
        max(part.heaviest for part in parts),
    )
