"""One type for each column of several files, whatever their order, and the values of each file in it."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pyarrow.types as kinds

from adjudge._base import dataclass, quoted, safe
from adjudge.predictions.cells import is_list, is_number, numbers_of

_LONGEST_WHOLE = 20  # digits of a whole number of 64 bits
_DIGITS = (38, 76)  # of decimals of 128 and of 256 bits


@dataclass(frozen=True)
class SharedColumns:
    """The columns that every file has, with a type that holds the values of all, and why others are not among them."""

    types: dict[str, pa.DataType]
    partial: dict[str, str]
    named: frozenset[str] = frozenset()  # of these columns those whose values folders name


def shared_columns(files: Iterable[tuple[str, pa.Schema]]) -> SharedColumns:
    """Return the columns that all files share; files come with what they are called."""
    types: dict[str, pa.DataType] = {}
    partial: dict[str, str] = {}
    origin: dict[str, tuple[str, pa.DataType]] = {}  # the first file that says what a column is
    first = before = None
    for file, schema in files:
        if before is not None and schema.equals(before):
            continue
        first, before, own = first or file, schema, dict(zip(schema.names, schema.types, strict=True))
        for name in origin.keys() - own.keys():
            partial.setdefault(name, f"{safe(file)}: no column {quoted(name)}, which {safe(origin[name][0])} has.")
        for name, kind in own.items():
            if name not in origin and first != file:
                partial[name] = f"{safe(first)}: no column {quoted(name)}, which {safe(file)} has."
            common = common_type(types.get(name, pa.null()), kind)
            if common is None:
                where, other = origin[name]
                partial.setdefault(name, clash(file, name, kind, where, other))
            types[name] = types[name] if common is None else common
            if name not in origin or kinds.is_null(origin[name][1]):
                origin[name] = file, kind
    return SharedColumns({name: kind for name, kind in types.items() if name not in partial}, partial)


def clash(file: str, column: str, kind: pa.DataType, where: str, other: pa.DataType) -> str:
    """Return that a column is of a type in one file and of another in a second one."""
    one, two = (each.value_type if kinds.is_dictionary(each) else each for each in (kind, other))
    told = f"{safe(file)}: column {quoted(column)} is {one}, but in {safe(where)} it is {two}; "
    return f"{told}write all files with the same types."


def common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Return the type that holds the values of both, the same in either order; None where there is none."""
    if one == other or kinds.is_null(other):
        return one
    if kinds.is_null(one):
        return other
    pair = one, other
    if any(kinds.is_dictionary(kind) for kind in pair):
        value = common_type(*(kind.value_type if kinds.is_dictionary(kind) else kind for kind in pair))
        declared = value is not None and all(kinds.is_dictionary(kind) for kind in pair)
        return pa.dictionary(pa.int32(), value, one.ordered and other.ordered) if declared else value
    if all(kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind) for kind in pair):
        return pa.large_string()
    if all(is_list(kind) for kind in pair):
        value = common_type(one.value_type, other.value_type)
        return None if value is None else pa.large_list(value)
    return _common_number(one, other) if all(is_number(kind) for kind in pair) else None


def _common_number(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    pair = one, other
    if any(kinds.is_floating(kind) for kind in pair):
        return max(pair, key=lambda kind: kind.bit_width) if all(kinds.is_floating(kind) for kind in pair) else pa.float64()
    if all(kinds.is_integer(kind) and not kinds.is_uint64(kind) for kind in pair):
        return pa.int64()
    decimals = [(kind.precision - kind.scale, kind.scale) if kinds.is_decimal(kind) else (_LONGEST_WHOLE, 0) for kind in pair]
    scale = max(0, *(scale for _, scale in decimals))
    digits = scale + max(whole for whole, _ in decimals)
    if digits > _DIGITS[1]:
        return pa.float64()
    return (pa.decimal128 if digits <= _DIGITS[0] else pa.decimal256)(digits, scale)


def recast(array: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """Return the same values in a common type; None where that would change any."""
    if array.type == kind:
        return array
    try:
        if kinds.is_dictionary(kind):
            coded = array if kinds.is_dictionary(array.type) else array.cast(kind.value_type).dictionary_encode()
            places, values = coded.indices.cast(kind.index_type), coded.dictionary.cast(kind.value_type)
            return pa.DictionaryArray.from_arrays(places, values, ordered=kind.ordered)
        array = array.dictionary_decode() if kinds.is_dictionary(array.type) else array
        if kinds.is_decimal(array.type) and kinds.is_floating(kind):
            return pa.array(numbers_of(array, ""))
        if is_list(kind) and kinds.is_floating(kind.value_type) and kinds.is_decimal(getattr(array.type, "value_type", kind)):
            cells = array.to_pylist()
            rows = [None if cell is None else [None if each is None else float(each) for each in cell] for cell in cells]
            return pa.array(rows, kind)
        return array.cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
