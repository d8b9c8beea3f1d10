"""Which rows of several sources are the same case: identities become whole numbers, and equal numbers meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from adjudge._base.arguments import argument
from adjudge._base.arrays import AnyArray, BoolArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, quoted, safe
from adjudge.predictions.cells import view
from adjudge.predictions.labels import LARGEST_EXACT, NOTHING

NOWHERE = -1
"""The place of a case that a source does not have."""
_SPREAD = 8  # identities spread over at most so many times their number are looked up in a table
_NOTHING = f"^(?:{'|'.join(NOTHING)})$"


@dataclass(frozen=True, slots=True, eq=False)
class Identity:
    """What identifies the rows of one source: whole numbers or texts, and the fold a row was answered in."""

    source: str
    column: str
    rows: pa.Array
    known: BoolArray
    """Which rows have an identity at all."""
    fold: IntArray | None = None
    """The fold of each row, as a number that means the same fold in every source."""


def identity_of(array: pa.Array) -> tuple[pa.Array, BoolArray]:
    """Return some rows' identities as whole numbers where they are such, else as text, and which rows have one."""
    if kinds.is_nested(array.type):
        msg = "it holds several values a row, which identify no case; name another "
        raise InputError(msg, argument("row"))
    array = array.dictionary_decode() if kinds.is_dictionary(array.type) else array
    if kinds.is_floating(array.type):
        array = pc.if_else(pc.is_nan(array), None, array)
    if not kinds.is_integer(array.type):
        floats = array if kinds.is_floating(array.type) else None
        exact = floats is not None and pc.all(pc.less(pc.abs(floats), float(LARGEST_EXACT))).as_py() is not False
        if exact and pc.all(pc.equal(pc.floor(floats), floats)).as_py() is not False:
            array = pc.cast(floats, pa.int64()).cast(pa.large_string())  # 7.0 is '7'
        else:
            text = array.cast(pa.large_string())
            array = pc.if_else(pc.match_substring_regex(text, _NOTHING), None, text)
    known = np.ones(len(array), dtype=bool)
    if array.null_count:
        known = ~view(pc.is_null(array).cast(pa.uint8())).astype(bool)
    if kinds.is_integer(array.type):
        beyond = kinds.is_uint64(array.type) and pc.any(pc.greater(array, pa.scalar(2**63 - 1, pa.uint64()))).as_py()
        return array.cast(pa.large_string() if beyond else pa.int64()), known
    try:
        whole = array.cast(pa.int64())
    except pa.ArrowInvalid:
        return array, known
    alike = pc.all(pc.equal(whole.cast(pa.large_string()), array)).as_py() is not False  # '007' is not 7
    return (whole if alike else array), known


def matched(each: Sequence[Identity]) -> list[IntArray] | None:
    """Return for each source the places of the cases that all sources have, in the order of the first.

    None where all sources have the same cases in the same order, as files that were written together do.
    """
    keys = _keys(each)
    if all(one.known.all() for one in each) and all(np.array_equal(keys[0], other) for other in keys[1:]):
        return None
    found: list[AnyArray] = [np.arange(keys[0].size), *(_places(keys[0], other) for other in keys[1:])]
    shared = np.logical_and.reduce([places != NOWHERE for places in found])
    kept = found if shared.all() else [places[shared] for places in found]
    return [places if one.known.all() else np.flatnonzero(one.known)[places] for places, one in zip(kept, each, strict=True)]


def _keys(each: Sequence[Identity]) -> list[IntArray]:
    """Return a number for each row with an identity, equal where the case is; and the fold, if rows come back in several."""
    folds = [one.fold for one in each if one.fold is not None]
    if all(kinds.is_integer(one.rows.type) for one in each):
        keys = [view(one.rows.fill_null(0) if one.rows.null_count else one.rows).astype(np.int64, copy=False) for one in each]
    else:
        texts = [one.rows.cast(pa.large_string()) for one in each]
        codes = view(pa.concat_arrays(texts).dictionary_encode().indices.fill_null(0)).astype(np.int64)
        keys = list(np.split(codes, np.cumsum([len(text) for text in texts])[:-1]))
    keys = [own if one.known.all() else own[one.known] for own, one in zip(keys, each, strict=True)]
    repeated, folded = [_repeated(own) for own in keys], len(folds) == len(each)
    if any(repeated) and folded:
        _, cases = np.unique(np.concatenate(keys), return_inverse=True)
        fold = np.concatenate([fold[one.known] for fold, one in zip(folds, each, strict=True)])
        both = cases * (int(fold.max(initial=0)) + 1) + fold
        keys = list(np.split(both, np.cumsum([own.size for own in keys])[:-1]))
        repeated = [_repeated(own) for own in keys]
    for one, again in zip(each, repeated, strict=True):
        if again:
            within = " within a fold" if folded else ""
            msg = (
                f"{safe(one.source)}: column {quoted(one.column)} names cases more than once{within}: "
                f"{counted(again, 'row')} with an identity seen before. Name the column that identifies a case with "
            )
            raise InputError(msg, argument("row"), ", or pass ", argument("duplicates", "first"), ".")
    return keys


def _repeated(keys: IntArray) -> int:
    """Return how many rows have an identity that another row before them has."""
    if np.all(keys[1:] > keys[:-1]):
        return 0
    low, high = int(keys.min()), int(keys.max())
    if high - low < _SPREAD * keys.size:
        seen = np.zeros(high - low + 1, dtype=bool)
        seen[keys - low] = True
        return int(keys.size - np.count_nonzero(seen))
    ranked = np.sort(keys)
    return int(np.count_nonzero(ranked[1:] == ranked[:-1]))


def _places(wanted: IntArray, given: IntArray) -> AnyArray:
    """Return where each wanted key stands among the given ones, which differ from each other."""
    if np.array_equal(wanted, given):
        return np.arange(wanted.size)
    low, high = int(given.min(initial=0)), int(given.max(initial=0))
    if high - low < _SPREAD * given.size:
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
