"""Results as rows of plain numbers and words for dataframes, nothing rounded: what a table of the result would list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from adjudge._base import Undefined
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.priors import Priors
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.joint import JointCounts
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.result import Counts
from adjudge.describe.description import describe
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.posterior import Posterior
from adjudge.estimates.posteriors import Posteriors
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.over_sets import OverSets
from adjudge.judgements.partitioned import PartitionComparison
from adjudge.judgements.report import Report
from adjudge.judgements.side_by_side import SideBySide
from adjudge.judgements.where_correct import WhereCorrect

Rows = list[dict[str, Any]]


def rows(result: Any) -> Rows:
    """Return a result as rows: a row a measure, class, fold, point, or whatever it lists; else one row of its fields.

    Where these hold no number, the first table of its description takes their place.
    """
    listed = next((_ROWS[kind.__name__] for kind in type(result).__mro__ if kind.__name__ in _ROWS), lambda _: [])
    if listing := _plain(listed(result)):
        return listing
    (row,) = _plain([_flat(result) if is_dataclass(result) else {}])
    if any(isinstance(value, (int, float)) and not isinstance(value, bool) for value in row.values()):
        return [row]
    tables = describe(result, figure=False, whole=False).tables
    header = tables[0].header if tables and all(tables[0].header) else ("quantity", "value")
    return [dict(zip(header, cells, strict=True)) for cells in tables[0].rows] if tables else [row]


def _flat(result: Any, **more: Any) -> dict[str, Any]:
    """Return the fields of one result, an interval as its two ends, its level and its method."""
    row: dict[str, Any] = dict(more)
    for each in fields(result):
        value = getattr(result, each.name)
        if isinstance(value, Interval):
            row |= _ends(value)
        elif isinstance(value, Estimate):
            row[each.name] = value.value
        elif value is None or isinstance(value, (str, bool, int, float, np.generic)):
            row[each.name] = value
    return row


def _ends(interval: Interval | None) -> dict[str, Any]:
    return {name: getattr(interval, name, None) for name in ("low", "high", "level", "method")}


def _plain(listing: Rows) -> Rows:
    """Return rows without scalars of NumPy, and nothing where a value is undefined."""

    def plain(value: Any) -> Any:
        return None if isinstance(value, Undefined) else value.item() if isinstance(value, np.generic) else value

    return [{name: plain(value) for name, value in row.items()} for row in listing]


def _columns(**columns: Any) -> Rows:
    """Return rows from columns of one length."""
    each = zip(*(np.asarray(part).tolist() for part in columns.values()), strict=True)
    return [dict(zip(columns, values, strict=True)) for values in each]


def _labelled(classes: Iterable[Any] | None, **columns: Any) -> Rows:
    """Return rows that begin with a class; without names, with its place."""
    rows = _columns(**columns)
    labels = range(len(rows)) if classes is None else classes
    return [{"class": label, **row} for label, row in zip(labels, rows, strict=True)]


# -- estimates and posteriors ----------------------------------------------------------------------------------


def _estimate(estimate: Estimate) -> dict[str, Any]:
    about = {"measure": estimate.measure, "class": estimate.of, "average": estimate.average, "value": estimate.value}
    return about | _ends(estimate.interval)


def _evaluation(result: Evaluation) -> Rows:
    """Return every measure, then those of each class."""
    each = [_estimate(estimate) for estimate in result.estimates.values()]
    for verdict in result.by_class:
        each += [_estimate(estimate) | {"class": verdict.label} for estimate in verdict.estimates]
    return each


def _report(result: Report) -> Rows:
    if result.learner is not None:
        return rows(result.learner)
    each = zip(result.names, result.evaluations, strict=True)
    return [{"name": name, **row} for name, evaluation in each for row in _evaluation(evaluation)]


def _posterior(result: Posterior, level: float = 0.95) -> dict[str, Any]:
    moments = {"mean": result.mean, "median": result.median, "sd": result.var**0.5}
    return {"quantity": result.quantity, "class": result.of, **moments, **_ends(result.interval(level)), "method": result.method}


def _posteriors(result: Posteriors) -> Rows:
    low, high = result.interval()
    each = _columns(table=range(len(result)), mean=result.mean, median=result.median, low=low, high=high)
    return [{"quantity": result.quantity, **row, "level": 0.95} for row in each]


# -- counts and curves -----------------------------------------------------------------------------------------


def _cells(result: ConfusionCounts) -> Rows:
    """Return the cells, one a row: the true class, the predicted one and how many cases; of a sparse table those not empty."""
    predicted, cells = (*result.classes, "REJECTED"), result.cells
    places: Iterable[tuple[Any, Any, Any]] = ((*at, cell) for at, cell in np.ndenumerate(cells))
    if hasattr(cells, "tocoo"):
        kept = cells.tocoo()
        places = zip(kept.row.tolist(), kept.col.tolist(), kept.data.tolist(), strict=True)
    return [{"true": result.classes[i], "predicted": predicted[j], "cases": cell} for i, j, cell in places]


def _side_by_side(result: SideBySide) -> Rows:
    """Return a row per measure and set: the value, P(best), and the difference from the reference with its probabilities."""
    each = []
    for row in result.rows:
        for at, name in enumerate(result.names):
            known = row.differences[at]
            about = {"measure": row.measure, "class": row.of, "average": row.average, "set": name, "value": row.values[at]}
            about |= {
                "p_best": None if row.p_best is None else row.p_best[at],
                "against": None if known is None else result.reference,
            }
            three = {part: getattr(known, part, None) for part in ("worse", "same", "better", "margin")}
            each.append(about | {"difference": getattr(known, "value", None)} | _ends(getattr(known, "interval", None)) | three)
    return each


def _where_correct(result: WhereCorrect) -> Rows:
    """Return a row per class: its cases, and how many all, some, none or one alone predict correctly."""
    rows = []
    for each in result.by_class:
        alone = {f"only {name}": cases for name, cases in zip(result.names, each.only_correct, strict=True)}
        whole = {"class": each.label, "cases": each.cases, "all": each.all_correct}
        rows.append(whole | alone | {"some": each.some_correct, "none": each.none_correct})
    return rows


def _counts(result: Counts) -> Rows:
    """Return the cells of classes; the losses of numbers, or their sums where these were not judged."""
    if not isinstance(result.tally, NumberCounts):
        return _cells(result.tally.confusion)
    return [_estimate(loss) for loss in result.losses.values()] or [_flat(result.tally)]


def _patterns(result: JointCounts) -> Rows:
    """Return the patterns, one a row: the true class, what each classifier predicted, and how many cases."""
    names, columns = (*result.classes, "REJECTED"), [f"predicted by {name}" for name in result.names]
    each = zip(result.truth.tolist(), result.predicted.tolist(), result.n.tolist(), strict=True)
    told = ((true, dict(zip(columns, (names[at] for at in predicted), strict=True)), n) for true, predicted, n in each)
    return [{"true": names[true], **predicted, "cases": n} for true, predicted, n in told]


def _multipliers(result: Multipliers) -> Rows:
    """Return the multiplier of each class, 1 of the majority where that is fixed; of an iterated form round by round."""
    each, rounds = [], np.atleast_2d(result.multipliers)
    for at, values in enumerate(rounds.tolist()):
        values[result.majority : result.majority] = [] if result.last_free else [1.0]
        more = {"round": at + 1} if len(rounds) > 1 else {}
        each += [{**more, **row} for row in _labelled(result.classes, multiplier=values)]
    return each


def _priors(result: Priors) -> Rows:
    ends = {"prior": result.priors, "low": result.interval[:, 0], "high": result.interval[:, 1]}
    each = _labelled(result.classes, **ends | ({} if result.old is None else {"old": result.old}))
    return [{**row, "level": result.level, "method": result.method} for row in each]


# -- learners, data sets, partitions ---------------------------------------------------------------------------


def _plan(result: Any) -> Rows:
    sizes = {"training_cases": result.training_cases, "test_cases": [part.size for part in result.test]}
    return _columns(fold=range(1, len(result) + 1), repeat=np.asarray(result.repeat) + 1, **sizes)


def _sets(result: OverSets) -> Rows:
    """Return the difference on each data set and, by the hierarchical model, what it is estimated to be."""
    shrunken = {} if result.hierarchical is None else result.hierarchical.shrunken
    more = {name: {"shrunken": each.value, **_ends(each.interval)} for name, each in shrunken.items()}
    each = zip(result.names, result.means, strict=True)
    return [{"data_set": name, "difference": value, **more.get(name, {})} for name, value in each]


def _partitions(result: PartitionComparison) -> Rows:
    """Return the measures of each rule with their intervals, then the differences of rules; without truth, the measures alone."""
    each = [_flat(interval, rule=name) for name, by_measure in result.intervals.items() for interval in by_measure.values()]
    for (a, b), by_measure in result.differences.items():
        each += [_flat(difference, rule=f"{a} - {b}") for difference in by_measure.values()]
    return each or [_flat(space.goodness, rule=name) for name, space in result.spaces.items()]


def _parts(name: str, accuracy: Mapping[Any, Estimate], balanced: Mapping[Any, Estimate]) -> Rows:
    each = [{name: label, "accuracy": one.value, **_ends(one.interval)} for label, one in accuracy.items()]
    return [row | {"balanced_accuracy": balanced[row[name]].value} for row in each]


_ROWS: dict[str, Callable[[Any], Rows]] = {
    "AccuracyPosteriors": lambda result: [_posterior(each, result.level) for each in result.posteriors.values()],
    "AccuracyRejection": lambda result: _columns(
        **{name: getattr(result, name) for name in ("rejected", "accuracy", "low", "high", "kept")}, threshold=result.thresholds
    ),
    "Band": lambda result: [
        {"line": name, **row}
        for name, points in (("low", result.low), ("high", result.high))
        for row in _columns(x=points[:, 0], y=points[:, 1])
    ],
    "BeforeAfter": lambda result: [{"measure": name, "before": a, "after": b} for name, (a, b) in result.measures.items()],
    "ConfusionCounts": _cells,
    "Counts": _counts,
    "Curve": lambda result: _columns(
        **{result.x_name: result.x, result.y_name: result.y, "threshold": result.thresholds},
        **({} if result.size is None else {"cases": result.size}),
    ),
    "EnsemblesJudged": lambda result: [_flat(each, name=name) for name, each in result.against.items()],
    "ErrorCurve": lambda result: _columns(multiplier=result.multipliers, errors=result.errors),
    "Estimate": lambda result: [_estimate(result)],
    "Evaluation": _evaluation,
    "Fitted": lambda result: [
        {"measure": name, **{when: getattr(result, when).get(name) for when in ("before", "after", "left_out")}}
        for name in result.before
    ],
    "Fold": lambda result: [_flat(result) | {name: each.value for name, each in result.estimates.items()}],
    "FoldsJudged": lambda result: _parts("fold", result.accuracy, result.balanced),
    "Gate": lambda result: [_flat(rule) for rule in result.rules],
    "GroupsJudged": lambda result: _parts("group", result.accuracy, result.balanced),
    "JointCounts": _patterns,
    "MeasureRow": lambda result: [
        {"measure": result.measure, "class": result.of, "average": result.average, "value": value} for value in result.values
    ],
    "MeasureTable": lambda result: [
        {**_flat(each), "direction": each.direction, "aliases": ", ".join(each.aliases)} for each in result
    ],
    "Multipliers": _multipliers,
    "OverSets": _sets,
    "PairCounts": lambda result: _patterns(result.patterns),
    "PartitionComparison": _partitions,
    "PartitionSpace": lambda result: _labelled(
        result.classes, predicted=np.bincount(result.predicted, minlength=len(result.classes)), correct=result.correctness
    ),
    "Plan": _plan,
    "Posterior": lambda result: [_posterior(result)],
    "Posteriors": _posteriors,
    "PriorShift": lambda result: _labelled(result.classes, old=result.old, new=result.new),
    "Priors": _priors,
    "WhereCorrect": _where_correct,
    "RunResult": lambda result: [
        {**row, "seconds": float(result.seconds[at]), "failure": result.failures.get(at)}
        for at, row in enumerate(_plan(result.plan))
    ],
    "Ranking": lambda result: [_flat(row) for row in result.rows],
    "Recommendations": lambda result: [_flat(row, advice=row.advice) for row in result.rows],
    "Report": _report,
    "Resampled": lambda result: [_flat(over) for over in result.estimates.values()],
    "Rounds": lambda result: _columns(
        round=range(1, result.test.shape[1] + 1), training=result.training.mean(axis=0), test=result.test.mean(axis=0)
    ),
    "Selected": lambda result: [_estimate(each) for each in result.estimates],
    "SideBySide": _side_by_side,
    "ThresholdTable": lambda result: _columns(
        threshold=result.thresholds, true_positives=result.found, false_positives=result.alarms
    ),
    "Thresholds": lambda result: rows(result.table()),
    "TradeOff": lambda result: [
        {"test_share": each.share, "test_cases": each.cases, "splits": each.values.size, "failed": len(each.failures)}
        | {"mean": each.mean, "sd": each.spread, "lower_quartile": each.middle[0], "upper_quartile": each.middle[1]}
        for each in result.shares
    ],
    "Weaknesses": lambda result: [_flat(confusion) for confusion in result.confusions],
}
