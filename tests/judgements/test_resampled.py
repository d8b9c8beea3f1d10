"""A learner judged: scikit-learn's numbers over the same folds, and what the reader is told beside them."""

from __future__ import annotations

import json
import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from tests.described import facts, mentions

from adjudge import InputError, estimate, evaluate, measure
from adjudge._base.undefined import Undefined
from adjudge.judgements.resampled import Share, TradeOff, judge_run
from adjudge.resampling.run import job_of, run

X, Y = load_breast_cancer(return_X_y=True)
IRIS = load_iris(return_X_y=True)
LEARNER = make_pipeline(StandardScaler(), LogisticRegression())
NAMES = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "f1": "f1",
    "precision": "precision",
    "sensitivity": "recall",
    "mcc": "matthews_corrcoef",
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
}


def pairs(plan):
    return list(zip(plan.train, plan.test, strict=True))


class Memory(ClassifierMixin, BaseEstimator):
    """A learner that remembers its cases and guesses everything else."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known_ = {tuple(row): label for row, label in zip(X, y, strict=True)}
        return self

    def predict(self, X):
        guess = np.random.default_rng(len(X)).choice(self.classes_, len(X))
        return np.array([self.known_.get(tuple(row), other) for row, other in zip(X, guess, strict=True)])


@pytest.fixture(scope="module")
def judged():
    return estimate(LEARNER, X, Y, by="stratified-10-fold", measures=tuple(NAMES), random_state=0)


@pytest.fixture(scope="module")
def scored(judged):
    return cross_validate(LEARNER, X, Y, cv=pairs(judged.plan), scoring=list(NAMES.values()))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_fold_scores_what_scikit_learn_says(judged, scored, name):
    expected = scored["test_" + NAMES[name]]
    expected = -expected if NAMES[name].startswith("neg_") else expected
    assert judged.estimates[name].folds == pytest.approx(expected, rel=1e-9)
    assert judged.estimates[name].mean_of_folds == pytest.approx(expected.mean(), rel=1e-9)


@pytest.mark.slow
def test_the_pooled_value_is_that_of_all_answers(judged):
    expected = cross_val_predict(LEARNER, X, Y, cv=pairs(judged.plan))
    assert judged.estimates["accuracy"].pooled == pytest.approx(metrics.accuracy_score(Y, expected))
    assert judged.estimates["mcc"].pooled == pytest.approx(metrics.matthews_corrcoef(Y, expected))
    assert judged.pooled.counts.cells.tolist() == metrics.confusion_matrix(Y, expected).tolist()
    assert judged.pooled.estimates["f1"].value == judged.estimates["f1"].pooled
    assert judged.pooled.counts.cells.tolist() == sum(judged.pooled.by_fold.values()).cells.tolist()


@pytest.mark.slow
def test_three_classes_are_averaged_as_scikit_learn_does():
    found = estimate(GaussianNB(), *IRIS, measures=("f1", "auc", "log_loss", "brier", "ece"), random_state=0)
    for name, theirs in (("f1", "f1_macro"), ("auc", "roc_auc_ovr"), ("log_loss", "neg_log_loss")):
        expected = np.abs(cross_val_score(GaussianNB(), *IRIS, cv=pairs(found.plan), scoring=theirs))
        assert found.estimates[name].folds == pytest.approx(expected, rel=1e-9)
    folds = np.asarray(found.predictions.source.columns["fold"])
    for name in ("brier", "ece", "log_loss"):
        parts = []
        for fold in np.unique(folds):
            columns = {k: np.asarray(v)[folds == fold] for k, v in found.predictions.source.columns.items() if k != "part"}
            parts.append(measure({k: columns[k] for k in ("truth", "predicted", "p_0", "p_1", "p_2")}, name))
        assert found.estimates[name].folds == pytest.approx(parts, rel=1e-12)


def test_the_interval_for_the_algorithm_is_wider_than_two_standard_errors_and_clipped(judged):
    found = judged.estimates["accuracy"]
    each = found.folds
    spread = np.sqrt((1 / 10 + 1 / 9) * each.var(ddof=1))
    low, high = stats.t.interval(0.95, 9, each.mean(), spread)
    assert (found.algorithm.low, found.algorithm.high) == pytest.approx((low, min(high, 1)), rel=1e-3)  # folds of 56 and 57
    assert found.conventional.error == pytest.approx(stats.sem(each))
    assert found.algorithm.high - found.algorithm.low > found.conventional.high - found.conventional.low
    assert all(over.algorithm.high <= 1 for over in judged.estimates.values() if over.measure not in ("log_loss", "brier"))


@pytest.mark.slow
def test_two_standard_errors_are_not_clipped():
    y = np.repeat([0, 1], 20)
    X = y[:, None] + np.linspace(0, 0.1, 40)[:, None]
    y[5] = 1  # the one case that nobody can get right
    found = estimate(KNeighborsClassifier(3), X, y, measures=("accuracy",), random_state=0).estimates["accuracy"]
    assert found.pooled == 1 - 1 / 40
    assert found.conventional.high > 1 == found.algorithm.high


@pytest.mark.slow
def test_pooled_intervals_count_cases_not_answers():
    once, often = (estimate(GaussianNB(), X, Y, by=by, random_state=0).pooled for by in ("stratified-10-fold", "5x10-fold"))
    assert once.origin.rows * 5 == often.origin.rows
    for name in ("accuracy", "balanced_accuracy", "auc", "brier", "f1"):
        widths = [e.estimates[name].interval.high - e.estimates[name].interval.low for e in (once, often)]
        assert widths[1] == pytest.approx(widths[0], rel=0.25)  # five times the answers would make it 0.45 of the width
    assert "A401" not in [finding.code for finding in often.findings]


@pytest.mark.slow
def test_pooled_values_of_repeated_folds_are_over_all_answers():
    found = estimate(GaussianNB(), X, Y, by="3x5-fold", random_state=0)
    columns = found.predictions.source.columns
    assert found.pooled.estimates["accuracy"].value == pytest.approx(
        metrics.accuracy_score(columns["truth"], columns["predicted"])
    )
    assert found.pooled.estimates["auc"].value == pytest.approx(metrics.roc_auc_score(columns["truth"], columns["p_1"]))


@pytest.mark.slow
def test_leave_one_out_has_no_folds_and_says_nothing_of_them():
    found = estimate(GaussianNB(), *IRIS, by="leave-one-out", random_state=0)
    over = found.estimates["accuracy"]
    assert over.folds.size == 0
    assert over.pooled == over.mean_of_folds
    assert over.algorithm is None
    assert not [finding for finding in found.findings if finding.code in ("A601", "A608", "A609")]
    assert len(found.by_fold) == 150


@pytest.mark.slow
def test_resubstitution_and_overfitting():
    tree = estimate(DecisionTreeClassifier(), X, Y, random_state=0)
    assert tree.resubstitution.estimates["error"].value == 0
    assert tree.overfitting.verdict == "optimistic"
    assert tree.overfitting.bias == pytest.approx(tree.estimates["error"].pooled)
    plain = estimate(GaussianNB(), X, Y, random_state=0)
    assert plain.resubstitution.estimates["accuracy"].value == GaussianNB().fit(X, Y).score(X, Y)
    assert plain.overfitting.verdict == "no sign"


# -- bootstrap -----------------------------------------------------------------------------------------------


def by_hand(learner, X, y, plan):
    """Return the accuracies the .632 estimates are made of, from plain loops."""
    test, on_all, wrong, times = [], [], np.zeros(len(y)), np.zeros(len(y))
    for learn, judge in pairs(plan):
        right = learner.fit(X[learn], y[learn]).predict(X) == y
        test.append(right[judge].mean())
        on_all.append(right.mean())
        wrong[judge] += ~right[judge]
        times[judge] += 1
    seen = learner.fit(X, y).predict(X)
    return np.array(test), np.array(on_all), float(np.mean(wrong[times > 0] / times[times > 0])), seen


@pytest.mark.slow
def test_632_in_both_forms_and_632plus():
    X, y = IRIS
    found = estimate(DecisionTreeClassifier(random_state=0, max_depth=2), X, y, by="bootstrap632+-25", random_state=1)
    test, on_all, left_out, seen = by_hand(DecisionTreeClassifier(random_state=0, max_depth=2), X, y, found.plan)
    over, error = found.estimates["accuracy"], found.estimates["error"]
    assert over.folds == pytest.approx(test)
    assert over.bootstrap632 == pytest.approx(np.mean(0.632 * test + 0.368 * on_all))
    wrong = np.mean(seen != y)
    assert over.efron632 == pytest.approx(1 - (0.632 * left_out + 0.368 * wrong))
    # Efron and Tibshirani (1997): shares of the truth, and of what the rule that learnt from all cases says of them
    shares = [np.bincount(of, minlength=3) / y.size for of in (y, seen)]
    gamma = 1 - shares[0] @ shares[1]
    r = np.clip((min(left_out, gamma) - wrong) / (gamma - wrong), 0, 1)
    w = 0.632 / (1 - 0.368 * r)
    assert error.bootstrap632plus == pytest.approx((1 - w) * wrong + w * min(left_out, gamma))
    assert over.bootstrap632plus == pytest.approx(1 - error.bootstrap632plus)
    assert over.efron632 == pytest.approx(1 - error.efron632)
    assert found.estimates["mcc"].bootstrap632plus is None
    assert found.estimates["mcc"].bootstrap632 is not None


@pytest.mark.slow
def test_632plus_sees_through_a_learner_that_only_remembers():
    rng = np.random.default_rng(0)
    found = estimate(Memory(), rng.random((120, 3)), rng.integers(0, 2, 120), by="bootstrap632+-30", random_state=0)
    error = found.estimates["error"]
    assert error.efron632 == pytest.approx(0.632 * 0.5, abs=0.05)  # flattered by the cases it remembers
    assert error.bootstrap632plus == pytest.approx(0.5, abs=0.06)


@pytest.mark.slow
def test_the_share_left_out_is_shown_against_what_to_expect():
    found = estimate(GaussianNB(), *IRIS, by="bootstrap-40", random_state=0)
    seen, expected = found.out_of_bag
    assert expected == pytest.approx((149 / 150) ** 150)
    assert seen == pytest.approx(np.mean([150 - np.unique(part).size for part in found.plan.train]) / 150)
    assert found.summary == "40 rounds"
    assert estimate(GaussianNB(), *IRIS, random_state=0).out_of_bag is None


# -- numbers -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_numbers_are_judged_by_their_losses():
    X, y = load_diabetes(return_X_y=True)
    found = estimate(Ridge(), X, y, random_state=0)
    assert found.plan.name == "10-fold (numbers have no strata)"
    expected = cross_val_predict(Ridge(), X, y, cv=pairs(found.plan))
    assert found.estimates["mae"].pooled == pytest.approx(metrics.mean_absolute_error(y, expected))
    assert found.estimates["mse"].pooled == pytest.approx(metrics.mean_squared_error(y, expected))
    scores = cross_val_score(Ridge(), X, y, cv=pairs(found.plan), scoring="neg_mean_squared_error")
    assert found.estimates["mse"].folds == pytest.approx(-scores)
    r2 = cross_val_score(Ridge(), X, y, cv=pairs(found.plan), scoring="r2")
    assert found.estimates["rse"].folds == pytest.approx(1 - r2)
    assert found.resubstitution.estimates["mse"].value == pytest.approx(
        metrics.mean_squared_error(y, Ridge().fit(X, y).predict(X))
    )
    assert found.overfitting is None
    assert found.estimates["mae"].algorithm.low < found.estimates["mae"].mean_of_folds < found.estimates["mae"].algorithm.high


def test_efrons_632_of_a_loss():
    X, y = load_diabetes(return_X_y=True)
    found = estimate(Ridge(), X, y, by="bootstrap632-10", random_state=0)
    total, times = np.zeros(len(y)), np.zeros(len(y))
    for learn, judge in pairs(found.plan):
        total[judge] += np.abs(y[judge] - Ridge().fit(X[learn], y[learn]).predict(X[judge]))
        times[judge] += 1
    seen = np.abs(y - Ridge().fit(X, y).predict(X)).mean()
    left_out = np.mean(total[times > 0] / times[times > 0])
    assert found.estimates["mae"].efron632 == pytest.approx(0.632 * left_out + 0.368 * seen)


@pytest.mark.slow
def test_intervals_of_numbers_judged_again_count_cases_once():
    X, y = load_diabetes(return_X_y=True)
    once, often = (
        estimate(Ridge(), X, y, by=by, random_state=0).pooled.estimates["mae"].interval for by in ("10-fold", "5x10-fold")
    )
    assert often.high - often.low == pytest.approx(once.high - once.low, rel=0.15)


# -- findings ------------------------------------------------------------------------------------------------


def codes(found):
    return {finding.code: finding for finding in found.findings}


@pytest.mark.slow
def test_small_and_unequal_folds_are_told():
    by = [(np.arange(40, 150), np.arange(40)), (np.arange(40), np.arange(40, 150)), (np.arange(100), np.arange(140, 150))]
    found = codes(estimate(KNeighborsClassifier(), *IRIS, by=by, random_state=0))
    assert found["A601"].value == 10
    assert found["A602"].value == 10
    assert "A601" not in codes(estimate(GaussianNB(), X, Y, random_state=0))


@pytest.mark.slow
def test_failed_folds_are_told_with_the_reason():
    class Fails(GaussianNB):
        def fit(self, X, y):
            if X.shape[0] == len(Y) or first not in X[:, 0]:
                msg = "no luck"
                raise RuntimeError(msg)
            return super().fit(X, y)

    named = X.copy()
    named[:, 0] += np.arange(len(X)) * 1e-6
    first = named[0, 0]
    found = estimate(Fails(), named, Y, random_state=0)
    assert found.summary == "9 of 10 folds"
    assert facts(codes(found)["A603"].message)[:3] == ["9", "10", str(next(iter(found.failures)))]
    assert "RuntimeError: no luck" in codes(found)["A603"].message
    assert "A604" in codes(found)
    assert codes(found)["A605"].value == found.plan.test[next(iter(found.failures)) - 1].size
    assert found.resubstitution is None
    assert found.overfitting is None
    failed = [fold for fold in found.by_fold if fold.failure]
    assert [fold.fold for fold in failed] == [next(iter(found.failures))]
    assert found.estimates["accuracy"].folds.size == 9


@pytest.mark.slow
def test_a_class_that_could_not_be_learnt_is_told():
    X, y = IRIS
    by = [(np.flatnonzero(y < 2), np.flatnonzero(y == 2)), (np.arange(1, 150), [0])]
    assert "fold 1: 2" in codes(estimate(GaussianNB(), X, y, by=by, random_state=0))["A606"].message


@pytest.mark.slow
def test_learners_without_probabilities_are_told():
    assert "scores, but no probabilities" in codes(estimate(LinearSVC(), *IRIS, random_state=0))["A607"].message
    assert "decisions only" in codes(estimate(Memory(), *IRIS, random_state=0))["A607"].message
    assert np.isnan(estimate(Memory(), *IRIS, measures=("auc",), random_state=0).estimates["auc"].pooled)


@pytest.mark.slow
def test_folds_that_all_agree_are_told():
    X = np.repeat([[0.0], [1.0]], 40, axis=0)
    found = estimate(KNeighborsClassifier(1), X, np.repeat([0, 1], 40), random_state=0)
    assert found.estimates["accuracy"].algorithm.low == 1
    assert "A609" in codes(found)


@pytest.mark.slow
def test_folds_that_are_all_infinitely_wrong_are_no_folds_without_spread():
    found = estimate(DecisionTreeClassifier(random_state=0), X, Y, by="5-fold", measures=["log_loss"], random_state=0)
    assert np.isposinf(found.estimates["log_loss"].folds).all()
    assert "A609" not in codes(found)
    assert found.pooled.estimates["accuracy"].interval.low < 1


# -- what can be done with it --------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("by", ["stratified-5-fold", "leave-one-out", "bootstrap632+-5", "holdout", "2x3-fold"])
def test_everything_can_be_written_as_json_and_read_at_the_prompt(by):
    found = estimate(GaussianNB(), *IRIS, by=by, random_state=0)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["plan"]["fingerprint"] == found.plan.fingerprint
    assert told["estimates"]["accuracy"]["pooled"] == found.estimates["accuracy"].pooled
    assert "GaussianNB()" in repr(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["said.csv", "said.parquet"])
def test_predictions_are_saved_and_judged_again(tmp_path, name):
    found = estimate(GaussianNB(), *IRIS, random_state=0)
    again = evaluate(found.save(tmp_path / name))
    assert again.counts == found.pooled.counts
    assert again.estimates["log_loss"].value == pytest.approx(found.pooled.estimates["log_loss"].value, rel=1e-12)
    with pytest.raises(InputError, match=r"\.csv or \.parquet; .*'said\.txt'"):
        found.save(tmp_path / "said.txt")


def test_folds_have_a_table():
    found = estimate(GaussianNB(), X, Y, random_state=0)
    assert [fold.cases for fold in found.by_fold] == [part.size for part in found.plan.test]
    assert sum(fold.cases for fold in found.by_fold) == len(Y)
    first = found.by_fold[0].estimates["accuracy"]
    assert first.interval.low < first.value == found.estimates["accuracy"].folds[0]
    assert found.by_fold[0].training_cases == found.plan.train[0].size


@pytest.mark.slow
def test_the_interval_for_the_algorithm_covers_what_the_algorithm_does():
    rng = np.random.default_rng(20240901)
    shift = np.array([1.0, 0.5])

    def draw(n):
        y = rng.integers(0, 2, n)
        return rng.standard_normal((n, 2)) + y[:, None] * shift, y

    test = draw(20_000)
    held = {"algorithm": 0, "conventional": 0}
    rounds = 150  # a coverage of 88% is above 93% in three runs of a hundred
    for seed in range(rounds):
        X, y = draw(100)
        ran = run(job_of(KNeighborsClassifier(3), X, y, "10-fold", random_state=seed), seen=False)
        over = judge_run(ran, learner="", measures=("accuracy",)).estimates["accuracy"]
        truth = KNeighborsClassifier(3).fit(X, y).score(*test)
        held["algorithm"] += over.algorithm.low <= truth <= over.algorithm.high
        held["conventional"] += over.conventional.low <= truth <= over.conventional.high
    assert held["algorithm"] / rounds > 0.93
    assert held["conventional"] < held["algorithm"]


@pytest.mark.slow
def test_learners_are_named_in_one_line():
    long = LogisticRegression(C=0.123456789, max_iter=12345, tol=1e-7, class_weight="balanced", intercept_scaling=2.0)
    found = estimate(long, *IRIS, by="holdout", random_state=0)
    assert "\n" not in found.learner


def test_folds_that_learn_from_a_case_twice_are_no_bootstrap():
    X, y = IRIS
    pairs = [(np.r_[learn, learn[:10]], judge) for learn, judge in KFold(5, shuffle=True, random_state=0).split(X)]
    found = estimate(GaussianNB(), X, y, by=pairs, random_state=0)
    assert found.plan.kind == "folds"
    assert found.estimates["accuracy"].algorithm is not None
    assert found.estimates["accuracy"].bootstrap632 is None


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_mean_and_spread_are_those_of_the_textbook(values):
    share = Share(0.5, 10, np.array(values))
    assert share.mean == pytest.approx(statistics.fmean(values), abs=1e-12)
    assert share.spread == pytest.approx(statistics.stdev(values), abs=1e-12)
    assert share.middle == pytest.approx(tuple(np.percentile(values, (25, 75))))


def test_splits_without_a_value_leave_none_with_its_reason():
    share = Share(0.5, 10, np.array([0.5, np.nan, np.nan]), reason="one class only")
    for value in (share.mean, share.spread, *share.middle):
        assert isinstance(value, Undefined)
        assert mentions(value.reason, "no value in 2 of 3 splits", "one class only")
    assert f"undefined: {share.mean.reason}" in repr(TradeOff("x", "mcc", (share,), 0))
    assert Share(0.5, 10, np.array([np.nan])).mean.reason.endswith("1 of 1 split")


def test_one_split_has_no_spread():
    share = Share(0.5, 1, np.array([0.5]), ("it failed",))
    assert (share.mean, share.spread.reason) == (0.5, "fewer than two splits answered")
    assert "(1 case)" in repr(TradeOff("x", "mcc", (share,), 0))


def test_infinite_losses_have_an_infinite_mean_and_no_spread():
    share = Share(0.5, 10, np.array([1.0, math.inf, 2.0]))
    assert share.mean == math.inf
    assert "infinite in some split" in share.spread.reason
    assert share.middle[0] in (1.0, 2.0)
