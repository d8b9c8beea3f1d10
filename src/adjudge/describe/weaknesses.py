"""What to worry about, in a sentence or two: only what the cases give evidence for."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from adjudge._base.levels import share
from adjudge._base.text import counted, quoted
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.rare_classes import probabilities_of
from adjudge.describe.values import apart, probability, sureness, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.curves import MOST_CURVES
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.findings import FEW_CASES
from adjudge.judgements.groups import compare_groups, owed_to_groups
from adjudge.judgements.subject import RARE
from adjudge.judgements.weaknesses import LARGE, Confidence, Confusion, confidence_of, large_confusions, skills, weak_classes
from adjudge.plots.labels import count


def weaknesses(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield what to worry about: of the decisions, of the probabilities, of the groups."""
    decisions = [*_of_columns(result), *_of_cases(result), *_against_one_answer(result, counts), *_of_classes(result, counts)]
    if decisions:
        yield f"What to worry about: {'; '.join(decisions)}."
    probabilities = [*_of_order(result), *_of_confidence(result, counts), *_of_log_loss(result)]
    if probabilities:
        said = "; ".join(probabilities)
        yield f"{said[0].upper()}{said[1:]}."
    yield from _of_confounds(result)
    yield from _of_groups(result)


def ranking_weaknesses(result: Evaluation) -> Iterator[str]:
    """Yield what to worry about where scores rank cases and nothing is decided."""
    told = [*_of_cases(result), *_of_order(result)]
    if told:
        yield f"What to worry about: {'; '.join(told)}."


def _of_columns(result: Evaluation) -> Iterator[str]:
    """Yield that truth and decision look swapped, where they do."""
    for finding in result.findings:
        if finding.code == "A109":
            yield f"{finding.message[0].lower()}{finding.message[1:].rstrip('.')}"


def _of_cases(result: Evaluation) -> Iterator[str]:
    if result.origin.rows < FEW_CASES:
        yield f"there {'is' if result.origin.rows == 1 else 'are'} only {counted(result.origin.rows, 'case')}"


def _against_one_answer(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield that deciding did harm: nothing is right, or surely less than one answer to everything would be."""
    accuracy = result.estimates["accuracy"]
    if counts.k > 1 and accuracy.value == 0:
        yield "not one decision is right, as where labels or rows are mixed up"
    elif result.baseline is not None and accuracy.interval is not None and np.count_nonzero(counts.support) > 1:
        label, always = result.baseline
        if accuracy.interval.high < always:
            yield f"it is surely right less often than always predicting {quoted(label)}"


def _of_order(result: Evaluation) -> Iterator[str]:
    area = result.estimates.get("auc")
    if area is not None and area.interval is not None and area.interval.high < _BY_CHANCE:
        yield f"the scores rank cases the wrong way round (AUC {value(area)}, {sureness(area)}), as where classes are swapped"


def _of_confounds(result: Evaluation) -> Iterator[str]:
    """Yield how much the groups explain of what looks like skill."""
    over, plain = result.over_groups, result.estimates["balanced_accuracy"]
    owed = "" if over is None else owed_to_groups(plain.value, over, result.by_group)
    if over is None or not owed:
        return
    numbers = f"with groups counting alike, the balanced accuracy of {value(plain)} becomes {value(over)} ({sureness(over)})"
    if owed == "all":
        yield f"It may tell the groups and nothing else: {numbers}, with no sign of skill within the groups."
    elif owed == "part":
        yield f"Part of it is owed to the groups: {numbers}."
    else:
        yield f"Groups hide how well it does in most of them: {numbers}."


def _of_classes(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield classes that are surely found less often than others, and confusions that surely take much of a class."""
    told = result.rare
    weak = [each for each in weak_classes(counts, level=result.level) if told is None or each.of != told.of]
    for worst in weak[:_MOST]:
        of = float(counts.support[list(counts.classes).index(worst.of)])
        cases = f"its {count(of)} cases" if not isinstance(counts, WeightedCounts) else "its cases"
        yield f"class {quoted(worst.of)} is found in only {value(worst)} of {cases} ({sureness(worst)})"
    if len(weak) > _MOST:
        yield f"{len(weak) - _MOST:,} more classes are found surely less often than the others"
    large = large_confusions(counts, level=result.level)
    for each in large[:_MOST]:
        times = "" if isinstance(counts, WeightedCounts) else f" ({count(each.cases)} of {_size(counts, each)})"
        yield f"{share(each.share)} of {quoted(each.truth)} is predicted as {quoted(each.decided)}{times}"
    if len(large) > _MOST:
        yield f"{len(large) - _MOST:,} more confusions surely take over {share(LARGE, 0)} of a class"


def _size(counts: ConfusionCounts, found: Confusion) -> str:
    return count(float(counts.support[list(counts.classes).index(found.truth)]))


def _of_confidence(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield what is wrong with the probabilities of the class to speak of, and with the highest of each case.

    Where a rare class of two is hardly ever predicted, the highest probability is what that of the class leaves of 1, and says
    nothing of its own.
    """
    own = result.class_confidence
    said = "" if own is None else probabilities_of(own)
    if said:
        yield said
    found = confidence_of(result.curves, counts, level=result.level)
    if found is not None and found.verdict and not (own is not None and _mirrored(counts, own)):
        called, happened = apart(found.called, found.happened.value, 1)
        yield f"the probabilities of the predicted class are {found.verdict}: {called} on average, correct in {happened}"


def _mirrored(counts: ConfusionCounts, own: Confidence) -> bool:
    at = list(counts.classes).index(own.of)
    return bool(counts.k == _TWO and counts.assigned[at] < RARE * counts.n / _TWO)


def _of_log_loss(result: Evaluation) -> Iterator[str]:
    estimate = result.estimates.get("log_loss")
    if estimate is not None and math.isinf(estimate.value):
        yield f"{impossible(result)}, so that the log loss is infinite"


def impossible(result: Evaluation) -> str:
    """Return how many cases had no probability for their true class."""
    seen = next((finding.value for finding in result.findings if finding.code == "A301"), None)
    some = "some case" if seen is None else counted(int(seen), "case")
    return f"{some} had probability 0 for the true class"


def _of_groups(result: Evaluation) -> Iterator[str]:
    found = compare_groups(result.by_group)
    if found is not None and found.p_value <= 1 - result.level:
        each = (result.by_group[label] for label in (found.lowest, found.highest))
        low, high = (share(float(counts.correct.sum() / counts.n)) for counts in each)
        ends = f"correct in {low} of {quoted(found.lowest)} and {high} of {quoted(found.highest)}"
        yield f"Groups differ: {ends} (p {probability(found.p_value, digits=3)}, classes taken into account)."


def card_note(result: Evaluation, estimate: Estimate) -> str:
    """Return a second line below a number set large, or nothing.

    Of a loss: by how much it beats the shares of the classes, or why it is infinite; of an AUC without limits: why.
    """
    if estimate.measure == "log_loss" and math.isinf(estimate.value):
        return impossible(result)
    if estimate.measure == "auc" and estimate.interval is None and result.counts is not None:
        return f"limits are worked out for up to {MOST_CURVES} classes" if result.counts.k > MOST_CURVES else ""
    gained = {} if result.counts is None else skills(result.estimates, result.counts)
    if estimate.measure not in gained:
        return ""
    much = gained[estimate.measure]
    words = f"{share(abs(much), decimals=0, most=2)} {'better' if much >= 0 else 'worse'} than the class shares alone"
    return words if abs(much) >= _NOTABLE else "no better than the class shares alone"


_NOTABLE = 0.005
_MOST = 2  # weak classes, and large confusions, that are named
_TWO = 2
_BY_CHANCE = 0.5  # the AUC of scores that rank nothing
