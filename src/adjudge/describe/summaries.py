"""What a result says first: its verdict, its key numbers in a small table, and what to know before using them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from adjudge._base.findings import Finding
from adjudge._base.levels import share
from adjudge._base.text import counted, listed, quoted, safe
from adjudge._base.undefined import Undefined
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.curves import Curve
from adjudge.counts.paired import PairCounts
from adjudge.counts.result import Counts
from adjudge.describe import (
    comparison_sections,
    comparisons,
    ensembles,
    gating,
    learners,
    over_data_sets,
    partitions,
    rankings,
    recommendations,
)
from adjudge.describe.document import Document, Table, with_columns
from adjudge.describe.learners import spoken
from adjudge.describe.tables import classes, measures
from adjudge.describe.values import limits, method, percent, probability, sureness, title, value
from adjudge.describe.verdicts import has_verdict, verdict
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.estimates.posterior import Posterior
from adjudge.judgements.chance import Chance
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ensembles import EnsemblesJudged
from adjudge.judgements.evaluation import ClassVerdict, Evaluation
from adjudge.judgements.gate import Gate, JudgedRule
from adjudge.judgements.over_sets import OverSets
from adjudge.judgements.partitioned import PartitionComparison
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.recommendation import Recommendations
from adjudge.judgements.report import Report
from adjudge.judgements.resampled import Resampled
from adjudge.judgements.sample_size import SampleSize
from adjudge.judgements.trade_off import TradeOff
from adjudge.metrics.catalogue import ALL, MeasureTable
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.labels import loss, named, rounded
from adjudge.predictions.model import Predictions
from adjudge.predictions.roles import Roles

_LONGEST = 300
_LONGEST_NAME = 22
_MOST_RANKS = 30
_MOST_VALUES = 8
_WITHOUT = ("Formula", "Method", "Direction")  # columns that a page has room for
_UNTOLD = {"findings", "type_i_error"}


@singledispatch
def brief(result: Any) -> Document:
    """Return what a result says first: its verdict or the line it shows at the prompt, and every field of numbers or words."""
    rows = tuple(_fields(result)) if is_dataclass(result) else ()
    key = _facts(rows) if rows else None
    if has_verdict(result):
        return Document(verdict(result), key=key)
    return _noted(_line(result), key, _findings(result))


def _noted(sentences: tuple[str, ...], key: Table | None = None, findings: tuple[Finding, ...] = ()) -> Document:
    """Return what a notebook and a terminal show alike."""
    return Document(sentences, () if key is None else (key,), findings, key=key)


def _line(result: Any) -> tuple[str, ...]:
    first = repr(result).splitlines()[0] if repr(result) else ""
    raw = first.startswith(f"{type(result).__name__}(") or len(first) > _LONGEST
    return (spaced(type(result).__name__) if raw else tidied(first),)


def tidied(line: str) -> str:
    """Return a line of the prompt, which keeps six digits to be copied, with as many digits as its limits deserve.

    >>> tidied("difference +0.460171, 0.353082 to 0.56726 (95%, delong); z = 8.422")
    'difference +0.46, 0.35 to 0.57 (95%, DeLong); z = 8.422'
    """
    return "".join(part if part.startswith("'") else _without_labels(part) for part in _LABELS.split(line))


def _without_labels(part: str) -> str:
    part = _P_VALUE.sub(_never_nothing, _WITH_LIMITS.sub(_shorter, part))
    return _LONG.sub(lambda found: loss(float(found[0])), part)


_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_LABELS = re.compile(r"('[^']*')(?!\w)")
_LONG = re.compile(r"(?<![\w.])\d+\.\d{5,}(?![\w.])")
_P_VALUE = re.compile(rf"\bp = ({_NUMBER})")
_WITH_LIMITS = re.compile(rf"(?:({_NUMBER}), )?({_NUMBER}) to ({_NUMBER}) \(([\d.]+%), ([^()]*)\)")


def _never_nothing(found: re.Match[str]) -> str:
    said = probability(float(found[1]), 3)
    return f"p {said}" if said.startswith("<") else found[0]


def _shorter(found: re.Match[str]) -> str:
    before, low, high, level, how = found.groups()
    width = float(high) - float(low)
    sign = "+" if before is not None and before.startswith("+") else ""
    shown = "" if before is None else f"{sign}{rounded(float(before), width)}, "
    by = method(Interval(0.0, 1.0, 0.95, how))
    return f"{shown}{rounded(float(low), width)} to {rounded(float(high), width)} ({level}, {by})"


def spaced(name: str) -> str:
    """Return the name of a type as words.

    >>> spaced("OverFolds")
    'Over folds'
    """
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
    return words[:1].upper() + words[1:]


def _findings(result: Any) -> tuple[Finding, ...]:
    found = getattr(result, "findings", ())
    return tuple(each for each in found if isinstance(each, Finding)) if isinstance(found, tuple) else ()


def _facts(rows: tuple[tuple[str, str], ...]) -> Table:
    return Table("", ("", ""), rows, "lr" if all(len(words) < _MOST_VALUES**2 for _, words in rows) else "ll")


def _fields(result: Any) -> Iterator[tuple[str, str]]:
    for each in fields(result):
        if each.name not in _UNTOLD and each.repr:
            words = _field(each.name, getattr(result, each.name))
            if words:
                yield each.name.replace("_", " "), words


def _field(name: str, found: Any) -> str:
    """Return a field in words, a probability and a level as such."""
    if isinstance(found, float) and math.isfinite(found):
        if name.startswith("p_") or name == "probability":
            return probability(found, 3).removeprefix("= ")
        if name == "level":
            return percent(found)
    return spoken(found) if name in ("measure", "quantity") and isinstance(found, str) else told(found)


def told(found: Any) -> str:
    """Return a field in a few words, or nothing where it would take many."""
    for kind, words in _WORDS:
        if isinstance(found, kind):
            return words(found)
    return ""


def _number(found: Any) -> str:
    return f"undefined: {safe(found.reason)}" if isinstance(found, Undefined) else loss(float(found))


def _estimate(found: Estimate) -> str:
    told_limits = "" if found.interval is None else f" ({percent(found.interval.level)}: {_limits(found.interval)})"
    return f"{_number(found.value)}{told_limits}"


def _limits(found: Interval) -> str:
    width = found.high - found.low
    return f"{rounded(found.low, width)} to {rounded(found.high, width)}"


def _array(found: Any) -> str:
    if found.ndim != 1 or found.size > _MOST_VALUES or found.dtype.kind not in "iuf":
        return ""
    return ", ".join(loss(float(v)) for v in found)


def _several(found: Any) -> str:
    plain = all(v is None or isinstance(v, (str, bool, int, float)) for v in found)
    if not plain or not any(v is not None and v != "" for v in found):
        return ""
    shown = ", ".join(named([v], _LONGEST)[0] if isinstance(v, str) else told(v) for v in found[:_MOST_VALUES] if v is not None)
    return shown if len(found) <= _MOST_VALUES else f"{shown} and {len(found) - _MOST_VALUES:,} more"


_WORDS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    ((bool, np.bool_), lambda v: "yes" if v else "no"),
    (Estimate, _estimate),
    (Interval, lambda v: f"{_limits(v)} ({percent(v.level)}, {safe(method(v), _LONGEST)})"),
    ((int, np.integer), lambda v: f"{int(v):,}"),
    ((float, np.floating), _number),
    (str, lambda v: safe(v, _LONGEST)),
    (np.ndarray, _array),
    ((tuple, list), _several),
)


@brief.register
def _(result: Evaluation) -> Document:
    found, roles = measures(result), result.origin.roles
    kept = [i for i, name in enumerate(found.header) if not name.startswith(_WITHOUT)]
    each = (classes(result, _LONGEST_NAME),) if result.by_class else ()
    evidence = str(roles).splitlines() if roles is not None and roles.evidence else ()
    return Document(verdict(result), (found, *each), result.findings, tuple(evidence), key=with_columns(found, kept))


@brief.register
def _(result: Estimate) -> Document:
    if result.measure not in {each.name for each in ALL}:  # one of the user's own
        return Document((tidied(repr(result)),))
    by = "" if result.interval is None else f", {sureness(result)} ({method(result.interval)})"
    return Document((f"{title(result)}: {value(result) if result.reason is None else _number(result.value)}{by}",))


@brief.register
def _(result: Interval) -> Document:
    return _noted((f"{percent(result.level)} interval {_limits(result)} ({method(result)})",), findings=_findings(result))


@brief.register
def _(result: Curve) -> Document:
    """Tell its area; points are for the eye."""
    of = "" if result.of is None else f" of class {quoted(result.of)}"
    name = _CURVES.get(result.name, result.name.replace("-", " ").capitalize())
    return _noted((f"{name}{of}: {counted(result.x.size, 'point')}, {_AREAS.get(result.name, 'area')} {_number(result.area)}",))


_CURVES = {"roc": "ROC curve", "precision-recall": "Precision and recall"}
_AREAS = {"precision-recall": "average precision", "reliability": "calibration error (ECE)"}


@brief.register
def _(result: Chance) -> Document:
    need = "no number would do" if result.threshold is None else f"{result.threshold:,} would do"
    rows = (
        ("right", f"{result.right:,.6g} of {result.cases:,.6g}; {need} at {percent(result.alpha)}"),
        (f"{result.test} mid-P of the balanced accuracy", probability(result.p_value, 3).removeprefix("= ")),
        (f"p, guessing right {share(result.rate, 0)} of the time", probability(result.p_value_rate, 3).removeprefix("= ")),
        (
            f"p, always the commonest class ({share(result.no_information_rate)} right)",
            probability(result.p_value_nir, 3).removeprefix("= "),
        ),
    )
    return _noted((f"{result.statement}.",), _facts(rows))


@brief.register(JudgedRule)
def _(result: JudgedRule) -> Document:
    return _noted((f"{result.state.capitalize()}: {gating.line(result).removeprefix(result.state).lstrip()}",))


@brief.register(Counts)
def _(result: Counts) -> Document:
    return _noted((repr(result),), findings=result.found)


@brief.register(PairCounts)
def _(result: PairCounts) -> Document:
    return _noted((repr(result),))


@brief.register
def _(result: ClassVerdict) -> Document:
    each = [result.sensitivity, result.precision, result.specificity, result.f1, *([] if result.auc is None else [result.auc])]
    return _noted((repr(result),), _estimates([replace(one, of=None) for one in each]))


def _estimates(each: list[Estimate]) -> Table:
    rows = tuple((title(one), value(one), limits(one)) for one in each)
    return Table("", ("Measure", "Value", "Limits"), rows, "lrr")


@brief.register
def _(result: Gate) -> Document:
    """Tell rule by rule; the verdict comes last, where a log ends."""
    rules = tuple(gating.line(rule) for rule in result.rules)
    closing = (*gating.terms(result), *verdict(result))
    return Document((), findings=result.findings, lines=rules, closing=closing, key=gating.rules(result))


@brief.register
def _(result: PartitionSpace) -> Document:
    alone = partitions.one(result)
    rows = [(name.replace("_", " "), f"{getattr(result, name):.3f}") for name in ("accuracy", "separation", "correct")]
    tables = (partitions.rules(alone), partitions.corners(alone))
    return Document(verdict(result), tables, result.findings, key=_facts(tuple(rows)))


@brief.register
def _(result: Recommendations) -> Document:
    found = recommendations.table(result)
    said = (*verdict(result), recommendations.method(result))
    return Document(said, (replace(found, notes=()),), result.findings, key=found)


@brief.register
def _(result: Report) -> Document:
    if result.comparison is None:
        return brief(result.evaluation if result.learner is None else result.learner)
    return replace(brief(result.comparison), closing=tuple(comparison_sections.lines(result)))


@brief.register
def _(result: Comparison) -> Document:
    return Document(verdict(result), findings=result.findings, key=comparisons.numbers(result))


_TABLES: dict[type, Callable[[Any], tuple[Table, ...]]] = {
    EnsemblesJudged: lambda result: (ensembles.candidates(result), ensembles.courses(result)),
    OverSets: lambda result: (over_data_sets.answers(result), over_data_sets.sets(result)),
    PartitionComparison: lambda result: (partitions.rules(result), partitions.corners(result)),
    Ranking: lambda result: (rankings.ranks(result, _MOST_RANKS),),
    Resampled: lambda result: (learners.estimates(result), learners.folds(result)),
    SampleSize: lambda result: (gating.numbers(result),),
    TradeOff: lambda result: (learners.shares(result),),
}
"""Tables of a terminal; a notebook shows the first."""


def _with_tables(make: Callable[[Any], tuple[Table, ...]]) -> Callable[[Any], Document]:
    def told(result: Any) -> Document:
        first, *others = make(result)
        return Document(verdict(result), (first, *(each for each in others if each.rows)), _findings(result), key=first)

    return told


for _type, _make in _TABLES.items():
    brief.register(_type, _with_tables(_make))


@brief.register
def _(result: ConfusionCounts) -> Document:
    cases = f"{result.n:,.6g} cases of {counted(result.k, 'class', 'classes')}"
    right = f"{float(result.correct.sum()):,.6g} right" if result.n else "none right"
    return _noted((f"{cases}, {right} (rows true, columns assigned)",))


@brief.register
def _(result: Posterior) -> Document:
    low, high = result.law.interval(0.95)
    of = "" if result.of is None else f" of {quoted(result.of)}"
    width = high - low
    rows = [
        (name, rounded(float(v), width)) for name, v in (("mean", result.mean), ("median", result.median)) if math.isfinite(v)
    ]
    rows.append(("95% limits", f"{rounded(low, width)} to {rounded(high, width)}"))
    return _noted(
        (f"Posterior distribution of {safe(result.quantity).replace('_', ' ')}{of}",), _facts(tuple(rows)), _findings(result)
    )


@brief.register
def _(result: Finding) -> Document:
    return _noted((f"{result.code} {result.message}", result.advice))


@brief.register
def _(result: MeasureTable) -> Document:
    rows = tuple((m.name, f"{m.low:g} to {m.high:g}", m.direction, m.needs, m.formula) for m in result)
    table = Table("", ("Name", "Range", "Direction", "Needs", "Formula"), rows, "lllll")
    return Document((counted(len(result), "measure"),), (table,), key=table, key_is_whole=True)


@brief.register
def _(result: Predictions) -> Document:
    return _noted((f"Predictions from {safe(result.source.name)}",), _roles(result.roles), result.found)


@brief.register
def _(result: Roles) -> Document:
    return _noted(("The columns by the part they play",), _roles(result))


def _roles(roles: Roles) -> Table:
    """Return each role with its column and the evidence for it."""
    one = {name: getattr(roles, name) for name in ("truth", "predicted", "row", "fold", "group", "weight")}
    columns: Mapping[str, str] = {name: quoted(column) for name, column in one.items() if column is not None}
    if roles.scores:
        columns = {**columns, "scores": listed((name for _, name in roles.scores), 4)}
    rows = tuple((name, column, safe(roles.evidence.get(name, ""), _LONGEST)) for name, column in columns.items())
    return Table("", ("Role", "Column", "Why"), rows, "lll")
