"""One order of cases, by what they are and not by where they stood: what is drawn or summed in it has the same digits for any."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adjudge._base.arrays import AnyArray, IntArray


def mixed(numbers: AnyArray) -> AnyArray:
    """Return 64-bit numbers without pattern, different ones for different ones, by the first steps of SplitMix64."""
    bits = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.asarray(bits ^ (bits >> np.uint64(27)))


def keys_of(*parts: AnyArray | None, exact: bool = False) -> AnyArray:
    """Return a number for each case by what the parts say of it: whole numbers or floats, in one column or several.

    Floats are rounded to 24 bits unless `exact`: processors differ in the last bits, which put no case in another place.
    """
    key = np.zeros(1, dtype=np.uint64)
    for part in parts:
        for column in () if part is None else part.reshape(len(part), -1).T:
            if column.dtype.kind in "bi":
                values: AnyArray = column.astype(np.int64)
            else:
                with np.errstate(over="ignore"):  # what is larger than any float of 32 bits is alike
                    values = (column if exact else column.astype(np.float32)).astype(np.float64) + 0.0  # -0.0 is 0.0
            key = mixed(key ^ values.view(np.uint64))
    return key


def of_group(key: AnyArray, groups: IntArray) -> AnyArray:
    """Return a number for each group by the keys of its cases, whatever order they come in and whatever it is called."""
    sums = np.zeros(int(groups.max(initial=0)) + 1, dtype=np.uint64)
    np.add.at(sums, groups, mixed(key))
    return sums


def in_one_order(
    keys: Sequence[AnyArray], groups: IntArray | None = None, *, then: AnyArray | None = None
) -> tuple[IntArray, IntArray | None]:
    """Return an order of cases by their keys of several kinds, and their groups, numbered from 0 on, numbered by it.

    Cases of a group stand together. What kinds of keys come in another order changes nothing where their sums differ; keys
    of `then` order only what is alike in all others.
    """
    first = mixed(np.add.reduce(keys))
    kinds = [*(() if then is None else (then,)), *keys, first]  # the last counts first
    if groups is None:
        order = np.argsort(first)
        ranked = first[order]
        alike = ranked[1:] == ranked[:-1]
        tied = np.append(alike, False) | np.append(False, alike)
        some = order[tied]
        order[tied] = some[np.lexsort([key[some] for key in kinds])]
        return order, None
    sums = np.stack([of_group(key, groups) for key in kinds])
    least = np.full(sums.shape[1], np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(least, groups, first)  # groups of one case stand where it would without groups
    numbered = np.argsort(np.lexsort([*sums, least]))[groups]
    order = np.lexsort([*kinds, numbered])
    return order, numbered[order]
