"""JSON of files that anyone may have written: strict, with its bytes, depth and number of values bounded before it is parsed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.files import Stamp, unchanged
from adjudge._base.text import safe

DEEPEST = 64  # brackets within brackets
MOST_VALUES = 1 << 22  # each takes up to some 100 bytes of memory, and so many lists do where there may be more numbers
_STRETCH = 1 << 20  # bytes that are looked at together
_TEXTS = re.compile(rb'"(?:[^"\\]++|\\.)*+"', re.DOTALL)
_LONG_LISTS = re.compile(rb"\[[0-9,\s]{62,}+\]")  # of whole numbers from 0
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[[ord("["), ord("{")]], _STEPS[[ord("]"), ord("}")]] = 1, -1


def read_json(path: Path, *, largest: int, in_lists: int = 0) -> Any:
    """Return what a plain file of at most `largest` bytes holds; refuse any other in a sentence about "it"."""
    if path.exists() and not path.is_file():
        msg = "it is no plain file."
        raise InputError(msg)
    with unchanged([path], [Stamp.of(path)]), path.open("rb") as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        msg = f"it has more than {largest:,} bytes."
        raise InputError(msg)
    return parsed_json(data, in_lists=in_lists)


def parsed_json(data: bytes, *, most: int = MOST_VALUES, in_lists: int = 0, endless: bool = False) -> Any:
    """Return what strict JSON holds: at most so many values, no key twice, and no NaN unless numbers may be `endless`.

    As many more values as may stand `in_lists` come as arrays, where a long list has whole numbers from 0 only: an eighth of the
    memory. They are taken out before the rest is parsed, each with a NaN in its place.
    """
    data, lists = bounded(data, most, in_lists)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            msg = "it says the same thing twice."
            raise InputError(msg)
        return members

    def no_number(text: str) -> Any:
        if text == "NaN" and lists:
            return _numbers(lists.pop())
        msg = f"it holds {safe(text)}, which is no number."
        raise InputError(msg)

    try:
        whole = json.loads(data.decode("utf-8"), object_pairs_hook=once, parse_constant=float if endless else no_number)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, endless digits
        msg = "it is not JSON."
        raise InputError(msg) from error
    if lists:
        msg = "its texts hold lists of numbers."
        raise InputError(msg)
    return whole


def _numbers(data: bytes) -> Any:
    """Return a list of whole numbers as an array that does not change, or as it is where they are too large for one."""
    told = json.loads(data)
    try:
        values = np.array(told, dtype=np.int64)
    except OverflowError:
        return told
    values.flags.writeable = False
    return values


def bounded(data: bytes, most: int = MOST_VALUES, in_lists: int = 0) -> tuple[bytes, list[bytes]]:
    """Return JSON without its long lists, where values may stand in these, and the lists, the last first.

    More values or more brackets within brackets than any of our files has are refused; texts are left out of the count.
    """
    lists: list[bytes] = []
    if in_lists:
        if data.count(b",") > in_lists:
            msg = f"it holds more than {in_lists:,} values."
            raise InputError(msg)
        lists = _LONG_LISTS.findall(data)[::-1]
        data = _LONG_LISTS.sub(b"NaN", data)
    bare = _TEXTS.sub(b"", data)
    opened = bare.count(b"[") + bare.count(b"{")
    if opened > MOST_VALUES or opened + bare.count(b",") > most:
        msg = f"it holds more than {most:,} values."
        raise InputError(msg)
    depth = 0
    for at in range(0, len(bare), _STRETCH) if opened > DEEPEST else ():
        depths = depth + np.cumsum(_STEPS[np.frombuffer(bare, np.uint8, min(_STRETCH, len(bare) - at), at)], dtype=np.int64)
        if depths.max() > DEEPEST:
            msg = f"its brackets are nested more than {DEEPEST} deep."
            raise InputError(msg)
        depth = int(depths[-1])
    return data, lists
