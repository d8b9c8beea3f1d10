"""Partitions of a cluster counted where they lie, in two passes, for the labels that occur and for the counts; no row is sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base.errors import InputError
from adjudge._base.records import dataclass, replace
from adjudge._base.text import safe
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.cells import counts_of
from adjudge.predictions.duplicates import Identities
from adjudge.predictions.engines import LazySource
from adjudge.predictions.frames import Add, Batches
from adjudge.predictions.model import Predictions, WatchedSource
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
    """Return predictions whose partitions are to be counted where they lie, if that is where the rows are."""
    frame = base_of(predictions.source)
    there = isinstance(frame, LazySource) and predictions.reading.duplicates == "error" and frame.counts_there
    return Spread(predictions, frame, ranking=ranking) if there else None  # type: ignore[arg-type]


class Spread:
    """Predictions whose rows are spread over the workers of a cluster."""

    def __init__(self, predictions: Predictions, frame: LazySource, *, ranking: bool) -> None:
        self.predictions, self.frame, self.columns = predictions, frame, list(predictions.roles.columns)
        source = predictions.source
        watched = isinstance(source, WatchedSource)
        self.told: Callable[..., None] | None = source.told if watched else None  # type: ignore[attr-defined]
        source = source.source if watched else source  # type: ignore[attr-defined]
        self.columns += [source.column] if isinstance(source, PartSource) and source.column not in self.columns else []
        head = predictions.source.head(HEAD)
        levels: dict[str, tuple[Any, ...]] = {}
        for name in self.columns:
            known = frame.declared(name)
            levels |= {} if known is None else {name: known}
            if known is None and kinds.is_dictionary(head[name].type):
                head[name] = head[name].dictionary_decode()  # categories that were not declared have no order
        first = ColumnsSource(frame.name, {name: head[name] for name in self.columns}, levels=levels)
        self.encoder = Encoder(Predictions.of(first, predictions.roles, predictions.reading), ranking=ranking)
        self.source = _based(source, _Partition(frame.name, {name: head[name].slice(0, 0) for name in self.columns}))
        """Where workers read; it is sent to them."""
        # the encoder is to know every label, so that all workers give them the same numbers
        roles, encoder = predictions.roles, self.encoder
        names = list(dict.fromkeys(name for name in (roles.truth, roles.predicted, roles.fold, roles.group) if name is not None))
        beside = [roles.count, source.column if isinstance(source, PartSource) else None]
        needed = [*names, *(name for name in beside if name is not None and name not in names)]
        distinct = partial(_distinct, names=names, count=roles.count)
        encoder.n, batch = self._asked(distinct, _all_labels, needed) or (0, {})
        if batch:
            encoder.labelled(batch, None)
            encoder.parts(batch)
        encoder.gaps.columns.clear()  # those among different labels say nothing
        encoder.check()

    def count(self, count: Callable[[Encoder], Any], add: Add) -> Any:
        """Return what `count` makes of an encoder over the rows of each partition, added up."""
        return self._asked(partial(_counted, encoder=self.encoder, count=count), add, self.columns)

    def identities(self) -> Identities | None:
        """Return the identities of as many cases as are remembered; of these alone the columns that name them are fetched."""
        roles = self.predictions.roles
        if roles.row is None:
            return None
        seen, n, folds = Identities(roles.row), 0, deepcopy(self.encoder.folds)
        for batch in self.predictions.source.batches([roles.row, *([roles.fold] if roles.fold else [])], []):
            fold = None if roles.fold is None else folds.read(batch[roles.fold], roles.fold, n)
            seen.add(batch[roles.row], fold)
            n += len(batch[roles.row])
            if not seen.complete:
                break
        return seen

    def _asked(self, job: Callable[[Source], Any], add: Add, columns: Sequence[str]) -> Any:
        work, together = partial(_done, source=self.source, job=job), partial(_together, add=add)
        done = 0

        def told(parts: int, of: int | None) -> None:
            nonlocal done
            done += parts
            if self.told is not None:
                self.told(0, note=f"{done:,}{'' if of is None else f' of {of:,}'} partitions")

        answer = self.frame.over_partitions(columns, work, together, told)
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


def _distinct(source: Source, names: Sequence[str], count: str | None) -> tuple[int, dict[str, pa.Array]] | None:
    """Return how many rows there are, but those that a column counts no case of, and the different values; nothing of no rows."""
    found, before = [], 0
    for batch in source.batches([*names, *([count] if count else [])], []):
        if count is not None:
            times = counts_of(batch[count], count, before)
            before, batch = before + times.size, {name: batch[name].filter(pa.array(times > 0)) for name in names}  # noqa: PLW2901
        each = {name: batch[name].unique() for name in names}
        plain = {name: v.dictionary_decode() if kinds.is_dictionary(v.type) else v for name, v in each.items()}
        found.append((len(batch[names[0]]), plain))
    return _all_labels(found) if found else None


def _all_labels(found: Sequence[tuple[int, dict[str, pa.Array]]]) -> tuple[int, dict[str, pa.Array]]:
    """Return the rows and the different labels of several parts; a column without any value has no type to put beside others'."""
    labels = {}
    for name in found[0][1]:
        each = [values[name] for _, values in found if not kinds.is_null(values[name].type)]
        labels[name] = pa.concat_arrays(each).unique() if each else found[0][1][name]
    return sum(n for n, _ in found), labels


def _counted(source: Source, encoder: Encoder, count: Callable[[Encoder], Any]) -> Any:
    """Return what is counted of the rows of a partition; a worker may have several, each with an encoder of its own."""
    own = deepcopy(encoder)
    own.n, own.predictions = 0, Predictions.of(source, encoder.roles, encoder.reading)
    return count(own)
