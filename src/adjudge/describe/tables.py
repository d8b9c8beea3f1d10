"""Tables of a report: text in cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from adjudge._base import VERSION, counted, quoted, share
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.document import MOST_FOLDED, MOST_ROWS, Row, Table, fact_table, folding
from adjudge.describe.values import formula, limits, method, one_name, percent, title, value, with_limits
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.tally_estimates import FoldsJudged, GroupsJudged
from adjudge.judgements.weaknesses import Weaknesses
from adjudge.metrics import on_counts
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import NOTHING, count, decimals_for, loss, named

DETAILS = ("Method", "Formula", "Direction")
"""Columns that only a page has room for."""
MOST_SHOWN, MOST_SIZES = 10, 12
"""Confusions, and classes with their number of cases, shown at once; the rest is folded."""
_MOST_NOTES = 10
_ROOM = 80  # letters of a class name on a page
_FEW = 5000  # classes whose names are told apart with the help of all others
_SCALES = {"scores": "scores that only rank, no probabilities", "confidence": "the probability of the decision taken"}


def measures(result: Evaluation) -> Table:
    """Return every measure: value, interval, method, formula and direction."""
    estimates = [*result.estimates.values(), *([] if result.over_groups is None else [result.over_groups])]
    rows = tuple(
        (title(each), value(each), limits(each), method(each.interval), formula(each), find(each.measure).direction)
        for each in estimates
    )
    header = ("Measure", "Value", f"{percent(result.level)} interval", "Method", "Formula", "Direction")
    counting = {measure.name for measure in on_counts.ON_COUNTS}
    bare = [each for each in estimates if each.interval is None and each.reason is None and each.measure in counting]
    large = [f"No interval of {title(bare[0])} and the like: with so many classes it would take long."] if bare else []
    return Table("Measures", header, rows, "lrnffn", notes=(*reasons(estimates), *large)).without_empty_columns()


def reasons(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """Return why measures are undefined, one line per measure, those beyond a few only counted."""
    notes = [f"{title(estimate)} is undefined: {estimate.reason}." for estimate in estimates if estimate.reason is not None]
    more = len(notes) - _MOST_NOTES
    return (*notes[:_MOST_NOTES], *([f"{counted(more, 'more measure')} undefined for similar reasons."] if more > 0 else []))


def classes(result: Evaluation, longest: int = _ROOM) -> Table:
    """Return one row per class, the commonest first where they are many; where names have little room, F1 and AUC no limits."""
    shown = list(result.by_class)
    if len(shown) > MOST_ROWS:
        shown = sorted(shown, key=lambda row: -row.cases)
    names = named([row.label for row in shown], longest)
    ranked, brief = any(row.auc is not None for row in shown), longest < _ROOM
    written, rows = value if brief else with_limits, []
    for row, name in zip(shown, names, strict=True):
        limited = (with_limits(row.sensitivity), with_limits(row.precision), with_limits(row.specificity))
        auc = (NOTHING if row.auc is None else written(row.auc),) if ranked else ()
        rows.append((name, count(row.cases), count(row.predicted), *limited, written(row.f1), *auc))
    level = percent(result.level)
    header: Row = ("Class", "Cases", "Predicted", f"Sensitivity ({level})", f"Precision ({level})", f"Specificity ({level})")
    header = (*header, *(name if brief else f"{name} ({level})" for name in ("F1", *(("AUC",) if ranked else ()))))
    total = result.counts.k if result.counts is not None else len(rows)
    estimates = [e for row in shown[:MOST_ROWS] for e in (row.sensitivity, row.precision, row.specificity, row.f1)]
    return folding("Class by class", header, rows, ("class", "classes"), total=total, notes=reasons(estimates))


def parts(judged: FoldsJudged | GroupsJudged, tables: Mapping[Any, ConfusionCounts], what: str, level: float) -> Table:
    """Return one row per fold or group."""
    shown, rows = list(judged.accuracy)[: MOST_ROWS + MOST_FOLDED], []
    for name, label in zip(named(shown, _ROOM), shown, strict=True):
        both = with_limits(judged.accuracy[label]), with_limits(judged.balanced[label])
        rows.append((name, count(tables[label].n), count(tables[label].correct.sum().item()), *both))
    limited = percent(level)
    header = (what.capitalize(), "Cases", "Correct", f"Accuracy ({limited})", f"Balanced accuracy ({limited})")
    total = sum(1 for table in tables.values() if table.n) if isinstance(judged, FoldsJudged) else len(tables)
    return folding(f"{what.capitalize()}s", header, rows, (what, f"{what}s"), total=total)


def confusions(weaknesses: Weaknesses, counts: ConfusionCounts, level: float) -> Table:
    """Return the largest confusions: the true class, the predicted one, how often, and of how many."""
    names = dict(zip(counts.classes, named(list(counts.classes), _ROOM), strict=True)) if counts.k <= _FEW else {}
    rows = []
    for each in weaknesses.confusions:
        who = (names.get(label) or one_name(label, _ROOM) for label in (each.truth, each.decided))
        of_class = NOTHING
        if each.interval is not None:
            decimals = decimals_for(each.interval.high - each.interval.low)
            low, high = (share(limit, decimals).rstrip("%") for limit in (each.interval.low, each.interval.high))
            of_class = f"{share(each.share, decimals)} ({low}-{high})"
        rows.append((*who, count(each.cases), of_class, share(each.of_errors)))
    cases = "Weight" if isinstance(counts, WeightedCounts) else "Cases"
    header = ("True class", "Predicted", cases, f"Of the class ({percent(level)})", "Of errors")
    about: dict[str, Any] = {"shown": MOST_SHOWN, "total": weaknesses.pairs_confused, "align": "llrrr"}
    return folding("The largest confusions", header, rows, ("confusion", "confusions"), **about)


def about_confusions(weaknesses: Weaknesses, counts: ConfusionCounts) -> str:
    """Return what the errors are, in one sentence."""
    wrong = float(counts.support.sum() - counts.rejected.sum() - counts.correct.sum())
    if wrong <= 0:
        return "No decision is wrong."
    unit = "of weight" if isinstance(counts, WeightedCounts) else "wrong decisions"
    possible = counts.k * (counts.k - 1)
    return f"{count(wrong)} {unit} in {weaknesses.pairs_confused:,} of {possible:,} possible confusions, the largest first."


def class_sizes(counts: ConfusionCounts) -> Table:
    """Return the cases of every class, the commonest first; all but a few folded."""
    order = np.argsort(-counts.support, kind="stable")[: MOST_SIZES + MOST_FOLDED].tolist()
    names = named([counts.classes[i] for i in order], _ROOM)
    each = [(name, counts.support[i].item()) for name, i in zip(names, order, strict=True)]
    rows = [(name, count(cases), share(cases / counts.n)) for name, cases in each]
    header = ("Class", "Weight" if isinstance(counts, WeightedCounts) else "Cases", "Share")
    return folding("Cases by class", header, rows, ("class", "classes"), shown=MOST_SIZES, total=counts.k)


def facts(result: Evaluation, name: str) -> Table:
    """Return where the cases came from, how they were read, and the evidence for each column's role."""
    origin, counts, read = result.origin, result.undecided if result.counts is None else result.counts, result.facts
    each: dict[str, str | None] = {"Source": name, "Rows": f"{origin.rows:,}"}
    if read is not None:
        missing = [f"{n:,} in {quoted(column)}" for column, n in list(read.missing.items())[:MOST_ROWS]]
        each["Rows left out"] = f"{read.dropped:,}, as something was missing" if read.dropped else None
        each |= {"Missing values": ", ".join(missing) or "none", "Rows for the same case": read.duplicates}
    if counts is not None:
        shown = named(list(counts.classes)[:MOST_ROWS], _ROOM)
        more = f" and {counts.k - len(shown):,} more" if counts.k > len(shown) else ""
        each["Classes"] = f"{counts.k:,}: {', '.join(shown)}{more}"
    each["Positive class"] = None if result.positive is None else quoted(result.positive)
    for what, tables in (("Folds", result.by_fold), ("Groups", result.by_group)):
        if tables:
            low, high = (count(end(table.n for table in tables.values())) for end in (min, max))
            each[what] = f"{len(tables):,}, with {low if low == high else f'{low} to {high}'} cases each"
    if result.clusters is not None:
        known = result.clusters
        column = "" if known.column is None else f" in {quoted(known.column)}"
        each["Clusters"] = f"{known.clusters:,.0f}{column}, up to {counted(known.largest, 'row')} each"
    if read is not None:
        each["Scores hold"] = None if read.scores is None else _SCALES.get(read.scores, read.scores)
        each["Decisions"] = read.decisions
        each["Threshold"] = None if read.threshold is None else f"{read.threshold:g}: predicted positive from there on"
    if read is not None and read.effective_cases is not None:
        spread = f"the largest is {loss(1.0 if read.weight_spread is None else read.weight_spread)} times the smallest"
        each["Weights"] = f"{spread}; worth {read.effective_cases:,.1f} equally weighted cases"
    each["Answers a case"] = f"{result.repeats:.1f} on average" if result.repeats > 1 else None
    each["Level of intervals"] = percent(result.level)
    each["Intervals asked for"] = None if read is None or read.interval == "default" else read.interval
    each["Prior of the posteriors"] = None if result.accuracy_posteriors is None else result.accuracy_posteriors.prior
    each["Version"] = f"adjudge {VERSION}"
    each["SHA-256"] = None if origin.fingerprint is None else one_name(origin.fingerprint, 100)
    evidence = {} if origin.roles is None else origin.roles.evidence
    each |= {f"Role of {one_name(role, _ROOM)}": one_name(what, 400) for role, what in evidence.items()}
    return fact_table("Data", {fact: told for fact, told in each.items() if told is not None})


def impossible(result: Evaluation) -> str:
    """Return how many cases had no probability for their true class."""
    seen = next((finding.value for finding in result.findings if finding.code == "A301"), None)
    return f"{'some case' if seen is None else counted(int(seen), 'case')} had probability 0 for the true class"
