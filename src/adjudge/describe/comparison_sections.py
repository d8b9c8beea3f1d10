"""The pages of a comparison and of a ranking, and of either with the evaluations behind it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from adjudge._base.findings import Finding
from adjudge._base.text import counted, safe
from adjudge.describe.comparisons import (
    difference,
    difference_limits,
    margin_of,
    measure_of,
    names_of,
    numbers,
    on_cases,
    outcomes,
    over_folds,
    sure,
    taken,
    told_method,
    two_values,
)
from adjudge.describe.document import Card, Section, Table
from adjudge.describe.rankings import pairs, ranks, words_for, wrong_anywhere
from adjudge.describe.sections import sections
from adjudge.describe.values import percent, probability
from adjudge.describe.verdicts import verdict
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ranking import Ranking
from adjudge.judgements.report import Report
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture
from adjudge.plots.labels import named
from adjudge.plots.outcomes import outcome_bars
from adjudge.plots.rankings import ranking_forest

_LONGEST_TEXT = 1000
_BEFORE = "Caveats"
_HOW = "Methods"
_MOST_CARDS = 5


@sections.register
def _(result: Comparison) -> tuple[Section, ...]:
    return tuple(_of_two(result))


@sections.register
def _(result: Ranking) -> tuple[Section, ...]:
    return tuple(_of_many(result))


@sections.register
def _(result: Report) -> tuple[Section, ...]:
    if result.comparison is None:
        return sections(result.evaluation if result.learner is None else result.learner)
    return (*sections(result.comparison), *(_part(result, i) for i in range(len(result.evaluations))))


@verdict.register
def _(result: Report) -> tuple[str, ...]:
    if result.comparison is None:
        return verdict(result.evaluation if result.learner is None else result.learner)
    return (*verdict(result.comparison), *lines(result))


def lines(result: Report) -> Iterator[str]:
    """Yield one line for each set: what its own verdict begins with."""
    for name, found in zip(named(result.names), result.evaluations, strict=True):
        first = verdict(found)[0]
        yield f"{name}: {first if first[1].isupper() else first[0].lower() + first[1:]}"


def _part(result: Report, at: int) -> Section:
    """Return a set's own evaluation; all but the first are folded, and anchors bear its number."""
    own = sections(result.evaluations[at])
    inner = tuple(replace(part, name=f"{part.name}-{at + 1}") for part in own[1:])
    title = named(result.names)[at]
    return replace(own[0], kind="part", name=f"part-{at + 1}", title=title, inner=inner, folded=at > 0)


# -- two -----------------------------------------------------------------------------------------------------


def _of_two(result: Comparison) -> Iterator[Section]:
    a, b = names_of(result, 60)
    which = "the same for both" if result.paired else "different ones for each"
    lead = f"{counted(result.cases, 'case')} · {which} · {measure_of(result)}"
    yield Section("verdict", "verdict", f"{a} against {b}", lead, verdict(result), tuple(_cards(result)))
    yield from _found(result.findings)
    yield _difference(result)
    if result.outcomes is not None and sum(result.outcomes) > 0:
        lead = "How many cases both got right, only one of them, or neither."
        bars = outcome_bars(result)
        yield Section("figure", "outcomes", "Who is right where?", lead, tables=(outcomes(result),), figure=bars, theme="better")
    yield Section("facts", "numbers", "The numbers", tables=(numbers(result),), theme="better", narrow=True)
    yield Section("facts", "terms", "What was asked", tables=(_terms(result),), theme="better", narrow=True)
    yield Section("methods", "methods", _HOW, sentences=tuple(_methods(result)), theme="methods")


def _difference(result: Comparison) -> Section:
    a, b = names_of(result, 24)
    lead = f"Posterior distribution of {a} minus {b}; {taken(result.measure, result.margin)}."
    title = "Which is better, and how sure are we?"
    return Section("figure", "difference", title, lead, figure=difference_picture(result), theme="better")


def _found(findings: tuple[Finding, ...]) -> Iterator[Section]:
    if findings:
        shown = tuple(replace(finding, message=safe(finding.message, _LONGEST_TEXT)) for finding in findings)
        yield Section("findings", "findings", _BEFORE, findings=shown)


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
        "Compared on": on_cases(result),
        "Method": told_method(result.method),
    }
    if result.type_i_error is not None:
        each["Known error"] = result.type_i_error.told
    return Table("Terms", ("Fact", "Value"), tuple((name, safe(text, _LONGEST_TEXT)) for name, text in each.items()), "ll")


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


def _methods(result: Comparison) -> Iterator[str]:
    yield _ASKED
    if over_folds(result):
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
        yield _WOLF if over_folds(result) or "McNemar" in result.method else _EQUALS
    if result.more_cases is not None:
        yield (
            f"How many more cases would decide is counted with {percent(result.assurance)} assurance: if the difference is what "
            "it looks like, test sets of so many cases in all bring its verdict that often."
        )


# -- many ----------------------------------------------------------------------------------------------------


def _of_many(result: Ranking) -> Iterator[Section]:
    m = len(result.rows)
    lead = f"{counted(result.cases, 'case')} · {m:,} candidates · {counted(len(result.comparisons), 'pair')}"
    title = f"Which of {m:,} is the best?"
    yield Section("verdict", "verdict", title, lead, verdict(result), tuple(_rank_cards(result)))
    yield from _found(result.findings)
    drawn = "Limits hold for all together; lines join indistinguishable candidates."
    yield Section("figure", "ranking", "From best to worst", drawn, figure=ranking_forest(result), theme="better")
    lead = "Within a group no candidate is called better than another. P(best) is the probability of being the best of all."
    yield Section("table", "ranks", "The ranks", lead, tables=(ranks(result),), theme="better")
    lead = f"{taken(result.measure, result.margin).capitalize()}. Verdicts are adjusted for the number of pairs; P(...) are not."
    yield Section("table", "pairs", "Pair by pair", lead, tables=(pairs(result),), theme="better")
    yield Section("methods", "methods", _HOW, sentences=tuple(_rank_methods(result)), theme="methods")


def _rank_cards(result: Ranking) -> Iterator[Card]:
    words = words_for(result)
    for row, name in zip(result.rows[:_MOST_CARDS], named([row.name for row in result.rows], 24), strict=False):
        yield Card(f"{row.rank}. {name}", words(row.value), f"P(best) {probability(row.p_best)}")


def _rank_methods(result: Ranking) -> Iterator[str]:
    yield (
        f"Every two candidates are compared: {result.method}. The probabilities that verdicts are wrong are adjusted for their "
        "number (Holm 1979, Scand. J. Stat. 6:65-70). Adjusted p-values ask for any difference at all; no verdict rests on them."
    )
    yield from wrong_anywhere(result)
    yield "P(best) comes from draws of all values jointly, so that candidates that err on the same cases are compared as such."
    yield (
        "The best of many owes part of its value to luck. Here a winner is chosen on one half of the cases and judged on "
        "the other, again and again (Tsamardinos et al. 2018, Mach. Learn. 107:1895-1922)."
    )
