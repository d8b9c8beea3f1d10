"""What to know of a run before believing it: A6.., each with what to do. Codes never change meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from adjudge._base.arrays import FloatArray
from adjudge._base.findings import Finding
from adjudge._base.text import counted, listed
from adjudge.resampling.run_result import Ran

FEW_CASES = 30
"""Cases in a fold up to which the normal law says little of its score."""
_UNEQUAL = 1.5


def find(ran: Ran, folds: Mapping[str, FloatArray]) -> tuple[Finding, ...]:
    """Return every finding of a run, in the order of the codes; `folds` are the values of each measure by fold."""
    return (*_of_sizes(ran), *_of_failures(ran), *_of_answers(ran), *_of_repetition(ran, folds))


def _of_sizes(ran: Ran) -> Iterator[Finding]:
    if ran.plan.kind == "leave-one-out":
        return
    sizes = np.array([part.size for unit, part in enumerate(ran.plan.judge) if unit not in ran.failures])
    few = int(np.count_nonzero(sizes <= FEW_CASES))
    if few:
        told = f"{counted(few, 'fold')} of {sizes.size} with {FEW_CASES} cases or fewer (the smallest has {sizes.min()})."
        advice = "Read the pooled numbers; single folds, and two standard errors over them, may be far off."
        yield Finding("A601", told, advice, int(sizes.min()))
    if sizes.size > 1 and sizes.max() > _UNEQUAL * sizes.min() and ran.plan.kind != "bootstrap":
        told = f"Folds differ in size, from {sizes.min():,} to {sizes.max():,} cases."
        yield Finding(
            "A602", told, "The pooled value counts cases alike, the mean of folds counts folds alike.", int(sizes.min())
        )


def _of_failures(ran: Ran) -> Iterator[Finding]:
    lost = {unit: why for unit, why in ran.failures.items() if unit < len(ran.plan)}
    if lost:
        unit, why = next(iter(lost.items()))
        told = f"{ran.answered} of {counted(len(ran.plan), 'fold')} answered; fold {unit + 1} failed: {why}."
        missing = f" So did {counted(len(lost) - 1, 'other')}." if len(lost) > 1 else ""
        advice = "Look at why: if hard cases make it fail, the result flatters."
        yield Finding("A603", told + missing, advice, len(lost))
    if len(ran.plan) in ran.failures:
        told = f"The fit on all rows failed: {ran.failures[len(ran.plan)]}."
        yield Finding("A604", told, "There is no resubstitution error, and no word on overfitting.", 1)
    never = int(np.count_nonzero(ran.times == 0))
    if never and ran.plan.kind in ("folds", "repeated folds", "leave-one-out", "bootstrap"):
        told = f"{counted(never, 'case')} of {ran.times.size:,} never judged."
        yield Finding("A605", told, "Repeat what failed, or draw more rounds.", never)


def _of_answers(ran: Ran) -> Iterator[Finding]:
    if ran.untaught:
        unit, classes = next(iter(ran.untaught.items()))
        told = (
            f"{counted(len(ran.untaught), 'fold')} had no case of some class to learn from (fold {unit + 1}: {listed(classes)})."
        )
        advice = "It could never be assigned there, and its probability counts as 0. Use stratified folds, or more cases of it."
        yield Finding("A606", told, advice, len(ran.untaught))
    if not ran.numeric and ran.scale != "probabilities":
        what = "decisions only" if ran.scale is None else "decisions and scores, but no probabilities"
        lost = (
            "AUC, Brier score, log loss and reliability are" if ran.scale is None else "Brier score, log loss and reliability are"
        )
        yield Finding("A607", f"The learner gives {what}.", f"{lost} not known; give a learner with predict_proba for them.")


def _of_repetition(ran: Ran, folds: Mapping[str, FloatArray]) -> Iterator[Finding]:
    answers = int(ran.times.sum())
    if answers > ran.cases:
        told = f"{counted(ran.cases, 'case')} judged {answers / ran.cases:.1f} times each on average."
        advice = "The pooled intervals count every case once, however often it was judged."
        yield Finding("A608", told, advice, ran.cases)
    still = [name for name, each in folds.items() if each.size > 1 and np.isfinite(each).all() and np.ptp(each) == 0]
    if still:
        told = f"All folds have the same {listed(still)}: their spread is 0, and so is the width of intervals over folds."
        told += " Probabilities that rest on such folds are near 0 or 1 for the same reason."
        yield Finding("A609", told, "Believe the pooled interval instead, and no such certainty.", len(still))
    if ran.numeric and ran.plan.kind == "bootstrap":
        told = "No .632+ estimate: it is made for classes; of numbers there is Efron's .632 alone."
        yield Finding("A610", told, "The .632 flatters learners that remember their cases; for those use repeated folds.")
