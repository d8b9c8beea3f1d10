"""New class priors as a user asks for them: oracles, distributions, findings, refusals, and coverage."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.described import refused

from adjudge._base.errors import InputError
from adjudge.corrections.priors import Priors, PriorShift, adjust_priors, count_priors, estimate_priors
from adjudge.stats.priors import MOST_WORK

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
HALF = [0.5, 0.5]


def oracles(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def codes(found):
    return [finding.code for finding in found.findings]


def normal_classes(n, new, old, distance, rng):
    """Return posteriors, under `old` priors, of unit normal classes on a line drawn with `new` ones."""
    k = len(new)
    x = rng.normal(distance * rng.choice(k, n, p=new))
    density = np.asarray(old) * np.exp(-((x[:, None] - distance * np.arange(k)) ** 2) / 2)
    return density / density.sum(axis=1, keepdims=True)


# -- adjusting -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", oracles("prior_shift"))
def test_new_posteriors_agree_with_the_oracle(case):
    given_, wanted = case["inputs"], np.array(case["expected"]["posteriors"], dtype=float)
    old, new = given_["old_priors"], given_["new_priors"]
    found = adjust_priors(given_["posteriors"], old=old, new=new)
    assert found == pytest.approx(wanted, rel=1e-11, abs=1e-15)
    assert found.sum(axis=1) == pytest.approx(1, rel=1e-15)
    assert PriorShift(old, new).apply(given_["posteriors"]).tolist() == found.tolist()


def test_a_posterior_of_next_to_nothing_keeps_its_digits():
    found = adjust_priors([[1 - 1e-18, 1e-18]], old=HALF, new=[0.25, 0.75])
    assert found[0, 1] == pytest.approx(3e-18, rel=1e-15)


def test_a_class_unknown_before_and_after_stays_out():
    assert adjust_priors([[0.5, 0.5, 0.0]], old=[0.5, 0.5, 0], new=[0.2, 0.8, 0]).tolist() == [[0.2, 0.8, 0.0]]


@pytest.mark.parametrize(
    ("p", "old", "new", "told"),
    [
        ([0.2, 0.8], HALF, HALF, r"shape \(2,\)\. Two columns come from"),
        ([[1.0]], [1.0], [1.0], "at least two"),
        (np.empty((0, 2)), HALF, HALF, r"shape \(0, 2\)"),
        ([["a", "b"]], HALF, HALF, "must hold numbers"),
        ([[0.5, np.nan]], HALF, HALF, r"p\[0, 1\] is nan"),
        ([[0.5, 0.5], [1.5, -0.5]], HALF, HALF, r"p\[1, 1\] is -0\.5"),
        ([[0.5, 0.2]], HALF, HALF, "sums to 0.7, not to 1"),
        ([[0.5, 0.5]], [0.5, 0.3, 0.2], HALF, "old must list 2 priors"),
        ([[0.5, 0.5]], HALF, [50, 50], "sum 100. Divide counts"),
        ([[0.5, 0.5]], HALF, [1.2, -0.2], "none below 0"),
        ([[0.5, 0.5]], HALF, [np.nan, 0.5], "sum nan"),
        ([[0.5, 0.5]], "half", HALF, "one prior per class"),
        ([[0.5, 0.5]], [1.0, 0.0], [1.0, 0.0], r"old\[1\] is 0, yet p\[0, 1\] = 0.5"),
        ([[1.0, 0.0]], [1.0, 0.0], HALF, "the model never saw such a class"),
        ([[0.5, 0.5], [1.0, 0.0]], HALF, [0.0, 1.0], r"p\[1\] speaks only for classes whose new prior is 0"),
    ],
)
def test_what_is_no_posterior_or_no_prior_is_refused(p, old, new, told):
    with pytest.raises(InputError, match=told):
        adjust_priors(p, old=old, new=new)


def test_a_shift_survives_json():
    shift = PriorShift([0.5, 0.5], [0.05, 0.95], ("ill", "well"))
    again = PriorShift(**json.loads(json.dumps(shift.to_dict(), allow_nan=False)))
    assert again.classes == ("ill", "well")
    assert again.apply([[0.8, 0.2]]).tolist() == shift.apply([[0.8, 0.2]]).tolist()
    with pytest.raises(ValueError, match="read-only"):
        shift.new[0] = 1
    with refused("old", "3 priors,", "each class"):
        PriorShift(HALF, HALF, ("a", "b", "c"))


# -- estimating ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", oracles("prior_em"))
def test_estimated_priors_agree_with_the_oracle(case):
    p, old, expected = case["inputs"]["posteriors"], case["inputs"]["train_priors"], case["expected"]
    found = estimate_priors(p, old=old)
    assert found.converged
    assert found.priors == pytest.approx(np.array(expected["fixed_point"], dtype=float), rel=1e-6, abs=1e-6)
    assert found.log_likelihood == pytest.approx(float(expected["log_likelihood"]), rel=1e-10)
    for steps, wanted in expected["after_iterations"].items():
        few = estimate_priors(p, old=old, max_iter=int(steps))
        assert few.priors == pytest.approx(np.array(wanted, dtype=float), rel=1e-12, abs=1e-13)
        assert len(few.history) == few.iterations + 1 <= int(steps) + 1
    wanted = np.array(expected["posteriors_at_fixed_point"], dtype=float)
    assert found.shift().apply(p)[: len(wanted)] == pytest.approx(wanted, rel=1e-6, abs=1e-6)


def test_the_test_of_moved_priors_is_the_likelihood_ratio():
    p = normal_classes(300, [0.6, 0.3, 0.1], [0.2, 0.3, 0.5], 1.5, np.random.default_rng(1))
    found = estimate_priors(p, old=[0.2, 0.3, 0.5])
    gain = np.log((p / [0.2, 0.3, 0.5]) @ found.priors).sum()
    assert found.moved.statistic == pytest.approx(2 * gain, rel=1e-9)
    assert found.moved.df == 2
    assert found.p_value == found.moved.p_value == pytest.approx(stats.chi2.sf(2 * gain, 2), rel=1e-6)
    assert "calibrated posteriors" in found.moved.method
    assert found.method == "profile likelihood"
    assert codes(found) == []


def test_a_result_is_whole_and_plain():
    found = estimate_priors([[0.9, 0.1], [0.2, 0.8]] * 40, old=HALF)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"priors", "interval", "moved", "converged", "history", "findings"} <= set(told)
    assert told["history"][0] == 0
    assert found.interval.shape == (2, 2)
    for array in (found.priors, found.interval, found.old):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_rows_that_do_not_quite_sum_to_one_count_as_if_they_did():
    p = np.array([[0.9, 0.1], [0.3, 0.7], [0.6, 0.4], [0.2, 0.8]] * 20)
    one, other = estimate_priors(p, old=[0.3, 0.7]), estimate_priors(p * 1.004, old=[0.3, 0.7])
    assert other.priors == pytest.approx(one.priors, rel=1e-9)
    assert other.interval == pytest.approx(one.interval, rel=1e-6)
    assert other.p_value == pytest.approx(one.p_value, rel=1e-6)


@pytest.mark.slow
@given(st.floats(0.01, 100))
def test_the_unit_of_weights_does_not_matter(unit):
    p = normal_classes(50, [0.6, 0.4], HALF, 1.5, np.random.default_rng(2))
    plain, weighted = estimate_priors(p, old=HALF), estimate_priors(p, old=HALF, weight=np.full(50, unit))
    assert weighted.cases == pytest.approx(50)
    assert weighted.priors == pytest.approx(plain.priors, rel=1e-8)
    assert weighted.interval == pytest.approx(plain.interval, rel=1e-5, abs=1e-7)
    assert weighted.p_value == pytest.approx(plain.p_value, rel=1e-6)


def test_cases_without_weight_are_not_there():
    p = normal_classes(80, [0.6, 0.4], HALF, 1.5, np.random.default_rng(3))
    one = estimate_priors(np.concatenate([p, [[1.0, 0.0]] * 5]), old=HALF, weight=[1] * 80 + [0] * 5)
    assert one.to_dict() == estimate_priors(p, old=HALF).to_dict()


def test_too_few_steps_are_said():
    found = estimate_priors(normal_classes(200, [0.9, 0.1], HALF, 1, np.random.default_rng(4)), old=HALF, max_iter=3)
    assert (found.converged, found.iterations, codes(found)) == (False, 3, ["A810"])


def test_a_class_that_nothing_speaks_for_is_said_and_has_an_upper_limit():
    found = estimate_priors([[0.98, 0.02], [0.7, 0.3]] * 50, old=HALF)
    assert found.priors.tolist() == [1, 0]
    assert "A811" in codes(found)
    assert 0 < found.interval[1, 1] < 0.1
    assert found.interval[0, 0] == pytest.approx(1 - found.interval[1, 1])


def test_certain_posteriors_are_doubted():
    found = estimate_priors([[1.0, 0.0]] * 30 + [[0.0, 1.0]] * 20 + [[0.5, 0.5]] * 50, old=HALF)
    assert codes(found) == ["A812"]
    assert found.findings[0].value == pytest.approx(0.5)
    assert codes(estimate_priors([[1.0, 0.0]] * 5 + [[0.3, 0.7], [0.9, 0.1]] * 50, old=HALF)) == []


def test_few_cases_and_classes_alike_are_doubted():
    assert codes(estimate_priors([[0.9, 0.1], [0.2, 0.8]] * 9, old=HALF)) == ["A813"]
    alike = [[0.4, 0.3, 0.3], [0.9, 0.05, 0.05], [0.1, 0.45, 0.45]] * 20
    found = estimate_priors(alike, old=[1 / 3] * 3)
    assert codes(found) == ["A814"]
    assert "columns 1, 2" in found.findings[0].message
    assert found.interval[1, 0] == 0


@pytest.mark.slow
def test_many_cases_take_the_short_way_and_say_so():
    p = normal_classes(60_000, [0.5, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02], [1 / 7] * 7, 2.5, np.random.default_rng(5))
    assert p.size * 49 > MOST_WORK
    found = estimate_priors(p, old=[1 / 7] * 7)
    assert found.method.startswith("expansion of the likelihood")
    assert found.priors == pytest.approx([0.5, 0.2, 0.1, 0.1, 0.05, 0.03, 0.02], abs=0.01)
    assert ((found.interval[:, 0] < found.priors) & (found.priors < found.interval[:, 1])).all()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"old": [1.0, 0.0]}, "old is 0 at 1: a class the model never saw"),
        ({"tol": -1}, "tol must be a number of at least 0, got -1"),
        ({"tol": True}, "got True"),
        ({"max_iter": 0}, "max_iter must be a whole number of at least 1, got 0"),
        ({"max_iter": 1.5}, "got 1.5"),
        ({"level": 95}, "95% is 0.95"),
        ({"weight": [1, 2, 3]}, r"got shape \(3,\) for 2 cases"),
        ({"weight": [1, -1]}, "not negative, got -1.0 in row 1"),
        ({"weight": [0, 0]}, "All weights are 0"),
        ({"weight": ["a", "b"]}, "weight must hold a number for each case"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked, told):
    with pytest.raises(InputError, match=told):
        estimate_priors([[0.5, 0.5], [0.4, 0.6]], **{"old": HALF, **asked})


# -- counting --------------------------------------------------------------------------------------------------


def test_counted_priors_have_mid_p_limits_and_an_exact_test():
    found = count_priors(["b"] * 12 + ["a"] * 3, old=HALF)
    assert isinstance(found, Priors)
    assert (found.classes, found.priors.tolist(), found.cases) == (("a", "b"), [0.2, 0.8], 15)
    for count, (low, high) in zip((3, 12), found.interval, strict=True):
        assert stats.binom.sf(count, 15, low) + stats.binom.pmf(count, 15, low) / 2 == pytest.approx(0.025, rel=1e-8)
        assert stats.binom.cdf(count - 1, 15, high) + stats.binom.pmf(count, 15, high) / 2 == pytest.approx(0.025, rel=1e-8)
    assert found.p_value == pytest.approx(stats.binomtest(3, 15).pvalue, rel=1e-12)
    assert found.log_likelihood == pytest.approx(3 * np.log(0.4) + 12 * np.log(1.6))
    assert codes(found) == ["A816"]


def test_counted_priors_are_those_of_certain_posteriors():
    labels = np.repeat([0, 1, 2], [20, 30, 50])
    counted, estimated = count_priors(labels, old=[0.2, 0.2, 0.6]), estimate_priors(np.eye(3)[labels], old=[0.2, 0.2, 0.6])
    assert estimated.priors == pytest.approx(counted.priors, rel=1e-12)
    assert estimated.log_likelihood == pytest.approx(counted.log_likelihood, rel=1e-10)


def test_a_class_without_a_label_is_there_and_doubted():
    found = count_priors([1, 1, 0] * 10, classes=[0, 1, 2])
    assert found.classes == (0, 1, 2)
    assert found.priors == pytest.approx([1 / 3, 2 / 3, 0])
    assert found.interval[2, 0] == 0
    assert stats.binom.pmf(0, 30, found.interval[2, 1]) / 2 == pytest.approx(0.025, rel=1e-8)
    assert (codes(found), found.moved, found.p_value) == (["A815"], None, None)
    with pytest.raises(InputError, match="Pass old="):
        found.shift()


def test_the_order_of_classes_is_the_one_asked_for():
    found = count_priors(["a"] * 6 + ["b"] * 10, classes=["b", "a"], old=[0.5, 0.5])
    assert found.priors.tolist() == [0.625, 0.375]
    assert found.shift().classes == ("b", "a")


def test_a_label_that_was_impossible_proves_a_move():
    found = count_priors(["a"] * 9 + ["b"], old=[1.0, 0.0])
    assert (found.p_value, found.log_likelihood) == (0.0, np.inf)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("labels", "told"), [([], "got none"), ("abc", "got str"), (7, "got int"), (["a", "a"], "All labels are 'a'")]
)
def test_what_cannot_be_counted_is_refused(labels, told):
    with pytest.raises(InputError, match=told):
        count_priors(labels)


# -- how often it is right -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("new", [(0.6, 0.3, 0.1), (0.2, 0.75, 0.05)])
def test_limits_cover(new):
    rng, old, times = np.random.default_rng(10), [1 / 3] * 3, 200
    held = np.zeros(3)
    for _ in range(times):
        found = estimate_priors(normal_classes(200, new, old, 2.0, rng), old=old).interval
        held += (found[:, 0] <= new) & (new <= found[:, 1])
    assert ((held / times >= 0.90) & (held / times <= 0.985)).all()


@pytest.mark.slow
@pytest.mark.parametrize("old", [(0.5, 0.5), (0.2, 0.3, 0.5)])
def test_priors_that_did_not_move_seldom_seem_to(old):
    """250 samples: a test that alarms in 12% of them is found out 97 times of 100."""
    rng, times = np.random.default_rng(11), 250
    alarms = sum(estimate_priors(normal_classes(200, old, old, 1.5, rng), old=old).p_value < 0.05 for _ in range(times))
    assert 0.02 <= alarms / times <= 0.08


@pytest.mark.slow
def test_priors_that_moved_are_noticed():
    rng, times = np.random.default_rng(12), 100
    noticed = sum(estimate_priors(normal_classes(200, [0.3, 0.7], HALF, 1.5, rng), old=HALF).p_value < 0.05 for _ in range(times))
    assert noticed / times > 0.9


def test_a_shift_rules_no_class_out_that_the_model_knows():
    labels = ["a"] * 6 + ["b"] * 3
    shift = count_priors(labels, classes=["a", "b", "c"], old=[0.5, 0.3, 0.2]).shift()
    assert shift.new == pytest.approx(np.array([6.5, 3.5, 0.5]) / 10.5, rel=1e-15)
    unknown = count_priors(labels, classes=["a", "b", "c"], old=[0.6, 0.4, 0.0]).shift()
    assert unknown.new == pytest.approx([2 / 3, 1 / 3, 0], rel=1e-15)
    p = np.random.default_rng(0).dirichlet(np.ones(3), 50)
    assert np.array_equal(shift.codes(p), shift.apply(p).argmax(axis=1))
