"""Ways to change what a file holds: one value or several, its keys, the numbers of an array, or its bytes."""

from __future__ import annotations

import copy
import io
import json
import warnings

import numpy as np

ODD = (
    None, True, False, -1, 0, 1, 2, 3, 2**31, 2**53, 2**63, -(2**63), 10**30, 10**400, 0.5, -0.5, -0.0, 1e308, 5e-324, float("nan"),
    float("inf"), float("-inf"), "", "x", "1", "1e5", "\0", "\x1b[2J\n", "../../etc/passwd", "/dev/zero", [], [1], [[]], [None], ["x"],
    {}, {"x": 1}, [0, 1], [1.5], [True],
)  # fmt: skip
RAW = (
    "1e999",
    "-1e999",
    "9" * 5000,
    "[" * 70 + "]" * 70,
    "[" * 20_000,
    '{"a":' * 5000 + "1" + "}" * 5000,
    "",
    "nul",
    "'x'",
    "[1,]",
)
_MARK = "a place to be changed"


def places(found, at=()):
    """Return the way to every value, those that hold others too."""
    inner = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    return [way for key, value in inner for way in ((*at, key), *places(value, (*at, key)))]


def holder(found, way):
    for key in way[:-1]:
        found = found[key]
    return found


def tree_changed(tree, rng):
    """Return JSON with one to three of its values changed, removed, repeated, exchanged or scaled, as an object."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        ways = places(tree)
        if not ways:
            break
        # Ways of short length are few among the numbers of long lists; each depth is as likely.
        depths = sorted({len(way) for way in ways})
        depth = depths[rng.integers(len(depths))]
        ways = [way for way in ways if len(way) == depth]
        way = ways[rng.integers(len(ways))]
        inner, key, deed = holder(tree, way), way[-1], rng.random()
        value = inner[key]
        if deed < 0.1:
            del inner[key]
        elif deed < 0.2 and isinstance(inner, list):
            inner.insert(key, copy.deepcopy(value))
        elif deed < 0.3 and isinstance(inner, dict):
            inner["unknown" if rng.random() < 0.5 else key + "x"] = value
        elif deed < 0.4:
            other = ways[rng.integers(len(ways))]
            inner[key], holder(tree, other)[other[-1]] = holder(tree, other)[other[-1]], value
        elif deed < 0.6 and type(value) in (int, float):
            inner[key] = (-value, value + 1, value * 2, str(value), float(value), value + 0.5, value - 1)[rng.integers(7)]
        elif deed < 0.7 and isinstance(value, list):
            inner[key] = (value[::-1], value[:-1], value * 2, [value], value[0] if value else 0)[rng.integers(5)]
        else:
            inner[key] = copy.deepcopy(ODD[rng.integers(len(ODD))])
    return tree


def text_changed(tree, rng):
    """Return JSON as bytes, one value of which is written as no writer would: twice, without end, too deep."""
    tree = copy.deepcopy(tree)
    ways = places(tree)
    way = ways[rng.integers(len(ways))]
    inner, key = holder(tree, way), way[-1]
    if isinstance(inner, dict) and rng.random() < 0.4:
        inner[_MARK] = ODD[rng.integers(len(ODD))] if rng.random() < 0.5 else inner[key]
        return json.dumps(tree).replace(json.dumps(_MARK), json.dumps(key)).encode()
    inner[key] = _MARK
    return json.dumps(tree).replace(json.dumps(_MARK), RAW[rng.integers(len(RAW))]).encode()


def bytes_changed(data, rng):
    """Return bytes cut short, longer, or with one bit, one byte or a stretch of them changed."""
    whole, at, deed = bytearray(data), int(rng.integers(len(data))), rng.random()
    if deed < 0.6:
        whole[at] ^= 1 << int(rng.integers(8))
    elif deed < 0.75:
        whole[at] = int(rng.integers(256))
    elif deed < 0.85:
        del whole[at:]
    elif deed < 0.9:
        whole[at : at + int(rng.integers(1, 40))] = b""
    elif deed < 0.95:
        whole[at:at] = rng.bytes(int(rng.integers(1, 9)))
    else:
        whole[at : at + 4] = b"\xff" * 4
    return bytes(whole)


def bytes_joined(data, other, rng):
    """Return bytes with a stretch of them twice, the end of other bytes behind their beginning, or a stretch from elsewhere."""
    whole, deed = bytearray(data), rng.random()
    at, end = sorted(int(place) for place in rng.integers(len(data), size=2))
    if deed < 0.4:
        whole[at:at] = data[at:end]
    elif deed < 0.7:
        whole[at:] = other[int(rng.integers(len(other))) :]
    else:
        start = int(rng.integers(len(other)))
        part = other[start : start + int(rng.integers(1, 200))]
        whole[at : at + len(part)] = part
    return bytes(whole)


def _one(values, value, rng):
    changed = values.copy()
    if changed.size:
        changed.flat[rng.integers(changed.size)] = value
    return changed


ARRAYS = (
    lambda v, _: -v,
    lambda v, _: v + 1,
    lambda v, _: v[..., :-1],
    lambda v, _: v[:-1],
    lambda v, _: v.reshape(-1),
    lambda v, _: v[..., None],
    lambda v, _: v[None],
    lambda v, _: v.T,
    lambda v, _: v[::-1],
    lambda v, _: v[:0],
    lambda v, _: v * 0,
    lambda v, _: np.concatenate([v, v]),
    lambda v, _: v.astype(np.float64) * np.nan,
    lambda v, _: v.astype(np.float64) + 1e308,
    lambda v, _: v.astype(np.longdouble) * np.longdouble("1e400"),
    lambda v, _: v.astype(str),
    lambda v, _: v.astype(object),
    lambda v, _: v.astype("V0"),
    lambda v, _: v.astype(np.complex128),
    lambda v, _: v.astype("<M8[s]"),
    lambda v, _: v.astype(np.int8),
    lambda v, _: v.astype(np.uint64),
    lambda v, _: v.astype(np.float16),
    lambda v, _: v.astype(np.float64),
    lambda v, _: v.astype(bool),
    lambda v, _: v.astype(v.dtype.newbyteorder(">")),
    lambda v, _: np.asfortranarray(v),
    lambda v, rng: _one(v, 2**62, rng),
    lambda v, rng: _one(v, 2**31 - 1, rng),
    lambda v, rng: _one(v, -1, rng),
    lambda v, rng: _one(v, 0, rng),
    lambda v, rng: _one(v, 1, rng),
    lambda v, rng: _one(v.astype(np.int64), -(2**63), rng),
    lambda v, rng: _one(v.astype(np.float64), np.inf, rng),
    lambda v, rng: _one(v.astype(np.float64), np.nan, rng),
    lambda v, rng: _one(v.astype(np.float64), 1e308, rng),
    lambda v, rng: _one(v.astype(np.float64), 5e-324, rng),
    lambda v, rng: _one(v.astype(np.float64), 2.0**-53, rng),
)


def array_changed(data, rng):
    """Return the bytes of an array changed as a whole or in one number, or with another header."""
    if rng.random() < 0.1:
        return promising(data, rng)
    values, change = np.load(io.BytesIO(data)), ARRAYS[rng.integers(len(ARRAYS))]
    held = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        try:
            np.save(held, change(values, rng), allow_pickle=True)
        except (TypeError, ValueError, IndexError, OverflowError):  # truth values have no negative, and single ones no end
            return b""
    return held.getvalue()


SHAPES = ((1 << 27,), (1 << 40,), (1 << 62, 4), (10**30,), (0, 10**30), (-1,), (2, -3), (), (1,) * 40, (1.5,), (True,))
DTYPES = ("<f8", "|O", "|V0", "<U0", "|V1000000", "<f2", "<i8", [("a", "<i8")], "(1000000000,)<i8", "no type")


def promising(data, rng):
    """Return an array whose header says something else."""
    held = io.BytesIO()
    shape, kind = SHAPES[rng.integers(len(SHAPES))], DTYPES[rng.integers(len(DTYPES))]
    np.lib.format.write_array_header_1_0(held, {"descr": kind, "fortran_order": bool(rng.random() < 0.5), "shape": shape})
    return held.getvalue() + data[128:]
