"""A gate: rules read from text, what the evidence says of each, and how many more cases would decide one."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, TypeAlias

from adjudge._base import Finding, InputError, Shown, Undefined, checked_level, counted, dataclass, plain, quoted, replace, safe
from adjudge._base.arguments import argument, either, wording
from adjudge.counts.confusion import ConfusionCounts, WeightedCounts
from adjudge.estimates.clustered import effective
from adjudge.estimates.estimate import Estimate, Interval, dense, share_of_class, worth
from adjudge.estimates.intervals import EXACT, OF_MEANS, one_sided, two_sided
from adjudge.estimates.posterior import posterior
from adjudge.judgements.accuracy_posteriors import chance
from adjudge.judgements.comparison import Comparison, more_cases
from adjudge.judgements.decision import ASSURANCE, cleared, more_until, two_digits
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.tally_estimates import MOST_INTERVALS
from adjudge.metrics.averages import the_class
from adjudge.metrics.averages import value as value_of
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure, Measure
from adjudge.metrics.on_counts import supported
from adjudge.predictions.spellings import position
from adjudge.stats import special
from adjudge.stats.power import MOST, cases_in_all, cases_to_show
from adjudge.stats.student import PointDistribution

State: TypeAlias = Literal["passes", "fails", "inconclusive"]
Operator: TypeAlias = Literal[">", ">=", "<", "<="]
Sure: TypeAlias = tuple[Interval, float | None]  # limits and, where it is known, the probability that a rule holds
EXIT_CODES: dict[State, int] = {"passes": 0, "fails": 1, "inconclusive": 3}  # what the command line leaves with; 2 is bad input
EVERY = "*"  # what stands for every class by itself
CHANCE = "above chance"
_WRITTEN = {"≥": ">=", "≤": "<=", "=>": ">=", "=<": "<="}
_RULE = re.compile(r"\s*([^\[\]<>=≤≥]+?)\s*(?:\[(.*)\])?\s*(<=|>=|=<|=>|<|>|≤|≥)\s*(\S+)\s*", re.DOTALL)
_EXAMPLES = "'accuracy >= 0.9', 'sensitivity[malignant] >= 0.8', 'f1[*] > 0.7', 'log_loss < 0.4' or 'above chance'"
_SHARES = ("accuracy", "error", "rejection_rate", "balanced_accuracy", "informedness")
_FEW_CLASSES = 20  # up to which limits are computed anew
_ROUNDING, _HALF = 1e-12, 0.5


@dataclass(frozen=True, slots=True)
class Rule(Shown):
    """A measure, perhaps of one class, and the bound it must keep to."""

    text: str
    measure: str
    operator: Operator
    bound: float
    of: Any = None

    @property
    def asked(self) -> tuple[str, str, Operator, float]:
        """What is asked, as a verdict on it repeats it."""
        return self.text, self.measure, self.operator, self.bound

    @property
    def upward(self) -> bool:
        """Whether the measure must be large."""
        return self.operator.startswith(">")


def read_rules(text: Any, classes: Sequence[Any], seen: int) -> Iterator[Rule]:
    """Yield what a line requires: one rule, or one for every class; `seen` classes have a case."""
    if not isinstance(text, str):
        msg = f"A rule is text such as {_EXAMPLES}; got {quoted(text)}."
        raise InputError(msg, parameter="rules")
    if re.sub(r"[\s_]+", " ", text).strip().lower() == CHANCE:
        if seen < 2:  # noqa: PLR2004 - chance is between classes
            msg = "'above chance' needs cases of at least two classes."
            raise InputError(msg, parameter="rules")
        yield Rule(f"{CHANCE} (balanced_accuracy > 1/{seen})", "balanced_accuracy", ">", 1 / seen)
        return
    match = _RULE.fullmatch(text)
    if match is None:
        raise InputError(
            quoted(text), f" is not a rule. A rule has a measure, a sign and a number: {_EXAMPLES}.", parameter="rules"
        )
    name, of, sign, bound = match.groups()
    measure, operator = find(name, "rules"), _WRITTEN.get(sign, sign)
    asked: list[Any] = [None]
    if of is not None:
        if measure.needs == "numbers":
            msg = f"{measure.name} is about numbers, which have no classes; leave [{safe(of)}] out."
            raise InputError(msg, parameter="rules")
        of = of.strip()
        asked = list(classes) if of == EVERY and EVERY not in classes else [classes[position(classes, of)]]
    try:
        limit = float(bound[:-1]) / 100 if bound.endswith("%") else float(bound)
    except ValueError:
        msg = f"{quoted(bound)} in the rule {quoted(text)} is not a number; write 0.9 or 90%."
        raise InputError(msg, parameter="rules") from None
    if math.isnan(limit) or not measure.low <= limit <= measure.high:
        hint = f" {limit:g}% is {limit / 100:g}." if 1 < limit <= 100 and measure.high == 1 else ""  # noqa: PLR2004
        msg = f"{measure.name} lies between {measure.low:g} and {measure.high:g}; the rule {quoted(text)} asks for {bound}.{hint}"
        raise InputError(msg, parameter="rules")
    for label in asked:
        told = measure.name if label is None else f"{measure.name}[{safe(label)}]"
        yield Rule(f"{told} {operator} {limit:g}", measure.name, operator, limit, label)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class JudgedRule(Shown):
    """One requirement and what the evidence says of it."""

    rule: str
    measure: str
    operator: str
    bound: float
    state: State
    value: float
    low: float  # the truth is at least this with the level, by itself
    high: float  # the truth is at most this with the level, by itself
    level: float
    method: str
    probability: float | None = None  # how probable it is that the rule holds, where a posterior is exact
    of: Any = None
    average: str | None = None
    reason: str | None = None  # why nothing can be said, where that is so; of 'above chance' what the test says
    more_cases: int | None = None  # about how many more would decide it with the assurance, if the value is what it looks like
    assurance: float = ASSURANCE  # how often that many cases in all decide
    against: str | None = None  # what it is compared with, where the value is a difference


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Gate(Shown):
    """Whether all requirements are met.

    It passes where all rules pass, which needs no correction for their number (Berger 1982, Technometrics 24:295-300), and fails
    where one fails; a wrong failure becomes more likely with every rule.
    """

    rules: tuple[JudgedRule, ...]
    name: str
    cases: int
    level: float
    comparison: Comparison | None = None  # with what the new predictions must not be worse than
    assurance: float = ASSURANCE
    findings: tuple[Finding, ...] = ()

    @property
    def state(self) -> State:
        """What all rules come to."""
        states = {rule.state for rule in self.rules}
        return "fails" if "fails" in states else "inconclusive" if "inconclusive" in states else "passes"

    @property
    def passed(self) -> bool:
        """Whether the evidence says that every rule holds."""
        return self.state == "passes"

    @property
    def failed(self) -> bool:
        """Whether the evidence says that some rule does not hold."""
        return self.state == "fails"

    @property
    def inconclusive(self) -> bool:
        """Whether no rule fails, and for some the evidence is too weak."""
        return self.state == "inconclusive"

    @property
    def exit_code(self) -> int:
        """What a build leaves with: 0 passes, 1 fails, 3 inconclusive."""
        return EXIT_CODES[self.state]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python, ready for JSON."""
        names = ("state", "exit_code", "name", "cases", "level", "assurance", "rules", "comparison", "findings")
        return {name: plain(getattr(self, name)) for name in names}


def one_sided_level(level: Any) -> float:
    """Return the level of one-sided limits, which below one half would not be limits."""
    sure = checked_level(level)
    if sure <= _HALF:
        msg = f"A gate's level must lie above 0.5, got {sure:g}: it is how sure one must be to let a classifier through."
        raise InputError(msg, parameter="level")
    return sure


def judge_rules(
    evaluation: Evaluation,
    rules: Iterable[Rule],
    *,
    level: float,
    assurance: float = ASSURANCE,
    method: str = "default",
    prior: Any = "jeffreys",
) -> Iterator[JudgedRule]:
    """Yield the verdict on each rule about one set of predictions."""
    for rule in rules:
        measure = find(rule.measure)
        if rule.text.startswith(CHANCE) and evaluation.counts is not None:  # skill, which a permutation test tells
            yield _on_chance(evaluation.counts, rule, level)
        elif measure.needs == "decisions":
            yield _on_counts(evaluation, measure, rule, level, assurance, method, prior)
        else:
            yield _on_others(evaluation, measure, rule, level, assurance)


def _on_counts(
    evaluation: Evaluation, measure: Measure, rule: Rule, level: float, assurance: float, method: str, prior: Any
) -> JudgedRule:
    """Judge a measure of decisions by one-sided limits and, where the posterior needs no draws, by its probability."""
    counts = evaluation.counts
    if counts is None:
        why = "is about classes, and these predictions are numbers"
        if evaluation.undecided is not None:
            ways = either([argument("threshold"), argument("predicted")])
            why = wording("needs decisions, and these scores decide nothing: pass ", ways)
        raise InputError(wording(f"{measure.name} ", why, f"; there are {', '.join(evaluation.estimates)}."))
    of, average = rule.of, None
    if of is None and isinstance(measure, ClassMeasure):  # the class of the evaluation, or the average
        of, average = evaluation.positive, None if evaluation.positive is not None else "macro"
    value = value_of(measure, counts, positive=of, average=average)
    estimate = Estimate(measure.name, value, of=of, average=average)
    if math.isnan(value):
        return _unknown(rule, estimate, level, value.reason if isinstance(value, Undefined) else "it has no value")
    whole = of is None and measure.name not in _SHARES and (average is not None or not isinstance(measure, ClassMeasure))
    if counts.k > MOST_INTERVALS and whole:  # its limits need all cells of the table
        return _unknown(rule, estimate, level, f"there are no intervals for more than {MOST_INTERVALS} classes")

    def bounds(of_counts: ConfusionCounts) -> Interval:
        return one_sided(of_counts, measure, level=level, method=method, positive=of, average=average)

    def holds(of_counts: ConfusionCounts) -> float | None:
        mean = measure.name in ("balanced_accuracy", "informedness") and of is None
        if average or measure.name in ("mcc", "kappa", "g_mean", "fbeta") or (mean and not supported(of_counts).all()):
            return None  # draws, or other classes than those of the value
        distribution = posterior(of_counts, measure.name, prior=prior, positive=of).distribution
        return float(distribution.sf(rule.bound) if rule.upward else distribution.cdf(rule.bound))

    limits = bounds(counts)
    at = None if of is None or not isinstance(measure, ClassMeasure) else the_class(measure, counts, of)
    worthy = effective(counts, measure, at=at, level=two_sided(level))

    def grown(times: float) -> Sure:
        cells = dense(counts.cells)
        squares = worthy.squares if isinstance(worthy, WeightedCounts) else cells
        many = WeightedCounts(cells * times, counts.classes, squares=squares * times)
        return bounds(many), None if limits.method == OF_MEANS else holds(many)  # exact ones put together are the stricter

    def more() -> int | None:
        if limits.method == EXACT:
            more = _more_of_rate(rule, value, measure, worthy, of, level, assurance)
            return None if more is None else two_digits(more * worth(counts) / worth(worthy))
        ahead = grown if counts.k <= _FEW_CLASSES else partial(_scaled, value, limits)
        return _more(rule, value, ahead, worth(counts), level, assurance)

    return _judged(rule, replace(estimate, interval=limits), level, holds(counts), assurance, more)


def _on_chance(counts: ConfusionCounts, rule: Rule, level: float) -> JudgedRule:
    """Judge skill by the permutation test: it fails only where the decisions are worse than chance."""
    tested = chance(counts, alpha=1 - level)
    state: State = "passes" if tested.significant else "fails" if tested.p_value >= level else "inconclusive"
    worse = "Worse than chance" + tested.statement.removeprefix("No sign of skill") if state == "fails" else tested.statement
    value, ends = value_of(find(rule.measure), counts), find(rule.measure).range
    return JudgedRule(*rule.asked, state, value, *ends, level, f"{tested.test} mid-P", reason=worse)


def _on_others(evaluation: Evaluation, measure: Measure, rule: Rule, level: float, assurance: float) -> JudgedRule:
    """Judge a measure of scores or numbers by the interval that the evaluation has of it."""
    estimate = evaluation.estimates.get(measure.name)
    if rule.of is not None and (estimate is None or estimate.of != rule.of):
        estimate = next((row.auc for row in evaluation.by_class if measure.name == "auc" and row.label == rule.of), None)
    if estimate is None:
        what = measure.name if rule.of is None else f"{measure.name} of class {quoted(rule.of)}"
        others = ", ".join(evaluation.estimates)
        raise InputError(what, f" needs {measure.needs} and cannot be had from these predictions; there are {others}.")
    rows = evaluation.origin.rows / evaluation.repeats
    if math.isinf(estimate.value):  # a loss seen to be infinite is
        seen = replace(estimate, interval=Interval(estimate.value, estimate.value, level, "seen"))
        return _judged(rule, seen, level, None, assurance, lambda: None)
    if estimate.interval is None:
        if measure.name in ("ece", "rse"):
            told = f"{measure.name} has no interval that was shown to hold, so no rule about it could pass. "
            raise InputError(told, "Require another measure.")
        return _unknown(rule, estimate, level, estimate.reason or "there is no interval of it here")
    known = (1 + estimate.interval.level) / 2
    if known < level - _ROUNDING:
        wanted = two_sided(level)
        msg = f"The evaluation has intervals of level {estimate.interval.level:g}; a gate at {level:g} needs {wanted:g} or more. "
        raise InputError(msg + "Pass the predictions themselves.")
    ahead = partial(_scaled, estimate.value, estimate.interval)
    return _judged(rule, estimate, known, None, assurance, lambda: _more(rule, estimate.value, ahead, rows, known, assurance))


def _unknown(rule: Rule, estimate: Estimate, level: float, reason: str) -> JudgedRule:
    numbers = (estimate.value, *find(rule.measure).range, level)
    return JudgedRule(*rule.asked, "inconclusive", *numbers, "none", of=estimate.of, average=estimate.average, reason=reason)


def _judged(
    rule: Rule, estimate: Estimate, level: float, probability: float | None, assurance: float, more: Callable[[], int | None]
) -> JudgedRule:
    limits = estimate.interval
    assert limits is not None
    state = state_of(rule, limits.low, limits.high, level, probability)
    told = (*rule.asked, state, estimate.value, limits.low, limits.high, level, limits.method, probability)
    needed = more() if state == "inconclusive" else None
    return JudgedRule(*told, estimate.of, estimate.average, more_cases=needed, assurance=assurance)


def state_of(rule: Rule, low: float, high: float, level: float, probability: float | None) -> State:
    """Return what one-sided limits and, where known, the probability of the rule come to: both must say the same."""
    near, far = (low, high) if rule.upward else (-high, -low)
    bound = rule.bound if rule.upward else -rule.bound
    sure, unsure = (True, True) if probability is None else (probability >= level, probability <= 1 - level)
    strict = rule.operator in (">", "<")  # the bound itself is not enough
    if sure and (near > bound if strict else near >= bound):
        return "passes"
    return "fails" if unsure and (far <= bound if strict else far < bound) else "inconclusive"


def _more_of_rate(
    rule: Rule, value: float, measure: Measure, counts: ConfusionCounts, of: Any, level: float, assurance: float
) -> int | None:
    """Return about how many more cases let exact tests say on which side of its bound a rate is, so many in all."""
    bound, cases, share = rule.bound, worth(counts), 1.0
    if value == bound or not 0 < bound < 1:
        return None
    rate, limit = (value, bound) if value > bound else (1 - value, 1 - bound)
    needed = cases_to_show(limit, rate, power=assurance, alpha=1 - level)
    if isinstance(measure, ClassMeasure):
        share = share_of_class(measure, counts, the_class(measure, counts, of))[1] / cases
    return max(1, two_digits(cases_in_all(needed, share) - cases)) if needed <= MOST else None


def _scaled(value: float, limits: Interval, times: float) -> Sure:
    """Return how limits close in on a value with so many times the cases."""
    low, high = (value + (end - value) / math.sqrt(times) for end in (limits.low, limits.high))
    return replace(limits, low=low, high=high), None


def _more(rule: Rule, value: float, grown: Callable[[float], Sure], cases: float, level: float, assurance: float) -> int | None:
    """Return about how many more cases bring a limit beyond the bound and, where it is known, the probability to the level."""
    bound, above = rule.bound, value > rule.bound
    if value == bound or not math.isfinite(value):
        return None

    def reached(n: float) -> float:
        limits, probability = grown(n / cases)
        wide = max(value - limits.low if above else limits.high - value, (limits.high - limits.low) / 2)
        often = cleared(abs(value - bound), wide / float(special.ndtri(level)), level) if wide > 0 else 1.0
        if probability is None:
            return often
        sure = probability if above == rule.upward else 1 - probability
        return min(often, cleared(float(special.ndtri(sure)), 1.0, level))

    return more_until(reached, assurance, cases)


def judge_against(comparison: Comparison, *, margin: float, level: float, assurance: float = ASSURANCE) -> JudgedRule:
    """Return the verdict on not being worse than another by more than a margin, in the measure's own units."""
    distribution, up = comparison.distribution, comparison.higher_is_better
    assert distribution is not None
    bound = -margin if up else margin
    told = "no worse" if margin == 0 else f"no more than {margin:g} worse"
    text = f"{comparison.measure} {told} than {safe(comparison.names[1])}"
    rule = Rule(text, comparison.measure, ">=" if up else "<=", bound, comparison.of)
    limits = Interval(*distribution.interval(two_sided(level)), level, comparison.method)
    if isinstance(distribution, PointDistribution):
        likely = float(distribution.at >= bound if up else distribution.at <= bound)
    else:
        likely = float(distribution.sf(bound) if up else distribution.cdf(bound))
    difference = Estimate(comparison.measure, comparison.difference, limits, of=comparison.of)

    def more() -> int | None:
        return more_cases(distribution, comparison.difference, comparison.cases, level=level, assurance=assurance, bound=bound)

    return replace(_judged(rule, difference, level, likely, assurance, more), against=comparison.names[1])


def of_rules(rules: Iterable[Rule], judged: Iterable[JudgedRule], counts: ConfusionCounts | None) -> Iterator[Finding]:
    """Yield what to know of rules: those that ask for the bad end, and those that so few cases can never pass."""
    for rule, outcome in zip(rules, judged, strict=True):
        if rule.upward != find(rule.measure).higher_is_better:
            told = f"The rule {quoted(rule.text)} asks for a bad value: of {rule.measure} {find(rule.measure).direction}."
            yield Finding("A731", told, "Turn the sign around, unless it is meant.")
        if counts is None:
            continue
        # even right decisions throughout would not pass: that takes ln(alpha) / ln(bound) cases
        exact = outcome.method == EXACT and rule.measure in ("accuracy", "sensitivity")
        if not exact or outcome.state == "passes" or not rule.upward or not 0 < rule.bound < 1:
            continue
        needed = math.ceil(math.log(1 - outcome.level) / math.log(rule.bound) - _ROUNDING)
        one = rule.measure == "sensitivity"
        seen = float(counts.support[list(counts.classes).index(outcome.of)]) if one else float(counts.n)
        if seen < needed:
            of = f" of class {quoted(outcome.of)}" if one else ""
            cases = counted(round(seen), f"case{of}", f"cases{of}")
            told = f"With {cases} the rule {quoted(rule.text)} cannot pass even if all are correct."
            yield Finding("A732", told, f"It takes at least {needed:,}.", needed)
