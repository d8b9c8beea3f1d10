"""Results as rows of plain numbers and words, for frames: nothing is rounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from adjudge._base.undefined import Undefined
from adjudge.corrections.costs import REJECTED
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.ensembles import EnsemblesJudged
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.gate import Gate
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.recommendation import Recommendations
from adjudge.judgements.report import Report
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.thresholds import Thresholds

Row = dict[str, Any]


@singledispatch
def rows(result: Any) -> list[Row]:
    """Return a result as rows; one that is no table is a row of its fields that are numbers or words."""
    return [_flat(result)] if is_dataclass(result) else []


def _flat(result: Any, **more: Any) -> Row:
    """Return the fields of one result, an interval as its two limits, its level and its method."""
    row: Row = dict(more)
    for each in fields(result):
        value = getattr(result, each.name)
        if isinstance(value, Interval):
            row |= {"low": value.low, "high": value.high, "level": value.level, "method": value.method}
        elif isinstance(value, Estimate):
            row[each.name] = _plain(value.value)
        elif value is None or isinstance(value, (str, bool, int, float, np.generic)):
            row[each.name] = _plain(value)
    return row


def _plain(value: Any) -> Any:
    if isinstance(value, Undefined):
        return None
    return value.item() if isinstance(value, np.generic) else value


def _estimate(found: Estimate) -> Row:
    limits = found.interval
    ends = (None,) * 4 if limits is None else (limits.low, limits.high, limits.level, limits.method)
    known = {"measure": found.measure, "class": found.of, "average": found.average, "value": _plain(found.value)}
    return known | dict(zip(("low", "high", "level", "method"), ends, strict=True))


@rows.register
def _(result: Evaluation) -> list[Row]:
    """Return every measure, then those of each class."""
    each = [_estimate(found) for found in result.estimates.values()]
    for verdict in result.by_class:
        known = (verdict.sensitivity, verdict.precision, verdict.specificity, verdict.f1, verdict.auc)
        each += [_estimate(found) | {"class": verdict.label} for found in known if found is not None]
    return each


@rows.register
def _(result: Report) -> list[Row]:
    if result.learner is not None:
        return rows(result.learner)
    named = zip(result.names, result.evaluations, strict=True)
    return [{"name": name, **row} for name, found in named for row in rows(found)]


@rows.register
def _(result: Resampled) -> list[Row]:
    return [_flat(found) for found in result.estimates.values()]


@rows.register
def _(result: Ranking) -> list[Row]:
    return [_flat(row) for row in result.rows]


@rows.register
def _(result: Gate) -> list[Row]:
    return [_flat(rule) for rule in result.rules]


@rows.register
def _(result: Recommendations) -> list[Row]:
    return [_flat(row, advice=row.advice) for row in result.rows]


@rows.register
def _(result: EnsemblesJudged) -> list[Row]:
    return [_flat(found, name=name) for name, found in result.against.items()]


@rows.register
def _(result: ConfusionCounts) -> list[Row]:
    """Return the cells, one a row: the true class, the predicted one and how many cases; of a sparse table those not empty."""
    predicted, cells = (*result.classes, str(REJECTED)), result.cells
    places: Iterable[tuple[Any, Any, Any]]
    if hasattr(cells, "tocoo"):
        kept = cells.tocoo()
        places = zip(kept.row.tolist(), kept.col.tolist(), kept.data.tolist(), strict=True)
    else:
        places = ((*at, cell) for at, cell in np.ndenumerate(np.asarray(cells)))
    return [{"true": result.classes[i], "predicted": predicted[j], "cases": _plain(cell)} for i, j, cell in places]


@rows.register
def _(result: Curve) -> list[Row]:
    columns = {result.x_name: result.x, result.y_name: result.y, "threshold": result.thresholds}
    if result.size is not None:
        columns["cases"] = result.size
    return list(_of_columns(columns))


@rows.register
def _(result: Thresholds) -> list[Row]:
    table = result.table()
    return list(_of_columns({"threshold": table.thresholds, "found": table.found, "alarms": table.alarms}))


def _of_columns(columns: dict[str, Any]) -> Iterator[Row]:
    parts: Iterable[tuple[Any, ...]] = zip(*(np.asarray(part).tolist() for part in columns.values()), strict=True)
    return (dict(zip(columns, part, strict=True)) for part in parts)
