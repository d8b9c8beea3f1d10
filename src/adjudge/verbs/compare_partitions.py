"""Sets of predictions of the same cases, each in its partition space."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base import InputError, argument, replace, safe
from adjudge._base.arrays import IntArray
from adjudge._base.progress import waiting
from adjudge._base.signatures import takes_those_of
from adjudge.judgements.comparison import of_set
from adjudge.judgements.partitioned import PartitionComparison, judge_partitions
from adjudge.partitions.cases import WEIGHTED, Cases, cases_in, shares
from adjudge.partitions.replicates import RESAMPLES
from adjudge.partitions.space import Convention, PartitionSpace, partition_of
from adjudge.predictions.alignment import side_by_side
from adjudge.predictions.arrays import is_column
from adjudge.predictions.model import Predictions, following
from adjudge.predictions.native import is_frame
from adjudge.verbs.compared_sets import distinct, read_set
from adjudge.verbs.given import one_set, several_sets, with_models


@takes_those_of(with_models)
def compare_partitions(
    many: Any,
    *more: Any,
    names: Sequence[str] | None = None,
    depth: int = 1,
    convention: Convention = "paper",
    by_position: bool = False,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    rng: Any = 0,
    progress: bool = True,
    **roles: Any,
) -> PartitionComparison:
    """Put one or several sets of predictions of the same cases into partition spaces, side by side.

    Parameters
    ----------
    many, *more : predictions, several of them, or a mapping from names to them
        Files, frames or :class:`adjudge.Predictions` with probabilities, or scores, of all classes; or
        :class:`adjudge.PartitionSpace` of the same cases in the same order. Sets meet by the column that identifies a case.
        Of arrays ``compare_partitions(y_true, p, q)`` or ``compare_partitions({"old": p, "new": q}, y_true)``, of fitted models
        ``compare_partitions(model_a, model_b, X, y)``.
    names, by_position
        What to call them, and whether row i is the same case in every set; as for :func:`adjudge.compare`.
    depth, convention
        As for :func:`adjudge.partition`.
    level : float
        How often intervals shall hold the truth; those of differences hold all together.
    resamples, rng
        For the bootstrap of the intervals.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns, as for :func:`adjudge.read`.

    >>> p = [[0.9, 0.1], [0.7, 0.3], [0.6, 0.4], [0.4, 0.6], [0.2, 0.8], [0.1, 0.9]]
    >>> frame = {"truth": ["a", "a", "b", "a", "b", "b"], "p_a": [a for a, _ in p], "p_b": [b for _, b in p]}
    >>> comparison = compare_partitions(frame)
    >>> round(comparison.first.scaled_accuracy, 3), comparison.first.correctness.round(3)
    (0.439, array([0.667, 0.667]))
    """
    if len(more) == 1 and is_column(many):
        many, roles = one_set("compare_partitions", (many, None, *more), roles)
    elif more or any(roles.get(name) is not None for name in ("y_true", "X", "y")):
        given_sets = several_sets("compare_partitions", (many, *more), roles)
        many, roles = given_sets.sets, given_sets.roles
        names = given_sets.names if names is None else names
    items = [many]
    if isinstance(many, (list, tuple)) and not many:
        msg = "compare_partitions() takes at least one set of predictions; got none."
        raise InputError(msg)
    if isinstance(many, Mapping) and all(_is_set(each) for each in many.values()):  # else its values are columns
        items, names = list(many.values()), list(many) if names is None else names
    elif isinstance(many, (list, tuple)) and all(_is_set(each) for each in many):
        items = list(many)
    if all(isinstance(each, PartitionSpace) for each in items):
        ignored = [*roles, *(["depth"] if depth != 1 else []), *(["by_position"] if by_position else [])]
        if ignored or convention != "paper":
            msg = f"Partition spaces are made already; leave out {', '.join(f'{name}=' for name in ignored or ['convention'])}."
            raise InputError(msg)
        told = distinct(["arrays"] * len(items), names, "spaces")
        return judge_partitions(dict(zip(told, items, strict=True)), level=level, resamples=resamples, rng=rng)
    how: dict[str, Any] = {"depth": depth, "convention": convention}
    with following("reading", progress=progress) as follow:
        sets = [follow(read_set(each, roles)) for each in items]
        told = distinct([each.source.name for each in sets], names, "sets")
        if len(sets) == 1:
            whole = cases_in(sets[0], None, None)
            spaces, findings, clusters = {told[0]: partition_of(whole, **how)}, sets[0].found, whole.cluster
        else:
            cases = side_by_side(sets, told, scores=True, by_position=by_position).in_order_of_rows()
            if cases.weight is not None:
                raise InputError(WEIGHTED)
            spaces, truth, findings = {}, cases.truth.astype(np.int64), tuple(of_set(cases))
            clusters = _clusters(sets, told, by_position=by_position)
            for i, name in enumerate(cases.names):
                decided = np.maximum(cases.predicted[i], -1).astype(np.int64)  # what was rejected is no class
                rows, zero = shares(cases.scores[i], cases.columns[i], cases.classes, cases.scales[i], f"those of {safe(name)}")
                spaces[name] = partition_of(Cases(rows, truth, cases.classes, decided, zero), **how)
    with waiting("drawing samples for intervals", progress=progress):
        return judge_partitions(spaces, level=level, resamples=resamples, rng=rng, findings=findings, clusters=clusters)


def _clusters(sets: Sequence[Predictions], names: Sequence[str], *, by_position: bool) -> IntArray | None:
    """Return the number of the cluster of each case that all sets have, as the sets that name clusters say."""
    if not all(each.roles.cluster is not None for each in sets):
        return None
    # brought together as folds are, which all sets must agree on
    roles = [replace(each.roles, cluster=None, fold=each.roles.cluster) for each in sets]
    named = [Predictions.of(each.source, own, each.reading) for each, own in zip(sets, roles, strict=True)]
    fold = side_by_side(named, names, by_position=by_position).in_order_of_rows().fold
    if fold is None:
        msg = "The sets put the same cases into different clusters; name the column of clusters with "
        raise InputError(msg, argument("cluster"), ".")
    return np.unique(fold, return_inverse=True)[1].astype(np.int64)


def _is_set(value: Any) -> bool:
    """Say whether this is a set of predictions, and not a column of one."""
    return isinstance(value, (str, os.PathLike, Predictions, PartitionSpace, Mapping)) or is_frame(value)
