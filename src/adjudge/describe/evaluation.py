"""What an evaluation and a report say: how good it is, how surely, what to worry about; every measure; the page if asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base import InputError, counted, probable, quoted, share
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.describe.amounts import amounts_of
from adjudge.describe.clusters import clusters_of, worth_of
from adjudge.describe.description import document, documented
from adjudge.describe.document import SUMMARY, Document, Section, Step, titled
from adjudge.describe.next_steps import between, steps
from adjudge.describe.regression import sentences as of_numbers
from adjudge.describe.runs import about_runs
from adjudge.describe.runs import tables as of_runs
from adjudge.describe.scores import AMONG, MANY, top_k_words
from adjudge.describe.tables import DETAILS, classes, impossible, measures
from adjudge.describe.values import apart, percent, points, scope, short_title, sureness, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.curves import RARE
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.findings import FEW_CASES, FEW_OF_A_CLASS
from adjudge.judgements.report import Report
from adjudge.judgements.tally_estimates import GroupsJudged
from adjudge.judgements.top_k import TopK
from adjudge.judgements.weaknesses import LARGE, RareClass, Weaknesses
from adjudge.plots.labels import count, decimals_for, named
from adjudge.plots.labels import rare as rarely

MOST_SENTENCES = 4  # after the headline, on the first screen
MOST_PARTS = 12  # evaluations of a report of several sets, the best first
_LONGEST_NAME = 60  # letters of a class in a terminal
_LEAST = 3  # classes found least that are named
_MOST = 2  # weak classes, and large confusions, that are named
_TWO = 2
_BY_CHANCE = 0.5  # the AUC of scores that rank nothing


@document.register
def _(result: Evaluation, *, whole: bool) -> Document:
    every, roles = measures(result), result.origin.roles
    tables = (every, *((classes(result, _LONGEST_NAME),) if result.by_class else ()), *of_runs(result))
    evidence = tuple(str(roles).splitlines()) if roles is not None and roles.evidence else ()
    key = every.with_columns([i for i, name in enumerate(every.header) if not name.startswith(DETAILS)])
    first: dict[str, Any] = {"steps": steps(result), "weakest": weakest(result), "closing": remarks(result)}
    said = Document(sentences(result), tables, result.findings, columns=evidence, key=key, **first)
    if not whole:
        return said
    from adjudge.describe.evaluation_page import page_of  # with the pictures and corrections that only a page needs

    return replace(said, sections=tuple(page_of(result, said, every)))


@document.register
def _(result: Report, *, whole: bool) -> Document:
    """Return the document of the only evaluation or learner, or of the comparison with the evaluations behind it."""
    title = result.title if whole else None
    if result.comparison is None:
        return titled(documented(result.evaluation if result.learner is None else result.learner, whole=whole), title)
    description = documented(result.comparison, whole=whole)
    names, remaining = named(result.names), description.sentences[1 + MOST_SENTENCES :]
    lines = list(remaining)
    if len(names) > MOST_PARTS:
        left = counted(len(names) - MOST_PARTS, "more set")
        lines.append(f"The evaluations of the first {MOST_PARTS} sets follow; those of {left} are in the JSON of this report.")
        remaining = tuple(lines)
    for name, each in list(zip(names, result.evaluations, strict=True))[:MOST_PARTS]:
        first = sentences(each)[0]
        lines.append(f"{name}: {first if first[1].isupper() else first[0].lower() + first[1:]}")
    told = between(result.comparison, result.next_steps) if isinstance(result.comparison, Comparison) else ()
    above: dict[str, Any] = {"sentences": description.sentences[: 1 + MOST_SENTENCES], "steps": told}
    page = _summary(description, told, remaining)
    for at, each in enumerate(result.evaluations[:MOST_PARTS] if whole else (), 1):  # those after the first are folded
        head, *others = documented(each, whole=True).sections
        inner = tuple(_numbered(part, at) for part in others)
        page.append(replace(head, kind="part", name=f"part-{at}", title=names[at - 1], inner=inner, folded=at > 1))
    return titled(replace(description, **above, closing=tuple(lines), sections=tuple(page)), title)


def _numbered(part: Section, at: int) -> Section:
    """Return a section of one of several sets, with anchors of its own."""
    steps = tuple(replace(step, see=f"{step.see}-{at}") if step.see else step for step in part.steps)
    return replace(part, name=f"{part.name}-{at}", steps=steps)


def _summary(description: Document, steps: tuple[Step, ...], remarks: Sequence[str]) -> list[Section]:
    """Return the sections of a comparison: the verdict in few sentences, the steps, a picture, and chapters that are folded."""
    if not description.sections:
        return []
    head, *others = description.sections
    page = [replace(head, sentences=head.sentences[: 1 + MOST_SENTENCES], folded=bool(steps))]
    page += [Section("steps", "next-steps", "Next steps", steps=steps)] if steps else []
    at = next((i for i, each in enumerate(others) if each.kind == "figure"), None)
    page += [replace(each, theme=SUMMARY) if steps and i == at else each for i, each in enumerate(others)]
    theme = "better" if any(each.theme == "better" for each in others) else ""
    return page + ([Section("table", "remarks", "Also to know", sentences=tuple(remarks), theme=theme)] if remarks else [])


# -- the verdict -----------------------------------------------------------------------------------------------


def sentences(result: Evaluation) -> tuple[str, ...]:
    """Return the headline and at most four sentences more: on classes, on a ranking where nothing is decided, or on numbers."""
    return tuple(sentence for sentence, first in _told(result) if first)


def remarks(result: Evaluation) -> tuple[str, ...]:
    """Return what else is to be said, for which the first screen has no room."""
    return tuple(sentence for sentence, first in _told(result) if not first)


def weakest(result: Evaluation) -> str:
    """Return the weakest point in a sentence: what to worry about most, the worst finding, or the class found least often."""
    weak, counts = result.weaknesses, result.counts
    worries = [] if counts is None or weak is None else [said for _, said in weaknesses(result, counts, weak)]
    if worries or result.findings:
        return (worries or [result.findings[0].message])[0]
    worst = min(result.by_class, key=lambda row: float(row.sensitivity.value), default=None)
    if worst is None or counts is None or worst.sensitivity.value == 1:
        return ""
    found = f"found in {value(worst.sensitivity)} of its cases ({sureness(worst.sensitivity)})"
    return f"Weakest class: {quoted(worst.label)}, {found}."


def _told(result: Evaluation) -> Iterator[tuple[str, bool]]:
    """Yield every sentence, and whether it is among the first: the headline, and those that matter most after it."""
    if result.undecided is not None:
        yield from ((sentence, True) for sentence in _of_ranking(result, result.undecided))
        return
    if result.counts is None:
        yield from ((sentence, True) for sentence in _of_numbers(result))
        return
    assert result.weaknesses is not None
    headline, *others = _of_classes(result, result.counts, result.weaknesses)
    kept = sorted(range(len(others)), key=lambda at: others[at][0])[:MOST_SENTENCES]
    yield headline[1], True
    yield from ((sentence, at in kept) for at, (_, sentence) in enumerate(others))


def _of_classes(result: Evaluation, counts: ConfusionCounts, weak: Weaknesses) -> Iterator[tuple[int, str]]:
    """Yield sentences, the headline first, each with how soon it is needed: 0 for those that are never left out."""
    # of training rows only
    yield from ((0, finding.message) for finding in result.findings if finding.code == "A108" and not finding.value)
    if weak.always is not None:
        yield 0, f"Always predicts {quoted(weak.always)}; no sign of skill."
    if result.rare is not None:  # before the accuracy, which hides it
        yield 0, found_of(result.rare)
    yield from ((0, sentence) for sentence in _right(result, counts))
    yield from ((0, sentence) for sentence in amounts_of(result))
    yield from ((1, sentence) for sentence in worth_of(result))
    yield from ((1, finding.message) for finding in result.findings if finding.code in ("A111", "A118"))
    alike = [finding.message for finding in result.findings if finding.code == "A101"]
    yield from ((1, sentence) for sentence in alike[:1])
    both = [_headline(result.estimates[name]) for name in ("balanced_accuracy", "auc") if name in result.estimates]
    shown = [each.rstrip(".") for each in both] + [_among(each) for each in result.top_k if each.k == AMONG and counts.k > MANY]
    yield 3, f"{'; '.join(shown)}."
    own = next((row for row in result.by_class if row.label == result.positive and result.positive is not None), None)
    if own is not None and counts.k <= _TWO and result.rare is None:
        each = (f"{short_title(rate).lower()} {value(rate)} ({sureness(rate)})" for rate in (own.sensitivity, own.precision))
        yield 5, f"Positive class {quoted(own.label)}: {', '.join(each)}."
    if result.chance is not None and np.count_nonzero(counts.support) > 1:
        label = None if result.baseline is None else result.baseline[0]
        more = "more" if result.chance.p_value_nir <= result.chance.alpha else "not shown to be more"
        p = probable(result.chance.p_value_nir, digits=3)
        yield 4, f"{result.chance.statement}; {more} accurate than always predicting {quoted(label)} (p {p})."
    if result.over_groups is not None:
        groups = result.over_groups
        yield 7, f"Over the groups as well as the classes: balanced accuracy {value(groups)} ({sureness(groups)})."
    yield from about_runs(result)
    yield from weaknesses(result, counts, weak)
    if not weak.weak_classes:
        yield from ((5, sentence) for sentence in _found_least(result))
    trained = result.overfitting
    if trained is not None:  # how the training rows of the same file fared, and what follows
        cases = "" if trained.resubstitution.cases is None else f"{count(round(trained.resubstitution.cases, 1))} "
        errors = f"error {value(trained.resubstitution)} there, {value(trained.sample)} here"
        known = f"{percent(trained.interval.level)} interval {points(trained.interval.low, trained.interval.high)}"
        said = {
            "optimistic": "the training error is too low, a sign of overfitting",
            "pessimistic": "the error is higher in training: check which rows are which",
        }.get(trained.verdict, "no sure sign of overfitting")
        shift = f"difference {points(trained.bias)} percentage points, {known}"
        yield 2, f"Against the {cases}training rows: {errors} ({shift}); {said}."


def _of_ranking(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield how well scores rank, where nothing is decided."""
    area, precision = result.estimates["auc"], result.estimates["average_precision"]
    at = list(counts.classes).index(area.of)
    own, base = counts.support[at].item(), float(counts.support[at] / counts.n)
    yield f"{_headline(area).rstrip('.')}, over {_cases(result, counts)}, {count(own)} of class {quoted(area.of)}."
    yield f"{_headline(precision).rstrip('.')}, against {share(base)} for ranking at random."
    yield from amounts_of(result)
    yield from (f"{finding.message} {finding.advice}" for finding in result.findings if finding.code == "A112")
    yield from worth_of(result)
    worries = [*_few_cases(result), *_wrong_order(result)]
    if worries:
        yield f"What to worry about: {'; '.join(worries)}."


def _of_numbers(result: Evaluation) -> Iterator[str]:
    numbers = result.numbers
    if numbers is None:
        msg = "This evaluation holds neither a confusion table nor numeric predictions; make it with evaluate()."
        raise InputError(msg)
    cases = counted(numbers.n, "case") + ("" if numbers.weight == numbers.n else f" (of weight {count(numbers.weight)})")
    if result.repeats > 1:
        cases = _answers(numbers.n, result.repeats)
    headline, *others = of_numbers(result, numbers, cases)
    yield from (headline, *amounts_of(result), *others)


def _right(result: Evaluation, counts: ConfusionCounts) -> Iterator[str]:
    """Yield the accuracy against that of always predicting the commonest class; and of the decided cases, if some were not."""
    accuracy, (label, base) = result.estimates["accuracy"], result.baseline or (None, float("nan"))
    interval, cases, weighted = accuracy.interval, _cases(result, counts), isinstance(counts, WeightedCounts)
    right, always = apart(accuracy.value, base, 1 if interval is None else decimals_for(interval.high - interval.low))
    told = [] if weighted else [f"correct in {count(counts.correct.sum())} of {cases}"]
    told += [] if interval is None else [sureness(accuracy)]
    known = (f" of {cases}" if weighted else "") + (f" ({'; '.join(told)})" if told else "")
    yield f"Accuracy {right}{known}, against {always} for always predicting {quoted(label)}."
    rejected = float(counts.rejected.sum())
    decided = counts.n - rejected
    if counts.has_rejected and not decided:
        yield f"None of {count(counts.n)} cases was decided: all were rejected."
    elif counts.has_rejected:
        weighed = " (sums of weights)" if weighted else ""
        numbers = f"Decided {count(decided)} and rejected {count(rejected)} of {count(counts.n)} cases{weighed}"
        yield f"{numbers}; correct in {share(float(counts.correct.sum()) / decided)} of the decided ones."


def _answers(n: int, repeats: float) -> str:
    return f"{counted(n, 'answer')} about {counted(round(n / repeats), 'case')}"


def _cases(result: Evaluation, counts: ConfusionCounts) -> str:
    if result.runs is not None:
        return f"{counted(result.runs.answers, 'answer')} to {counted(result.runs.cases, 'case')}"
    if not isinstance(counts, WeightedCounts):
        return counted(counts.n, "case") + ("" if result.clusters is None else f" of {clusters_of(result.clusters)}")
    if result.repeats > 1:
        return _answers(result.origin.rows, result.repeats)
    return f"{counted(result.origin.rows, 'weighted case')}, worth {counts.effective_n:,.1f} equally weighted ones"


def _headline(estimate: Estimate) -> str:
    about = ", ".join(part for part in (scope(estimate), sureness(estimate)) if part)
    return f"{short_title(estimate)} {value(estimate)}{f' ({about})' if about else ''}."


def _among(each: TopK) -> str:
    shown, limits = top_k_words(each)
    return f"top-{each.k} accuracy {shown} ({percent(each.interval.level)} interval {limits})"


def _found_least(result: Evaluation) -> Iterator[str]:
    """Yield the classes found least often of many that have cases enough."""
    some = [row for row in result.by_class if row.cases >= FEW_OF_A_CLASS]
    worst = sorted(some, key=lambda row: float(row.sensitivity.value))[:_LEAST]
    if len(result.by_class) > MANY and len(worst) == _LEAST:
        told = ", ".join(f"{quoted(row.label)} ({value(row.sensitivity)} of {count(row.cases)})" for row in worst)
        yield f"Found least often: {told}."


def found_of(result: RareClass) -> str:
    """Return what is found of the class and at which price; what another threshold would find is a next step."""
    hits, sure = share(result.sensitivity.value), sureness(result.sensitivity)
    known = f"{hits}; {sure}" if sure else hits
    part = f"{hits} of class {quoted(result.of)}{f' ({sure})' if sure else ''}"
    if not isinstance(result.cases, float):
        part = f"{count(result.found)} of {count(result.cases)} cases of class {quoted(result.of)} ({known})"
    at = "" if result.threshold is None else f" at threshold {result.threshold:g}"
    precise = f"{', ' if at else ' at '}precision {share(float(result.precision.value))}" if result.found else ""
    return f"Finds {part}{at}{precise}."


def weaknesses(result: Evaluation, counts: ConfusionCounts, weak: Weaknesses) -> Iterator[tuple[int, str]]:
    """Yield what to worry about, with how soon it is to be told: of the decisions, of the probabilities, of the groups."""
    swapped = [each.message for each in result.findings if each.code == "A109"]  # truth and decision look so
    decisions = [*(f"{message[0].lower()}{message[1:].rstrip('.')}" for message in swapped), *_few_cases(result)]
    accuracy = result.estimates["accuracy"]
    if counts.k > 1 and accuracy.value == 0:
        decisions.append("not one decision is correct; labels or rows may be mixed up")
    elif result.baseline is not None and accuracy.interval is not None and np.count_nonzero(counts.support) > 1:
        label, always = result.baseline
        worse = f"it is surely correct less often than always predicting {quoted(label)}"
        decisions += [worse] if accuracy.interval.high < always else []
    decisions += _of_weak_classes(result, counts, weak)
    if decisions:
        yield 2, f"What to worry about: {'; '.join(decisions)}."
    probabilities = [*_wrong_order(result), *_of_confidence(result, counts, weak)]
    log_loss = result.estimates.get("log_loss")
    if log_loss is not None and math.isinf(log_loss.value):
        probabilities.append(f"{impossible(result)}, so that the log loss is infinite")
    if probabilities:
        said = "; ".join(probabilities)
        yield 6, f"{said[0].upper()}{said[1:]}."
    if result.groups is not None:
        yield from ((2, sentence) for sentence in _of_groups(result, result.groups))


def _few_cases(result: Evaluation) -> Iterator[str]:
    if result.origin.rows < FEW_CASES:
        yield f"there {'is' if result.origin.rows == 1 else 'are'} only {counted(result.origin.rows, 'case')}"


def _wrong_order(result: Evaluation) -> Iterator[str]:
    area = result.estimates.get("auc")
    if area is not None and area.interval is not None and area.interval.high < _BY_CHANCE:
        yield f"the scores rank cases the wrong way round (AUC {value(area)}, {sureness(area)}); classes may be swapped"


def _of_groups(result: Evaluation, groups: GroupsJudged) -> Iterator[str]:
    """Yield how much the groups explain of what looks like skill, and whether they differ."""
    over, plain, tested = result.over_groups, result.estimates["balanced_accuracy"], groups.compared
    if over is not None and groups.owed:
        said = {
            "all": "It may only recognise the groups: {}, with no sign of skill within the groups.",
            "part": "Part of its skill comes from recognising the groups: {}.",
        }.get(groups.owed, "Groups hide how well it does in most of them: {}.")
        now = f"{value(over)} ({sureness(over)})"
        yield said.format(f"with groups counting alike, the balanced accuracy of {value(plain)} becomes {now}")
    if tested is not None and tested.p_value <= 1 - result.level:
        each = (result.by_group[label] for label in (tested.lowest, tested.highest))
        low, high = (share(float(table.correct.sum() / table.n)) for table in each)
        ends = f"correct in {low} of {quoted(tested.lowest)} and {high} of {quoted(tested.highest)}"
        yield f"Groups differ: {ends} (p {probable(tested.p_value, digits=3)}, classes taken into account)."


def _of_weak_classes(result: Evaluation, counts: ConfusionCounts, weak_points: Weaknesses) -> Iterator[str]:
    """Yield classes that are surely found less often than others, and confusions that surely take much of a class."""
    told, support = result.rare, dict(zip(counts.classes, counts.support.tolist(), strict=True))
    weak = [each for each in weak_points.weak_classes if told is None or each.of != told.of]
    for worst in weak[:_MOST]:
        cases = f"its {count(float(support[worst.of]))} cases" if not isinstance(counts, WeightedCounts) else "its cases"
        part = f"in only {value(worst)} of {cases}" if worst.value > 0 else f"in none of {cases}"
        yield f"class {quoted(worst.of)} is found {part} ({sureness(worst)})"
    if len(weak) > _MOST:
        yield f"{len(weak) - _MOST:,} more classes are surely found less often than the others"
    large = weak_points.large_confusions
    for each in large[:_MOST]:
        times = "" if isinstance(counts, WeightedCounts) else f" ({count(each.cases)} of {count(float(support[each.truth]))})"
        yield f"{share(each.share)} of {quoted(each.truth)} is predicted as {quoted(each.decided)}{times}"
    if len(large) > _MOST:
        yield f"{len(large) - _MOST:,} more confusions surely take more than {share(LARGE, 0)} of a class"


def _of_confidence(result: Evaluation, counts: ConfusionCounts, weak: Weaknesses) -> Iterator[str]:
    """Yield what is wrong with the probabilities of the class to speak of, and with the highest of each case."""
    own, confidence = result.class_confidence, weak.confidence
    if own is not None and own.verdict and own.observed.interval is not None:
        limits = own.observed.interval
        numbers = f"mean predicted {rarely(own.mean_probability)}, observed {rarely(own.observed.value)}"
        known = f"{percent(limits.level)} interval {rarely(limits.low)} to {rarely(limits.high)}"
        yield f"the predicted probabilities of class {quoted(own.of)} are {own.verdict}: {numbers} ({known})"
    # where a rare class of two is hardly ever predicted, the highest probability is what that of the class leaves of 1
    assigned = None if own is None else counts.predicted[list(counts.classes).index(own.of)]
    mirrored = counts.k == _TWO and assigned is not None and assigned < RARE * counts.n / _TWO
    if confidence is not None and confidence.verdict and not mirrored:
        called, happened = apart(confidence.mean_probability, confidence.observed.value, 1)
        yield f"the probabilities of the predicted class are {confidence.verdict}: on average {called}, correct in {happened}"
