"""Cases dealt into folds, every class alike, and groups kept together."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from adjudge._base.arguments import parameter, wording
from adjudge._base.arrays import IntArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, safe

_TWO = 2


def dealt(truth: IntArray, folds: Any, rng: Any, groups: IntArray | None = None) -> IntArray:
    """Return the fold of each case, every class dealt out alike; cases of a group are all in the same fold."""
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or not _TWO <= folds <= truth.size:
        msg = wording(
            parameter("folds"), f" must be a whole number from 2 to the number of cases, {truth.size:,}; got {folds!r}."
        )
        raise InputError(msg)
    source = np.random.default_rng(rng)
    if groups is not None:
        return _together(truth, int(folds), source, groups)
    fold = np.empty(truth.size, dtype=np.int64)
    order = source.permutation(truth.size)
    order = order[np.argsort(truth[order], kind="stable")]
    fold[order] = np.arange(truth.size) % folds
    return fold


def _together(truth: IntArray, folds: int, source: np.random.Generator, groups: IntArray) -> IntArray:
    """Deal whole groups, the largest first, each to the fold that holds least of its classes.

    With h the shares of the classes a fold holds and s those of the group, the sum of squares of all h grows by
    2 h s + s s, which is least where h s is.
    """
    many = int(groups.max()) + 1
    if many < folds:
        msg = f"{folds} folds need as many groups, and there are {counted(many, 'group')}. Use fewer folds, or leave groups out."
        raise InputError(msg)
    counts = np.zeros((many, int(truth.max()) + 1))
    np.add.at(counts, (groups, truth), 1)
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    order = source.permutation(many)
    order = order[np.argsort(-counts[order].sum(axis=1), kind="stable")]
    held, place = np.zeros((folds, shares.shape[1])), np.empty(many, dtype=np.int64)
    for group in order:
        best = np.lexsort((held.sum(axis=1), held @ shares[group]))[0]
        held[best] += shares[group]
        place[group] = best
    return place[groups]


def numbered(groups: Any, cases: int) -> IntArray:
    """Return the number of the group of each case, or refuse what names none."""
    try:  # as objects, since NaN among text would turn into a name
        labels = (groups if isinstance(groups, np.ndarray) else np.asarray(groups, dtype=object)).tolist()
    except ValueError:
        labels = None
    if not isinstance(labels, list) or len(labels) != cases or not all(isinstance(label, Hashable) for label in labels):
        came = f"{len(labels):,} of them" if isinstance(labels, list) else safe(type(groups).__name__)
        msg = f"groups must name the group of each of {counted(cases, 'case')}; got {came}."
        raise InputError(msg)
    nameless = sum(map(_is_missing, labels))
    if nameless:
        msg = f"{counted(nameless, 'case')} have no group (None or NaN). Name their groups, or leave these cases out."
        raise InputError(msg)
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _is_missing(label: Any) -> bool:
    """Return whether a label is None, NaN or what frames have in their place; all but None are unlike themselves."""
    return label is None or str(label) in ("<NA>", "NaT") or label != label  # noqa: PLR0124
