"""Rules as one writes them, the verdict on each by exact tests in both directions, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import adjudge
from adjudge import ConfusionCounts, InputError
from adjudge.estimates.differences import Difference
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.comparison import judge_difference
from adjudge.judgements.evaluation import Evaluation, Origin
from adjudge.judgements.gate import (
    EXIT_CODES,
    Gate,
    JudgedRule,
    Rule,
    judge_against,
    judge_rules,
    of_rules,
    one_sided_level,
    read_rules,
    state_of,
)
from adjudge.metrics.catalogue import find
from adjudge.stats.student import PointDistribution, StudentDistribution

NAMED = ("ill", "well", 3)


def judged(cells, *rules, level=0.95):
    """Judge rules about a table without evaluating all the rest."""
    counts = ConfusionCounts(cells)
    wanted = [rule for text in rules for rule in read_rules(text, counts.classes, 2)]
    return list(judge_rules(Evaluation(Origin("table", counts.n), {}, counts=counts), wanted, level=level))


@given(st.integers(1, 300), st.integers(0, 300), st.floats(0.01, 0.99), st.sampled_from([0.9, 0.95, 0.99]))
def test_the_state_is_that_of_two_exact_tests(n, right, bound, level):
    """Oracle: the one-sided binomial tests of scipy, in both directions; the posterior agrees where they reject."""
    right = min(right, n)
    found = judged(np.array([[right, n - right], [0, 0]]), f"accuracy >= {bound!r}", level=level)[0]
    above = stats.binomtest(right, n, bound, alternative="greater").pvalue <= 1 - level
    below = stats.binomtest(right, n, bound, alternative="less").pvalue < 1 - level
    likely = stats.beta.sf(bound, right + 0.5, n - right + 0.5)
    assert found.probability == pytest.approx(likely, abs=1e-9)
    near = min(abs(found.low - bound), abs(found.high - bound)) < 1e-9
    assert near or found.state == (
        "passes" if above and likely >= level else "fails" if below and likely <= 1 - level else "inconclusive"
    )


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.sampled_from([">", ">=", "<", "<="]))
def test_passing_and_failing_exclude_each_other(bound, one, other, operator):
    """The opposite rule fails where a rule passes."""
    low, high = sorted((one, other))
    opposite = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}[operator]
    states = [state_of(Rule("", "accuracy", sign, bound), low, high, 0.95, None) for sign in (operator, opposite)]
    swap = {"passes": "fails", "fails": "passes", "inconclusive": "inconclusive"}
    assert states[1] == swap[states[0]]


def test_a_gate_is_as_bad_as_the_worst_of_its_rules():
    order = ["passes", "inconclusive", "fails"]
    for states in product(EXIT_CODES, repeat=3):
        at = max(order.index(state) for state in states)
        rules = tuple(JudgedRule("", "accuracy", ">=", 0.5, state, 0.5, 0.4, 0.6, 0.95, "") for state in states)
        found = Gate(rules, "g", 9, 0.95)
        assert (found.state, found.exit_code) == (order[at], [0, 3, 1][at])
        assert [found.passed, found.inconclusive, found.failed] == [at == 0, at == 1, at == 2]


@pytest.mark.parametrize("measure", ["accuracy", "error"])
@pytest.mark.parametrize(("mean", "margin"), [(0.0, 0.02), (0.01, 0.0), (-0.05, 0.01), (0.05, 0.01), (-0.004, 0.03)])
def test_not_worse_than_another_is_the_normal_of_scipy_on_its_good_side(measure, mean, margin):
    up = measure == "accuracy"
    normal, compared = stats.norm(mean, 0.01), Difference(0.8 + mean, 0.8, StudentDistribution(mean, 0.01), "by hand")
    found = judge_against(
        judge_difference(compared, find(measure), names=("new", "old"), cases=500), margin=margin, level=0.95, assurance=0.8
    )
    likely = normal.sf(-margin) if up else normal.cdf(margin)
    assert found.probability == pytest.approx(likely, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((normal.ppf(0.05), normal.ppf(0.95)))
    assert found.state == ("passes" if likely >= 0.95 else "fails" if likely <= 0.05 else "inconclusive")
    assert (found.operator, found.bound, found.against) == (">=" if up else "<=", -margin if up else margin, "old")
    assert (found.more_cases is None) == (found.state != "inconclusive")


@pytest.mark.parametrize(("at", "state"), [(-0.02, "passes"), (math.nextafter(-0.02, -1), "fails"), (0.3, "passes")])
def test_a_difference_that_is_certain_may_lie_on_its_bound(at, state):
    compared = judge_difference(Difference(at, 0.0, PointDistribution(at), "seen"), find("accuracy"), names=("a", "b"), cases=9)
    assert judge_against(compared, margin=0.02, level=0.95).state == state


@pytest.mark.parametrize(("bound", "level"), [("0.9", 0.95), ("0.99", 0.95), ("0.5", 0.875), ("0.75", 0.99)])
def test_so_few_cases_can_never_pass_is_told_up_to_the_least_that_can(bound, level):
    """All right, a rate of `bound` would be as rare as bound ** n: in fractions."""
    alpha = 1 - Fraction(str(level))
    needed = next(n for n in range(1, 1000) if Fraction(bound) ** n <= alpha)
    for n in (needed - 1, needed):
        counts = ConfusionCounts([[n - 1, 1], [0, 0]])  # one is wrong, so that the rule does not pass
        rules = list(read_rules(f"accuracy >= {bound}", counts.classes, 1))
        rows = list(judge_rules(Evaluation(Origin("table", n), {}, counts=counts), rules, level=level))
        told = [(f.code, f.value) for f in of_rules(rules, rows, counts)]
        assert told == ([("A732", needed)] if n < needed else [])


def test_a_rule_that_asks_for_the_bad_end_is_told():
    rules = [Rule("error >= 0.2", "error", ">=", 0.2), Rule("mcc >= 0.2", "mcc", ">=", 0.2)]
    rows = judged([[45, 5], [3, 47]], "error >= 0.2", "mcc >= 0.2")
    (told,) = of_rules(rules, rows, None)
    assert (told.code, "'error >= 0.2'" in told.message) == ("A731", True)


@pytest.mark.parametrize(
    ("cells", "state"), [([[30, 2], [3, 30]], "passes"), ([[10, 10], [10, 10]], "inconclusive"), ([[2, 30], [30, 3]], "fails")]
)
def test_skill_fails_only_where_decisions_are_worse_than_chance(cells, state):
    (found,) = judged(cells, "above chance")
    assert found.state == state
    assert found.reason.startswith("Worse than chance") == (state == "fails")


@pytest.mark.parametrize("level", [0.5, 0.3])
def test_a_level_that_is_no_limit_is_refused(level):
    with pytest.raises(InputError, match=rf"level .*above 0\.5, got {level}"):
        one_sided_level(level)


def with_estimate(value, interval=None, measure="brier", **more):
    return Evaluation(Origin("made up", 100), {measure: Estimate(measure, value, interval)}, **more)


@pytest.mark.parametrize(
    ("evaluation", "rule", "told"),
    [
        (with_estimate(0.2), "accuracy >= 0.5", "accuracy is about classes, and these predictions are numbers; there are brier"),
        (
            with_estimate(0.2, undecided=ConfusionCounts([[1, 0], [0, 1]])),
            "accuracy >= 0.5",
            "accuracy needs decisions, and these scores decide nothing: pass threshold= or predicted=",
        ),
        (with_estimate(0.2), "auc >= 0.5", "auc needs scores and cannot be had from these predictions; there are brier"),
        (with_estimate(0.2), "auc[1] >= 0.5", "auc of class 1 needs scores"),
        (with_estimate(0.1, measure="ece"), "ece <= 0.5", "ece has no interval that was shown to hold"),
        (
            with_estimate(0.2, Interval(0.1, 0.3, 0.8, "")),
            "brier <= 0.5",
            "intervals of level 0.8; a gate at 0.95 needs 0.9 or more",
        ),
    ],
)
def test_what_cannot_be_judged_is_refused_by_name(evaluation, rule, told):
    with pytest.raises(InputError, match=told):
        list(judge_rules(evaluation, read_rules(rule, (0, 1), 2), level=0.95))


@pytest.mark.parametrize(
    ("estimate", "state", "level"),
    [
        ((0.2, Interval(0.1, 0.3, 0.9, "")), "passes", 0.95),
        ((0.6, Interval(0.55, 0.7, 0.95, "")), "fails", 0.975),
        ((0.4, Interval(0.3, 0.6, 0.9, "")), "inconclusive", 0.95),
        ((math.inf, None), "fails", 0.95),  # seen to be so
        ((0.2, None), "inconclusive", 0.95),
    ],
)
def test_measures_of_scores_go_by_the_ends_of_their_interval(estimate, state, level):
    (found,) = judge_rules(with_estimate(*estimate, measure="log_loss"), read_rules("log_loss <= 0.5", (0, 1), 2), level=0.95)
    assert (found.state, found.level) == (state, pytest.approx(level))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "rate"), [((60, 60), (0.9, 0.8)), ((200, 15), (0.95, 0.8))])
def test_at_the_bound_rules_pass_in_few_samples(n, rate):
    """Counts drawn class by class; four standard errors of 1,000 samples beyond 5% are 0.078."""
    rng, passed, samples = np.random.default_rng(3), np.zeros(3), 1000
    whole = ConfusionCounts(
        np.array([[n[0] * rate[0], n[0] * (1 - rate[0])], [n[1] * (1 - rate[1]), n[1] * rate[1]]]).round(9) * 1000
    )
    names = ("balanced_accuracy", "sensitivity[1]", "accuracy")
    bounds = (sum(rate) / 2, rate[1], adjudge.measure(whole, "accuracy"))
    rules = [f"{name} >= {bound!r}" for name, bound in zip(names, bounds, strict=True)]
    drawn, times = np.unique(rng.binomial(n, rate, (samples, 2)), axis=0, return_counts=True)
    for (a, b), many in zip(drawn.tolist(), times, strict=True):
        states = [rule.state for rule in judged(np.array([[a, n[0] - a], [n[1] - b, b]]), *rules)]
        passed += many * (np.array(states) == "passes")
    assert (passed / samples <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / samples)).all()


def test_rules_that_ask_for_the_bad_end_are_told():
    rules = [rule for text in ("error >= 0.1", "accuracy <= 1", "brier < 0.2") for rule in read_rules(text, (0, 1), 2)]
    told = list(of_rules(rules, rules, None))
    assert [finding.code for finding in told] == ["A731", "A731"]
    assert "error >= 0.1" in told[0].message


def read(text, classes=NAMED, seen=3):
    return list(read_rules(text, classes, seen))


@pytest.mark.parametrize(
    ("text", "measure", "operator", "bound", "of"),
    [
        ("accuracy >= 0.9", "accuracy", ">=", 0.9, None),
        ("  Recall[ill]>90% ", "sensitivity", ">", 0.9, "ill"),
        ("f1 [ 3 ] ≥ .5", "f1", ">=", 0.5, 3),
        ("log loss < 0.4", "log_loss", "<", 0.4, None),
        ("error =< 5e-2", "error", "<=", 0.05, None),
        ("mcc > -0.5", "mcc", ">", -0.5, None),
        ("above chance", "balanced_accuracy", ">", 1 / 3, None),
    ],
)
def test_what_a_rule_says(text, measure, operator, bound, of):
    (rule,) = read(text)
    assert (rule.measure, rule.operator, rule.bound, rule.of) == (measure, operator, pytest.approx(bound), of)


def test_a_star_is_every_class():
    assert [rule.of for rule in read("sensitivity[*] >= 0.7")] == list(NAMED)
    assert [rule.of for rule in read("sensitivity[*] >= 0.7", ("*", "b"))] == ["*"]  # a class of that name is itself


def test_a_class_may_hold_any_sign():
    (rule,) = read("f1[a]>=[b] >= 0.5", ("a]>=[b", "c"))
    assert (rule.of, rule.bound) == ("a]>=[b", 0.5)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("accuracy", "is not a rule"),
        ("accuracy == 0.9", "is not a rule|not a number"),
        ("acuracy >= 0.9", "Did you mean accuracy"),
        ("accuracy >= 90", r"between 0 and 1.*90% is 0\.9"),
        ("accuracy >= high", "is not a number"),
        ("accuracy >= nan", "between 0 and 1"),
        ("f1[sick] >= 0.5", "'sick' is not among the classes"),
        ("mae[ill] < 1", "no classes"),
        ("", "is not a rule"),
        (0.9, "A rule is text"),
    ],
)
def test_refused_rules_say_what_to_do(text, told):
    with pytest.raises(InputError, match=told):
        read(text)


def test_chance_is_between_classes():
    with pytest.raises(InputError, match="at least two classes"):
        read("above chance", ("a",), 1)
