"""How rows were read, and what to know before using the numbers: of predictions, and of a learner over folds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge._base import VERSION, Finding, Shown, argument, command, counted, either, listed, quoted, switch, wording
from adjudge._base.arrays import BoolArray, FloatArray
from adjudge._base.levels import share as percent
from adjudge._base.records import dataclass, field
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import worth_by_class
from adjudge.judgements.accuracy_posteriors import only_answer
from adjudge.judgements.curves import MOST_CURVES
from adjudge.metrics.on_scores import hand_till_bound
from adjudge.predictions.labels import is_moment, lookalikes, text_of
from adjudge.predictions.model import of_replaced
from adjudge.predictions.roles import Roles
from adjudge.predictions.spellings import merging
from adjudge.stats.ranking import ScoreTable

if TYPE_CHECKING:
    from adjudge.resampling.run_result import RunResult

FEW_CASES = 30
FEW_OF_A_CLASS = 10
_EXACT = 2.0**53
_TWO = 2
_NO_DECISION = re.compile(r"(?i)reject(ed|ion)?|abstain(ed)?|abstention|undecided|unsure|none|refer(red)?")
_UNEQUAL = 1.5


@dataclass(frozen=True, slots=True)
class DataFacts(Shown):
    """How the rows were read."""

    dropped: int = 0  # rows left out because something was missing
    missing: dict[str, int] = field(default_factory=dict)  # missing values by column
    scores: str | None = None  # what the score columns hold; None where there are none
    decisions: str = "given"  # where the decisions came from: given, or taken from the scores; or that there are none
    threshold: float | None = None  # the score from which on a case was called positive, where one was given
    duplicates: str = "none"  # what is known of rows that name the same case
    weight_spread: float | None = None  # the largest weight divided by the smallest above 0; None without weights
    effective_cases: float | None = None  # how many equally weighted cases the weighted ones are worth
    interval: str = "default"  # the method of intervals that was asked for
    version: str = VERSION


def data_facts(
    tally: Tally, roles: Roles | None, *, threshold: float | None = None, duplicates: str = "error", method: str
) -> DataFacts:
    """Return how the rows of a tally were read."""
    counts = tally.confusion
    taken = roles is not None and roles.predicted is None and tally.scale is not None
    repeated = "not checked: too many rows" if tally.unchecked_rows else "none"
    if roles is None or roles.row is None:
        repeated = "not checked: no column names the cases"
    elif duplicates != "error":
        repeated = f"made one, by {duplicates}"
    spread = effective = None
    if isinstance(counts, WeightedCounts) and (roles is None or roles.weight is not None):
        spread, effective = tally.weight_spread, counts.effective_n
    decisions = "none: scores that only rank" if tally.undecided else "taken from the scores" if taken else "given"
    decisions = decisions if tally.replaced is None else "given, and replaced by the threshold"
    return DataFacts(tally.dropped, dict(tally.gaps), tally.scale, decisions, threshold, repeated, spread, effective, method)


_FIRST = (
    ("A108", "A109", "A118", "A205", "A206", "A101", "A402"),  # the numbers may be of something else than was meant
    ("A208", "A204", "A202", "A303", "A505", "A509"),  # it does not do what is asked of it, or for another reason
    (
        "A622",
        "A621",
        "A201",
        "A207",
        "A111",
        "A112",
        "A209",
        "A203",
        "A502",
        "A508",
    ),  # a number that is read first misleads, or is unsure
    ("A306", "A301", "A304", "A103", "A104", "A611", "A601", "A506"),
)
"""Codes of findings by how much depends on them; all others come last."""


def by_importance(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings with the worst first; of equally bad ones in the order in which they came."""
    places = {code: place for place, codes in enumerate(_FIRST) for code in codes}
    return tuple(sorted(findings, key=lambda finding: places.get(finding.code, len(_FIRST))))


def find(tally: Tally, roles: Roles | None, threshold: float | None = None) -> tuple[Finding, ...]:
    """Return every finding, in the order of the codes; `threshold` is that which decides."""
    decided = () if tally.undecided else _of_decisions(tally.confusion)
    replaced: tuple[Finding, ...] = ()
    if tally.replaced is not None and roles is not None and roles.predicted is not None:
        replaced = (of_replaced(roles.predicted, threshold, tally.replaced, tally.rows),)
    return (*_of_rows(tally, roles), *replaced, *_of_classes(tally), *decided, *_of_scores(tally), *_of_weights(tally))


def of_folds(by_fold: Mapping[Any, ConfusionCounts]) -> Iterator[Finding]:
    """Say that folds are small, where they are: read the pooled numbers then, and not the folds."""
    sizes = [round(fold.n) for fold in by_fold.values() if fold.n]
    yield from _small(sizes) if len(sizes) > 1 else ()


def _small(sizes: Sequence[int]) -> Iterator[Finding]:
    few = sum(size <= FEW_CASES for size in sizes)
    if few:
        told = f"{counted(few, 'fold')} of {len(sizes):,} with {FEW_CASES} cases or fewer (the smallest has {min(sizes):,})."
        advice = "Read the pooled numbers; single folds, and two standard errors over them, may be far off."
        yield Finding("A601", told, advice, min(sizes))


def of_repeats(repeats: float, rows: int) -> Iterator[Finding]:
    """Yield that cases come back, where they do."""
    if repeats > 1:
        told = f"{counted(round(rows / repeats), 'case')} came back in {counted(rows, 'row')} over folds: "
        other = command("adjudge estimate", python="estimate()")
        advice = wording("This speaks of these models on these cases; ", other, " speaks of the algorithm.")
        yield Finding("A611", f"{told}intervals count each once.", advice, repeats)


def _of_rows(tally: Tally, roles: Roles | None) -> Iterator[Finding]:
    """Yield what is odd about labels, and about rows that are missing something."""
    for group in lookalikes(tally.confusion.classes):
        told = f"The labels {listed(group)} differ only by case, spaces or Unicode form, and count as {len(group)} classes."
        yield Finding("A101", told, wording("If they are meant to be one class, pass ", merging(group), "."), len(group))
    moments = [label for label in tally.confusion.classes if is_moment(label)]
    if moments and len(moments) == tally.confusion.k:
        told = f"The labels are dates or times, such as {quoted(moments[0])}, and each counts as a class."
        ways = either((argument("truth"), argument("predicted")), " and ")
        yield Finding("A118", told, wording("If other columns hold the classes, name them with ", ways, "."), len(moments))
    if tally.families:
        types = " and ".join(tally.families)
        told = f"Truth and decision have different types ({types}); equal values were taken as the same class."
        yield Finding("A102", told, "Store both alike to be sure.", len(tally.families))
    if tally.dropped:
        told = f"{counted(tally.dropped, 'row')} without a label or a score left out."
        yield Finding("A103", told, "Ask why they are missing: if hard cases go missing, the result flatters.", tally.dropped)
    elif tally.gaps:
        n = max(tally.gaps.values())
        told = f"{counted(n, 'row')} with nothing in {listed(tally.gaps)}, counted as asked."
        yield Finding("A104", told, "Ask why they are missing.", n)
    if tally.undecided:
        told = "No decisions were given, and scores that are not probabilities decide nothing: "
        how = ", the score from which on a case is predicted positive, or name decisions with "
        advice = wording("Pass ", argument("threshold"), how, argument("predicted"), ".")
        yield Finding("A112", f"{told}accuracy and the like are left out.", advice)
    elif roles is not None and roles.predicted is None and tally.scale is not None:
        told = "No decisions were given: they were taken from the scores, ties to the class listed first."
        yield Finding("A105", told, wording("Name the column of decisions with ", argument("predicted"), "."))
    if tally.left_out is not None:
        told = f"Column {quoted(tally.left_out)}, the confidence of each decision, speaks of no single class and was left out."
        yield Finding("A107", told, "Give one score column per class for AUC, Brier score and log loss.")
    if tally.unchecked_rows:
        told = "There are too many rows to check each identity for repetitions."
        yield Finding("A106", told, "Check it where the data live.")


def _of_classes(tally: Tally) -> Iterator[Finding]:
    """Yield which of two classes nobody named as the positive one, and which classes have few cases or none."""
    counts, at = tally.confusion, tally.of_interest
    if tally.positive is None and at is not None:
        label, other = counts.classes[at], counts.classes[1 - at]
        both = " and ".join(quoted(known) for known in counts.classes)
        told = f"No positive class is known among {both}: sensitivity, precision and F1 are means over both classes"
        if tally.scores is not None:
            rare = ", the rarer one" if counts.support[at] < counts.support[1 - at] else ""
            told += f", and AUC, average precision and thresholds speak of {quoted(label)}{rare}"
        ways = either(argument("positive", known) for known in (label, other))
        yield Finding("A111", f"{told}.", wording("Name it with ", ways, "."), label)
    if tally.rows < FEW_CASES:
        told = f"There {'is' if tally.rows == 1 else 'are'} only {counted(tally.rows, 'row')}."
        yield Finding("A201", told, f"Below {FEW_CASES} cases every number here may move a lot; collect more.", tally.rows)
    cases = worth_by_class(counts)
    few, absent = (cases > 0) & (cases < FEW_OF_A_CLASS), counts.support == 0
    if few.any() and tally.rows >= FEW_CASES:
        told = f"Fewer than {FEW_OF_A_CLASS} cases of class {listed(_named(counts, few))}."
        yield Finding("A203", told, "Its own numbers, and averages over classes, rest on very little.", int(few.sum()))
    if absent.any():
        told = f"No case is of true class {listed(_named(counts, absent))}: nothing is known of it."
        rest = counted(int((~absent).sum()), "other class", "other classes")
        none = [label for label in map(text_of, _named(counts, absent)) if _NO_DECISION.fullmatch(label)]
        how = (f" If {quoted(none[0])} means no decision, pass ", argument("rejected", none[0]), ".") if none else ()
        yield Finding("A202", told, wording(f"Averages are over the {rest}.", *how), int(absent.sum()))
    if np.count_nonzero(counts.support) == 1 and tally.rows > 1:
        told = f"All cases are of class {listed(_named(counts, ~absent))}."
        yield Finding("A206", told, "Nothing is known about separating classes; AUC, MCC and kappa are undefined.", 1)


def _of_decisions(counts: ConfusionCounts) -> Iterator[Finding]:
    """Yield what is odd about the decisions; one that never changes explains classes never assigned and a low accuracy."""
    if counts.k > 1 and counts.correct.sum() == 0:
        advice = "Check that truth and decision use the same labels and belong to the same rows."
        yield Finding("A205", "Not one decision is correct.", advice, 0)
    always = only_answer(counts)
    if always is not None:
        told = f"Always predicts {quoted(always)}: the predictions do not depend on the case, and show no sign of skill."
        yield Finding("A208", told, "Look at its threshold, and at how it was trained.", float(counts.correct.sum() / counts.n))
        return
    never = (counts.support > 0) & (counts.predicted == 0)
    if never.any():
        whose = listed(_named(counts, never))
        told = f"Class {whose} was never predicted: its precision is undefined and its recall 0."
        if never.sum() > 1:
            told = f"Classes {whose} were never predicted: their precision is undefined and their recall 0."
        advice = "Look at its threshold, and whether its label is spelt alike in truth and decision."
        yield Finding("A204", told, advice, int(never.sum()))
    share, base = counts.correct.sum() / counts.n, counts.support.max() / counts.n
    if np.count_nonzero(counts.support) > 1 and share <= base:
        always = f"always predicting {quoted(counts.classes[int(np.argmax(counts.support))])} ({percent(float(base))})"
        advice = "Look at the balanced accuracy and at the classes one by one before using it."
        yield Finding("A207", f"Accuracy {percent(float(share))}, no better than {always}.", advice, float(share - base))


def _named(counts: ConfusionCounts, which: BoolArray) -> list[object]:
    return [counts.classes[int(i)] for i in np.flatnonzero(which)]


def _of_scores(tally: Tally) -> Iterator[Finding]:
    """Yield what is odd about probabilities and scores."""
    scores, counts, sums = tally.scores, tally.confusion, tally.probabilities
    if sums is not None and sums.impossible:
        told = f"{counted(sums.impossible, 'case')} had probability 0 for the true class: the log loss is infinite."
        yield Finding("A301", told, "A model must not rule out a class that occurs; smooth its probabilities.", sums.impossible)
    if sums is not None and sums.rescaled:
        told = f"The probabilities of {counted(sums.rescaled, 'row')} did not quite sum to 1 and were divided by their sum."
        advice = "Brier score, log loss and reliability use the divided ones, AUC and average precision those given."
        yield Finding("A302", told, advice, sums.rescaled)
    if scores is None:
        return
    without = [label for at, label in enumerate(counts.classes) if counts.k > _TWO and at not in scores.columns]
    if without:
        told = f"Class {listed(without)} has no score column: its probability counts as 0."
        yield Finding("A303", told, "Add the column, or check the class names.", len(without))
    tied = []
    for at in scores.columns if tally.rows > 1 else ():
        if scores.scores is not None:
            column = scores.scores[:, scores.columns.index(at)]
            equal = bool(np.all(column == column[0]))
        else:
            table = scores.table(at)
            equal = isinstance(table, ScoreTable) and table.values.size == 1
        tied += [counts.classes[at]] if equal else []
    if tied:
        told = f"All scores of class {listed(tied)} are equal: they rank nothing."
        yield Finding("A304", told, "An AUC of 0.5 says no more than that.", len(tied))
    bound = max((scores.bound(at) for at in scores.columns), default=0.0)
    of_pairs = hand_till_bound(tally) if _TWO < counts.k <= MOST_CURVES else 0.0
    told = "There are too many different scores to keep: they were binned, and the AUC "
    if bound:
        told += f"may be off by {bound:.1e}{f', over pairs of classes by {of_pairs:.1e}' if of_pairs else ''}."
        yield Finding("A305", told, wording("For the exact one pass ", switch("exact"), "."), bound)
    elif of_pairs:
        told += f"over pairs of classes may be off by {of_pairs:.1e}."
        yield Finding("A305", told, "It is exact where all scores are held: pass them as arrays.", of_pairs)


def _of_weights(tally: Tally) -> Iterator[Finding]:
    counts = tally.confusion
    if not isinstance(counts, WeightedCounts):
        return
    told = f"The weighted cases are worth {counts.effective_n:,.1f} equally weighted ones (of {tally.rows:,})."
    yield Finding("A401", told, "Intervals use that number.", counts.effective_n)
    if tally.weight_spread > _EXACT / max(tally.rows, 1):
        told = f"The largest weight is {tally.weight_spread:.1e} times the smallest: the small ones are lost in floating point."
        yield Finding("A402", told, "Check the weights.", tally.weight_spread)


def learner_findings(ran: RunResult, folds: Mapping[str, FloatArray]) -> tuple[Finding, ...]:
    """Return every finding of a run, in the order of the codes; `folds` are the values of each measure by fold."""
    return (*_of_run(ran), *_of_answers(ran, folds))


def _of_run(ran: RunResult) -> Iterator[Finding]:
    """Yield which folds are small or unequal, which failed, and which cases were never tested."""
    if ran.plan.kind != "leave-one-out":
        sizes = [part.size for unit, part in enumerate(ran.plan.test) if unit not in ran.failures]
        yield from _small(sizes)
        if len(sizes) > 1 and max(sizes) > _UNEQUAL * min(sizes) and ran.plan.kind != "bootstrap":
            told = f"Folds differ in size, from {min(sizes):,} to {max(sizes):,} cases."
            yield Finding("A602", told, "The pooled value counts cases alike, the mean of folds counts folds alike.", min(sizes))
    lost = {unit: why for unit, why in ran.failures.items() if unit < len(ran.plan)}
    if lost:
        unit, why = next(iter(lost.items()))
        told = f"{ran.answered} of {counted(len(ran.plan), 'fold')} answered; fold {unit + 1} failed: {why}."
        told += f" So did {counted(len(lost) - 1, 'other')}." if len(lost) > 1 else ""
        yield Finding("A603", told, "Look at why: if hard cases make it fail, the result flatters.", len(lost))
    if len(ran.plan) in ran.failures:
        told = f"The fit on all rows failed: {ran.failures[len(ran.plan)]}."
        yield Finding("A604", told, "There is no resubstitution error, and overfitting is unknown.", 1)
    never = int(np.count_nonzero(ran.times == 0))
    if never and ran.plan.kind in ("folds", "repeated folds", "leave-one-out", "bootstrap"):
        told = f"{counted(never, 'case')} of {ran.times.size:,} never tested."
        yield Finding("A605", told, "Repeat what failed, or draw more rounds.", never)


def _of_answers(ran: RunResult, folds: Mapping[str, FloatArray]) -> Iterator[Finding]:
    """Yield what the answers lack, and what repeated or equal ones are worth."""
    if ran.untaught:
        unit, classes = next(iter(ran.untaught.items()))
        told = f"{counted(len(ran.untaught), 'fold')} had no training case of some class "
        told += f"(fold {unit + 1}: {listed(classes)})."
        advice = "It could never be predicted there, and its probability counts as 0. Use stratified folds, or more cases of it."
        yield Finding("A606", told, advice, len(ran.untaught))
    if not ran.numeric and ran.scale != "probabilities":
        what, lost = "decisions and scores, but no probabilities", "Brier score, log loss and reliability are"
        if ran.scale is None:
            what, lost = "decisions only", f"AUC, {lost}"
        yield Finding("A607", f"The learner gives {what}.", f"{lost} not known; give a learner with predict_proba for them.")
    answers = int(ran.times.sum())
    if answers > ran.cases:
        told = f"{counted(ran.cases, 'case')} tested {answers / ran.cases:.1f} times each on average."
        yield Finding("A608", told, "The pooled intervals count every case once, however often it was tested.", ran.cases)
    still = [name for name, each in folds.items() if each.size > 1 and np.isfinite(each).all() and np.ptp(each) == 0]
    if still:
        told = f"All folds have the same {listed(still)}: their spread is 0, and so is the width of intervals over folds."
        told += " Probabilities that rest on such folds are near 0 or 1 for the same reason."
        yield Finding("A609", told, "Use the pooled interval instead.", len(still))
    if ran.numeric and ran.plan.kind == "bootstrap":
        told = "No .632+ estimate: it is made for classes; of numbers there is Efron's .632 alone."
        yield Finding("A610", told, "The .632 flatters learners that remember their cases; for those use repeated folds.")
