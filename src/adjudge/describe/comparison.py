"""What a comparison of two says: sentences, tables and the page."""

from __future__ import annotations

import math
from collections.abc import Iterator

from adjudge._base.text import counted, probable, safe
from adjudge._base.undefined import Undefined
from adjudge.describe.description import LONGEST_TEXT, document, methods_section, opening
from adjudge.describe.document import Card, Document, Row, Section, Table, fact_table
from adjudge.describe.values import about, amount, margin_of, percent, taken, three, told_method, unit
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.sample_size import SampleSize
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture, outcome_bars
from adjudge.plots.labels import count, named, probability
from adjudge.plots.quantities import MOST_DECIMALS, is_share, writer

LONGEST = 40
"""Characters of a name within a sentence."""
_SAME = "practically the same"
FOLDS = ("correlated t", "resampled t", "paired t test", "5 x 2")
"""Words in the methods that compare learners over folds."""
_METHODS = {
    "asked": "Three answers are possible, each with its probability: one is better, the other is, or the difference is too "
    "small to matter. A verdict is given where one of them is probable enough; otherwise it is undecided, whatever a p-value "
    "says.",
    "folds": "Folds share the cases they learn from, so their differences agree more than independent ones would. The variance "
    "of their mean is raised from 1/k to 1/k + n2/n1, the ratio of cases tested to cases learnt from (Nadeau and Bengio 2003, "
    "Mach. Learn. 52:239-281); the posterior of the difference is Student's t (Corani and Benavoli 2015, Mach. Learn. "
    "100:285-304).",
    "mcnemar": "McNemar's test counts the cases that only one got right; its mid-P form is closest to what it promises "
    "(Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91).",
    "assured": "How many more cases would decide is counted with {} assurance: if the difference is what it looks like, test "
    "sets of so many cases in all bring its verdict that often.",
    "learners": "How often a method finds a difference where there is none was measured on learners that are equally good by "
    "construction, in 15 settings. Tests that do so in more than 30% are refused.",
    "equals": "How often a method calls one of two equally good classifiers better was measured on simulated pairs, in 36 "
    "settings. With a level of 95% that may happen in 10% of pairs: in 5% for either of the two.",
}
"""How a comparison is made, beside the way itself."""
_WAYS = {
    "paired Dirichlet posterior": "Outcomes of the same cases, both right, only one right, neither, have a Dirichlet posterior "
    "in every class, with one case's worth of each beforehand; the distribution of the difference is computed, not drawn "
    "(Altham 1971, Biometrika 58:561-576).",
    "paired Bayesian bootstrap": "The shares of all patterns of truth and decisions are drawn from their posterior, for both "
    "sets in one draw, and the measure is computed from each draw (Rubin 1981, Ann. Stat. 9:130-134). The draws are spread "
    "where they claim more than the permutation test that swaps the answers of both sets, case by case.",
    "paired t of the losses": "Losses of the same cases are subtracted case by case; the mean of the differences follows "
    "Student's t.",
    "DeLong": "The areas under both curves are means over pairs of cases; the variance of their difference knows that both "
    "curves come from the same cases (DeLong et al. 1988, Biometrics 44:837-845). The difference follows Student's t with "
    "Welch's degrees of freedom, spread where it claims more than the permutation test that swaps the ranks of both scores by "
    "case.",
    "independent": "The two sets judge different cases: what is believed of each is subtracted as that of independent numbers.",
}


@document.register
def _(result: Comparison, *, whole: bool) -> Document:
    told, key = tuple(sentences(result)), numbers(result)
    return Document(told, findings=result.findings, key=key, sections=tuple(_page(result, told, key)) if whole else ())


def sentences(result: Comparison) -> Iterator[str]:
    """Yield the verdict."""
    a, b = named(result.names, LONGEST)
    one, other = two_values(result)
    less = "" if result.higher_is_better else " (less is better)"
    limits = f"{percent(result.interval.level)} interval {difference_limits(result)}"
    measured = f"{about(result.measure, result.of)} {one} against {other}{less}, difference {difference(result)}, {limits}"
    yield f"{who_is_better(result, a, b)}: {measured}."
    if result.verdict == "undecided" and result.more_cases is None:
        why = "the difference is about as large as what counts as none"
        yield f"More cases like these would not decide: {why} ({rule(result)})."
    elif result.verdict == "undecided":
        often = f"would decide with {percent(result.assurance)} assurance, if the difference is what it looks like"
        yield f"About {counted(result.more_cases or 0, 'more labelled case')} {often}; {rule(result)}."
    better, same, worse = three(result, result.level, bare=False)
    yield f"P({a} better) {better}, P({_SAME}) {same}, P({b} better) {worse}; {taken(result.measure, result.margin)}."
    if result.outcomes is not None:
        both, only_a, only_b, neither = (count(v) for v in result.outcomes)
        yield f"Right: both in {both} cases, only {a} in {only_a}, only {b} in {only_b}, neither in {neither}."
    yield f"Compared on {_on_cases(result)}: {told_method(result.method)}."
    p = result.p_value
    if p is not None and math.isnan(p):
        yield f"Test of no difference at all: p undefined{f', as {p.reason}' if isinstance(p, Undefined) else ''}."
    elif p is not None:  # and whose it is, where the method is not the test itself
        over = " (corrected resampled t test)" if "correlated t test" in result.method.partition(";")[0] else ""
        by = " (McNemar's test, mid-P)" if result.method.startswith("paired Dirichlet") else over
        yield f"Test of no difference at all: p {probable(p, digits=3)}{by}."
    wrong = percent(result.false_verdicts)
    if result.type_i_error is not None:
        yield f"{result.type_i_error.told}."
    elif result.pairs > 1 and not _over_folds(result):
        equals = "among equally good candidates some pair is called better or worse"
        yield f"The verdict is adjusted for {counted(result.pairs, 'pair')} (Holm): {equals} in up to {wrong} of rankings."
    elif not _over_folds(result):
        level, side = percent(result.level), percent(1 - result.level)
        yield f"At a level of {level} up to {wrong} of equally good pairs are called better or worse, {side} on each side."


def who_is_better(result: Comparison, a: str, b: str) -> str:
    """Return the verdict on two, by their names."""
    return {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are {_SAME}",
    }.get(result.verdict, f"Undecided between {a} and {b}")


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
    plus = "+" if result.difference > 0 and shown[0].isdigit() else ""
    return f"{plus}{shown}{unit(result.measure)}"


def difference_limits(result: Comparison) -> str:
    """Return the interval of the difference."""
    ends = result.interval.low, result.interval.high
    low, high = (amount(result.measure, v, ends[1] - ends[0]) for v in ends)
    return f"{low} to {high}{unit(result.measure)}"


def rule(result: Comparison | Ranking | SampleSize) -> str:
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


def numbers(result: Comparison) -> Table:
    """Return both values, their difference with its interval, and the three numbers."""
    a, b = named(result.names, 80)
    one, other = two_values(result)
    title = about(result.measure, result.of)
    title = title[0].upper() + title[1:]
    rows: list[Row] = [(f"{title}, {a}", one), (f"{title}, {b}", other), (f"Difference, {a} minus {b}", difference(result))]
    rows.append((f"{percent(result.interval.level)} interval of the difference", difference_limits(result)))
    rows += zip((f"P({a} better)", f"P({_SAME})", f"P({b} better)"), three(result, result.level), strict=True)
    if result.p_value is not None:
        rows.append(("p of no difference", "undefined" if math.isnan(result.p_value) else probability(result.p_value, 3)))
    return Table("Numbers", ("Number", "Value"), tuple(rows), "ll")


def outcomes(result: Comparison) -> Table:
    """Return how many cases both got right, one of them, or neither."""
    a, b = named(result.names, 80)
    both, only_a, only_b, neither = values = result.outcomes or (0.0,) * 4
    rows = (
        (f"{a} right", *(count(v) for v in (both, only_a, both + only_a))),
        (f"{a} wrong", *(count(v) for v in (only_b, neither, only_b + neither))),
        ("All", *(count(v) for v in (both + only_b, only_a + neither, sum(values)))),
    )
    return Table("Cases that both, one or neither got right", ("", f"{b} right", f"{b} wrong", "All"), rows)


def _page(result: Comparison, told: tuple[str, ...], key: Table) -> Iterator[Section]:
    a, b = named(result.names, 60)
    which, of = "the same for both" if result.paired else "different ones for each", about(result.measure, result.of)
    (first, second), (one, other), level = named(result.names, 24), two_values(result), percent(result.level)
    chances = (f"{first} better", "Practically the same", f"{second} better")
    likely = max(range(3), key=(result.better, result.same, result.worse).__getitem__)
    cards = (
        Card(first, one, of),
        Card(second, other, of),
        Card("Difference", difference(result), f"{level}: {difference_limits(result)}"),
        Card(chances[likely], three(result, result.level)[likely], "most probable of the three"),
    )
    lead = f"{counted(result.cases, 'case')} · {which} · {of}"
    yield from opening(f"{a} against {b}", lead, told, cards, result.findings)
    lead = f"Posterior distribution of {first} minus {second}; {taken(result.measure, result.margin)}."
    title, drawn = "Which is better, and how sure are we?", difference_picture(result)
    yield Section("figure", "difference", title, lead, figure=drawn, theme="better")
    if result.outcomes is not None and sum(result.outcomes) > 0:
        lead, bars = "How many cases both got right, only one of them, or neither.", outcome_bars(result)
        yield Section("figure", "outcomes", "Who is right where?", lead, tables=(outcomes(result),), figure=bars, theme="better")
    yield Section("facts", "numbers", "The numbers", tables=(key,), theme="better", narrow=True)
    measure = find(result.measure)
    terms = {
        "Measure": f"{of}: {measure.formula} ({measure.direction})",
        "Counts as none": f"differences up to {margin_of(result.measure, result.margin)}, the equivalence margin (ROPE)",
        "Probable enough": f"{level} or more (level)",
        "Often enough": f"{percent(result.assurance)} of test sets (assurance), where more cases are counted",
        "Compared on": _on_cases(result),
        "Method": told_method(result.method),
    } | ({} if result.type_i_error is None else {"Known error": result.type_i_error.told})
    asked = fact_table("Terms", {name: safe(text, LONGEST_TEXT) for name, text in terms.items()})
    yield Section("facts", "terms", "What was asked", tables=(asked,), theme="better", narrow=True)
    folded, used = _over_folds(result), result.method
    how = [_METHODS["asked"], *([_METHODS["folds"]] if folded else [])]
    how += [words for name, words in _WAYS.items() if used.startswith(name) or f"by the {name}" in used]
    how += [_METHODS["mcnemar"]] if result.p_value is not None and result.outcomes is not None else []
    how += [] if result.type_i_error is None else [_METHODS["learners"] if folded or "McNemar" in used else _METHODS["equals"]]
    how += [] if result.more_cases is None else [_METHODS["assured"].format(percent(result.assurance))]
    yield methods_section(*how)
