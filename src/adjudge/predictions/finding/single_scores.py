"""One score column for two classes: which it is, and what its numbers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, either, wording
from adjudge._base.errors import DoubtfulRolesError
from adjudge._base.text import listed
from adjudge.predictions.finding.names import (
    LOGIT_WORDS,
    PROBABILITY_WORDS,
    RAW_WORDS,
    SILENT,
    STRONG,
    WEAK,
    names_decision,
    strength,
    words,
)
from adjudge.predictions.finding.sampled import Sampled
from adjudge.predictions.finding.templates import cuts, key_of
from adjudge.predictions.roles import Scale

TWO = 2
_EDGE = 1e-6
_BESIDE_A_CLASS = PROBABILITY_WORDS | LOGIT_WORDS | RAW_WORDS | {"predicted", "class", "of", "is", "y", "hat", "label"}
"""Words that may stand beside a class in the name of its score."""


def class_in_name(name: str, labels: Mapping[str, Any]) -> Any | None:
    """Return the one class that a column's name holds beside words for a score; None where it holds none, or several.

    >>> labels = {"ill": "ill", "well": "well"}
    >>> class_in_name("p_ill", labels), class_in_name("Well probability", labels), class_in_name("ill_days", labels)
    ('ill', 'well', None)
    """
    plain = {key.casefold(): label for key, label in labels.items()}
    parts = [(key_of(text).casefold(), words(prefix) | words(suffix)) for prefix, text, suffix in cuts(name)]
    found = {plain[text]: None for text, beside in parts if text in plain and beside and beside <= _BESIDE_A_CLASS}
    return next(iter(found)) if len(found) == 1 and len(plain) == len(labels) else None


def single_candidates(pool: Sequence[Sampled], holders: Sequence[Sampled]) -> list[Sampled]:
    """Return the columns that may be the one score, by the clarity of their names.

    A decision by name that holds fractions is a score (LightGBM's `prediction`). Where a probability and the
    margin it was made from stand side by side, the probability is meant.
    """
    twos = [holder for holder in holders if len(holder.labels) == TWO]
    ranks = {column.name: _rank(column, twos) for column in pool}
    best = max(ranks.values(), default=SILENT)
    top = [column for column in pool if ranks[column.name] == best > SILENT]
    for prefer in (lambda c: c.unit, lambda c: not words(c.name) & RAW_WORDS):
        preferred = [column for column in top if prefer(column)]
        top = preferred if len(preferred) == 1 else top
    return top


def pick_single(candidates: Sequence[Sampled], predicted: Sampled | None) -> Sampled | None:
    """Return the one score; of several the one that the decision is a threshold of; else refuse."""
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    cut = [column for column in candidates if predicted is not None and separates(column, predicted)]
    if len(cut) == 1:
        return cut[0]
    names = [column.name for column in candidates]
    told = f"{listed(names)} may each be the scores, perhaps of several models. Judge one at a time: "
    msg = wording(told, either(argument("scores", name) for name in names[:4]), ".")
    raise DoubtfulRolesError(msg)


def separates(score: Sampled, labels: Sampled) -> bool:
    """Say whether the two labels are a threshold of the score."""
    if len(labels.labels) != TWO:
        return False
    codes = labels.codes({key: i for i, key in enumerate(labels.keys)}, fold=False)
    values = np.asarray(score.column.values, dtype=np.float64)
    low, high = (values[(codes == code) & np.isfinite(values)] for code in (0, 1))
    return bool(low.size and high.size and (low.max() <= high.min() or high.max() <= low.min()))


def believable(score: Sampled, predicted: Sampled | None, classes: Mapping[str, Any]) -> bool:
    """Say whether the values go with the name.

    `y_score` is believed; `rain_prob` or `predicted_income` only where the decision follows from it. The probability of a rare
    class may never reach one half: beside decisions that are all the same, one that names its class is believed.
    """
    if predicted is None or strength("score", score.name) == STRONG or separates(score, predicted):
        return True
    if len(predicted.labels) == 1 and class_in_name(score.name, classes) is not None:
        return True
    return score.unit and bool(score.finite.min() >= 1 / max(TWO, len(predicted.labels)) - _EDGE)


def single_scale(score: Sampled, truth: Sampled, predicted: Sampled | None) -> Scale | None:
    """Return what a single score means; None when it cannot serve the number of classes.

    A probability of the positive class falls below 0.5 wherever the other class is decided, so one that never
    does while both are decided is the probability of the decision. Among K classes that one is 1/K or more.
    """
    known = truth.key_set | (predicted.key_set if predicted is not None else frozenset())
    decided = predicted is not None and len(predicted.labels) > 1
    if decided and score.unit and score.finite.min() >= 1 / max(TWO, len(known)) - _EDGE:
        return "confidence"
    if len(known) > TWO:
        return None
    return "probabilities" if score.unit else "scores"


def _rank(column: Sampled, twos: Sequence[Sampled]) -> int:
    if not column.continuous:
        return SILENT
    if names_decision(column.name):
        return STRONG
    rank = strength("score", column.name)
    named = any(class_in_name(column.name, holder.keys) is not None for holder in twos)
    if rank == SILENT and named:
        return WEAK
    return rank if rank == STRONG or (rank == WEAK and (column.unit or named)) else SILENT
