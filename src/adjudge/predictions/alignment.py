"""Several sets of predictions side by side: cases meet by identity, by position only on demand, never if truths disagree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import Finding, InputError, argument, command, counted, dataclass, quoted, replace, safe, switch, wording
from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.one_order import in_one_order, keys_of, mixed, of_group
from adjudge.predictions.blocks import REJECTED
from adjudge.predictions.cells import view
from adjudge.predictions.duplicates import SPREAD, repeated
from adjudge.predictions.engines import LazySource
from adjudge.predictions.in_memory import Held, are_numbers, hold, hold_numbers
from adjudge.predictions.labels import lookalikes, ordered, text_of
from adjudge.predictions.model import Predictions, of_replaced, refuse_beyond_memory
from adjudge.predictions.roles import Scale
from adjudge.predictions.sources import base_of
from adjudge.predictions.spellings import means_positive, merging, named_positives

NOWHERE = -1  # the place of a case that a set does not have
_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """The cases that all sets have, with what each set says of them."""

    names: tuple[str, ...]
    classes: tuple[Any, ...]  # none where numbers are predicted
    truth: AnyArray
    predicted: tuple[AnyArray, ...]  # what each set says: places among the classes, REJECTED for none; or numbers
    scores: tuple[AnyArray | None, ...]
    columns: tuple[tuple[int, ...], ...]  # the class that each column of a set's scores speaks of
    scales: tuple[Scale | None, ...]
    weight: FloatArray | None
    fold: IntArray | None  # the fold of each row, where all sets agree on it
    cases: int  # different cases; fewer than rows where cases come back in several folds
    unshared: tuple[int, ...]  # rows of each set that some other set does not have
    positive: int | None
    rejects: bool
    by_position: bool
    folded: bool  # whether the answers of some set come from several folds
    findings: tuple[Finding, ...] = ()  # what was remarked while reading, once where it holds of all sets alike
    column: str | None = None  # that identifies cases in the first set, where they were paired by it
    identities: pa.Array | None = None  # what it holds, in the order of the first set
    places: IntArray | None = None  # where each row stands there; None where all do as they come
    cluster: IntArray | None = None  # the place of each row's cluster among the numbers of all clusters
    cluster_keys: IntArray | None = None  # these numbers, in order
    cluster_column: str | None = None  # that names clusters, in the first set that has one

    def identity(self, row: int) -> Any:
        """Return what a row is known by: its identity, or its place in the sets, from 1."""
        place = row if self.places is None else int(self.places[row])
        return place + 1 if self.identities is None else self.identities[place].as_py()

    def in_one_order(self) -> Together:
        """Return the cases in an order by what they are, so that no digit depends on where they stood; counts need none."""
        if self.classes and self.weight is None and all(p is None for p in self.scores):
            return self
        sets = list(zip(self.predicted, self.scores, strict=True))
        keys = [keys_of(self.truth, said if p is None else p, self.weight) for said, p in sets]  # decisions follow from scores
        each = np.add.reduce([keys_of(self.truth, said, p, self.weight, exact=True) for said, p in sets])
        if self.fold is not None:  # folds are numbered as they are met
            each = mixed(each ^ of_group(np.add.reduce(keys), self.fold)[self.fold])
        order, _ = in_one_order(keys, self.cluster, then=each)
        return self._taken(order)

    def in_order_of_rows(self) -> Together:
        """Return the cases in the order in which they stand in the first set."""
        return self if self.places is None else self._taken(np.argsort(self.places))

    def _taken(self, order: IntArray) -> Together:
        scores = tuple(None if p is None else p[order] for p in self.scores)
        parts: dict[str, Any] = {name: getattr(self, name) for name in ("truth", "weight", "fold", "cluster")}
        parts = {name: None if part is None else part[order] for name, part in parts.items()}
        places = order if self.places is None else self.places[order]
        return replace(self, predicted=tuple(said[order] for said in self.predicted), scores=scores, places=places, **parts)

    @property
    def rows(self) -> int:
        """How many rows are compared."""
        return int(self.truth.size)

    @property
    def grouped(self) -> bool:
        """Whether rows belong to clusters of more than one."""
        return self.cluster_keys is not None and self.cluster_keys.size < self.rows


def side_by_side(
    many: Sequence[Predictions], names: Sequence[str], *, scores: bool = False, ranking: bool = False, by_position: bool = False
) -> Together:
    """Return what several sets say of the cases that all of them have; for the `ranking` of scores nothing need be decided."""
    numeric = [are_numbers(each) for each in many]
    if any(numeric) and not all(numeric):
        one, other = (names[numeric.index(kind)] for kind in (True, False))
        msg = f"{safe(one)} predicts numbers and {safe(other)} classes; compare predictors of the same kind."
        raise InputError(msg)
    for each in many if by_position else ():
        if isinstance(base := base_of(each.source), LazySource) and not base.ordered:
            msg = "Rows of this engine have no order, so that position pairs nothing. Name what identifies a case with "
            raise InputError(msg, argument("row"), ".")
    sets = _held(many, numeric=all(numeric), scores=scores, ranking=ranking)
    named = named_positives([(each.classes, each.positive) for each in sets])
    classes, sets = _same_classes(sets, names)
    positive = named[0] if named else means_positive(classes)
    folds = _same_folds(sets)
    if by_position:
        _check_positions(many, sets, names)
    rows = None if by_position else matched(sets, names, folds)
    places: Sequence[IntArray | None] = [None] * len(sets) if rows is None else rows
    truth = [_at(each.truth, rows) for each, rows in zip(sets, places, strict=True)]
    if not truth[0].size:
        msg = f"{safe(names[0])} and {safe(names[1])} have no case in common: no identity occurs in all of them."
        raise InputError(msg)
    _check_truths(classes, sets[0], names, truth, places[0])
    own_folds = [_at(fold, rows) for fold, rows in zip(folds, places, strict=True)] if folds else []
    fold = own_folds[0] if own_folds and all(np.array_equal(own_folds[0], other) for other in own_folds[1:]) else None
    weighed = [
        (name, _at(each.weight, rows)) for each, name, rows in zip(sets, names, places, strict=True) if each.weight is not None
    ]
    for name, weight in weighed[1:]:
        if not np.array_equal(weighed[0][1], weight):
            msg = f"{safe(weighed[0][0])} and {safe(name)} give the same cases different weights; weigh each case once."
            raise InputError(msg)
    cases, identities = int(truth[0].size), sets[0].rows
    if fold is not None and not by_position and identities is not None:
        cases = len((identities if places[0] is None else identities.take(places[0])).unique())
    cluster_column, cluster_keys, cluster = _same_clusters(many, sets, names, places)
    findings = []  # what holds of some sets only is said with their names
    found = [list(each.found) for each in many]
    for remarks, each, own in zip(found, many, sets, strict=True):
        if each.roles.predicted is not None and own.changed is not None:
            remarks.append(of_replaced(each.roles.predicted, each.reading.threshold, own.changed, own.truth.size))
    for remark in dict.fromkeys(finding for remarks in found for finding in remarks):
        whose = [safe(name) for remarks, name in zip(found, names, strict=True) if remark in remarks]
        alike = len(whose) == len(many)
        findings.append(remark if alike else replace(remark, message=wording(f"{', '.join(whose)}: ", remark.message)))
    return Together(
        tuple(names),
        classes,
        truth[0],
        tuple(_at(each.predicted, rows) for each, rows in zip(sets, places, strict=True)),
        tuple(None if each.scores is None else _at(each.scores, rows) for each, rows in zip(sets, places, strict=True)),
        tuple(each.columns for each in sets),
        tuple(each.scale for each in sets),
        weighed[0][1] if weighed else None,
        fold,
        cases,
        tuple(int(each.truth.size - truth[0].size) for each in sets),
        None if positive is None else classes.index(positive),
        any(each.rejects for each in sets),
        by_position,
        any(len(each.folds) > 1 for each in sets),
        tuple(findings),
        None if by_position else sets[0].column,
        None if by_position else sets[0].rows,
        places[0],
        cluster,
        cluster_keys,
        cluster_column,
    ).in_one_order()


def _held(many: Sequence[Predictions], *, numeric: bool, scores: bool, ranking: bool) -> list[Held]:
    """Return sets read into memory, once they are not surely too large for it; those of decisions can be counted in parts."""
    fewer = "Name fewer sets, or take" if len(many) > _TWO else "Take"
    instead = wording(f"{fewer} the same part of the cases of each.")
    if not (numeric or scores):
        count = command("adjudge count A B --paired --names A,B -o FILE.counts", python='count_pairs(a, b, names=("a", "b"))')
        instead = wording(f"{fewer} the cases part by part: count each part with ", count, ", and compare all these counts.")
    refuse_beyond_memory(*many, label=8 if numeric else 1, scores=scores, instead=instead)
    return [hold_numbers(each) if numeric else hold(each, scores=scores, ranking=ranking) for each in many]


def _at(values: AnyArray, rows: IntArray | None) -> AnyArray:
    """Return the rows in their new order, and the array itself where that is the old one."""
    return values if rows is None else values[rows]


def _same_classes(sets: Sequence[Held], names: Sequence[str]) -> tuple[tuple[Any, ...], list[Held]]:
    """Return all classes, in the order of the first set or sorted where others have more, and the sets with places among them."""
    if not sets[0].classes:
        return (), list(sets)
    seen: dict[str, tuple[Any, str]] = {}
    for each, name in zip(sets, names, strict=True):
        for label in each.classes:
            first, where = seen.setdefault(text_of(label), (label, name))
            if first != label:  # one writes as text what another writes as a number
                one, other = (name, where) if isinstance(label, str) else (where, name)
                msg = f"The class {safe(label)} is text in {safe(one)} and a number in {safe(other)}; pass "
                raise InputError(msg, argument("labels_as", "str"), " to compare labels as text.")
    every = dict.fromkeys(label for each in sets for label in each.classes)
    classes = sets[0].classes if len(every) == len(sets[0].classes) else tuple(ordered(every))
    place = {label: i for i, label in enumerate(classes)}
    moved = []
    for each in sets:
        if each.classes == classes[: len(each.classes)]:
            moved.append(each)
            continue
        to = np.array([place[label] for label in each.classes], dtype=np.int32)
        said = np.where(each.predicted == REJECTED, REJECTED, to[each.predicted])
        columns, positive = tuple(int(to[at]) for at in each.columns), None if each.positive is None else int(to[each.positive])
        moved.append(replace(each, truth=to[each.truth], predicted=said, columns=columns, positive=positive))
    return classes, moved


def _same_folds(sets: Sequence[Held]) -> list[IntArray] | None:
    """Return the fold of each row, numbered alike in all sets; None where one has no folds."""
    number: dict[str, int] = {}
    folds = []
    for each in sets:
        if each.fold is None:
            return None
        codes = [number.setdefault(text_of(label), len(number)) for label in each.folds]
        folds.append(np.array(codes, dtype=np.int64)[each.fold])
    return folds


def _same_clusters(
    many: Sequence[Predictions], sets: Sequence[Held], names: Sequence[str], places: Sequence[IntArray | None]
) -> tuple[str | None, IntArray | None, IntArray | None]:
    """Return the column of clusters, their numbers, and the place of each row's; refuse sets that disagree about them."""
    column: str | None = None
    whose, first, own = "", sets[0], None
    for predictions, each, name, rows in zip(many, sets, names, places, strict=True):
        if each.cluster is None:
            continue
        keys = _at(each.cluster, rows)
        if own is None:
            column, whose, first, own = predictions.roles.cluster, name, each, keys
            continue
        differs = np.flatnonzero(own != keys)
        if differs.size:
            at = int(differs[0])
            one, two = (quoted(held.clusters.get(int(k[at]), "?")) for held, k in ((first, own), (each, keys)))
            columns = " and ".join(dict.fromkeys(quoted(told) for told in (column, predictions.roles.cluster)))
            msg = f"{safe(whose)} and {safe(name)} put {counted(int(differs.size), 'case')} of {own.size:,} in different "
            msg += f"clusters (column {columns}): the first is of {one} in one and of {two} in the other. Name the "
            msg += "column that both have with "
            raise InputError(msg, argument("cluster"), ", or pass ", argument("cluster", ""), " if rows are independent.")
    if own is None:
        return None, None, None
    keys, cluster = np.unique(own, return_inverse=True)
    return column, keys, cluster.ravel()


def matched(sets: Sequence[Held], names: Sequence[str], folds: Sequence[IntArray] | None) -> list[IntArray] | None:
    """Return for each set the places of the cases that all have, in the order of the first; None where all rows stand alike."""
    known = []
    for each, name in zip(sets, names, strict=True):
        if each.rows is None or each.known is None:
            msg = f"{safe(name)}: no column identifies its cases, so that they cannot be found in the other set. Name it with "
            same_rows = "; or, where row i is the same case in every set, pass "
            raise InputError(msg, argument("row"), same_rows, switch("by_position"), ".")
        known.append(each.known)
    keys = _keys(sets, names, known, folds)
    if all(own.all() for own in known) and all(np.array_equal(keys[0], other) for other in keys[1:]):
        return None
    positions: list[AnyArray] = [np.arange(keys[0].size), *(_places(keys[0], other) for other in keys[1:])]
    shared = np.logical_and.reduce([places != NOWHERE for places in positions])
    kept = positions if shared.all() else [places[shared] for places in positions]
    return [places if own.all() else np.flatnonzero(own)[places] for places, own in zip(kept, known, strict=True)]


def _keys(
    sets: Sequence[Held], names: Sequence[str], known: Sequence[BoolArray], folds: Sequence[IntArray] | None
) -> list[IntArray]:
    """Return a number for each row with an identity, equal where the case is; and the fold, if rows come back in several."""
    rows = [each.rows for each in sets if each.rows is not None]
    if all(kinds.is_integer(own.type) for own in rows):
        keys = [view(own.fill_null(0) if own.null_count else own).astype(np.int64, copy=False) for own in rows]
    else:
        texts = [own.cast(pa.large_string()) for own in rows]
        codes = view(pa.concat_arrays(texts).dictionary_encode().indices.fill_null(0)).astype(np.int64)
        keys = list(np.split(codes, np.cumsum([len(text) for text in texts])[:-1]))
    keys = [own if here.all() else own[here] for own, here in zip(keys, known, strict=True)]
    again = [repeated(own) for own in keys]
    if any(again) and folds is not None:
        _, cases = np.unique(np.concatenate(keys), return_inverse=True)
        fold = np.concatenate([own[here] for own, here in zip(folds, known, strict=True)])
        keys = list(np.split(cases * (int(fold.max(initial=0)) + 1) + fold, np.cumsum([own.size for own in keys])[:-1]))
        again = [repeated(own) for own in keys]
    for each, name, n in zip(sets, names, again, strict=True):
        if n:
            within = "" if folds is None else " within a fold"
            msg = f"{safe(name)}: column {quoted(each.column)} names cases more than once{within}: "
            msg += f"{counted(n, 'row')} with an identity seen before. Name the column that identifies a case with "
            raise InputError(msg, argument("row"), ", or pass ", argument("duplicates", "first"), ".")
    return keys


def _places(wanted: IntArray, given: IntArray) -> AnyArray:
    """Return where each wanted key stands among the given ones, which differ from each other."""
    if np.array_equal(wanted, given):
        return np.arange(wanted.size)
    low, high = int(given.min(initial=0)), int(given.max(initial=0))
    if high - low < SPREAD * given.size:
        kind = np.int32 if given.size < 1 << 31 else np.int64  # half the memory is half the time
        table = np.full(high - low + 1, NOWHERE, dtype=kind)
        table[given - low] = np.arange(given.size, dtype=kind)
        inside = (wanted >= low) & (wanted <= high)
        if inside.all():
            return table[wanted - low]
        places = np.full(wanted.size, NOWHERE, dtype=kind)
        places[inside] = table[wanted[inside] - low]
        return places
    order, turn = np.argsort(given), np.argsort(wanted)
    ranked, asked = given[order], wanted[turn]
    at = np.minimum(np.searchsorted(ranked, asked), max(given.size - 1, 0))
    places = np.empty(wanted.size, dtype=np.int64)
    places[turn] = np.where(ranked[at] == asked, order[at], NOWHERE) if given.size else NOWHERE
    return places


def _check_positions(many: Sequence[Predictions], sets: Sequence[Held], names: Sequence[str]) -> None:
    """Refuse sets of different sizes, and those of which rows were left out: the rows after them would meet others."""
    sizes = [each.truth.size for each in sets]
    if len(set(sizes)) > 1:
        told = ", ".join(f"{safe(name)} has {size:,}" for name, size in zip(names, sizes, strict=True))
        msg = f"Compared by position, sets must have the same rows: {told}. Name what identifies a case with "
        raise InputError(msg, argument("row"), " instead.")
    for each, held, name in zip(many, sets, names, strict=True):
        maybe = not held.classes and each.reading.missing == "drop"
        if held.dropped or maybe or each.reading.duplicates != "error":
            msg = f"{safe(name)}: rows that are left out shift those after them, so that position no longer pairs the same "
            msg += "cases. Name what identifies a case with "
            raise InputError(msg, argument("row"), ", or leave the rows out of all files beforehand.")


def _check_truths(
    classes: tuple[Any, ...], held: Held, names: Sequence[str], truth: Sequence[AnyArray], places: IntArray | None
) -> None:
    """Refuse sets that disagree about the truth; the case is named as the first set, `held`, names it."""
    for name, other in zip(names[1:], truth[1:], strict=True):
        differs = np.flatnonzero(truth[0] != other)
        if differs.size:
            at = int(differs[0])
            values = (truth[0][at], other[at])
            one, two = (quoted(classes[int(v)]) if classes and int(v) < len(classes) else f"{v:g}" for v in values)
            row = at if places is None else int(places[at])
            case = f"row {row + 1:,}" if held.rows is None else f"{quoted(held.column)} {quoted(held.rows[row].as_py())}"
            msg = f"{safe(names[0])} and {safe(name)} disagree about the truth of {counted(int(differs.size), 'case')} of "
            msg += f"{truth[0].size:,}; the first is {case}, {one} in one and {two} in the other. "
            labels = [classes[int(v)] for v in values if classes and int(v) < len(classes)]
            if len(labels) > 1 and lookalikes(labels):
                told = f"{msg}These labels ({labels[0]!a}, {labels[1]!a}) differ only by case, spaces or Unicode form. "
                raise InputError(told, "If they mean the same, pass ", merging(labels), ".")
            msg += "They are not the same cases, or one of the files is wrong."
            raise InputError(msg)


def ungrouped(cases: Together) -> Together:
    """Return the cases as if rows were independent."""
    return replace(cases, cluster=None, cluster_keys=None, cluster_column=None)


def shared_cases(many: Sequence[Predictions], names: Sequence[str]) -> int:
    """Return how many cases two sets have in common, by their identities; without those, by having the same truths in turn."""
    if any(each.roles.count is not None for each in many):
        return 0  # rows that stand for several cases name none of them
    refuse_beyond_memory(*many, label=1, scores=False, instead="Compare on some of the cases.")
    sets = [hold_numbers(each) if are_numbers(each) else hold(each, scores=False, ranking=True) for each in many]
    if any(each.rows is None for each in sets):
        _, sets = _same_classes(sets, names)
        one, other = (each.truth for each in sets)
        turns = int(np.count_nonzero(one[1:] != one[:-1]))  # truths sorted by class agree without being the same cases
        return int(one.size) if np.array_equal(one, other) and turns > len(np.unique(one)) else 0
    places = matched(sets, names, _same_folds(sets))
    return int(sets[0].truth.size if places is None else places[0].size)
