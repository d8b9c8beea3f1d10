"""Rows of two sets that look as if they belonged together, though no column says so: columns of the first are read again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adjudge._base import Finding
from adjudge.counts.suspected import ByValue, by_value
from adjudge.judgements.undeclared import of_undeclared, undeclared_between
from adjudge.predictions.alignment import Together
from adjudge.predictions.cluster_keys import cluster_keys
from adjudge.predictions.engines import LazySource
from adjudge.predictions.model import Predictions
from adjudge.predictions.sources import base_of


def of_undeclared_between(many: Sequence[Predictions], cases: Together) -> Iterator[Finding]:
    """Yield that the difference between two sets varies between values of a column by more than chance.

    Nothing is known where rows were left out or made one, or where cases come back in several folds.
    """
    first = many[0]
    whole = all(each.reading.missing == each.reading.missing_scores == each.reading.duplicates == "error" for each in many)
    named = any(each.roles.cluster is not None for each in many)
    base = base_of(first.source)
    steady = not isinstance(base, LazySource) or base.ordered  # else another reading has other rows first
    if named or not whole or not steady or not cases.classes or cases.rows > cases.cases or cases.weight is not None:
        return
    a, b = ((said == cases.truth).astype(np.float64) for said in cases.predicted[:2])
    yield from of_undeclared(undeclared_between(_by_value(first, cases, a - b), a - b), "the difference in accuracy varies")


def _by_value(predictions: Predictions, cases: Together, differences: np.ndarray) -> Iterator[ByValue]:
    for name in predictions.roles.suspected:
        read = [cluster_keys(batch[name], name)[::2] for batch in predictions.source.batches([name], [])]
        keys, gone = (np.concatenate(part) for part in zip(*read, strict=True))
        if cases.places is not None:
            keys, gone = keys[cases.places], gone[cases.places]
        if keys.size == differences.size:
            yield by_value(name, keys[~gone], differences[~gone])
