"""What adjudge answers, asked through its public names and with its defaults only."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

import adjudge
from atlas.samples import Sample
from atlas.truth import BETA, Array

Limits = tuple[float, float]
NONE: Limits = (math.nan, math.nan)
NAME = "adjudge"
ALPHA = 0.05
CHANCE, PASSES = "chance(): above chance", "gate: above chance passes"
COMMONEST = "chance(): beats the commonest class, p < 0.05"
_ONE_CLASS = ("sensitivity", "specificity", "precision", "npv", "f1", "fbeta", "jaccard")
_SCORES = ("auc", "average_precision")


def intervals(sample: Sample, names: Iterable[str]) -> dict[str, Limits]:
    """Return the default 95% interval of each measure; NaN where adjudge says that there is none."""
    return {name: answered(_interval, sample, name) for name in names}


def answered(ask: Callable[..., Any], *data: Any) -> Limits:
    """Return the bounds of an interval, or NaN where the question is refused."""
    try:
        found = ask(*data)
    except adjudge.AdjudgeError:
        return NONE
    return (float(found.low), float(found.high)) if found is not None else NONE


def _interval(sample: Sample, name: str) -> Any:
    if sample.decisions is not None:
        return adjudge.interval(adjudge.ConfusionCounts(sample.table), *_asked(name)[0], **_asked(name)[1])
    classes = list(range(sample.classes))
    if name in _SCORES and sample.classes > 2:
        assert sample.scores is not None  # each column ranks by itself; the rows do not sum to 1
        decided = sample.scores.argmax(axis=1)
        return adjudge.interval(adjudge.Predictions(sample.y, decided, sample.scores, scores_are="scores", classes=classes), name)
    of = {"positive": 1} if name in _SCORES else {}
    return adjudge.interval(adjudge.Predictions(sample.y, scores=sample.probabilities, classes=classes), name, **of)


def _asked(name: str) -> tuple[tuple[str], dict[str, Any]]:
    if name.startswith("macro_"):
        return (name.removeprefix("macro_"),), {"average": "macro"}
    beta = {"beta": BETA} if name == "fbeta" else {}
    return (name,), ({"positive": 1} if name in _ONE_CLASS else {}) | beta


def errors_of_numbers(y: Array, predicted: Array, names: Iterable[str]) -> dict[str, Limits]:
    """Return the default intervals of the errors of numeric predictions."""
    source = adjudge.read({"truth": y, "predicted": predicted})
    return {name: answered(adjudge.interval, source, name) for name in names}


def knows_clusters() -> bool:
    """Return whether predictions can name the column of clusters."""
    return "cluster" in inspect.signature(adjudge.read).parameters


def clustered(sample: Sample) -> Any:
    """Return a sample as a user gives it, with its clusters where adjudge takes them."""
    columns: dict[str, Any] = {"truth": sample.y}
    columns |= {} if sample.decisions is None else {"predicted": sample.decisions}
    columns |= {} if sample.probabilities is None else {"score": sample.probabilities}
    roles: dict[str, Any] = {"truth": "truth", "positive": 1}
    roles |= {} if sample.decisions is None else {"predicted": "predicted"}
    roles |= {} if sample.probabilities is None else {"scores": "score"}
    if knows_clusters():
        columns["cluster"], roles["cluster"] = sample.clusters, "cluster"
    return adjudge.read(columns, **roles)


def clustered_intervals(sample: Sample, names: Sequence[str]) -> dict[str, Limits]:
    """Return the intervals of an evaluation of rows in clusters."""
    estimates = adjudge.evaluate(clustered(sample)).estimates
    return {name: answered(lambda at: estimates[at].interval if at in estimates else None, name) for name in names}


def predictions(sample: Sample) -> Any:
    """Return the predictions of two classes, the second of which is positive."""
    return adjudge.Predictions(sample.y, sample.decisions, sample.probabilities, classes=[0, 1], positive=1)


def decides(a: Any, b: Any, measure: str) -> bool | None:
    """Return whether a comparison with its defaults calls one of two the better one; None without an answer."""
    try:
        return adjudge.compare(a, b, measure=measure, by_position=True).verdict in ("better", "worse")
    except adjudge.AdjudgeError:
        return None


def gate_states(source: Any, rules: Sequence[str]) -> list[str | None]:
    """Return the state of each rule; None where it cannot be judged."""
    try:
        return [rule.state for rule in adjudge.gate(source, *rules).rules]
    except adjudge.AdjudgeError:
        return [None] * len(rules)


def chance_claims(table: Any) -> dict[str, bool | None]:
    """Return whether decisions are said to be better than chance, in each way that adjudge says it."""
    counts = adjudge.ConfusionCounts(table)
    found = adjudge.chance(counts)
    return {CHANCE: bool(found.significant), COMMONEST: bool(found.p_value_nir < ALPHA)}


def passes_above_chance(table: Any) -> bool | None:
    """Return whether the rule "above chance" of a gate passes."""
    (state,) = gate_states(adjudge.ConfusionCounts(table), ["above chance"])
    return None if state is None else state == "passes"


def tells_apart(samples: Sequence[Sample]) -> tuple[bool, bool]:
    """Return whether a ranking has more than one group, and whether one of its pairs has a verdict."""
    found = adjudge.rank([predictions(each) for each in samples], by_position=True)
    verdicts = [each.verdict for each in found.comparisons.values()]
    return not any(len(group) == len(samples) for group in found.groups), bool(np.isin(verdicts, ["better", "worse"]).any())
