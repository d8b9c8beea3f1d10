"""Rows with the same identity: refused, or made one before anything is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import InputError, argument, counted, dataclass, either, field, quoted, replace, wording
from adjudge._base.arrays import AnyArray, BoolArray, IntArray
from adjudge.predictions.cells import indices_of, is_vector, numbers_of, view
from adjudge.predictions.labels import is_gone
from adjudge.predictions.model import Predictions, refuse_to_hold
from adjudge.predictions.roles import Roles
from adjudge.predictions.sources import HEAD, ColumnsSource
from adjudge.predictions.streams import own_texts

CHECKED = 1 << 23  # identities remembered; beyond that many rows repetitions go unnoticed, and a finding says so
SPREAD = 8  # identities spread over at most so many times their number are looked up in a table
_NAMED_ROWS = 5
_WORD = 64


@dataclass(slots=True)
class Identities:
    """The identities seen in one pass, as 64-bit numbers; rows without one are never repetitions."""

    column: str
    keys: list[IntArray] = field(default_factory=list)
    folds: list[IntArray | None] = field(default_factory=list)
    _rows: list[IntArray | range] = field(default_factory=list)
    n: int = 0
    complete: bool = True

    def add(self, rows: pa.Array, fold: IntArray | None, numbers: IntArray | None = None, run: IntArray | None = None) -> None:
        """Remember some rows, with their own `numbers` where others were dropped; a case may come back in another fold or run."""
        if len(rows) > (left := CHECKED - self.n):
            self.complete, rows = False, rows[:left]
            fold, numbers, run = (None if each is None else each[:left] for each in (fold, numbers, run))
        if not len(rows):
            return  # an empty part of a block would hold all of it
        _refuse_nested(rows, self.column)
        keys, known = _identified(rows)
        keys = keys if run is None else keys ^ run
        own = range(self.n + 1, self.n + len(rows) + 1) if numbers is None else numbers
        self.keys.append(keys.copy() if known is None else keys[known])  # the numbers alone, not the block they are a view of
        fold = fold if fold is None or known is None else fold[known]
        self.folds.append(None if fold is None else fold.astype(np.int32))
        self._rows.append(own if known is None else np.asarray(own)[known])
        self.n += len(rows)

    def include(self, part: Identities | None, place: IntArray) -> None:
        """Remember those of a part of a file, `place` having the numbers of its folds here; none after a part too much."""
        if part is None or not part.complete or self.n + part.n > CHECKED:
            self.complete = False
        elif self.complete:
            self.keys += part.keys
            self.folds += [None if fold is None else place[fold].astype(np.int32) for fold in part.folds]
            self.n += part.n
        if part is not None:
            part.keys.clear()  # so that they are held once
            part.folds.clear()

    def check(self) -> None:
        """Refuse identities that came twice."""
        keys = self._all()
        if not repeated(keys):
            return
        again = np.setdiff1d(np.arange(keys.size), np.unique(keys, return_index=True)[1])
        numbers = np.concatenate([np.asarray(own) for own in self._rows])[again[:_NAMED_ROWS]]
        rows = ", ".join(f"{int(number):,}" for number in numbers) + (" ..." if again.size > _NAMED_ROWS else "")
        told = f"column {quoted(self.column)} names cases more than once: {counted(int(again.size), 'row')} with an "
        ways = either(argument("duplicates", how) for how in ("first", "mean"))
        msg = f"{told}identity seen before (rows {rows}). Pass "
        whole = (
            "; for repeated answers, ",
            argument("run"),
            "; if rows of one belong together, ",
            argument("cluster", self.column),
            ".",
        )
        raise InputError(msg, ways, ", or name another ", argument("row"), *whole)

    def repetitions(self) -> int:
        """Return how many rows have an identity that came before."""
        return repeated(self._all())

    def rows_per_case(self) -> float:
        """Return how many rows a case has on average; each row without an identity is a case."""
        return self.n / (self.n - self.repetitions()) if self.n else 1.0

    def _all(self) -> IntArray:
        keys = np.empty(sum(own.size for own in self.keys), dtype=np.int64)
        end = keys.size
        while self.keys:  # so that few are held twice
            own, fold = self.keys.pop(), self.folds.pop()
            keys[end - own.size : end] = own if fold is None else _in_fold(own, fold)
            end -= own.size
        return keys


def _in_fold(keys: IntArray, fold: IntArray) -> IntArray:
    """Return identities within folds, as numbers without pattern (SplitMix64): a fold's cannot make up for a row's."""
    mixed = (fold.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (mixed ^ (mixed >> np.uint64(31))).view(np.int64))


def repeated(keys: IntArray) -> int:
    """Return how many of the numbers one before them equals."""
    if np.all(keys[1:] > keys[:-1]):
        return 0
    low, high = int(keys.min()), int(keys.max())
    if high - low < SPREAD * keys.size:
        seen = np.zeros(high - low + 1, dtype=bool)
        seen[keys - low] = True
        return int(keys.size - np.count_nonzero(seen))
    ranked = np.sort(keys)
    return int(np.count_nonzero(ranked[1:] == ranked[:-1]))


def _identified(rows: pa.Array) -> tuple[IntArray, BoolArray | None]:
    """Return a number for each identity, and which rows have one; None when all do."""
    if kinds.is_integer(rows.type):
        known = None if not rows.null_count else ~view(rows.is_null().cast(pa.uint8())).astype(bool)
        return view(rows if known is None else rows.fill_null(0)).astype(np.int64, copy=False), known
    if kinds.is_floating(rows.type):
        values = numbers_of(rows, "row").astype(np.float64) + 0.0  # minus zero is zero
        return values.view(np.int64), None if not np.isnan(values).any() else ~np.isnan(values)
    if kinds.is_temporal(rows.type) and rows.type.bit_width <= _WORD:
        return _identified(rows.view(pa.int64() if rows.type.bit_width == _WORD else pa.int32()))
    encoded = own_texts(rows) if kinds.is_dictionary(rows.type) else rows.dictionary_encode()
    values = encoded.dictionary.to_pylist()
    places = indices_of(encoded)
    keys = np.array([*(hash(value) for value in values), 0], dtype=np.int64)[places]
    named = np.array([*(not is_gone(value) for value in values), False], dtype=bool)[places]
    return keys, None if named.all() else named


def _refuse_nested(rows: pa.Array, column: str) -> None:
    if kinds.is_nested(rows.type):
        msg = f"column {quoted(column)} holds several values a row, which identify no case; name another "
        raise InputError(msg, argument("row"), ".")


def answers_per_case(predictions: Predictions) -> float:
    """Return how many rows a case has on average, where cases come back in several folds; 1 where that cannot be told."""
    roles = predictions.roles
    if roles.row is None or roles.fold is None or roles.run is not None:
        return 1.0
    seen = Identities(roles.row)
    for batch in predictions.source.batches([roles.row], []):
        seen.add(batch[roles.row], None)
        if not seen.complete:
            return 1.0
    return seen.rows_per_case()


# -- one row per case ----------------------------------------------------------------------------------------


def without_duplicates(predictions: Predictions) -> Predictions:
    """Return predictions with one row per case where the user asked for it; this holds the columns in memory."""
    how, roles, source = predictions.reading.duplicates, predictions.roles, predictions.source
    if how == "error":
        return predictions
    if roles.row is None:
        raise InputError(
            argument("duplicates", how), " needs to know what identifies a case; name the column with ", argument("row"), "."
        )
    refuse_to_hold(predictions)
    names = [name for _, name in roles.scores]
    vectors = [name for name in names if is_vector(source.head(HEAD)[name])] if len(names) == 1 else []
    numbers = [*(name for name in names if name not in vectors), *([roles.weight] if roles.weight else [])]
    parts: dict[str, list[pa.Array]] = {name: [] for name in roles.columns}
    for batch in source.batches([name for name in roles.columns if name not in numbers], numbers):
        for name, held in parts.items():
            held.append(batch[name].dictionary_decode() if kinds.is_dictionary(batch[name].type) else batch[name])
    table = {name: pa.concat_arrays(held) for name, held in parts.items()}
    first, case = _cases(table, roles)
    columns: dict[str, Any] = {name: column.take(pa.array(first)) for name, column in table.items()}
    means: dict[str, AnyArray] = {}
    if how == "mean":
        means, roles = _averaged(table, roles, vectors, first, case)
    columns |= means
    declared = {name: source.declared(name) for name in columns if name not in means}
    levels = {name: categories for name, categories in declared.items() if categories is not None}
    roles = replace(roles, suspected=tuple(name for name in roles.suspected if name in columns))
    merged = ColumnsSource(source.name, columns, source.cells, levels)
    return Predictions.of(merged, roles, predictions.reading, predictions.found)


def _averaged(
    table: dict[str, pa.Array], roles: Roles, vectors: list[str], first: IntArray, case: IntArray
) -> tuple[dict[str, AnyArray], Roles]:
    """Return the mean scores of each case, and the roles without a decision where the means make a new one."""
    advice = (argument("duplicates", "first"), ".")
    if vectors:
        msg = f"column {quoted(vectors[0])} holds vectors, which are not averaged; pass "
        raise InputError(msg, *advice)
    if roles.scale == "confidence" and roles.scores:
        msg = f"column {quoted(roles.scores[0][1])} holds confidences, each of its own decision: they have no mean. Pass "
        raise InputError(msg, *advice)
    truth, _ = _codes(table[roles.truth])
    differs = np.flatnonzero(truth != truth[first][case])
    if differs.size:
        at, known = int(differs[0]), int(first[case[differs[0]]])
        one, other = (quoted(table[roles.truth][i].as_py()) for i in (known, at))
        msg = (
            f"column {quoted(roles.row)}: rows {known + 1:,} and {at + 1:,} are the same case, but column "
            f"{quoted(roles.truth)} says {one} and {other}. Correct the truth, name another "
        )
        raise InputError(msg, argument("row"), ", or pass ", *advice)
    means = {}
    for _, name in roles.scores:
        values = numbers_of(table[name], name).astype(np.float64)
        with np.errstate(invalid="ignore"):  # where one score of a case is missing, so is the mean
            means[name] = np.asarray(np.bincount(case, weights=values) / np.bincount(case))
    if not means or roles.predicted is None or roles.scale == "scores":
        return means, roles
    said = wording("the class with the highest mean score (", argument("duplicates", "mean"), ")")
    evidence = {role: said if role == "predicted" else what for role, what in roles.evidence.items()}
    return means, replace(roles, predicted=None, evidence=evidence)


def _cases(table: dict[str, pa.Array], roles: Roles) -> tuple[IntArray, IntArray]:
    """Return the first row of each case, in order, and for each row the place of its case among them."""
    assert roles.row is not None
    _refuse_nested(table[roles.row], roles.row)
    codes, values = _codes(table[roles.row])
    nameless = np.array([*(is_gone(value) for value in values), True], dtype=bool)[codes]
    codes = np.where(nameless, len(values) + np.arange(codes.size), codes)
    for beside in (roles.fold, roles.run):
        if beside is not None:
            again, names = _codes(table[beside])
            codes = codes * (len(names) + 1) + again
    _, first, case = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return first[order], place[case]


def _codes(array: pa.Array) -> tuple[IntArray, list[Any]]:
    encoded = array.dictionary_encode()
    plain = encoded.dictionary
    values = plain.cast(pa.int64()).to_pylist() if kinds.is_timestamp(plain.type) else plain.to_pylist()
    return indices_of(encoded).astype(np.int64), values
