"""The texts of CSV cells as the type that all of them suggest: whole numbers, numbers, truth values, or text.

Arrow infers types from the first block alone and reads 001 as 1; here every cell has a say, and 001 stays a name.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

_TOKENS = frozenset({"", "NA", "N/A", "#N/A", "NaN", "nan", "-nan", "<NA>", "null", "NULL", "None"})


def _one_of(texts: frozenset[str]) -> str:
    return rf"^({'|'.join(re.escape(text) for text in sorted(texts))})$"


_NO_LABEL = _one_of(_TOKENS)
_NO_NUMBER = _one_of(_TOKENS | frozenset(pacsv.ConvertOptions().null_values))
_FIRST = 16  # cells that settle most questions
_MOST_DIGITS = 100  # more of them name something rather than count it
_WHOLE = r"^[+-]?(0|[1-9][0-9]*)$"
_DIGITS = r"^[+-]?[0-9]+$"
_PADDED = r"^[+-]?0[0-9]+$"
_TRUTH = r"(?i)^(true|false)$"


def typed(cells: pa.Array, decimal: str = ".") -> pa.Array:
    """Return texts as int64, float64 or bool where every one of them is such, else as text; nothing is null."""
    known = _without(cells, _NO_NUMBER)
    bare = known.drop_null()
    if not len(bare):
        return pa.nulls(len(cells))
    if _all(bare, _WHOLE) and not _long(bare):
        return _whole(known)
    if _all(bare, _TRUTH):
        return pc.equal(pc.utf8_lower(known), "true")
    numbers = _fractions(pc.utf8_trim_whitespace(known), decimal)
    return _without(cells, _NO_LABEL) if numbers is None else numbers


def _without(cells: pa.Array, nothing: str) -> pa.Array:
    gone = pc.match_substring_regex(cells, nothing)
    return pc.replace_with_mask(cells, gone, pa.nulls(pc.sum(gone).as_py() or 0, pa.string()))


def _all(cells: pa.Array, pattern: str) -> bool:
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (cells[:_FIRST], cells))


def _long(cells: pa.Array) -> bool:
    """Return whether some cell consists of more digits than a number has."""
    if pc.max(pc.binary_length(cells)).as_py() <= _MOST_DIGITS:
        return False
    digits = cells.filter(pc.match_substring_regex(cells, _DIGITS))
    return len(digits) > 0 and pc.max(pc.binary_length(digits)).as_py() > _MOST_DIGITS


def _whole(cells: pa.Array) -> pa.Array:
    plain = pc.utf8_ltrim(cells, characters="+")
    try:
        return plain.cast(pa.int64())
    except pa.ArrowInvalid:  # beyond 64 bits
        return plain.cast(pa.float64())


def _fractions(cells: pa.Array, decimal: str) -> pa.Array | None:
    """Return the cells as numbers; None where one is none, or is a name such as 007."""
    bare = cells.drop_null()
    plain = cells
    if decimal == ",":
        if pc.any(pc.match_substring(bare, ".")).as_py():
            return None
        plain = pc.replace_substring(cells, ",", ".")
    try:
        numbers = plain.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    padded = pc.any(pc.match_substring_regex(bare, _PADDED)).as_py()
    return None if padded or _long(bare) else numbers
