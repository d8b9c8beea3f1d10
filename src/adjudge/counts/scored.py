"""What one of several sets of predictions of the same cases says, counted with its scores."""

from __future__ import annotations

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.counts.cells import pairs
from adjudge.counts.confusion import from_cells
from adjudge.counts.probabilities import ProbabilityCounts, case_losses, rescaled
from adjudge.counts.scores import ScoreCounts
from adjudge.counts.tally import Tally
from adjudge.predictions.alignment import Together
from adjudge.predictions.blocks import REJECTED


def tally_set(cases: Together, i: int, weight: FloatArray | None = None, *, sums: bool = True) -> Tally:
    """Count set `i`, with the weights given or its own; `sums` of probabilities only where they are wanted."""
    weight = cases.weight if weight is None else weight
    k = len(cases.classes)
    cells = pairs(cases.truth.astype(np.int64), cases.said[i].astype(np.int64), k, weight)
    rejects = cases.rejects or bool(np.any(cases.said[i] == REJECTED))  # all of them where scores decide nothing
    confusion = from_cells(cells, cases.classes, range(k), rejected=rejects)
    scores, columns = cases.scores[i], cases.columns[i]
    if scores is None:
        return Tally(confusion, cases.rows, positive=cases.positive)
    probable = None
    if sums and cases.scales[i] != "scores":
        probable = ProbabilityCounts()
        place = _columns(cases, columns)
        said = np.where(cases.said[i] < 0, -1, place[cases.said[i]])
        probable.add(scores, place[cases.truth], weight, said)
    counted = ScoreCounts(columns, k, scores, cases.truth, weight)
    return Tally(confusion, cases.rows, cases.scales[i], counted, probable, positive=cases.positive)


def _columns(cases: Together, columns: tuple[int, ...]) -> IntArray:
    """Return the column that speaks of each class; one past the last where none does."""
    place = np.full(len(cases.classes), len(columns))
    place[list(columns)] = np.arange(len(columns))
    return place


def losses(cases: Together, i: int, name: str) -> FloatArray:
    """Return the loss of every case: "brier" (halved for two classes), "log_loss", or "mae" and "mse" of numbers."""
    if name in ("mae", "mse"):
        residual = cases.truth - cases.said[i]
        return np.asarray(np.abs(residual) if name == "mae" else residual**2)
    given, columns = cases.scores[i], cases.columns[i]
    assert given is not None
    p = np.clip(given.astype(np.float64), 0, 1)
    single = p.shape[1] == 1
    p = np.column_stack([p[:, 0], 1 - p[:, 0]]) if single else rescaled(p, p.sum(axis=1, keepdims=True))
    at = _columns(cases, columns)[cases.truth]
    own = np.where(at < p.shape[1], p[np.arange(len(p)), np.minimum(at, p.shape[1] - 1)], 0.0)
    return case_losses(name, p, own, len(cases.classes))
