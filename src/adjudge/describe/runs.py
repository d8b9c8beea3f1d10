"""Repeated answers in words, tables and pictures: agreement, majority, flaky cases, and whether cases or runs are missing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from adjudge._base import counted, quoted, share
from adjudge.describe.document import Section, Table, folding
from adjudge.describe.values import one_name, percent, points, sureness, value, with_limits
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.runs import RunsJudged
from adjudge.plots.labels import count, named, number
from adjudge.plots.learners import part_forest
from adjudge.plots.runs import runs_picture

_SHOWN = 10  # flaky cases in sight
_LONGEST = 60
READING = (
    "Cases that every run predicts correctly, or none, tell nothing new when asked again; those between change from run to run.",
    "Twice as many cases halve the variance of the accuracy; twice as many runs halve only its part between runs.",
)


def about_runs(result: Evaluation) -> Iterator[tuple[int, str]]:
    """Yield how far runs agree and what would narrow the interval, each with how soon it is to be told."""
    judged = result.runs
    if judged is None or judged.per_case[2] <= 1:
        return
    agree = f"all agree in {share(judged.all_agree)} of the cases"
    majority = f"the majority is correct in {value(judged.majority)} ({sureness(judged.majority)})"
    yield 2, f"{_layout(judged)}: {agree}; {majority}, a single answer in {value(result.estimates['accuracy'])}."
    if (widths := more_answers(judged)) is not None:
        yield 3, widths


def _layout(judged: RunsJudged) -> str:
    """Return how many answers cases have."""
    least, mean, most = judged.per_case
    each = f"{most:,}" if least == most else f"{least:,} to {most:,} (mean {mean:.3g})"
    return f"{each} answers to each of {counted(judged.cases, 'case')}"


def more_answers(judged: RunsJudged) -> str | None:
    """Return what twice the cases and twice the runs would leave of the interval, in a sentence; None where that is unknown."""
    widths = judged.half_widths
    if widths is None or math.isnan(judged.variance.within):
        return None
    now, cases, runs, endless = (
        points(width) for width in (widths.now, widths.twice_the_cases, widths.twice_the_runs, widths.endless_runs)
    )
    told = f"The interval of the accuracy is ±{now} points; ±{cases} with twice the cases, ±{runs} with twice the runs of these"
    end = "runs help about as much" if widths.more == "either" else f"more cases help more (endless runs leave ±{endless})"
    return f"{told}: {end}."


def tables(result: Evaluation) -> tuple[Table, ...]:
    """Return the runs, and the cases whose answers differ most."""
    judged = result.runs
    if judged is None:
        return ()
    both = [_runs(judged, result.level)]
    if judged.flaky:
        rows = (
            (
                one_name(each.case, _LONGEST),
                one_name(each.truth, _LONGEST),
                ", ".join(f"{'none' if answer is None else one_name(answer, _LONGEST)} {n:,}" for answer, n in each.answers),
                f"{each.correct:,} of {sum(n for _, n in each.answers):,}",
            )
            for each in judged.flaky
        )
        header = ("Case", "True class", "Answers", "Correct")
        about: dict[str, Any] = {"shown": _SHOWN, "total": judged.flaky_cases, "align": "lllr"}
        both.append(folding("Flaky cases, the most divided first", header, rows, ("flaky case", "flaky cases"), **about))
    return tuple(both)


def _runs(judged: RunsJudged, level: float) -> Table:
    names = named([each.of for each in judged.by_run], _LONGEST)
    rows = [(name, count(each.cases or 0.0), with_limits(each)) for name, each in zip(names, judged.by_run, strict=True)]
    rows.append(("Majority of the runs", count(judged.majority.cases or 0.0), with_limits(judged.majority)))
    return folding("Runs", ("Run", "Answers", f"Accuracy ({percent(level)})"), rows, ("run", "runs"))


def runs(result: Evaluation) -> Iterator[Section]:
    """Yield how many runs are correct on each case, the accuracy of each run, and the flaky cases."""
    judged = result.runs
    if judged is None:
        return
    lead = f"{_layout(judged)} (columns {quoted(judged.column)} and {quoted(judged.case_column)})."
    more = more_answers(judged)
    reading = (*(() if more is None else (more,)), *READING)
    every = tables(result)
    parts = _components(judged)
    yield Section("figure", "runs", "Which cases change from run to run?", lead, tables=(parts,), figure=runs_picture(judged),
                  theme="runs", reading=reading)  # fmt: skip
    apart = [("All answers", result.estimates["accuracy"], "diamond"), ("Majority of the runs", judged.majority, "diamond")]
    drawn = part_forest({each.of: each for each in judged.by_run}, apart, what="run", level=result.level)
    told = "Ties of the majority count as the chance of a draw among them."
    yield Section("figure", "runs-accuracy", "How good is each run?", told, tables=every[:1], figure=drawn, theme="runs")
    if len(every) > 1:
        about = f"{counted(judged.flaky_cases, 'case')} of {judged.cases:,} with answers that differ."
        yield Section("table", "flaky", "Flaky cases", about, tables=every[1:], narrow=True, theme="runs")


def _components(judged: RunsJudged) -> Table:
    """Return agreement and the components of variance as facts."""
    variance = judged.variance
    none = "unknown: a case has one answer"
    clamped = " (its estimate was below 0)" if variance.clamped else ""
    between = none if math.isnan(variance.between) else f"{number(variance.between, 4)}{clamped}"
    rows = (
        ("All runs agree", none if math.isnan(judged.all_agree) else f"{share(judged.all_agree)} of the cases"),
        ("All runs are correct", f"{share(judged.all_correct)} of the cases"),
        ("Fleiss' kappa of the runs", "undefined" if math.isnan(judged.kappa) else number(judged.kappa, 3)),
        ("Cases without a majority (tied)", f"{judged.tied:,}"),
        ("Variance of an answer between cases", between),
        ("Variance between runs of a case", none if math.isnan(variance.within) else number(variance.within, 4)),
        ("Correlation of two answers to a case", "undefined" if math.isnan(variance.share) else number(variance.share, 3)),
    )
    return Table("Agreement and variance", ("Fact", "Value"), rows, "ll")
