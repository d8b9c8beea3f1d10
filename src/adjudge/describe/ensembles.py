"""What is to be said of ensembles against a single model, for the prompt and for the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from adjudge._base import argument, counted, safe, wording
from adjudge.describe.comparison import difference, two_values, who_is_better
from adjudge.describe.description import LONGEST_TEXT, document, methods_section, opening
from adjudge.describe.document import TEXTS, Card, Document, Row, Section, Table, fact_table
from adjudge.describe.learner import how
from adjudge.describe.values import limits, margin_of, one_name, percent, spoken, sure, taken, three, told_method, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.ensembles import SINGLE, EnsemblesJudged, Rounds
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture
from adjudge.plots.labels import NOTHING
from adjudge.plots.learners import models_of, rounds_picture
from adjudge.plots.quantities import measure_name, writer

_HELPED = {"better": "helped", "worse": "did harm", "equivalent": "made no difference that matters"}
_NAMES = {SINGLE: "The single model", "bagging": "Bagging", "adaboost": "AdaBoost"}
_TONES = {"undecided": "doubtful"}
_LONGEST = 40
_METHODS = TEXTS["ensembles"]


@document.register
def _(result: EnsemblesJudged, *, whole: bool) -> Document:
    told, first, second = tuple(sentences(result)), candidates(result), courses(result)
    page = tuple(_page(result, told, first, second)) if whole else ()
    return Document(told, (first, *((second,) if second.rows else ())), result.findings, key=first, sections=page)


def sentences(result: EnsemblesJudged) -> Iterator[str]:
    """Yield the verdict."""
    yield from (f"{_called(name)} failed and is left out." for name in result.left_out)
    yield from (f"{_called(name)}: {run.summary} answered." for name, run in result.runs.items() if run.failures)
    for name, comparison in result.against.items():
        one, other = two_values(comparison)
        better, same, worse = three(comparison, comparison.level, bare=False)
        less = "" if comparison.higher_is_better else " (less is better)"
        said = _HELPED.get(comparison.verdict)
        said = f"Undecided whether {_called(name)} helped" if said is None else f"{_called(name)} {said}"
        values = f"{spoken(comparison.measure)} {one} against {other} of the single model{less}"
        yield f"{said}: {values}; P(better) {better}, P(same) {same}, P(worse) {worse}."
        if name in result.rounds and result.rounds[name].followed:
            yield _course(_called(name), result.rounds[name])
    for comparison in result.between:
        (a, b), (one, other) = (_called(name) for name in comparison.names), two_values(comparison)
        better, _, worse = three(comparison, comparison.level, bare=False)
        yield f"{who_is_better(comparison, a, b)}: {one} against {other}; P({a} better) {better}, P({b} better) {worse}."
    first = next(iter(result.against.values()))
    cases = f"{counted(result.plan.rows, 'case')}, {how(result.runs[SINGLE])}"
    yield f"Compared on the same {cases}: {told_method(first.method)}; {taken(first.measure, first.margin)}."
    if result.sized is not None:
        told = "The plan was chosen by the size of the data, as one that trees finish in about a minute; to name it, pass "
        yield wording(told, argument("by", result.sized), ".")


def _called(name: str) -> str:
    return _NAMES.get(name) or one_name(name, _LONGEST)


def _course(name: str, rounds: Rounds) -> str:
    """Say whether an ensemble overfitted: what its training error and its error on new cases did over the rounds."""
    if rounds.rise is None or rounds.fall is None:
        return f"Whether {name} overfits is unknown without folds to compare."
    if rounds.ended_at_once:
        every = {"perfect": ", which makes no error", "chance": ", as no other was better than chance"}
        why = every.get(rounds.stopped[0], "") if len(set(rounds.stopped)) == 1 else ""
        return f"{name} ended after one model in every fold{why}: there are no rounds to overfit in."
    words = writer(rounds.measure, 0.0)
    new, seen = (" to ".join(words(v) for v in reversed(each.values)) for each in (rounds.rise, rounds.fall))
    rose = f"P(rose by more than {margin_of(rounds.measure, rounds.rise.margin)}) {sure(rounds.rise.worse, rounds.rise.level)}"
    best = _span(rounds.best)
    best = f"after the best round, chosen for each fold on the others (round{'s' if ' to ' in best else ''} {best})"
    moved = f"{best}, the training error went from {seen} and the error on new cases from {new}; {rose}."
    said = {
        "overfits": f"{name} overfitted",
        "rises": f"{name}: more rounds did harm, though the training error no longer fell",
        "undecided": f"Undecided whether {name} overfitted",
    }.get(rounds.course)
    if said is not None:
        return f"{said}: {moved}"
    first, last = (words(float(rounds.test[:, at].mean())) for at in (0, -1))
    over = f"the error on new cases went from {first} after one round to {last} after {models_of(rounds)}"
    return f"{name} did not overfit: {over}; {rose} after the best round."


def _span(numbers: Any) -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def candidates(result: EnsemblesJudged) -> Table:
    """Return the single model and each ensemble, with the probabilities that it is better, the same, or worse."""
    level = percent(result.level)
    header = ("Candidate", measure_name(result.measure), f"Algorithm ({level})", "P(better)", "P(same)", "P(worse)", "Verdict")
    rows = []
    for name, run in result.runs.items():
        over, comparison = run.estimates.get(result.measure), result.against.get(name)
        estimate = Estimate(result.measure, _value_of(result, name), None if over is None else over.algorithm)
        chances = [NOTHING] * 3 if comparison is None else three(comparison, comparison.level)
        said = NOTHING if comparison is None else _HELPED.get(comparison.verdict, comparison.verdict)
        rows.append((one_name(name, _LONGEST), value(estimate), limits(estimate), *chances, said))
    return Table("Candidates", header, tuple(rows), "lrrrrrl", tones=_TONES).without_empty_columns()


def _value_of(result: EnsemblesJudged, name: str) -> float:
    return result.against[name].values[0] if name in result.against else next(iter(result.against.values())).values[1]


def courses(result: EnsemblesJudged) -> Table:
    """Return the errors of each candidate after the first and the last round, on cases learnt from and on new ones."""
    header: Row = ("Error", "Models", "Training, 1 round", "Training, all", "New, 1 round", "New, all", "Best round")
    told = {"rises": "gets worse", "stays": "does not overfit", "unknown": "unknown"}
    rows: list[Row] = []
    for name, rounds in result.rounds.items():
        words, shown = writer(rounds.measure, 0.0), one_name(name, _LONGEST)
        ends = [words(float(each[:, at].mean())) for each in (rounds.training, rounds.test) for at in (0, -1)]
        if rounds.followed:
            best = _span(rounds.best) if rounds.best.size else NOTHING
            rose = NOTHING if rounds.rise is None else sure(rounds.rise.worse, rounds.rise.level).removeprefix("= ")
            said = "ended at once" if rounds.ended_at_once else told.get(rounds.course, rounds.course)
            rows.append((shown, _span(rounds.kept), *ends, best, rose, said))
        else:
            models = _span(rounds.kept) if name == SINGLE else NOTHING
            rows.append((shown, models, NOTHING, ends[1], NOTHING, ends[3], NOTHING, NOTHING, NOTHING))
    return Table("Rounds", (*header, "P(rose)", "Verdict"), tuple(rows), "lrrrrrrrl", tones=_TONES).without_empty_columns()


def _page(result: EnsemblesJudged, told: tuple[str, ...], first: Table, second: Table) -> Iterator[Section]:
    lead = f"{counted(result.plan.rows, 'case')} · {how(result.runs[SINGLE])} · {spoken(result.measure)}"
    words, base = writer(result.measure, 0.0), one_name(result.base, 60)
    cards = [Card("Single", words(_value_of(result, SINGLE)), spoken(result.measure))]
    for name, comparison in result.against.items():
        note = f"{difference(comparison)}, P(better) {sure(comparison.better, comparison.level)}"
        cards.append(Card(_called(name), words(comparison.values[0]), note))
    yield from opening(f"{base}: one model, or many?", lead, told, cards, result.findings)
    for at, name in enumerate(result.against, 1):
        if name in result.rounds and result.rounds[name].followed and SINGLE in result.rounds:
            lead = "Means over folds: solid on held-out cases, dashed on training cases."
            title, figure = f"{_called(name)}, round by round", rounds_picture(result, name)
            yield Section("figure", f"rounds-{at}", title, lead, figure=figure, theme="rounds")
    for at, (name, comparison) in enumerate(result.against.items(), 1):
        whose = f"{one_name(name, _LONGEST)} minus the single model"
        lead = f"Posterior distribution of {whose}; {taken(comparison.measure, comparison.margin)}."
        title, picture = f"{_called(name)}, did it help?", difference_picture(comparison)
        yield Section("figure", f"difference-{at}", title, lead, figure=picture, theme="better")
    yield Section("table", "candidates", "The candidates", tables=(first,), theme="better")
    yield Section("table", "rounds", "Over the rounds", tables=(second,), theme="rounds")
    plan, margin = result.plan, next(iter(result.against.values())).margin
    tried = {
        "Plan": one_name(plan.name, 80),
        "Rows": f"{plan.rows:,}",
        "Seed": "none" if plan.seed is None else f"{plan.seed}",
        "SHA-256": plan.fingerprint,
        "Measure": f"{spoken(result.measure)} ({find(result.measure).direction})",
        "Counts as none": f"differences up to {margin_of(result.measure, margin)} (margin)",
        "Probable enough": f"{percent(result.level)} or more (level)",
    }
    tried |= {_called(name): safe(run.learner, LONGEST_TEXT) for name, run in result.runs.items()}
    yield Section("facts", "plan", "What was tried", tables=(fact_table("Plan", tried),), theme="data")
    yield methods_section(*_METHODS.values())
