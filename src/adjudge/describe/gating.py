"""What a gate and a plan of cases say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from adjudge._base.levels import share
from adjudge._base.text import counted, safe
from adjudge.describe.document import Card, Section, Table, without_empty_columns
from adjudge.describe.learners import spoken
from adjudge.describe.sections import base_name, sections
from adjudge.describe.values import percent, probability
from adjudge.describe.verdicts import verdict
from adjudge.judgements.gate import Gate, JudgedRule, State
from adjudge.judgements.sample_size import SampleSize
from adjudge.metrics.catalogue import find
from adjudge.plots.differences import difference_picture
from adjudge.plots.labels import NOTHING, count, loss, number
from adjudge.plots.quantities import METHODS
from adjudge.plots.sample_size import drawn_rules, gate_forest, sample_size_picture

_MOST_DECIMALS = 6
_SAID = {"passes": "The gate passes", "fails": "The gate fails", "inconclusive": "The gate is inconclusive"}


# -- gates ---------------------------------------------------------------------------------------------------


@verdict.register
def _(result: Gate) -> tuple[str, ...]:
    states = Counter(rule.state for rule in result.rules)
    told = ", ".join(f"{states[state]} {word}" for state, word in _COUNTED.items() if states[state])
    return (f"{_SAID[result.state]}: of {counted(len(result.rules), 'rule')} {told}.",)


_COUNTED: dict[State, str] = {"passes": "passed", "fails": "failed", "inconclusive": "inconclusive"}


def terms(result: Gate) -> Iterator[str]:
    """Yield by what it was decided, where something is left to decide."""
    if all(rule.more_cases is None for rule in result.rules):
        return
    margin = "" if result.comparison is None else f"equivalence margin (ROPE) {result.comparison.margin:.4g}, "
    often = "Assurance is how often that many cases in all decide, if the value is what it looks like"
    yield f"{often}; {margin}level {percent(result.level)}."


@sections.register
def _(result: Gate) -> tuple[Section, ...]:
    lead = f"{base_name(result.name)} · {counted(result.cases, 'case')} · sure at {percent(result.level)}"
    found = [Section("verdict", "verdict", "Does it pass?", lead, verdict(result), tuple(_cards(result)))]
    if result.findings:
        found.append(Section("findings", "findings", "Caveats", findings=result.findings))
    if drawn_rules(result):
        about = "How far each measure is beyond its bound: a rule passes where its whole line lies to the right of it. "
        about += "Discs pass, diamonds fail, rings are inconclusive."
        found.append(Section("figure", "gate", "How near to the bounds?", about, figure=gate_forest(result), theme="sure"))
    found.append(Section("table", "rules", "Rule by rule", tables=(rules(result),), theme="sure"))
    if result.comparison is not None:
        drawing = difference_picture(result.comparison)
        found.append(Section("figure", "difference", "Against what came before", figure=drawing, theme="sure"))
    found.append(Section("methods", "methods", "Methods", sentences=tuple(_methods(result)), theme="methods"))
    return tuple(found)


def line(rule: JudgedRule) -> str:
    """Return a rule on one line: what is said of it, what was seen, the limits that say so."""
    if rule.reason is not None:
        return f"{rule.state:<12}  {rule.rule}: {safe(rule.reason, 300)}"
    likely = "" if rule.probability is None else f"; P(holds) {probability(rule.probability)}"
    return f"{rule.state:<12}  {rule.rule}: {_seen(rule)}, {_limits(rule)}{likely}{_more(rule)}"


def _more(rule: JudgedRule) -> str:
    """Say how many more cases would decide, and how often."""
    if rule.state != "inconclusive":
        return ""
    if rule.more_cases is None:
        return f"; more cases like these would not decide{', as it is at the bound' if rule.value == rule.bound else ''}"
    return f"; about {rule.more_cases:,} more cases would decide with {percent(rule.assurance)} assurance"


def _seen(rule: JudgedRule) -> str:
    value = _written(rule, rule.value)
    return f"{value} seen" if rule.against is None else f"difference {value}"


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


def _cards(result: Gate) -> Iterator[Card]:
    states = Counter(rule.state for rule in result.rules)
    for state, word in _COUNTED.items():
        yield Card(word.capitalize(), str(states[state]), f"of {counted(len(result.rules), 'rule')}")


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


@verdict.register
def _(result: SampleSize) -> tuple[str, ...]:
    return tuple(_answer(result))


@sections.register
def _(result: SampleSize) -> tuple[Section, ...]:
    cards = [Card("Cases", count(result.total), "in all")]
    if result.cases != result.total:
        cards.append(
            Card("Of these", count(result.cases), "of the class" if result.goal in ("half-width", "above") else "on either side")
        )
    found = [Section("verdict", "verdict", "How many cases?", _goal(result), tuple(_answer(result)), tuple(cards))]
    if result.findings:
        found.append(Section("findings", "findings", "Caveats", findings=result.findings))
    drawn = sample_size_picture(result)
    found.append(Section("figure", "needed", "What more cases would give", figure=drawn, tables=(numbers(result),), theme="sure"))
    told = f"By {result.method}."
    found.append(Section("methods", "methods", "Methods", sentences=(told,), theme="methods"))
    return tuple(found)


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
    yield f"{_cases(result)} {_goal(result)}."
    yield f"Assumed: {'; '.join(result.assumes)}."
    if result.assurance is not None:
        yield "Assurance is how often a test set of that size brings the verdict, if what is assumed is so."
    if result.plausible is not None:
        yield _room(result, *result.plausible)
    yield f"By {result.method}."


def _room(result: SampleSize, low: int | None, high: int | None) -> str:
    """Say what the answer would be at the ends of what the pilot allows to believe."""
    ends = f"were the truth at the ends of its {percent(result.level)} interval"
    if low is None or high is None:
        most = "no number would do" if low is None else f"{count(low)} in all might do, or no number at all"
        return f"The pilot leaves room: {most}, {ends}."
    return f"The pilot leaves room: {count(low)} to {count(high)} in all, {ends}."


def _cases(result: SampleSize) -> str:
    if result.cases == result.total:
        return counted(result.cases, "case")
    return f"{counted(result.cases, 'case')} {_side(result)}, {count(result.total)} in all,"


def _side(result: SampleSize) -> str:
    return "of the class" if result.goal in ("half-width", "above") else "on either side"


def numbers(result: SampleSize) -> Table:
    """Return what half as many and twice as many cases would give."""
    often = result.assurance is not None
    rows = tuple((count(n), share(v) if often else f"± {number(v, 4)}") for n, v in result.table)
    return Table("Cases and what they give", ("Cases", "Assurance" if often else "Half width"), rows, "rr")
