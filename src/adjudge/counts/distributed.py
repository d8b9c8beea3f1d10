"""Partitions of a cluster counted where they lie: in one pass where the first rows have every label, else in two."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cached_property, partial
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, counted, dataclass, replace, safe
from adjudge.counts.scores import EXACT
from adjudge.predictions import engines
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.cells import counts_of
from adjudge.predictions.cluster_keys import cluster_keys
from adjudge.predictions.duplicates import Identities
from adjudge.predictions.engines import LazySource
from adjudge.predictions.frames import Add, Batches
from adjudge.predictions.model import Predictions, WatchedSource, unwatched
from adjudge.predictions.parts import PartSource
from adjudge.predictions.sources import HEAD, ColumnsSource, DerivedSource, Source, base_of
from adjudge.predictions.streams import evenly, rows_of


@dataclass(frozen=True)
class _Partition(ColumnsSource):
    """The rows of one partition, on the worker that has them; its columns are empty and tell their types."""

    stream: Batches = ()

    def batches(self, labels: Sequence[str], numbers: Sequence[str]) -> Iterator[dict[str, pa.Array]]:
        """Yield the columns in blocks."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        rows = rows_of(labels, numbers, (self.columns[name].type for name in wanted))
        return evenly((batch.select(wanted) for batch in self.stream), wanted, rows)


def spread_over(predictions: Predictions, *, ranking: bool) -> Spread | None:
    """Return predictions whose partitions are to be counted where they lie, if that is where the rows are.

    As many scores as are kept of a file are fetched and kept as these are, so that few rows give what they give from a file.
    """
    frame = base_of(predictions.source)
    if not isinstance(frame, LazySource) or not frame.spread or predictions.reading.duplicates != "error":
        return None
    if frame.rows <= engines.MOST_FETCHED:
        return None
    spread = Spread(predictions, frame, ranking=ranking)
    return None if 0 < frame.rows * len(spread.encoder.scores.classes) <= EXACT else spread


class Spread:
    """Predictions whose rows are spread over the workers of a cluster."""

    def __init__(self, predictions: Predictions, frame: LazySource, *, ranking: bool) -> None:
        self.predictions, self.frame, self.columns = predictions, frame, list(predictions.roles.columns)
        source = predictions.source
        self.told: Callable[..., None] | None = source.told if isinstance(source, WatchedSource) else None
        source = unwatched(source)
        self.columns += [source.column] if isinstance(source, PartSource) and source.column not in self.columns else []
        head = predictions.source.head(HEAD)
        levels: dict[str, tuple[Any, ...]] = {}
        for name in self.columns:
            known = frame.declared(name)
            levels |= {} if known is None else {name: known}
            if known is None and kinds.is_dictionary(head[name].type):
                head[name] = head[name].dictionary_decode()  # categories that were not declared have no order
        first = ColumnsSource(frame.name, {name: head[name] for name in self.columns}, levels=levels)
        self._new = partial(Encoder, Predictions.of(first, predictions.roles, predictions.reading), ranking=ranking)
        self.source = _based(source, _Partition(frame.name, {name: head[name].slice(0, 0) for name in self.columns}))
        """Where workers read; it is sent to them."""
        self._first = None if isinstance(source, PartSource) else first  # whose first rows may be of another part

    @cached_property
    def _fresh(self) -> Encoder:
        return self._new()

    @cached_property
    def encoder(self) -> Encoder:
        """It knows every label, once rows are counted, so that all workers give them the same numbers."""
        return deepcopy(self._fresh)

    def over_rows(self, job: Callable[[Source], Any], add: Add) -> Any:
        """Return what `job` makes of the rows of each partition, added up; None where no partition has any."""
        return self._asked(job, add, self.columns)

    def count(self, count: Callable[[Encoder], Any], add: Add) -> Any:
        """Return what `count` makes of an encoder over the rows of each partition, added up.

        The labels of the first rows are mostly all there are; what a worker meets beyond them is known in a second pass.
        """
        roles = self.predictions.roles
        names = list(dict.fromkeys(name for name in (roles.truth, roles.predicted, roles.fold, roles.group) if name is not None))
        distinct = partial(_distinct, names=names, count=roles.count)
        try:
            answer = None if self._first is None else self._counted(distinct(self._first), count, add)
        except InputError:  # told below, of all labels
            answer = None
        if answer is None:
            beside = [roles.count, self.source.column if isinstance(self.source, PartSource) else None]
            needed = [*names, *(name for name in beside if name is not None and name not in names)]
            answer = self._counted(self._asked(distinct, _all_labels, needed), count, add)
        elif self._first is not None and any(answer.named):
            self.encoder = deepcopy(self._fresh)
            self._know(distinct(self._first))
            self._meet(answer)
            self.encoder.check()
            answer = self._over_partitions(count, add)
        self._meet(answer)
        return answer.counted

    def _counted(self, labels: _Labels | None, count: Callable[[Encoder], Any], add: Add) -> _Answer:
        """Return the counts of an encoder that knows these labels."""
        self.encoder = deepcopy(self._fresh)
        self._know(labels)
        self.encoder.check()
        return self._over_partitions(count, add)

    def _know(self, labels: _Labels | None) -> None:
        self.encoder.n, batch = labels or (0, {})
        if batch:
            self.encoder.labelled(batch, None)
            self.encoder.parts(batch)
        self.encoder.gaps.columns.clear()  # those among different labels say nothing

    def _meet(self, answer: _Answer) -> None:
        """Know the labels that workers met beyond those they knew, and which of them truths and decisions are."""
        encoder = self.encoder
        for reader, named in zip((encoder.labels, encoder.folds, encoder.groups), answer.named, strict=True):
            for label, text in named:
                reader.book.code(label, cell=text)
        encoder.n = answer.rows
        encoder.labels.families = answer.families | encoder.labels.families
        for own, met in zip((encoder.true, encoder.said), answer.labels, strict=True):
            own.update(encoder.labels.book.code(label) for label in met)

    def _over_partitions(self, count: Callable[[Encoder], Any], add: Add) -> _Answer:
        job = partial(_counted, encoder=self.encoder, count=count)
        nothing = _Answer(None, 0, ((), (), ()), {}, ((), ()))
        return self._asked(job, partial(_added, add=add), self.columns) or nothing

    def identities(self) -> Identities | None:
        """Return the identities of as many cases as are remembered; of these alone the columns that name them are fetched."""
        roles = self.predictions.roles
        if roles.row is None:
            return None
        seen, n, folds = Identities(roles.row), 0, deepcopy(self.encoder.folds)
        beside = [name for name in (roles.fold, roles.run) if name is not None]
        for batch in self.predictions.source.batches([roles.row, *beside], []):
            run = None if roles.run is None else cluster_keys(batch[roles.run], roles.run)[0]
            fold = None if roles.fold is None else folds.read(batch[roles.fold], roles.fold, n)
            seen.add(batch[roles.row], fold, run=run)
            n += len(batch[roles.row])
            if not seen.complete:
                break
        return seen

    def _asked(self, job: Callable[[Source], Any], add: Add, columns: Sequence[str]) -> Any:
        work, together = partial(_done, source=self.source, job=job), partial(_together, add=add)
        tell, done, rows = self.told, 0, 0

        def told(parts: int, of: int | None, more: int) -> None:
            nonlocal done, rows
            done, rows = done + parts, rows + more
            if tell is not None:
                among = counted(done, "partition") if of is None else f"{done:,} of {counted(of, 'partition')}"
                tell(rows, note=f"in {among}" if done else "")

        if tell is not None:
            tell(0)
        answer = self.frame.over_partitions(columns, work, together, None if tell is None else told)
        if isinstance(answer, InputError):
            msg = f"In a partition of {safe(self.predictions.source.name)}: "
            raise InputError(msg, answer.wording) from answer
        return answer


def _based(source: Source, base: Source) -> Source:
    """Return the same source on another base; whoever watches it stays here."""
    if isinstance(source, WatchedSource):
        return _based(source.source, base)
    return replace(source, source=_based(source.source, base)) if isinstance(source, DerivedSource) else base


# -- on the workers --------------------------------------------------------------------------------------------


def _done(stream: Batches, source: Source, job: Callable[[Source], Any]) -> Any:
    """Return what a job makes of the rows of a partition, or what is wrong with them."""
    base = source.source if isinstance(source, DerivedSource) else source
    assert isinstance(base, _Partition)
    try:
        return job(_based(source, replace(base, stream=stream)))
    except InputError as error:
        return error


def _together(answers: Sequence[Any], add: Add) -> Any:
    """Return the answers of partitions added up, or the first complaint; those of no rows are None."""
    wrong = next((answer for answer in answers if isinstance(answer, InputError)), None)
    known = [answer for answer in answers if answer is not None]
    if wrong is not None:
        return wrong
    return add(known) if len(known) > 1 else next(iter(known), None)


class _Labels(NamedTuple):
    """The different values of some columns."""

    rows: int
    values: dict[str, pa.Array]


def _distinct(source: Source, names: Sequence[str], count: str | None) -> _Labels | None:
    """Return how many rows there are, but those that a column counts no case of, and the different values; nothing of no rows."""
    parts, before = [], 0
    for batch in source.batches([*names, *([count] if count else [])], []):
        if count is not None:
            times = counts_of(batch[count], count, before)
            before, batch = before + times.size, {name: batch[name].filter(pa.array(times > 0)) for name in names}  # noqa: PLW2901
        each = {name: batch[name].unique() for name in names}
        plain = {name: v.dictionary_decode() if kinds.is_dictionary(v.type) else v for name, v in each.items()}
        parts.append(_Labels(len(batch[names[0]]), plain))
    return _all_labels(parts) if parts else None


def _all_labels(parts: Sequence[_Labels]) -> _Labels:
    """Return the rows and the different labels of several parts; a column without any value has no type to put beside others'."""
    labels = {}
    for name in parts[0][1]:
        each = [values[name] for _, values in parts if not kinds.is_null(values[name].type)]
        labels[name] = pa.concat_arrays(each).unique() if each else parts[0][1][name]
    return _Labels(sum(n for n, _ in parts), labels)


class _Answer(NamedTuple):
    """What was counted of some partitions, and the labels in them that the encoder which was sent did not know."""

    counted: Any  # nothing where labels were not known, since they have other numbers elsewhere
    rows: int  # without those that stand for no case
    named: tuple[tuple[tuple[Any, str | None], ...], ...]  # labels, folds and groups, with the texts of their cells
    families: dict[str, str]
    labels: tuple[tuple[Any, ...], tuple[Any, ...]]  # the classes among truths and decisions, as long as they share none


def _counted(source: Source, encoder: Encoder, count: Callable[[Encoder], Any]) -> _Answer:
    """Return what is counted of the rows of a partition; a worker may have several, each with an encoder of its own."""
    own = deepcopy(encoder)
    own.n, own.predictions = 0, Predictions.of(source, encoder.roles, encoder.reading)
    counted = count(own)
    readers = ((own.labels, encoder.labels), (own.folds, encoder.folds), (own.groups, encoder.groups))
    named = tuple(tuple(each[:2] for each in now.book.seen[len(before.book.seen) :]) for now, before in readers)
    book = {code: label for label, _, code in own.labels.book.seen}
    labels = tuple(tuple(book[code] for code in codes if code in book) for codes in (own.true, own.said))
    return _Answer(None if any(named) else counted, own.n - own.absent, named, own.labels.families, labels)  # type: ignore[arg-type]


def _added(answers: Sequence[_Answer], add: Add) -> _Answer:
    named = tuple(
        tuple(dict.fromkeys(each for some in several for each in some))
        for several in zip(*(a.named for a in answers), strict=True)
    )
    families = {name: family for answer in reversed(answers) for name, family in answer.families.items()}
    labels = tuple(
        tuple(dict.fromkeys(each for some in several for each in some))
        for several in zip(*(a.labels for a in answers), strict=True)
    )
    counted = None if any(named) else add([answer.counted for answer in answers])
    return _Answer(counted, sum(answer.rows for answer in answers), named, families, labels)  # type: ignore[arg-type]
