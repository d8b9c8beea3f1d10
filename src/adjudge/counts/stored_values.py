"""Values of a file of counts, checked when they are read, whoever wrote them: each is returned, or refused in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar
from zipfile import ZipFile

import numpy as np

from adjudge._base.arrays import AnyArray
from adjudge._base.errors import InputError

Arrays = dict[str, AnyArray]
_WIDEST = 8  # bytes of a number
_STRETCH = 1 << 20  # bytes that are unpacked together
SLACK = 1e-6  # how far sums of the same weights may differ for the order in which they were added
TINY = 2.0**-1000  # beside which squares are rounded
ROUNDING = 2.0**-52  # of the largest sum
_TYPES: dict[str, type] = {"text": str, "whole": int, "number": float, "truth": bool}
_NOT = {str: "no text", list: "no list", bool: "neither true nor false"}
_MOST_WHOLE = 1 << 53
T = TypeVar("T")


class PackedArrays(Mapping[str, AnyArray]):
    """The arrays of a file by name, each unpacked when it is asked for, and none before its header is known to tell its size."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._asked: set[str] = set()
        self._entries = {
            entry.filename.removesuffix(".npy"): entry for entry in archive.infolist() if entry.filename.endswith(".npy")
        }

    def __getitem__(self, name: str) -> AnyArray:
        return self.at_most(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def at_most(self, name: str, size: int | None) -> AnyArray:
        """Return an array of at most so many numbers."""
        entry = self._entries[name]
        self._asked.add(name)
        readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
        with self._archive.open(entry) as file:
            shape, by_columns, kind = readers[np.lib.format.read_magic(file)](file)
            must(kind.kind in "biuf" and 0 < kind.itemsize <= _WIDEST, "an array holds no plain numbers")
            count = math.prod(shape)
            must(count * kind.itemsize == entry.file_size - file.tell(), "an array promises other bytes than it has")
            must(size is None or count <= size, "an array has more numbers than it should")
            held, at = memoryview(bytearray(count * kind.itemsize)), 0
            while part := file.read(_STRETCH):
                held[at : at + len(part)] = part
                at += len(part)
        must(at == len(held), "an array ends too early")
        values = np.ndarray(shape, kind, held, order="F" if by_columns else "C")
        return np.asarray(values, dtype=kind.newbyteorder("="))

    def must_be_read(self) -> None:
        """Refuse arrays that no reader asked for: no checksum tells that an entry has its name."""
        must(self._asked == self._entries.keys(), "it holds an array that counts do not have")


def must(sound: bool, why: str) -> None:  # noqa: FBT001 - reads as a sentence
    """Refuse what is not sound; the reader of the file tells it as a fault of the file."""
    if not sound:
        raise ValueError(why)


def read_typed(kind: type[T], value: Any, what: str) -> T:
    """Return a text, a list, or what is true or false."""
    must(isinstance(value, kind), f"{what} is {_NOT.get(kind)}")
    return value  # type: ignore[no-any-return]


def read_texts(value: Any, what: str) -> tuple[str, ...]:
    """Return a list of texts."""
    return tuple(read_typed(str, each, what) for each in read_typed(list, value, what))


def read_whole(value: Any, what: str, *, least: int = 0, most: int = _MOST_WHOLE) -> int:
    """Return a whole number of at least so much, exactly as a float unless more is allowed."""
    must(type(value) is int and value >= least, f"{what} is no whole number of at least {least}")
    must(value <= most, f"{what} is more than {most:,}")
    return int(value)


def read_number(value: Any, what: str, *, least: float) -> float:
    """Return a number of at least so much, which may be infinite."""
    must(type(value) in (int, float) and value >= least, f"{what} is no number of at least {least:g}")
    return float(value)


def read_finite(value: Any, what: str) -> float:
    """Return a finite number."""
    must(type(value) in (int, float) and math.isfinite(value), f"{what} is no finite number")
    return float(value)


def read_one_of(value: Any, known: Sequence[Any], what: str) -> Any:
    """Return a value that is one of those known."""
    must(any(value == each and type(value) is type(each) for each in known), f"{what} is unknown")
    return value


def read_place(value: Any, k: int, what: str) -> int | None:
    """Return a place among `k` classes, or nothing."""
    must(value is None or read_whole(value, what) < k, f"{what} is none of its classes")
    return None if value is None else int(value)


def read_amounts(values: AnyArray, shape: tuple[int, ...], what: str) -> AnyArray:
    """Return an array of finite numbers of at least 0, of that shape, whole ones as int64 and others as float64."""
    must(values.shape == shape and values.dtype.kind in "if", f"{what} has the wrong shape")
    must(bool(np.all((values >= 0) & (values < np.inf))), f"{what} counts less than nothing")
    with np.errstate(over="ignore"):
        must(values.sum(dtype=np.float64) < (_MOST_WHOLE if values.dtype.kind == "i" else np.inf), f"{what} counts too much")
    return values.astype(np.int64 if values.dtype.kind == "i" else np.float64)


def must_be_weights(sums: AnyArray, squares: AnyArray, rows: int) -> None:
    """Refuse sums of squares that no so many weights have: they are from the square of the sum down to a share of it."""
    of_one = np.square(sums)
    low, high = of_one * (1 - SLACK) - TINY <= squares * rows, squares <= of_one * (1 + SLACK) + TINY
    must(bool(np.all(low & high)), "its squared weights are not those of its weights")


def put_labels(labels: Any) -> list[list[Any]]:
    """Return labels as JSON holds them, each with its type."""
    return [put_label(label) for label in labels]


def put_label(label: Any) -> list[Any]:
    """Return a label as JSON holds it, with its type."""
    own = label.item() if isinstance(label, np.generic) else label
    for name, kind in _TYPES.items():
        if type(own) is kind:
            return [name, own]
    msg = f"Labels of type {type(own).__name__} cannot be kept in a file of counts; use text, numbers or truth values."
    raise InputError(msg)


def read_labels(pairs: Any) -> list[Any]:
    """Return labels that were put."""
    must(all(type(value) is _TYPES[kind] for kind, value in pairs), "a label is not of its declared type")
    labels = [value for _, value in pairs]
    must(len(set(labels)) == len(labels), "a label comes twice")
    return labels
