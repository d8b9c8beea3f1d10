"""What a gate and a sample size say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from adjudge._base.levels import share
from adjudge._base.text import counted, safe
from adjudge.describe.description import caveats, document, methods_section, noted
from adjudge.describe.document import Card, Document, Section, Table, base_name, without_empty_columns
from adjudge.describe.values import percent, probability, spoken
from adjudge.judgements.gate import Gate, JudgedRule, State
from adjudge.judgements.sample_size import SampleSize
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture
from adjudge.plots.labels import NOTHING, count, loss, number
from adjudge.plots.quantities import METHODS
from adjudge.plots.sample_size import drawn_rules, gate_forest, sample_size_picture

_MOST_DECIMALS = 6
_SAID = {"passes": "The gate passes", "fails": "The gate fails", "inconclusive": "The gate is inconclusive"}
_COUNTED: dict[State, str] = {"passes": "passed", "fails": "failed", "inconclusive": "inconclusive"}


# -- gates ---------------------------------------------------------------------------------------------------


@document.register
def _(result: Gate, *, whole: bool) -> Document:
    """Tell rule by rule; the verdict comes last, where a log ends."""
    states, of = Counter(rule.state for rule in result.rules), counted(len(result.rules), "rule")
    counts = ", ".join(f"{states[state]} {word}" for state, word in _COUNTED.items() if states[state])
    verdict, every = f"{_SAID[result.state]}: of {of} {counts}.", rules(result)
    closing = [verdict]
    if any(rule.more_cases is not None for rule in result.rules):
        margin = "" if result.comparison is None else f"equivalence margin (ROPE) {result.comparison.margin:.4g}, "
        often = "Assurance is how often that many cases in all decide, if the value is what it looks like"
        closing.insert(0, f"{often}; {margin}level {percent(result.level)}.")
    page: list[Section] = []
    if whole:
        lead = f"{base_name(result.name)} · {counted(result.cases, 'case')} · sure at {percent(result.level)}"
        cards = tuple(Card(word.capitalize(), str(states[state]), f"of {of}") for state, word in _COUNTED.items())
        page += [Section("verdict", "verdict", "Does it pass?", lead, (verdict,), cards), *caveats(result.findings)]
        if drawn_rules(result):
            about = "How far each measure is beyond its bound: a rule passes where its whole line lies to the right of it. "
            about += "Discs pass, diamonds fail, rings are inconclusive."
            page.append(Section("figure", "gate", "How near to the bounds?", about, figure=gate_forest(result), theme="sure"))
        page.append(Section("table", "rules", "Rule by rule", tables=(every,), theme="sure"))
        if result.comparison is not None:
            drawing = difference_picture(result.comparison)
            page.append(Section("figure", "difference", "Against what came before", figure=drawing, theme="sure"))
        page.append(methods_section(*_methods(result)))
    lines = tuple(line(rule) for rule in result.rules)
    return Document((), findings=result.findings, lines=lines, closing=tuple(closing), key=every, sections=tuple(page))


@document.register
def _(result: JudgedRule, **_: bool) -> Document:
    return noted(f"{result.state.capitalize()}: {line(result).removeprefix(result.state).lstrip()}")


def line(rule: JudgedRule) -> str:
    """Return a rule on one line: what is said of it, what was seen, the limits that say so."""
    if rule.reason is not None:
        return f"{rule.state:<12}  {rule.rule}: {safe(rule.reason, 300)}"
    likely = "" if rule.probability is None else f"; P(holds) {probability(rule.probability)}"
    value = _written(rule, rule.value)
    seen = f"{value} seen" if rule.against is None else f"difference {value}"
    more = ""
    if rule.state == "inconclusive" and rule.more_cases is None:
        more = f"; more cases like these would not decide{', as it is at the bound' if rule.value == rule.bound else ''}"
    elif rule.state == "inconclusive":
        more = f"; about {rule.more_cases:,} more cases would decide with {percent(rule.assurance)} assurance"
    return f"{rule.state:<12}  {rule.rule}: {seen}, {_limits(rule)}{likely}{more}"


def _limits(rule: JudgedRule) -> str:
    """Return the limit that decides; both where none does."""
    low, high = f"at least {_written(rule, rule.low)}", f"at most {_written(rule, rule.high)}"
    if rule.state == "inconclusive":
        return f"{low} and {high} ({percent(rule.level)} each)"
    upward = rule.operator.startswith(">")
    return f"{low if upward == (rule.state == 'passes') else high} ({percent(rule.level)})"


def _written(rule: JudgedRule, value: float) -> str:
    """Return a value with so many digits that it is not taken for the bound it is compared with."""
    if math.isinf(find(rule.measure).high):
        return loss(value)
    decimals = 3
    while decimals < _MOST_DECIMALS and value != rule.bound and round(value, decimals) == round(rule.bound, decimals):
        decimals += 1
    return number(value, decimals)


def rules(result: Gate) -> Table:
    """Return one row per rule."""
    rows = tuple(
        (
            safe(rule.rule),
            rule.state,
            _written(rule, rule.value),
            *((NOTHING, NOTHING) if rule.reason else (_written(rule, rule.low), _written(rule, rule.high))),
            NOTHING if rule.probability is None else probability(rule.probability).removeprefix("= "),
            NOTHING if rule.more_cases is None else count(rule.more_cases),
            safe(rule.reason, 200) if rule.reason else (METHODS | {"none": NOTHING}).get(rule.method, rule.method),
        )
        for rule in result.rules
    )
    level = percent(result.level)
    header = ("Rule", "Verdict", "Seen", f"At least ({level})", f"At most ({level})", "P(holds)", "More cases", "By")
    return without_empty_columns(Table("Rules", header, rows, "nnrrrrrn"))


def _methods(result: Gate) -> Iterator[str]:
    level, rest = percent(result.level), percent(1 - result.level)
    yield (
        f"A rule passes where the limit that the truth is beyond with {level} clears its bound and, where the posterior is "
        f"exact, it holds with a probability of at least {level}; it fails where both say so of the opposite."
    )
    yield (
        "Limits of shares are exact: at the bound itself a rule about one passes in at most "
        f"{rest} of all samples. Means over classes put exact limits together (Zou and Donner 2008, Stat. Med. 27:1693-1702)."
    )
    yield (
        "All rules must pass, which needs no correction for their number: whatever is let through wrongly has passed at least "
        "one rule wrongly (Berger 1982, Technometrics 24:295-300). A wrong failure becomes more likely with every rule."
    )
    if any(rule.method.endswith("mid-P") for rule in result.rules):
        yield f"Above chance is judged by a permutation test: it passes where p is at most {rest}, and fails at {level} or more."
    yield (
        f"More cases are counted with {percent(result.assurance)} assurance: if the truth is what was seen, test sets of so many "
        "cases in all decide that often. Of shares this is exact, of other measures as limits narrow with more cases."
    )
    if result.comparison is not None:
        how = result.comparison.method
        yield f"The comparison asks how probable it is that the new one is not worse by more than allowed: {how}."


# -- plans ---------------------------------------------------------------------------------------------------


@document.register
def _(result: SampleSize, *, whole: bool) -> Document:
    told, table = tuple(_answer(result)), numbers(result)
    page: tuple[Section, ...] = ()
    if whole:
        cards = [Card("Cases", count(result.total), "in all")]
        cards += [] if result.cases == result.total else [Card("Of these", count(result.cases), _side(result))]
        drawn = sample_size_picture(result)
        page = (
            Section("verdict", "verdict", "How many cases?", _goal(result), told, tuple(cards)),
            *caveats(result.findings),
            Section("figure", "needed", "What more cases would give", figure=drawn, tables=(table,), theme="sure"),
            methods_section(f"By {result.method}."),
        )
    return Document(told, (table,), result.findings, key=table, sections=page)


def _goal(result: SampleSize) -> str:
    name, target = spoken(result.measure), f"{result.target:.4g}"
    if result.goal == "half-width":
        return f"for {percent(result.level)} limits of the {name} within ± {target}, on average"
    often = "" if result.assurance is None else f" with {percent(result.assurance)} assurance"
    if result.goal == "above":
        return f"for a gate to pass, sure at {percent(result.level)}, that the {name} is above {target}{often}"
    if result.goal == "difference":
        return f"for compare to find the better of two{often}, if they differ by {target} in {name}; {_rule(result)}"
    apart = "equal" if result.target == 0 else f"apart by {target}"
    return f"for compare to find two practically the same{often}, if they are {apart} in {name}; {_rule(result)}"


def _rule(result: SampleSize) -> str:
    """Return what the comparison is planned with."""
    return f"equivalence margin (ROPE) {result.margin:.4g}, level {percent(result.level)}"


def _answer(result: SampleSize) -> Iterator[str]:
    cases = counted(result.cases, "case")
    some = cases if result.cases == result.total else f"{cases} {_side(result)}, {count(result.total)} in all,"
    yield f"{some} {_goal(result)}."
    yield f"Assumed: {'; '.join(result.assumes)}."
    if result.assurance is not None:
        yield "Assurance is how often a test set of that size brings the verdict, if what is assumed is so."
    if result.plausible is not None:
        low, high = result.plausible
        ends = f"were the truth at the ends of its {percent(result.level)} interval"
        if low is None or high is None:
            most = "no number would do" if low is None else f"{count(low)} in all might do, or no number at all"
            yield f"The pilot leaves room: {most}, {ends}."
        else:
            yield f"The pilot leaves room: {count(low)} to {count(high)} in all, {ends}."
    yield f"By {result.method}."


def _side(result: SampleSize) -> str:
    return "of the class" if result.goal in ("half-width", "above") else "on either side"


def numbers(result: SampleSize) -> Table:
    """Return what half as many and twice as many cases would give."""
    often = result.assurance is not None
    rows = tuple((count(n), share(v) if often else f"± {number(v, 4)}") for n, v in result.table)
    return Table("Cases and what they give", ("Cases", "Assurance" if often else "Half width"), rows, "rr")
