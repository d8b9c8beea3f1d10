"""What is to be said of ensembles against a single model, for the prompt and for the page."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge._base.text import counted, safe
from adjudge.describe.comparison import two_values
from adjudge.describe.description import caveats, document, methods_section
from adjudge.describe.document import Card, Document, Section, Table, without_empty_columns
from adjudge.describe.learner import how
from adjudge.describe.values import amount, limits, margin_of, percent, signed, spoken, sure, taken, told_method, unit, value
from adjudge.estimates.estimate import Estimate
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ensembles import SINGLE, EnsemblesJudged, Rounds
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture
from adjudge.plots.labels import NOTHING, named
from adjudge.plots.learners import measure_name, writer
from adjudge.plots.rounds import models_of, rounds_picture

_HELPED = {
    "better": "helped",
    "worse": "did harm",
    "equivalent": "made no difference that matters",
}
_NAMES = {SINGLE: "The single model", "bagging": "Bagging", "adaboost": "AdaBoost"}
_TONES = {"undecided": "doubtful"}
_LONGEST = 24
_LONGEST_TEXT = 1000


@document.register
def _(result: EnsemblesJudged, *, whole: bool) -> Document:
    told, first, second = tuple(_sentences(result)), candidates(result), courses(result)
    page = tuple(_page(result, told, first, second)) if whole else ()
    return Document(told, (first, *((second,) if second.rows else ())), result.findings, key=first, sections=page)


def _sentences(result: EnsemblesJudged) -> Iterator[str]:
    yield from (f"{_called(name)} failed and is left out." for name in result.left_out)
    for name, run in result.runs.items():
        if run.failures:
            yield f"{_called(name)}: {run.summary} answered."
    for name, found in result.against.items():
        yield _help(name, found)
        if name in result.rounds and result.rounds[name].followed:
            yield _course(name, result.rounds[name])
    yield from (_between(found) for found in result.between)
    first = next(iter(result.against.values()))
    cases = f"{counted(result.plan.rows, 'case')}, {how(result.runs[SINGLE])}"
    yield f"Compared on the same {cases}: {told_method(first.method)}; {taken(first.measure, first.margin)}."


def _called(name: str) -> str:
    return _NAMES.get(name) or named([name], _LONGEST)[0]


def _help(name: str, found: Comparison) -> str:
    one, other = two_values(found)
    better, same, worse = (sure(p, found.level) for p in (found.better, found.same, found.worse))
    values = f"{spoken(found.measure)} {one} against {other} of the single model"
    less = "" if found.higher_is_better else " (less is better)"
    said = _HELPED.get(found.verdict)
    said = f"Undecided whether {_called(name)} helped" if said is None else f"{_called(name)} {said}"
    return f"{said}: {values}{less}; P(better) {better}, P(same) {same}, P(worse) {worse}."


def _between(found: Comparison) -> str:
    a, b = (_called(name) for name in found.names)
    one, other = two_values(found)
    better, worse = (sure(p, found.level) for p in (found.better, found.worse))
    said = {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are practically the same",
    }.get(found.verdict, f"Undecided between {a} and {b}")
    return f"{said}: {one} against {other}; P({a} better) {better}, P({b} better) {worse}."


def _course(name: str, found: Rounds) -> str:
    """Say whether an ensemble overfitted: what its training error and its error on new cases did over the rounds."""
    if found.rise is None or found.fall is None:
        return f"Whether {_called(name)} overfits cannot be said without folds to compare."
    if found.ended_at_once:
        every = {"perfect": ", which makes no error", "chance": ", as no other was better than chance"}
        why = every.get(found.stopped[0], "") if len(set(found.stopped)) == 1 else ""
        return f"{_called(name)} ended after one model in every fold{why}: there are no rounds to overfit in."
    words = writer(found.measure, 0.0)
    new, seen = (" to ".join(words(v) for v in reversed(each.values)) for each in (found.rise, found.fall))
    rose = f"P(rose by more than {margin_of(found.measure, found.rise.margin)}) {sure(found.rise.worse, found.rise.level)}"
    best = f"after the best round, chosen for each fold on the others ({_span(found)})"
    moved = f"the training error went from {seen} and the error on new cases from {new}"
    if found.course == "overfits":
        return f"{_called(name)} overfitted: {best}, {moved}; {rose}."
    if found.course == "rises":
        return f"{_called(name)}: more rounds did harm, though the training error no longer fell: {best}, {moved}; {rose}."
    if found.course == "undecided":
        return f"Undecided whether {_called(name)} overfitted: {best}, {moved}; {rose}."
    first, last = (words(float(found.judged[:, at].mean())) for at in (0, -1))
    over = f"the error on new cases went from {first} after one round to {last} after {models_of(found)}"
    return f"{_called(name)} did not overfit: {over}; {rose} after the best round."


def _span(found: Rounds) -> str:
    low, high = int(found.best.min()), int(found.best.max())
    return f"round {low}" if low == high else f"rounds {low} to {high}"


# -- tables ----------------------------------------------------------------------------------------------------


def candidates(result: EnsemblesJudged) -> Table:
    """Return the single model and each ensemble, with the probabilities that it is better, the same, or worse."""
    level = percent(result.level)
    header = ("Candidate", measure_name(result.measure), f"Algorithm ({level})", "P(better)", "P(same)", "P(worse)", "Verdict")
    rows = []
    for name, run in result.runs.items():
        over = run.estimates.get(result.measure)
        found = result.against.get(name)
        mean = _value_of(result, name)
        interval = None if over is None else over.algorithm
        three = [NOTHING] * 3 if found is None else [_bare(p, found) for p in (found.better, found.same, found.worse)]
        said = NOTHING if found is None else _HELPED.get(found.verdict, found.verdict)
        estimate = Estimate(result.measure, mean, interval)
        rows.append((named([name], _LONGEST)[0], value(estimate), limits(estimate), *three, said))
    return without_empty_columns(Table("Candidates", header, tuple(rows), "lrrrrrl", tones=_TONES))


def _value_of(result: EnsemblesJudged, name: str) -> float:
    if name in result.against:
        return result.against[name].values[0]
    return next(iter(result.against.values())).values[1]


def _bare(p: float, found: Comparison) -> str:
    return sure(p, found.level).removeprefix("= ")


def courses(result: EnsemblesJudged) -> Table:
    """Return the errors of each candidate after the first and the last round, on cases learnt from and on new ones."""
    header = (
        "Error",
        "Models",
        "Training, 1 round",
        "Training, all",
        "New, 1 round",
        "New, all",
        "Best round",
        "P(rose)",
        "Verdict",
    )
    rows = tuple(_course_row(name, found) for name, found in result.rounds.items())
    return without_empty_columns(Table("Rounds", header, rows, "lrrrrrrrl", tones=_TONES))


def _course_row(name: str, found: Rounds) -> tuple[str, ...]:
    words = writer(found.measure, 0.0)
    ends = [words(float(each[:, at].mean())) for each in (found.learnt, found.judged) for at in (0, -1)]
    low, high = int(found.kept.min()), int(found.kept.max())
    models = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    if not found.followed:
        models = models if name == SINGLE else NOTHING
        return (named([name], _LONGEST)[0], models, NOTHING, ends[1], NOTHING, ends[3], NOTHING, NOTHING, NOTHING)
    rose = NOTHING if found.rise is None else _bare(found.rise.worse, found.rise)
    best = _span(found).partition(" ")[2] if found.best.size else NOTHING
    said = {"rises": "gets worse", "stays": "does not overfit", "unknown": "cannot be said"}.get(found.course, found.course)
    said = "ended at once" if found.ended_at_once else said
    return (named([name], _LONGEST)[0], models, *ends, best, rose, said)


# -- the page --------------------------------------------------------------------------------------------------

_OVER_FOLDS = (
    "All candidates learn from and are judged on the same cases. Their differences over folds are judged by the Bayesian "
    "correlated t: folds share the cases they learn from, so the variance of the mean is raised from 1/k to 1/k + n2/n1 "
    "(Nadeau and Bengio 2003, Mach. Learn. 52:239-281; Corani and Benavoli 2015, Mach. Learn. 100:285-304)."
)
_PAPERS = (
    "Bagging: Breiman (1996), Mach. Learn. 24:123-140. Boosting by weighted sampling: Freund and Schapire (1997), J. Comput. "
    "Syst. Sci. 55:119-139; of numbers Drucker (1997), ICML."
)
_RISE = (
    "An ensemble overfits where its error on new cases rises while its training error still falls. The lowest point of a curve "
    "is low by luck too: each fold is therefore measured against the round that is best on the other folds of its repetition, "
    "and the rise from there to the last round is judged by the same law as the difference of two learners."
)


def _page(result: EnsemblesJudged, told: tuple[str, ...], first: Table, second: Table) -> Iterator[Section]:
    lead = f"{counted(result.plan.rows, 'case')} · {how(result.runs[SINGLE])} · {spoken(result.measure)}"
    title = f"{named([result.base], 60)[0]}: one model, or many?"
    yield Section("verdict", "verdict", title, lead, told, tuple(_cards(result)))
    yield from caveats(result.findings, _LONGEST_TEXT)
    for at, name in enumerate(result.against):
        if name in result.rounds and result.rounds[name].followed and SINGLE in result.rounds:
            lead = "Means over folds: solid on held-out cases, dashed on training cases."
            title, figure = f"{_called(name)}, round by round", rounds_picture(result, name)
            yield Section("figure", f"rounds-{at + 1}", title, lead, figure=figure, theme="rounds")
    for at, (name, found) in enumerate(result.against.items()):
        whose = f"{named([name], _LONGEST)[0]} minus the single model"
        lead = f"Posterior distribution of {whose}; {taken(found.measure, found.margin)}."
        title, picture = f"{_called(name)}, did it help?", difference_picture(found)
        yield Section("figure", f"difference-{at + 1}", title, lead, figure=picture, theme="better")
    yield Section("table", "candidates", "The candidates", tables=(first,), theme="better")
    yield Section("table", "rounds", "Over the rounds", tables=(second,), theme="rounds")
    yield Section("facts", "plan", "What was tried", tables=(_facts(result),), theme="data")
    yield methods_section(_OVER_FOLDS, _PAPERS, _RISE)


def _cards(result: EnsemblesJudged) -> Iterator[Card]:
    words = writer(result.measure, 0.0)
    yield Card("Single", words(_value_of(result, SINGLE)), spoken(result.measure))
    for name, found in result.against.items():
        width = found.interval.high - found.interval.low
        moved = signed(amount(found.measure, found.difference, width), found.difference)
        note = f"{moved}{unit(found.measure)}, P(better) {sure(found.better, found.level)}"
        yield Card(_called(name), words(found.values[0]), note)


def _facts(result: EnsemblesJudged) -> Table:
    plan, first = result.plan, next(iter(result.against.values()))
    each = {
        "Plan": named([plan.name], 80)[0],
        "Rows": f"{plan.rows:,}",
        "Seed": "none" if plan.seed is None else f"{plan.seed}",
        "SHA-256": plan.fingerprint,
        "Measure": f"{spoken(result.measure)} ({find(result.measure).direction})",
        "Counts as none": f"differences up to {margin_of(first.measure, first.margin)} (margin)",
        "Probable enough": f"{percent(result.level)} or more (level)",
    }
    each |= {_called(name): safe(run.learner, _LONGEST_TEXT) for name, run in result.runs.items()}
    return Table("Plan", ("Fact", "Value"), tuple(each.items()), "ll")
