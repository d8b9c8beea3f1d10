"""Repeated answers to the same cases: how far runs agree, what their majority is worth, and whether cases or runs are missing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, argument, counted, dataclass, quoted
from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge.counts.runs import Answers, RunCounts
from adjudge.counts.tally import Tally, in_order
from adjudge.estimates.clustered import effect_of
from adjudge.estimates.estimate import Estimate, of_accuracy, share_interval
from adjudge.metrics import on_counts
from adjudge.predictions.roles import Roles
from adjudge.stats.clustered import ClusterEffect, cluster_effect
from adjudge.stats.repeated import Components, components, fleiss_kappa

MOST_FLAKY = 20  # cases with different answers that are listed
FEW_RUNS = 3  # answers a case below which a majority means little
_ALIKE = 1.05  # half-widths up to so many times each other help alike
_NAMED = 3


@dataclass(frozen=True, slots=True)
class FlakyCase(Shown):
    """A case whose answers differ."""

    case: Any
    truth: Any
    answers: tuple[tuple[Any, int], ...]  # each answer and how often it was given, the most frequent first; None is no decision

    @property
    def correct(self) -> int:
        """How many answers are correct."""
        return sum(n for answer, n in self.answers if answer == self.truth and answer is not None)


@dataclass(frozen=True, slots=True)
class HalfWidths(Shown):
    """Half the width of the interval of the accuracy now and, as the variance foretells, with more answers."""

    now: float
    twice_the_cases: float
    twice_the_runs: float
    endless_runs: float  # of the same cases

    @property
    def more(self) -> str:
        """What narrows the interval more: "cases", or "either" where runs do about as much."""
        return "either" if self.twice_the_runs <= _ALIKE * self.twice_the_cases else "cases"


@dataclass(frozen=True, slots=True)
class RunsJudged(Shown):
    """Repeated answers: how far runs agree, the accuracy of each and of the majority, and where the variance lies."""

    column: str
    case_column: str
    cases: int
    answers: int
    runs: int  # different ones
    per_case: tuple[int, float, int]  # least, mean and most answers a case
    variance: Components  # of whether a single answer is correct
    half_widths: HalfWidths | None  # None where a case has one answer, or all cases are alike
    all_agree: float  # share of the cases with several answers that have all the same one
    all_correct: float  # share of the cases with correct answers only
    kappa: float  # Fleiss' kappa
    majority: Estimate  # ties count as the chance of a draw
    tied: int  # cases without a single most frequent answer
    by_run: tuple[Estimate, ...]  # the accuracy of each; `of` names the run
    by_correct: tuple[
        tuple[int, int, int], ...
    ]  # answers a case, how many of them are correct, and how many such cases there are
    flaky_cases: int
    flaky: tuple[FlakyCase, ...]  # those most divided first
    sampled: float | None = None  # about how many cases there are, where the answers of `cases` of them were kept

    def __repr__(self) -> str:
        told = f"{counted(self.answers, 'answer')} of {counted(self.runs, 'run')} to {counted(self.cases, 'case')}"
        return f"{told}, all runs agree in {self.all_agree:.1%}, majority {self.majority!r}"


def judge_runs(tally: Tally, roles: Roles | None, level: float, method: str = "default") -> RunsJudged | None:
    """Return what repeated answers tell of what was counted; None without runs or decisions."""
    runs = tally.runs
    if runs is None or roles is None or roles.run is None or roles.row is None or tally.undecided:
        return None
    accuracy = of_accuracy(tally.confusion, on_counts.ACCURACY, level, method)
    cases, classes = runs.cases, tally.confusion.classes
    _refuse_two_truths(runs, roles)
    first = cases.first
    answers, right = cases.sums(np.ones(cases.n.size)), cases.sums((cases.truth == cases.predicted).astype(np.float64))
    kinds = np.diff(first, append=cases.n.size)  # different answers of each case
    most = np.maximum.reduceat(cases.n, first)
    at_most = cases.n == np.repeat(most, kinds)
    tied = np.add.reduceat(at_most.astype(np.int64), first)
    votes = np.add.reduceat((at_most & (cases.truth == cases.predicted)).astype(np.float64), first) / tied
    effect = _outer_effect(cases.outer[first], votes) if roles.cluster != roles.row else None
    several, divided = answers > 1, kinds > 1
    variance = components(right, answers)
    return RunsJudged(
        roles.run,
        roles.row,
        int(answers.size),
        int(answers.sum()),
        int(runs.runs.first.size),
        (int(answers.min()), float(answers.mean()), int(answers.max())),
        variance,
        None if accuracy.interval is None else _half_widths(tally, accuracy, answers, variance),
        float((~divided[several]).mean()) if several.any() else math.nan,
        float((right == answers).mean()),
        fleiss_kappa(cases.sums(cases.n - 1.0), answers, _shares(cases)),
        _share(float(votes.sum()), float(answers.size), effect, level, average="majority"),
        int(np.count_nonzero(tied > 1)),
        tuple(_by_run(runs, effect, level)),
        tuple((int(n), int(k), int(c)) for (n, k), c in zip(*_different(answers, right), strict=True)),
        int(np.count_nonzero(divided)),
        tuple(_flaky(runs, most / answers, divided, classes)),
        runs.how_many if runs.sampled else None,
    )


def _different(answers: FloatArray, right: FloatArray) -> tuple[AnyArray, AnyArray]:
    return np.unique(np.stack([answers, right], axis=1), axis=0, return_counts=True)


def _refuse_two_truths(runs: RunCounts, roles: Roles) -> None:
    """Refuse cases of which one answer is compared to another truth than the next, or belongs to another cluster."""
    cases = runs.cases
    first = cases.first
    kinds = np.diff(first, append=cases.n.size)
    for values, what in ((cases.truth, "true classes"), (cases.outer, f"clusters (column {quoted(roles.cluster)})")):
        strange = np.unique(cases.key[values != np.repeat(values[first], kinds)])
        if not strange.size:
            continue
        known = [quoted(runs.names[key]) for key in strange[:_NAMED].tolist() if key in runs.names]
        told = (
            f"column {quoted(roles.row)}: {counted(strange.size, 'case')} ({', '.join(known)}{', ...' * (strange.size > _NAMED)})"
        )
        told += f" with different {what} in different runs. Correct the rows, or name another column that identifies cases with "
        raise InputError(told, argument("row"), ".", parameter="row")


def _shares(cases: Answers) -> FloatArray:
    """Return the share of each decision, and of none, among all answers."""
    counts = np.bincount(cases.predicted + 1, weights=cases.n)
    return np.asarray(counts / counts.sum(), dtype=np.float64)


def _outer_effect(outer: IntArray, votes: FloatArray) -> ClusterEffect:
    """Return what clusters of cases do to a share of them."""
    share, (_, at) = float(votes.mean()), np.unique(outer, return_inverse=True)
    moved, sizes = np.bincount(at, weights=votes - share) / votes.size, np.bincount(at).astype(np.float64)
    return cluster_effect(moved, sizes, share * (1 - share) / votes.size)


def _share(hits: float, n: float, effect: ClusterEffect | None, level: float, **about: Any) -> Estimate:
    worth = n if effect is None else n * effect.share(level)
    return Estimate("accuracy", hits / n, share_interval(hits / n, worth, level), cases=n, **about)


def _by_run(runs: RunCounts, effect: ClusterEffect | None, level: float) -> Iterator[Estimate]:
    """Yield the accuracy of each run; clusters of its cases do to it what they do to that of the majority."""
    each = runs.runs
    answers, right = each.sums(np.ones(each.n.size)), each.sums((each.truth == each.predicted).astype(np.float64))
    names = [runs.names.get(key, f"run {i + 1}") for i, key in enumerate(each.key[each.first].tolist())]
    for i in in_order(range(len(names)), names):
        yield _share(float(right[i]), float(answers[i]), effect, level, of=names[i])


def _half_widths(tally: Tally, accuracy: Estimate, answers: FloatArray, variance: Components) -> HalfWidths | None:
    """Return half the interval, narrower by what more cases or more runs leave of the variance of the accuracy."""
    whole = float(answers.sum())
    among_runs = variance.within / whole
    total = variance.between * float((answers**2).sum()) / whole**2 + among_runs
    counts = tally.confusion
    if counts.clusters is not None:
        share = float(accuracy.value)
        total = max(total, effect_of(counts, on_counts.ACCURACY).design_effect * share * (1 - share) / whole)
    if accuracy.interval is None or not total > 0:
        return None
    now, part = (accuracy.interval.high - accuracy.interval.low) / 2, min(among_runs / total, 1.0)
    return HalfWidths(now, now / math.sqrt(2), now * math.sqrt(1 - part / 2), now * math.sqrt(1 - part))


def _flaky(runs: RunCounts, agreeing: FloatArray, divided: AnyArray, classes: Sequence[Any]) -> Iterator[FlakyCase]:
    """Yield the cases whose answers differ, those with the smallest share of their most frequent answer first."""
    cases = runs.cases
    first = cases.first
    ends = np.append(first[1:], cases.n.size)
    places = np.flatnonzero(divided)
    names = [runs.names.get(int(cases.key[first[i]]), f"case {i + 1}") for i in places.tolist()]
    order = sorted(in_order(range(places.size), names), key=lambda at: float(agreeing[places[at]]))
    for at in order[:MOST_FLAKY]:
        i = int(places[at])
        span = slice(int(first[i]), int(ends[i]))
        each = sorted((-n, said) for said, n in zip(cases.predicted[span].tolist(), cases.n[span].tolist(), strict=True))
        given = tuple((None if said < 0 else classes[said], -n) for n, said in each)
        yield FlakyCase(names[at], classes[int(cases.truth[first[i]])], given)


def of_runs(judged: RunsJudged | None) -> Iterator[Finding]:
    """Yield what is to be known of repeated answers."""
    if judged is None:
        return
    least, mean, most = judged.per_case
    if most <= 1:
        told = f"Every case has one answer (column {quoted(judged.column)}): how far answers to a case differ cannot be known."
        yield Finding("A631", told, "Ask each case several times, or leave the runs out.", 1)
    elif mean < FEW_RUNS:
        told = f"A case has {mean:.3g} answers on average: which cases are answered differently is hardly known."
        yield Finding("A632", told, f"Ask each case at least {FEW_RUNS} times.", mean)
    if least != most:
        told = f"Cases have {least:,} to {most:,} answers: those with more count more, except for the majority."
        yield Finding("A633", told, "Give each case the same number of answers.", (least, most))
    if judged.sampled is not None:
        told = f"Agreement, majority and variance are of {judged.cases:,} cases drawn at random of about {judged.sampled:,.0f}."
        yield Finding("A634", told, "All other numbers are of all rows.", judged.cases)
