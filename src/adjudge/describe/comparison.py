"""What a comparison of two says: sentences, tables and the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from adjudge._base.text import counted, safe
from adjudge._base.undefined import Undefined
from adjudge.describe.description import caveats, document, methods_section
from adjudge.describe.document import Card, Document, Row, Section, Table
from adjudge.describe.values import about, amount, margin_of, percent, probability, signed, sure, taken, told_method, unit
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ranking import Ranking
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture, outcome_bars
from adjudge.plots.labels import count, named
from adjudge.plots.learners import writer
from adjudge.plots.quantities import MOST_DECIMALS, is_share

LONGEST = 40
"""Characters of a name within a sentence."""
LONGEST_TEXT = 1000
_SAME = "practically the same"
FOLDS = ("correlated t", "resampled t", "paired t test", "5 x 2")
"""Words in the methods that compare learners over folds."""
_MID_P = "McNemar's test, mid-P"
_ASKED = (
    "Three answers are possible, each with its probability: one is better, the other is, or the difference is too small to "
    "matter. A verdict is given where one of them is probable enough; otherwise it is undecided, whatever a p-value says."
)
_WAYS = {
    "paired Dirichlet posterior": (
        "Outcomes of the same cases, both right, only one right, neither, have a Dirichlet posterior in every class, with one "
        "case's worth of each beforehand; the law of the difference is computed, not drawn (Altham 1971, Biometrika 58:561-576)."
    ),
    "paired Bayesian bootstrap": (
        "The shares of all patterns of truth and decisions are drawn from their posterior, for both sets in one draw, and the "
        "measure is computed from each draw (Rubin 1981, Ann. Stat. 9:130-134). The draws are spread where they claim more than "
        "the permutation test that swaps the answers of both sets, case by case."
    ),
    "paired t of the losses": (
        "Losses of the same cases are subtracted case by case; the mean of the differences follows Student's t."
    ),
    "DeLong": (
        "The areas under both curves are means over pairs of cases; the variance of their difference knows that both curves come "
        "from the same cases (DeLong et al. 1988, Biometrics 44:837-845). The difference follows Student's t with Welch's "
        "degrees of freedom, spread where it claims more than the permutation test that swaps the ranks of both scores by case."
    ),
    "independent": "The two sets judge different cases: what is believed of each is subtracted as that of independent numbers.",
}
_FOLDED = (
    "Folds share the cases they learn from, so their differences agree more than independent ones would. The variance of their "
    "mean is raised from 1/k to 1/k + n2/n1, the ratio of cases tested to cases learnt from (Nadeau and Bengio 2003, Mach. "
    "Learn. 52:239-281); the posterior of the difference is Student's t (Corani and Benavoli 2015, Mach. Learn. 100:285-304)."
)
_WOLF = (
    "How often a method finds a difference where there is none was measured on learners that are equally good by construction, "
    "in 15 settings. Tests that do so in more than 30% are refused."
)
_EQUALS = (
    "How often a method calls one of two equally good classifiers better was measured on simulated pairs, in 36 settings. "
    "With a level of 95% that may happen in 10% of pairs: in 5% for either of the two."
)


@document.register
def _(result: Comparison, *, whole: bool) -> Document:
    told, key = tuple(_sentences(result)), numbers(result)
    page = tuple(_page(result, told, key)) if whole else ()
    return Document(told, findings=result.findings, key=key, sections=page)


def _sentences(result: Comparison) -> Iterator[str]:
    a, b = names_of(result)
    said = {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are {_SAME}",
    }.get(result.verdict, f"Undecided between {a} and {b}")
    one, other = two_values(result)
    less = "" if result.higher_is_better else " (less is better)"
    limits = f"{percent(result.interval.level)} interval {difference_limits(result)}"
    yield f"{said}: {measure_of(result)} {one} against {other}{less}, difference {difference(result)}, {limits}."
    if result.verdict == "undecided" and result.more_cases is None:
        why = "the difference is about as large as what counts as none"
        yield f"More cases like these would not decide: {why} ({rule(result)})."
    elif result.verdict == "undecided":
        often = f"would decide with {percent(result.assurance)} assurance, if the difference is what it looks like"
        yield f"About {counted(result.more_cases or 0, 'more labelled case')} {often}; {rule(result)}."
    better, same, worse = (sure(p, result.level) for p in (result.better, result.same, result.worse))
    yield f"P({a} better) {better}, P({_SAME}) {same}, P({b} better) {worse}; {taken(result.measure, result.margin)}."
    if result.outcomes is not None:
        both, only_a, only_b, neither = (count(v) for v in result.outcomes)
        yield f"Right: both in {both} cases, only {a} in {only_a}, only {b} in {only_b}, neither in {neither}."
    yield f"Compared on {_on_cases(result)}: {told_method(result.method)}."
    yield from _tested(result)
    if result.type_i_error is not None:
        yield f"{result.type_i_error.told}."
    elif result.pairs > 1 and not _over_folds(result):
        equals = "among equally good candidates some pair is called better or worse"
        wrong = percent(result.false_verdicts)
        yield f"The verdict is adjusted for {counted(result.pairs, 'pair')} (Holm): {equals} in up to {wrong} of rankings."
    elif not _over_folds(result):
        level, wrong, side = percent(result.level), percent(result.false_verdicts), percent(1 - result.level)
        yield f"At a level of {level} up to {wrong} of equally good pairs are called better or worse, {side} on each side."


def names_of(result: Comparison, longest: int = LONGEST) -> tuple[str, str]:
    """Return what the two are called, short, visible and different."""
    a, b = named(result.names, longest)
    return a, b


def measure_of(result: Comparison) -> str:
    """Return what is compared, with the class it speaks of."""
    return about(result.measure, result.of)


def two_values(result: Comparison) -> tuple[str, str]:
    """Return both values, with digits enough to tell them apart if they differ."""
    width = result.interval.high - result.interval.low
    one, other = result.values
    while True:
        words = writer(result.measure, width)
        shown = words(one), words(other)
        if shown[0] != shown[1] or one == other or not is_share(result.measure) or width < 10.0 ** -(MOST_DECIMALS + 2):
            return shown
        width = (width if width > 0 else 0.1) / 10


def difference(result: Comparison) -> str:
    """Return the observed difference with its sign and unit."""
    shown = amount(result.measure, result.difference, result.interval.high - result.interval.low)
    return f"{signed(shown, result.difference)}{unit(result.measure)}"


def difference_limits(result: Comparison) -> str:
    """Return the interval of the difference."""
    ends = result.interval.low, result.interval.high
    low, high = (amount(result.measure, v, ends[1] - ends[0]) for v in ends)
    return f"{low} to {high}{unit(result.measure)}"


def rule(result: Comparison | Ranking) -> str:
    """Return margin and level, by which it is decided."""
    return f"equivalence margin (ROPE) {result.margin:.4g}, level {percent(result.level)}"


def _over_folds(result: Comparison) -> bool:
    """Say whether two learners were compared over folds."""
    return result.outcomes is None and any(words in result.method for words in FOLDS)


def _on_cases(result: Comparison) -> str:
    """Return what the comparison rests on."""
    cases = counted(result.cases, "case")
    if _over_folds(result):
        return f"the same folds of {cases}"
    return f"{cases}, the same for both" if result.paired else f"{cases}, different ones for each"


def _tested(result: Comparison) -> Iterator[str]:
    """Yield the p-value of no difference, and whose it is."""
    p = result.p_value
    if p is None:
        return
    if math.isnan(p):
        yield f"Test of no difference at all: p undefined{f', as {p.reason}' if isinstance(p, Undefined) else ''}."
        return
    over = "corrected resampled t test" if "correlated t test" in result.method.partition(";")[0] else ""
    by = _MID_P if result.method.startswith("paired Dirichlet") else over  # where the method is not the test itself
    yield f"Test of no difference at all: p {probability(p, digits=3)}{f' ({by})' if by else ''}."


def numbers(result: Comparison) -> Table:
    """Return both values, their difference with its interval, and the three numbers."""
    a, b = names_of(result, 80)
    one, other = two_values(result)
    each = (sure(p, result.level).removeprefix("= ") for p in (result.better, result.same, result.worse))
    chances = zip((f"P({a} better)", f"P({_SAME})", f"P({b} better)"), each, strict=True)
    title = measure_of(result)
    title = title[0].upper() + title[1:]
    rows: list[Row] = [(f"{title}, {a}", one), (f"{title}, {b}", other), (f"Difference, {a} minus {b}", difference(result))]
    rows.append((f"{percent(result.interval.level)} interval of the difference", difference_limits(result)))
    rows += chances
    if result.p_value is not None:
        p = result.p_value
        rows.append(("p of no difference", "undefined" if math.isnan(p) else probability(p, 3).removeprefix("= ")))
    return Table("Numbers", ("Number", "Value"), tuple(rows), "ll")


def outcomes(result: Comparison) -> Table:
    """Return how many cases both got right, one of them, or neither."""
    values: Sequence[float] = result.outcomes or (0.0,) * 4
    a, b = names_of(result, 80)
    both, only_a, only_b, neither = values
    rows = (
        (f"{a} right", *(count(v) for v in (both, only_a, both + only_a))),
        (f"{a} wrong", *(count(v) for v in (only_b, neither, only_b + neither))),
        ("All", *(count(v) for v in (both + only_b, only_a + neither, sum(values)))),
    )
    return Table("Cases that both, one or neither got right", ("", f"{b} right", f"{b} wrong", "All"), rows, "lrrr")


def _page(result: Comparison, told: tuple[str, ...], key: Table) -> Iterator[Section]:
    a, b = names_of(result, 60)
    which = "the same for both" if result.paired else "different ones for each"
    lead = f"{counted(result.cases, 'case')} · {which} · {measure_of(result)}"
    yield Section("verdict", "verdict", f"{a} against {b}", lead, told, tuple(_cards(result)))
    yield from caveats(result.findings, LONGEST_TEXT)
    a, b = names_of(result, 24)
    lead = f"Posterior distribution of {a} minus {b}; {taken(result.measure, result.margin)}."
    title, drawn = "Which is better, and how sure are we?", difference_picture(result)
    yield Section("figure", "difference", title, lead, figure=drawn, theme="better")
    if result.outcomes is not None and sum(result.outcomes) > 0:
        lead, bars = "How many cases both got right, only one of them, or neither.", outcome_bars(result)
        yield Section("figure", "outcomes", "Who is right where?", lead, tables=(outcomes(result),), figure=bars, theme="better")
    yield Section("facts", "numbers", "The numbers", tables=(key,), theme="better", narrow=True)
    yield Section("facts", "terms", "What was asked", tables=(_terms(result),), theme="better", narrow=True)
    yield methods_section(*_methods(result))


def _cards(result: Comparison) -> Iterator[Card]:
    (a, b), (one, other) = names_of(result, 24), two_values(result)
    yield Card(a, one, measure_of(result))
    yield Card(b, other, measure_of(result))
    yield Card("Difference", difference(result), f"{percent(result.level)}: {difference_limits(result)}")
    chances = {f"{a} better": result.better, "Practically the same": result.same, f"{b} better": result.worse}
    name = max(chances, key=lambda key: chances[key])
    yield Card(name, sure(chances[name], result.level).removeprefix("= "), "most probable of the three")


def _terms(result: Comparison) -> Table:
    measure = find(result.measure)
    each = {
        "Measure": f"{measure_of(result)}: {measure.formula} ({measure.direction})",
        "Counts as none": f"differences up to {margin_of(result.measure, result.margin)}, the equivalence margin (ROPE)",
        "Probable enough": f"{percent(result.level)} or more (level)",
        "Often enough": f"{percent(result.assurance)} of test sets (assurance), where more cases are counted",
        "Compared on": _on_cases(result),
        "Method": told_method(result.method),
    }
    if result.type_i_error is not None:
        each["Known error"] = result.type_i_error.told
    return Table("Terms", ("Fact", "Value"), tuple((name, safe(text, LONGEST_TEXT)) for name, text in each.items()), "ll")


def _methods(result: Comparison) -> Iterator[str]:
    yield _ASKED
    if _over_folds(result):
        yield _FOLDED
    for name, told in _WAYS.items():
        if result.method.startswith(name) or f"by the {name}" in result.method:
            yield told
    if result.p_value is not None and result.outcomes is not None:
        yield (
            "McNemar's test counts the cases that only one got right; its mid-P form is closest to what it promises "
            "(Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91)."
        )
    if result.type_i_error is not None:
        yield _WOLF if _over_folds(result) or "McNemar" in result.method else _EQUALS
    if result.more_cases is not None:
        yield (
            f"How many more cases would decide is counted with {percent(result.assurance)} assurance: if the difference is what "
            "it looks like, test sets of so many cases in all bring its verdict that often."
        )
