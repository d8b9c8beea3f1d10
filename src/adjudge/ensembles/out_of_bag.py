"""Out-of-bag predictions, as predictions that can be judged like any others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adjudge._base.arrays import AnyArray, BoolArray, FloatArray, IntArray
from adjudge._base.findings import Finding
from adjudge._base.text import counted
from adjudge.predictions.model import Predictions, Reading
from adjudge.predictions.roles import Roles
from adjudge.predictions.sources import ColumnsSource

_NAME = "out-of-bag cases"


def out_of_bag_labels(
    truth: AnyArray, classes: AnyArray, votes: IntArray, winners: IntArray, weights: FloatArray | None
) -> Predictions:
    """Return the decisions on cases that count and had a vote, with the votes for each class."""
    rows = np.flatnonzero(_asked(votes.sum(axis=1), weights))
    named = tuple((label, f"votes for {label}") for label in classes.tolist())
    columns = {"truth": truth[rows], "predicted": classes[winners[rows]], "row": rows}
    columns |= {name: np.ascontiguousarray(votes[rows, at]) for at, (_, name) in enumerate(named)}
    roles = Roles("truth", "predicted", named, "votes", "row", numeric=False)
    return _predictions(columns, roles, weights, Reading(tuple(classes.tolist())), votes.sum(axis=1))


def out_of_bag_numbers(truth: FloatArray, total: FloatArray, times: IntArray, weights: FloatArray | None) -> Predictions:
    """Return the mean prediction of cases that count and had one."""
    rows = np.flatnonzero(_asked(times, weights))
    columns = {"truth": truth[rows], "predicted": total[rows] / times[rows], "row": rows}
    roles = Roles("truth", "predicted", row="row", numeric=True)
    return _predictions(columns, roles, weights, Reading(), times)


def _asked(times: IntArray, weights: FloatArray | None) -> BoolArray:
    return np.asarray(times > 0 if weights is None else (times > 0) & (weights > 0))


def _predictions(
    columns: dict[str, AnyArray], roles: Roles, weights: FloatArray | None, reading: Reading, times: IntArray
) -> Predictions:
    if weights is not None:
        columns, roles = {**columns, "weight": weights[columns["row"]]}, replace(roles, weight="weight")
    never = int(np.count_nonzero(times == 0))  # one of weight 0 is in no sample, so never among these
    return Predictions.of(ColumnsSource(_NAME, columns), roles, reading, _left_out(never))


def _left_out(cases: int) -> tuple[Finding, ...]:
    if not cases:
        return ()
    were, them = ("was", "it") if cases == 1 else ("were", "them")
    message = f"{counted(cases, 'case')} {were} in every sample, so that no model could judge {them} unseen."
    return (Finding("A951", message, "More models (n_estimators) leave out every case at least once.", cases),)
