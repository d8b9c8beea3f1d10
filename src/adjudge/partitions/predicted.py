"""Cases of a partition from predictions: probabilities as they are, other scores by class brought into the simplex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, wording
from adjudge._base.arrays import AnyArray, FloatArray
from adjudge._base.errors import InputError
from adjudge._base.text import counted, listed
from adjudge.partitions.cases import Cases, cases_of, in_simplex
from adjudge.partitions.memberships import memberships as brought
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Scale

WEIGHTED = wording(
    "Cases of a partition count alike, but these have weights; read them with the weight column left out (",
    argument("weight", ""),
    ").",
)


def cases_in(memberships: Any, truth: Any, classes: Any) -> Cases:
    """Return checked cases from memberships and true classes, or from predictions, which hold both."""
    if not isinstance(memberships, Predictions):
        return cases_of(memberships, truth, classes)
    if truth is not None or classes is not None:
        msg = "Predictions hold their own truth and classes; leave truth= and classes= out."
        raise InputError(msg)
    return _of_predictions(memberships)


def _of_predictions(predictions: Predictions) -> Cases:
    """Return the memberships and truths of predictions, all read at once."""
    if predictions.roles.weight is not None:
        raise InputError(WEIGHTED)
    encoder = Encoder(without_duplicates(predictions))
    blocks = list(encoder.blocks())
    truth, decided = (np.concatenate([getattr(block, name) for block in blocks]) for name in ("truth", "predicted"))
    given = [block.scores for block in blocks if block.scores is not None]
    place = np.full(max(encoder.order) + 2, -1, dtype=np.int64)
    place[encoder.order] = np.arange(len(encoder.order))
    where = {code: at for at, code in enumerate(encoder.order)}
    columns = [where.get(code, -1) for code in range(given[0].shape[1])] if given else []
    rows, zero = shares(np.concatenate(given) if given else None, columns, encoder.classes, encoder.scores.scale)
    return Cases(rows, place[truth], encoder.classes, place[np.maximum(decided, -1)], zero)


def shares(
    given: AnyArray | None,
    columns: Sequence[int],
    classes: tuple[Any, ...],
    scale: Scale | None,
    whose: str = "these predictions",
) -> tuple[FloatArray, float | None]:
    """Return a membership in each class for every case, from scores whose columns speak of the classes at `columns`.

    A single column of two classes speaks for both. Scores that are no probabilities are brought into the simplex by their
    lowest value, which is returned as their zero point.
    """
    if given is None:
        msg = wording(
            f"A partition needs probabilities or scores of all classes, and {whose} have none. Name them with ",
            argument("scores"),
            ".",
        )
        raise InputError(msg)
    values, at, ranks = np.asarray(given, dtype=np.float64), list(columns), scale == "scores"
    if values.shape[1] == 1 and len(classes) == 2:  # noqa: PLR2004 - the other class of two
        values, at = np.column_stack([values, -values if ranks else 1 - values]), [at[0], 1 - at[0]]
    if len(at) != len(classes):
        some = counted(len(at), "class", "classes")
        msg = f"A partition needs scores of all classes: {whose} have them of {some}, but the cases are of {listed(classes)}."
        raise InputError(msg)
    placed = np.empty_like(values)
    placed[:, at] = values
    if not ranks:
        return in_simplex(np.clip(placed, 0, 1)), None
    return brought(placed), float(min(placed.min(), 0.0))
