"""Cases to learn from that belong together, such as those of a patient: found by name, kept in one fold, never a feature."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, argument, counted, dataclass, either, parameter, quoted, replace, wording
from adjudge._base.arrays import AnyArray, as_array
from adjudge.predictions.names import STRONG, strength
from adjudge.predictions.native import named_columns
from adjudge.predictions.sources import open_path
from adjudge.resampling.identity import are_classes, lacking
from adjudge.resampling.run_result import RunResult

_TWO = 2


@dataclass(frozen=True, slots=True, eq=False)
class LearningClusters:
    """The cluster of each case to learn from."""

    values: AnyArray
    column: str | None = None
    found: bool = False  # whether the column was recognised by its name
    torn: bool = False  # whether the plan asked for trains and tests on cases of the same cluster

    @property
    def how_many(self) -> int:
        """How many clusters there are."""
        return int(np.unique(self.values).size)

    def plan_of(self, by: Any, y: Any, usual: str) -> Any:
        """Return a plan by name that keeps clusters together, in place of one that is usual for independent cases."""
        if isinstance(by, (int, np.integer)) and not isinstance(by, bool):
            by = f"stratified-{by}-fold"
        name = by.strip().lower().replace("_", "-").replace(" ", "-") if isinstance(by, str) else ""
        folds = name.removeprefix("stratified-").removesuffix("-fold")
        if not self.found and name and (re.search(r"\dx\d", name) or not name.endswith((".json", "-fold"))):
            msg = " does not keep clusters together. Use "
            ways = argument("by", "grouped-10-fold"), ", or pass ", argument("cluster", ""), " to take rows as independent cases."
            raise InputError(argument("by", by), msg, *ways)
        if not (name.endswith("-fold") and folds.isdecimal()):
            return by
        many, k = self.how_many, int(folds)
        if many < _TWO:
            msg = "All cases are of one cluster, so that none is left to test on. Collect more clusters, or pass "
            raise InputError(msg, argument("cluster", ""), " to take rows as independent cases.")
        strata = name.startswith("stratified-") and are_classes(y)
        return f"{'stratified-' if strata else ''}grouped-{min(k, many) if name == usual else k}-fold"

    def among(self, ran: RunResult) -> RunResult:
        """Return a run whose predictions name the cluster of each case, so that intervals heed them."""
        named = ran if ran.numeric else ran.in_clusters(self.values, self.column)
        return replace(named, remarks=(*ran.remarks, *self._findings(numeric=ran.numeric)))

    def _findings(self, *, numeric: bool) -> Iterator[Finding]:
        """Yield that a column was taken for clusters, where nobody named it."""
        if self.found:
            what = f"Column {quoted(self.column)} names {counted(self.how_many, 'cluster')}"
            heeded = "" if numeric else " intervals heed them,"
            stay = "" if self.torn else " cases of one stay in the same fold,"
            told = f"{what}:{stay}{heeded} and the column is no feature.".replace(", and", " and", int(self.torn or numeric))
            less = wording("Pass ", argument("cluster", ""), " to take rows as independent cases.")
            yield Finding("A956", told, less, self.how_many)
        if self.torn:
            told = (
                "The plan trains and tests on cases of the same cluster, so that the learner looks better than it is on new ones."
            )
            yield Finding("A957", told, wording("Use ", argument("by", "grouped-10-fold"), "."))

    def checked(self, rows: int) -> LearningClusters:
        """Return the same, or refuse what does not name the cluster of each row."""
        if self.values.shape != (rows,):
            told = f" must hold one value per row; got shape {self.values.shape} for {counted(rows, 'row')}."
            raise InputError(parameter("cluster"), told)
        missing = int(np.count_nonzero(lacking(self.values)))
        if missing:
            msg = f" lacks a value in {counted(missing, 'row')}; name the cluster of each, or leave those rows out."
            raise InputError(parameter("cluster"), msg)
        return self


def in_file(path: str | os.PathLike[str], y: Any, cluster: str | None, leave_out: Sequence[str]) -> str | None:
    """Return the column of a file whose name says that it names clusters, unless one is given or none is to be looked for."""
    if cluster is not None or not isinstance(y, str):
        return cluster or None
    return _named(name for name in open_path(Path(path)).names if name != y and name not in leave_out)


def in_table(X: Any, cluster: Any) -> tuple[Any, LearningClusters | None]:
    """Return a table without the column of clusters, and the clusters; these may be given beside it."""
    columns = named_columns(X)
    if cluster is not None and not isinstance(cluster, str):
        return X, LearningClusters(as_array(cluster, "cluster"))
    if columns is None or not hasattr(X, "drop"):
        if cluster:
            raise InputError(
                parameter("cluster"), " names a column, and X is no frame with columns; pass the cluster of each row."
            )
        return X, None
    name = _named(str(each) for each in columns) if cluster is None else cluster
    left_out = _named(str(each) for each in columns) if cluster == "" else None
    if not name:
        return (X, None) if left_out is None else (_without(X, left_out), None)
    if name not in columns:
        msg = f"There is no column {quoted(name)} in X; name another "
        raise InputError(msg, argument("cluster"), ".")
    values = as_array(columns[name], "cluster")
    known = None if cluster is None and not _repeats(values) else LearningClusters(values, name, found=cluster is None)
    return _without(X, name), known


def of_values(values: AnyArray | None, column: str | None, *, found: bool) -> LearningClusters | None:
    """Return the clusters that a column of a file names; one that was found must name some of them more than once."""
    return None if values is None or (found and not _repeats(values)) else LearningClusters(values, column, found)


def refuse_both(cluster: Any, groups: Any, ensemble: Any = None) -> None:
    """Refuse clusters beside groups, which say the same of folds, and beside ensembles."""
    if cluster is None or (isinstance(cluster, str) and not cluster):
        return
    if groups is not None:
        both = either([parameter("cluster"), parameter("groups")], " and ")
        raise InputError(both, " both keep cases in one fold, and intervals heed clusters alone. Give one of them.")
    if ensemble is not None:
        groups = argument("groups"), " and ", argument("by", "grouped-10-fold")
        raise InputError(parameter("cluster"), " does not go with an ensemble; pass ", *groups, ".")


def _named(names: Iterator[str]) -> str | None:
    """Return the first name that says clearly that it names clusters."""
    return next((name for name in names if strength("cluster", name) == STRONG), None)


def _repeats(values: AnyArray) -> bool:
    return 1 < len(set(values.tolist())) < values.size


def _without(X: Any, name: str) -> Any:
    return X.drop(columns=[name]) if hasattr(X, "iloc") else X.drop(name)
