"""The verdict on two of several sets of predictions of the same cases."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.findings import Finding
from adjudge.counts.joint import JointCounts, count_joint
from adjudge.counts.paired import PairCounts
from adjudge.estimates.differences import paired_difference
from adjudge.estimates.score_differences import MEANS, score_difference
from adjudge.judgements.comparison import Comparison, judge_difference, of_pair, of_rare
from adjudge.judgements.decision import ASSURANCE, LEVEL, MARGIN, verdict_error
from adjudge.judgements.textbook import mcnemar
from adjudge.metrics.measure import Measure, OtherMeasure
from adjudge.predictions.alignment import Together
from adjudge.predictions.blocks import REJECTED
from adjudge.verbs.compared_sets import spoken_of

_BY_RIGHT = ("accuracy", "error", "balanced_accuracy", "informedness")
"""Measures that differ only where one of two is right and the other is not."""
_OF_ALL = ("accuracy", "error", "rejection_rate", *MEANS)
"""Measures in which every case has the same say, of whichever class it is."""
_TWO = 2


def joint_of(cases: Together | PairCounts, measure: Measure) -> JointCounts | None:
    """Return the table of patterns of truth and decisions; numbers have none."""
    if isinstance(cases, PairCounts):
        return cases.joint
    undecided = any(bool(np.all(said == REJECTED)) for said in cases.said) and not cases.rejects
    return count_joint(cases) if measure.needs != "numbers" and not undecided else None


def judge_pair(
    cases: Together | PairCounts,
    measure: Measure,
    i: int,
    j: int,
    *,
    joint: JointCounts | None,
    margin: Any,
    level: float,
    assurance: float = ASSURANCE,
    draws: FloatArray | None = None,
    rng: Any = 0,
) -> Comparison:
    """Return the verdict on two of several sets of predictions of the same cases; `draws` of all of them, if they are known."""
    if isinstance(measure, OtherMeasure):
        assert isinstance(cases, Together)  # counts of pairs have no scores, and were refused
        found = score_difference(cases, measure, i, j, rng=rng)
    else:
        assert joint is not None
        found = paired_difference(joint, measure, i, j, positive=cases.positive, draws=draws, rng=rng)
    outcomes = None if joint is None else joint.outcomes(i, j).sum(axis=0)
    found = replace(found, outcomes=outcomes)
    tested, by_right = None, measure.name in _BY_RIGHT and not (measure.name == "error" and cases.rejects)
    single = joint is not None and joint.squares is None and cases.rows == cases.cases
    if by_right and measure.name in ("accuracy", "error") and single and outcomes is not None:
        tested = mcnemar(round(float(outcomes[1])), round(float(outcomes[2]))).p_mid
    findings = [*of_pair(cases, i, j, outcomes if by_right else None), *_of_rare(cases, joint, measure)]
    judged = judge_difference(
        found,
        measure,
        names=(cases.names[i], cases.names[j]),
        cases=cases.cases,
        margin=margin,
        level=level,
        assurance=assurance,
        of=spoken_of(cases, measure),
        p_value=tested,
        findings=tuple(findings),
    )
    of_one = measure.name in ("f1", "precision")
    two = len(cases.classes) == _TWO and not (of_one and cases.positive is None)
    measured = single and two and (judged.margin, judged.level) == (MARGIN, LEVEL)  # as verdict_error was
    return replace(judged, type_i_error=verdict_error(measure.name)) if measured else judged


def _of_rare(cases: Together | PairCounts, joint: JointCounts | None, measure: Measure) -> Iterator[Finding]:
    """Yield that a class has few cases, for measures that hang on every class."""
    if measure.name in _OF_ALL or measure.needs == "numbers":
        return
    if joint is None and isinstance(cases, Together):
        yield from of_rare(np.bincount(cases.truth, minlength=len(cases.classes)).astype(np.float64), cases.classes)
    if joint is not None:
        support = np.bincount(joint.truth, weights=joint.worth, minlength=joint.k).astype(np.float64)
        yield from of_rare(support, joint.classes)
