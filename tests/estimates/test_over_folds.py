"""The .632 estimates, and shares over folds."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score

from adjudge import InputError, combine_632, combine_632plus, confusion, estimate, measure
from adjudge.estimates.over_folds import out_of_bag_share, unrelated

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
RATES = st.floats(0, 1)


def cases(quantity):
    found = [case for case in CASES if case["quantity"] == quantity]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


def close(case, name):
    return pytest.approx(float(case["expected"][name]), rel=case["tolerance"]["rtol"], abs=case["tolerance"]["atol"])


@cases("bootstrap_632_accuracy")
def test_632_agrees_with_the_worked_cases(case):
    assert combine_632(case["inputs"]["acc_test"], case["inputs"]["acc_train"]) == close(case, "accuracy")


@cases("bootstrap_632plus")
def test_632plus_agrees_with_the_worked_cases(case):
    given_ = case["inputs"]
    names = {"resubstitution": "err_resub", "out_of_bag": "err_loo_boot", "no_information": "gamma"}
    assert combine_632plus(**{ours: given_[theirs] for ours, theirs in names.items()}) == close(case, "err_632plus")
    assert combine_632([given_["err_loo_boot"]], [given_["err_resub"]]) == close(case, "err_632")


@cases("bootstrap_out_probability")
def test_the_share_left_out_agrees_with_the_worked_cases(case):
    assert out_of_bag_share(case["inputs"]["d"]) == close(case, "out")


@cases("cv_error")
def test_pooled_and_mean_of_folds_agree_with_the_worked_cases(case):
    errors, sizes = case["inputs"]["fold_errors"], case["inputs"]["fold_sizes"]
    ends = np.cumsum(sizes)
    rows, truth = np.arange(ends[-1]), np.arange(ends[-1]) % 2
    folds = [rows[end - size : end] for end, size in zip(ends, sizes, strict=True)]
    said = truth.copy()
    for fold, wrong in zip(folds, errors, strict=True):
        said[fold[:wrong]] = 1 - said[fold[:wrong]]
    found = estimate(Told(), said[:, None], truth, by=[(np.setdiff1d(rows, fold), fold) for fold in folds], random_state=0)
    assert found.estimates["error"].pooled == close(case, "pooled")
    assert found.estimates["error"].mean_of_folds == close(case, "mean_of_folds")


class Told(ClassifierMixin, BaseEstimator):
    """Says of each case what its only feature says."""

    def fit(self, X, y):  # noqa: ARG002 - the signature of every learner
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_the_share_left_out_is_exact(n):
    assert out_of_bag_share(n) == pytest.approx(float(Fraction(n - 1, n) ** n), rel=1e-14)


def test_the_share_left_out_tends_to_one_over_e():
    shares = [out_of_bag_share(10**k) for k in range(1, 13)]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(math.exp(-1), rel=1e-11)


@given(RATES, RATES, RATES)
def test_632plus_agrees_with_equation_32_in_fractions(seen, unseen, none):
    err, left_out, gamma = (Fraction(x) for x in (seen, unseen, none))
    rounded, share = Fraction(632, 1000), Fraction(368, 1000)
    capped = min(left_out, gamma)
    overfitting = (capped - err) / (gamma - err) if left_out > err and gamma > err else Fraction(0)
    wanted = share * err + rounded * left_out + (capped - err) * share * rounded * overfitting / (1 - share * overfitting)
    found = combine_632plus(resubstitution=seen, out_of_bag=unseen, no_information=none)
    assert found == pytest.approx(float(wanted), rel=1e-12, abs=1e-15)


@given(RATES, RATES, RATES)
def test_632plus_lies_between_the_training_error_and_the_error_of_the_cases_left_out(seen, unseen, none):
    found = combine_632plus(resubstitution=seen, out_of_bag=unseen, no_information=none)
    assert min(seen, unseen) - 1e-12 <= found <= max(seen, unseen) + 1e-12


def test_632plus_is_632_where_the_no_information_rate_lies_below_the_training_error():
    found = combine_632plus(resubstitution=0.3, out_of_bag=0.35, no_information=0.25)
    assert found == pytest.approx(0.368 * 0.3 + 0.632 * 0.35, rel=1e-12)


@given(RATES, RATES)
def test_632plus_without_overfitting_is_632(error, none):
    none = max(error, none)
    assert combine_632plus(resubstitution=error, out_of_bag=error, no_information=none) == pytest.approx(error, abs=1e-12)


@given(st.floats(0.01, 0.5))
def test_a_learner_that_knows_nothing_but_its_cases_gets_the_error_of_the_cases_left_out(none):
    found = combine_632plus(resubstitution=0.0, out_of_bag=none, no_information=none)
    assert found == pytest.approx(none, rel=1e-12)  # R = 1: all the weight on the cases left out


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=12))
def test_no_information_is_the_error_over_all_pairs_of_truth_and_decision(cases):
    truth, predicted = zip(*cases, strict=True)
    pairs = [(t, p) for t in truth for p in predicted]
    expected = 1 - accuracy_score(*zip(*pairs, strict=True))
    table = unrelated(confusion(list(truth), list(predicted), classes="abc"))
    assert measure(table, "error") == pytest.approx(expected, abs=1e-12)


def test_what_is_no_error_rate_and_what_does_not_fit_is_refused():
    with pytest.raises(InputError, match=r"^out_of_bag .*0 and 1.*45"):
        combine_632plus(resubstitution=0.1, out_of_bag=45, no_information=0.5)
    with pytest.raises(InputError, match=r"one value per round .*2 .*3 rounds"):
        combine_632([0.1, 0.2, 0.3], [0.5, 0.5])
    with pytest.raises(InputError, match="one finite number per round"):
        combine_632([0.1, float("nan")], [0.5, 0.5])
