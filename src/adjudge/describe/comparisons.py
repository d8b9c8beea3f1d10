"""What a comparison of two says: sentences and tables, for the prompt and for the page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from adjudge._base.text import counted, quoted
from adjudge._base.undefined import Undefined
from adjudge.describe.document import Row, Table
from adjudge.describe.learners import spoken
from adjudge.describe.values import percent, probability
from adjudge.describe.verdicts import verdict
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.decision import false_verdicts
from adjudge.judgements.ranking import Ranking
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import count, decimals_for, loss, named, number
from adjudge.plots.learners import writer
from adjudge.plots.quantities import MOST_DECIMALS, is_share

LONGEST = 40
"""Characters of a name within a sentence."""
_MOST_DIGITS = 6
_SAME = "practically the same"
FOLDS = ("correlated t", "resampled t", "paired t test", "5 x 2")
"""Words in the methods that compare learners over folds."""
_MID_P = "McNemar's test, mid-P"


@verdict.register
def _(result: Comparison) -> tuple[str, ...]:
    return tuple(_sentences(result))


def _sentences(result: Comparison) -> Iterator[str]:
    yield _verdict(result)
    if result.verdict == "undecided":
        yield more_cases(result)
    yield three(result)
    yield from _outcomes(result)
    yield f"Compared on {on_cases(result)}: {told_method(result.method)}."
    yield from tested(result)
    if result.type_i_error is not None:
        yield f"{result.type_i_error.told}."
    elif not over_folds(result):
        yield how_often_wrong(result)


def _verdict(result: Comparison) -> str:
    a, b = names_of(result)
    said = {
        "better": f"{a} is better than {b}",
        "worse": f"{a} is worse than {b}",
        "equivalent": f"{a} and {b} are {_SAME}",
    }.get(result.verdict, f"Undecided between {a} and {b}")
    one, other = two_values(result)
    less = "" if result.higher_is_better else " (less is better)"
    sure = f"{percent(result.interval.level)} interval {difference_limits(result)}"
    return f"{said}: {measure_of(result)} {one} against {other}{less}, difference {difference(result)}, {sure}."


def names_of(result: Comparison, longest: int = LONGEST) -> tuple[str, str]:
    """Return what the two are called, short, visible and different."""
    a, b = named(result.names, longest)
    return a, b


def measure_of(result: Comparison) -> str:
    """Return what is compared, with the class it speaks of."""
    return about(result.measure, result.of)


def about(measure: str, of: object) -> str:
    """Return a measure within a sentence, with the class it speaks of if one.

    >>> about("accuracy", None), about("f1", "sick")
    ('accuracy', "F1 of class 'sick'")
    """
    return spoken(measure) + ("" if of is None else f" of class {quoted(of)}")


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
    return f"{signed(_bare(result, result.difference), result.difference)}{unit(result.measure)}"


def difference_limits(result: Comparison) -> str:
    """Return the interval of the difference."""
    low, high = (_bare(result, v) for v in (result.interval.low, result.interval.high))
    return f"{low} to {high}{unit(result.measure)}"


def unit(measure: str) -> str:
    """Return what differences of a measure are counted in."""
    return " points" if is_share(measure) else ""


def _bare(result: Comparison, value: float) -> str:
    return amount(result.measure, value, result.interval.high - result.interval.low)


def amount(measure: str, value: float, width: float) -> str:
    """Return a difference of a measure as a number, with the digits that an interval `width` wide allows.

    >>> amount("accuracy", 0.0234, 0.034), amount("mcc", 0.0234, 0.034), amount("mae", 1234.5, 10.0)
    ('2.3', '0.023', '1,234')
    """
    if is_share(measure):
        return number(100 * value, decimals_for(width, most=MOST_DECIMALS), (0,))
    return loss(value) if math.isinf(find(measure).high) else number(value, 3, (0,))


def signed(shown: str, value: float) -> str:
    """Return a number with a plus where it is above 0."""
    return f"+{shown}" if value > 0 and shown[0].isdigit() else shown


def margin_of(measure: str, margin: float) -> str:
    """Return the largest difference that counts as none.

    >>> margin_of("accuracy", 0.01), margin_of("mcc", 0.01), margin_of("accuracy", 0.00025)
    ('1 point', '0.01', '0.025 points')
    """
    if not is_share(measure):
        return f"{margin:.4g}"
    points = f"{100 * margin:.4g}"
    return f"{points} point{'' if points == '1' else 's'}"


def taken(measure: str, margin: float) -> str:
    """Return what the region of practical equivalence means."""
    return (
        f"differences up to {margin_of(measure, margin)} count as none"
        if margin > 0
        else "every difference counts, however small"
    )


def three(result: Comparison) -> str:
    """Return the three numbers and the region they rest on."""
    a, b = names_of(result)
    better, same, worse = (sure(p, result.level) for p in (result.better, result.same, result.worse))
    return f"P({a} better) {better}, P({_SAME}) {same}, P({b} better) {worse}; {taken(result.measure, result.margin)}."


def sure(p: float, level: float) -> str:
    """Return a probability to two digits, or to more where two would put it on the wrong side of the level.

    >>> sure(0.826, 0.95), sure(0.9497, 0.95), sure(0.9999, 0.95)
    ('= 0.83', '= 0.9497', '> 0.99')
    """
    for digits in range(2, _MOST_DIGITS + 1):
        shown = probability(p, digits)
        if (float(shown[2:]) >= level) == (p >= level):
            return shown
    return probability(p, _MOST_DIGITS)


def more_cases(result: Comparison) -> str:
    """Return how many more cases would decide, how often, and by which rule."""
    if result.more_cases is None:
        return (
            f"More cases like these would not decide: the difference is about as large as what counts as none ({rule(result)})."
        )
    often = f"would decide with {percent(result.assurance)} assurance, if the difference is what it looks like"
    return f"About {counted(result.more_cases, 'more labelled case')} {often}; {rule(result)}."


def rule(result: Comparison | Ranking) -> str:
    """Return margin and level, by which it is decided."""
    return f"equivalence margin (ROPE) {result.margin:.4g}, level {percent(result.level)}"


def how_often_wrong(result: Comparison) -> str:
    """Return how often equals are called better or worse; in a ranking any of them."""
    level, wrong, side = percent(result.level), percent(false_verdicts(result.level)), percent(1 - result.level)
    if result.pairs > 1:
        equals = "among equally good candidates some pair is called better or worse"
        return f"The verdict is adjusted for {counted(result.pairs, 'pair')} (Holm): {equals} in up to {wrong} of rankings."
    return f"At a level of {level} up to {wrong} of equally good pairs are called better or worse, {side} on each side."


def over_folds(result: Comparison) -> bool:
    """Say whether two learners were compared over folds."""
    return result.outcomes is None and any(words in result.method for words in FOLDS)


def on_cases(result: Comparison) -> str:
    """Return what the comparison rests on."""
    cases = counted(result.cases, "case")
    if over_folds(result):
        return f"the same folds of {cases}"
    return f"{cases}, the same for both" if result.paired else f"{cases}, different ones for each"


def told_method(method: str) -> str:
    """Return how it was compared, with the paper behind it where the method does not name it itself."""
    papers = {
        "paired Dirichlet posterior": "Altham 1971, Biometrika 58:561-576",
        "paired Bayesian bootstrap": "Rubin 1981, Ann. Stat. 9:130-134",
        "DeLong": "DeLong et al. 1988, Biometrics 44:837-845",
    }
    paper = next((paper for name, paper in papers.items() if method.startswith(name)), None)
    return method if paper is None else f"{method} ({paper})"


def tested(result: Comparison) -> Iterator[str]:
    """Yield the p-value of no difference, and whose it is."""
    p = result.p_value
    if p is None:
        return
    if math.isnan(p):
        yield f"Test of no difference at all: p undefined{f', as {p.reason}' if isinstance(p, Undefined) else ''}."
        return
    by = _MID_P if result.method.startswith("paired Dirichlet") else _tests(result.method)
    yield f"Test of no difference at all: p {probability(p, digits=3)}{f' ({by})' if by else ''}."


def _tests(method: str) -> str:
    """Return the test behind a p-value, where the method is not the test itself."""
    return "corrected resampled t test" if "correlated t test" in method.partition(";")[0] else ""


def _outcomes(result: Comparison) -> Iterator[str]:
    if result.outcomes is None:
        return
    both, only_a, only_b, neither = (count(v) for v in result.outcomes)
    a, b = names_of(result)
    yield f"Right: both in {both} cases, only {a} in {only_a}, only {b} in {only_b}, neither in {neither}."


# -- tables ----------------------------------------------------------------------------------------------------


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
