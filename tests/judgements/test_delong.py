"""DeLong's test against the stored oracle, pROC and scikit-learn; what cannot be tested says why."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri
from sklearn.metrics import roc_auc_score

from adjudge import InputError, Undefined, delong

ORACLES = Path(__file__).parents[1] / "oracles"
CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))
PROC = json.loads((ORACLES / "proc_delong.json").read_text(encoding="utf-8"))["sets"]

scored = st.lists(st.tuples(st.booleans(), st.floats(-2, 2), st.floats(-2, 2)), min_size=2, max_size=25)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES if c["quantity"] == "delong_paired"])
def test_delong_agrees_with_the_oracle(case):
    inputs, expected = case["inputs"], case["expected"]
    found = delong(inputs["y"], inputs["scores_a"], inputs["scores_b"])
    names = {"auc_a": "auc_a", "auc_b": "auc_b", "var_a": "variance_a", "var_b": "variance_b", "cov": "covariance"}
    names |= {"var_diff": "variance", "z": "z", "p_two_sided": "p_value"}
    for name, attribute in names.items():
        assert getattr(found, attribute) == pytest.approx(float(expected[name]), rel=1e-11, abs=1e-13), name


@pytest.mark.parametrize(("name", "pair"), [(name, pair) for name in PROC for pair in PROC[name]["paired"]])
def test_delong_agrees_with_proc(name, pair):
    known, expected = PROC[name], PROC[name]["paired"][pair]
    found = delong(known["y"], *(known["scores"][column] for column in pair.split("~")))
    assert (found.z, found.p_value) == pytest.approx((expected["Z"], expected["p_two_sided"]), rel=1e-9)
    assert found.covariance == pytest.approx(expected["cov_delong"], rel=1e-10, abs=1e-15)
    assert (found.interval.low, found.interval.high) == pytest.approx(expected["ci95_diff"], rel=1e-9)


@pytest.mark.slow
@given(scored)
def test_swapping_the_scores_turns_the_difference_round(cases):
    truth, a, b = (list(column) for column in zip(*cases, strict=True))
    one, other = delong(truth, a, b), delong(truth, b, a)
    if len(set(truth)) < 2:
        assert "AUC needs both classes" in one.auc_a.reason
        assert isinstance(one.p_value, Undefined)
        return
    assert one.difference == pytest.approx(roc_auc_score(truth, a) - roc_auc_score(truth, b), abs=1e-12)
    assert (one.variance_a, one.auc_a) == pytest.approx((other.variance_b, other.auc_b), nan_ok=True)
    if one.interval is None:
        assert isinstance(one.z, Undefined)
        assert isinstance(other.p_value, Undefined)
        return
    assert one.z == pytest.approx(-other.z, rel=1e-9, abs=1e-12)
    assert one.p_value == pytest.approx(other.p_value, rel=1e-9)
    assert (one.interval.low, one.interval.high) == pytest.approx((-other.interval.high, -other.interval.low), abs=1e-12)


@pytest.mark.slow
@given(scored.filter(lambda cases: 1 < sum(truth for truth, _, _ in cases) < len(cases) - 1), st.sampled_from([0.5, 0.9, 0.99]))
def test_the_interval_is_the_normal_one_within_what_is_possible(cases, level):
    truth, a, b = (list(column) for column in zip(*cases, strict=True))
    found = delong(truth, a, b, level=level)
    if found.interval is not None:
        half = ndtri((1 + level) / 2) * math.sqrt(found.variance)
        expected = max(-1, found.difference - half), min(1, found.difference + half)
        assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-12)
        assert found.interval.level == level


def test_labels_of_any_type_and_either_class_as_the_positive_one():
    a, b = np.array([0.1, 0.5, 0.3, 0.4, 0.8, 0.9]), np.array([0.2, 0.6, 0.8, 0.7, 0.5, 0.9])
    number = delong([0, 0, 0, 1, 1, 1], a, b)
    assert delong(["well", "well", "well", "ill", "ill", "ill"], a, b, positive="ill") == number
    assert delong([False, False, False, True, True, True], a, b) == number
    turned = delong(["well", "well", "well", "ill", "ill", "ill"], -a, -b, positive="well")
    assert turned.z == pytest.approx(number.z)
    with pytest.raises(InputError, match="which class is positive"):
        delong(["well", "well", "well", "ill", "ill", "ill"], a, b)


def test_equal_rankings_have_no_test():
    truth, a = [0, 1, 0, 1, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    found = delong(truth, a, [10 * score for score in a])
    assert (found.difference, found.variance, found.interval) == (0, 0, None)
    assert "rank the cases as good as alike" in found.z.reason
    assert found.p_value is found.z


def test_faultless_against_nothing_but_faults_has_no_test_either():
    found = delong([0, 0, 1, 1], [1, 2, 3, 4], [4, 3, 2, 1])
    assert (found.auc_a, found.auc_b, found.difference) == (1, 0, 1)
    assert isinstance(found.z, Undefined)


@pytest.mark.parametrize("truth", [[1, 1, 1], [0, 0, 0], ["a", "a", "a"]])
def test_one_class_has_no_area(truth):
    found = delong(truth, [1, 2, 3], [3, 1, 2])
    assert "every case is of class" in found.auc_b.reason
    assert found.interval is None


def test_one_case_of_a_class_has_areas_but_no_test():
    found = delong([0, 0, 0, 1], [1, 2, 4, 3], [1, 2, 3, 4])
    assert (found.auc_a, found.auc_b) == pytest.approx((2 / 3, 1))
    assert "one case only" in found.z.reason
    assert found.interval is None


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([0.1, math.nan, 0.3], "y_score_a has 1 missing values"),
        ([[0.1], [0.2], [0.3]], r"shape \(3, 1\)"),
        (["x", "y", "z"], "one number per case"),
        ([0.1, 0.2], "y_true has 3 cases"),
        ([[0.1], [0.2, 0.3]], "rows of different lengths"),
    ],
)
def test_scores_that_cannot_be_ranked_are_refused(scores, words):
    with pytest.raises(InputError, match=words):
        delong([0, 1, 1], scores, [0.1, 0.2, 0.3])


def test_a_level_outside_its_range_is_refused():
    with pytest.raises(InputError, match=r"95% is 0\.95"):
        delong([0, 1], [1, 2], [1, 2], level=95)


def test_the_result_is_plain_data_and_names_its_method():
    found = delong([0, 1, 0, 1], [1, 2, 3, 4], [2, 1, 4, 3])
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert "1988" in told["method"]
    assert told["type_i_error"] == found.type_i_error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("m", "n", "area", "least", "most"),
    [(20, 20, 0.6, 0.04, 0.07), (20, 200, 0.75, 0.04, 0.07), (5, 200, 0.6, 0.07, 0.13), (10, 10, 0.97, 0.0, 0.01)],
)
def test_two_equally_good_scores_are_told_apart_as_often_as_it_says(m, n, area, least, most):
    """1,500 draws know 5% to 0.6 points: a test that rejects 8% is found out in nine runs of ten, one of 10% always."""
    rng, truth = np.random.default_rng(20261116), np.arange(m + n) < m
    shift = math.sqrt(2) * ndtri(area) * truth
    draws = 1500
    found = [delong(truth, *(shift + rng.standard_normal((2, m + n)))).p_value for _ in range(draws)]
    assert least <= np.count_nonzero(np.array(found) < 0.05) / draws <= most
