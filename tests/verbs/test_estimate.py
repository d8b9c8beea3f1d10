"""The verbs for learners: estimate and trade_off."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, ShuffleSplit, TimeSeriesSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier
from tests.described import mentions, refused

import adjudge
from adjudge import InputError, estimate, plan, trade_off

X, Y = load_breast_cancer(return_X_y=True)


def test_ten_stratified_folds_are_the_default():
    found = estimate(GaussianNB(), X, Y, random_state=0)
    assert found.plan.fingerprint == plan("stratified-10-fold", X, Y, random_state=0).fingerprint


@pytest.mark.parametrize("name", ["Plan", "Resampled", "combine_632", "combine_632plus", "estimate", "plan", "trade_off"])
def test_public_names(name):
    assert name in dir(adjudge)
    assert callable(getattr(adjudge, name))


@pytest.mark.slow
def test_the_same_number_gives_the_same_digits():
    one, again = (estimate(DecisionTreeClassifier(max_features=2), X, Y, by="bootstrap-5", random_state=4) for _ in range(2))
    assert one.predictions.source.columns["predicted"].equals(again.predictions.source.columns["predicted"])
    assert one.estimates["accuracy"].folds.tolist() == again.estimates["accuracy"].folds.tolist()


def test_a_plan_made_before_is_used_as_it_is():
    made = plan("5-fold", X, Y, random_state=9)
    assert estimate(GaussianNB(), X, Y, by=made).plan is made


def test_groups_reach_the_splitter():
    groups = np.arange(len(Y)) // 7
    splitter = GroupKFold(4)
    found = estimate(GaussianNB(), X, Y, by=splitter, groups=groups, measures=("accuracy",))
    expected = cross_val_score(GaussianNB(), X, Y, cv=splitter, groups=groups)
    assert found.estimates["accuracy"].folds == pytest.approx(expected)


def test_unknown_measures_and_levels_are_refused():
    with pytest.raises(InputError, match="There is no measure 'acuracy'"):
        estimate(GaussianNB(), X, Y, measures=("acuracy",))
    with pytest.raises(InputError, match=r"mae .*measure of numbers"):
        estimate(GaussianNB(), X, Y, measures=("mae",))
    with refused("level", "0", "1", "95"):
        estimate(GaussianNB(), X, Y, level=95)


@pytest.mark.slow
def test_a_lower_level_gives_narrower_intervals():
    wide, narrow = (estimate(GaussianNB(), X, Y, level=level, random_state=0) for level in (0.99, 0.5))
    for pick in (lambda r: r.estimates["accuracy"].algorithm, lambda r: r.pooled.estimates["accuracy"].interval):
        assert pick(wide).low < pick(narrow).low < pick(narrow).high < pick(wide).high


def test_the_trade_off_is_made_of_random_splits():
    found = trade_off(GaussianNB(), X, Y, shares=(0.2, 0.5), repeats=4, random_state=0)
    assert [share.cases for share in found.shares] == [114, 285]
    assert [share.share for share in found.shares] == pytest.approx([0.2, 0.5], abs=0.002)
    for share in found.shares:
        assert share.values.size == 4
        assert share.mean == pytest.approx(np.mean(share.values))
        assert share.spread == pytest.approx(np.std(share.values, ddof=1))
        assert share.middle == tuple(np.percentile(share.values, (25, 75)))
    assert "accuracy" in repr(found)
    assert found.to_dict()["measure"] == "accuracy"


@pytest.mark.slow
def test_more_cases_for_testing_mean_fewer_to_learn_from():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    X = rng.standard_normal((200, 40)) + 0.5 * y[:, None]
    found = trade_off(GaussianNB(), X, y, shares=(0.1, 0.9), repeats=40, random_state=0)
    few, many = found.shares
    assert few.mean > many.mean + 0.05
    assert few.spread > many.spread


def test_the_trade_off_of_numbers_and_of_scores():
    X, y = load_diabetes(return_X_y=True)
    found = trade_off(Ridge(), X, y, shares=(0.5,), repeats=3, random_state=1)
    assert found.measure == "mae"
    assert found.shares[0].mean > 0
    assert (
        trade_off(GaussianNB(), *load_breast_cancer(return_X_y=True), shares=(0.5,), repeats=2, measure="auc").shares[0].mean
        > 0.9
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"repeats": 1}, "repeats must be at least 2"),
        ({"shares": (0.0,)}, "leaves none for testing"),
        ({"shares": (1.0,)}, "leaves none for testing or none for training"),
        ({"measure": "mse"}, "mse does not fit a learner of classes"),
    ],
)
def test_trade_offs_that_cannot_be_made_are_refused(options, told):
    with pytest.raises(InputError, match=told):
        trade_off(GaussianNB(), X, Y, **options)


def test_any_splitter_of_scikit_learn_will_do():
    splitter = ShuffleSplit(3, test_size=0.3, random_state=5)
    found = estimate(GaussianNB(), X, Y, by=splitter, measures=("accuracy",))
    assert found.estimates["accuracy"].folds == pytest.approx(cross_val_score(GaussianNB(), X, Y, cv=splitter))
    assert found.plan.test_share == pytest.approx(0.3, abs=0.002)


def test_splits_that_fail_are_counted_in_the_trade_off():
    class Shaky(GaussianNB):
        def fit(self, X, y):
            if 0.0 not in X[:, 0]:
                msg = "the first case is missing"
                raise ValueError(msg)
            return super().fit(X, y)

    rows = np.column_stack([np.arange(60.0), np.random.default_rng(0).normal(size=60)])
    found = trade_off(Shaky(), rows, np.arange(60) % 2, shares=(0.5,), repeats=8, random_state=0)
    (share,) = found.shares
    assert 0 < len(share.failures) == 8 - share.values.size
    assert mentions(found.in_words(), f"{len(share.failures)} of 8 splits failed")


def test_folds_that_learn_from_more_and_more_are_corrected_by_their_mean_ratio():
    splitter = TimeSeriesSplit(6)
    found = estimate(GaussianNB(), X, Y, by=splitter, measures=("accuracy",), level=0.9).estimates["accuracy"]
    d = cross_val_score(GaussianNB(), X, Y, cv=splitter)
    ratio = np.mean([test.size / train.size for train, test in splitter.split(X)])
    half = stats.t.ppf(0.95, d.size - 1) * np.sqrt((1 / d.size + ratio) * d.var(ddof=1))
    assert found.algorithm.low == pytest.approx(d.mean() - half, rel=1e-12)
    assert found.algorithm.high == pytest.approx(min(1, d.mean() + half), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [GaussianNB(), KNeighborsClassifier(2), KNeighborsClassifier(3, weights="distance")])
def test_leave_one_out_gives_the_same_digits_with_a_checkpoint(learner, tmp_path):
    rng = np.random.default_rng(1)
    y = np.arange(18) % 3
    X = np.round(rng.normal(size=(18, 2)) + 0.7 * y[:, None], 1)
    X[1], X[7] = X[0], X[4]  # twins, which no shortcut answers
    kept = tmp_path / "run.adj"
    plain = estimate(learner, X, y, by="leave-one-out", measures=("accuracy", "log_loss", "brier"), random_state=0)
    first, again = (
        estimate(learner, X, y, by="leave-one-out", measures=("accuracy", "log_loss", "brier"), random_state=0, checkpoint=kept)
        for _ in range(2)
    )
    for other in (first, again):
        assert {name: column.to_pylist() for name, column in other.predictions.source.columns.items()} == {
            name: column.to_pylist() for name, column in plain.predictions.source.columns.items()
        }
        assert other.to_dict() == plain.to_dict()
    whole = adjudge.evaluate(str(kept), truth="truth", predicted="predicted", scores="p_*")
    assert whole.estimates["accuracy"].value == plain.pooled.estimates["accuracy"].value
    assert len(list(kept.glob("*.parquet"))) == 18


@pytest.mark.slow
def test_the_bootstrap_of_numbers_says_that_632plus_is_missing():
    X, y = load_diabetes(return_X_y=True)
    found = estimate(Ridge(), X, y, by="bootstrap-5", random_state=0)
    (told,) = [finding for finding in found.findings if finding.code == "A610"]
    assert ".632+" in told.message
    assert found.estimates["mae"].efron632 is not None
    assert all(over.bootstrap632plus is None for over in found.estimates.values())
    for other in (
        estimate(Ridge(), X, y, random_state=0),
        estimate(GaussianNB(), *load_breast_cancer(return_X_y=True), by="bootstrap-3"),
    ):
        assert "A610" not in {finding.code for finding in other.findings}


@pytest.mark.parametrize(
    "options", [{"n_jobs": 2}, pytest.param({"isolate": True}, marks=pytest.mark.slow), {"executor": 1}], ids=str
)
def test_a_trade_off_has_the_same_digits_wherever_it_is_done(options):
    options = {"executor": ThreadPoolExecutor(2)} if "executor" in options else options
    learner = DecisionTreeClassifier(max_features=2)
    here, there = (
        trade_off(learner, X, Y, shares=(0.3, 0.6), repeats=3, random_state=2, progress=False, **given) for given in ({}, options)
    )
    assert [share.values.tolist() for share in here.shares] == [share.values.tolist() for share in there.shares]


@pytest.mark.slow
def test_a_split_that_takes_too_long_is_left_out_of_the_trade_off():
    class Slow(GaussianNB):
        def fit(self, X, y):
            while 0.0 not in X[:, 0]:
                pass
            return super().fit(X, y)

    rows = np.column_stack([np.arange(60.0), np.random.default_rng(0).normal(size=60)])
    (share,) = trade_off(Slow(), rows, np.arange(60) % 2, shares=(0.5,), repeats=6, random_state=0, timeout=2.0).shares
    assert 0 < len(share.failures) == 6 - share.values.size
    (reason,) = set(share.failures)
    assert reason.startswith("no answer within 2 s")


def test_a_measure_without_a_value_says_why_in_the_trade_off():
    found = trade_off(
        GaussianNB(), np.arange(8.0)[:, None], [0, 1] * 4, shares=(0.1, 0.5), repeats=3, measure="mcc", random_state=0
    )
    few = found.shares[0]
    assert np.isnan(few.mean)
    assert np.isnan(few.spread)
    assert mentions(few.mean.reason, "no value in 3 of 3 splits", few.reason)
    assert few.reason
    assert few.reason in repr(found)
    assert few.reason in str(found.to_dict())
    assert np.isnan(trade_off(GaussianNB(), X, Y, shares=(0.001,), repeats=2, measure="auc", random_state=0).shares[0].mean)


@pytest.mark.slow
def test_a_reason_does_not_end_twice():
    class Sad(GaussianNB):
        def fit(self, X, y):
            if 0.0 not in X[:, 0]:
                msg = "there is no luck today."
                raise ValueError(msg)
            return super().fit(X, y)

    rows = np.column_stack([np.arange(60.0), np.random.default_rng(0).normal(size=60)])
    found = estimate(Sad(), rows, np.arange(60) % 2, by="3-fold", random_state=0)
    assert any("ValueError: there is no luck today." in finding.message for finding in found.findings)
    assert ".." not in found.in_words()
    assert ".." not in trade_off(Sad(), rows, np.arange(60) % 2, shares=(0.5,), repeats=8, random_state=0).in_words()


ON_FILES = {"by": "5-fold", "random_state": 3, "progress": False}


@pytest.mark.slow
def test_a_file_and_arrays_give_the_same_estimate(file_cases, tmp_path):
    path, X, y = file_cases
    named = adjudge.estimate(GaussianNB(), path, "y", leave_out=["id", "site"], **ON_FILES)
    plain = adjudge.estimate(GaussianNB(), X, y, **ON_FILES)
    assert named.to_dict() == plain.to_dict()
    plan = plain.plan.save(tmp_path / "plan.json")
    again = adjudge.estimate(GaussianNB(), X, y, **ON_FILES | {"by": plan or tmp_path / "plan.json"})
    assert again.estimates["accuracy"].folds.tolist() == plain.estimates["accuracy"].folds.tolist()


@pytest.mark.slow
def test_learners_are_compared_and_ranked_on_a_file(file_cases):
    path, X, y = file_cases
    both = GaussianNB(), DecisionTreeClassifier(max_depth=1, random_state=0)
    columns = {"leave_out": ["id", "site"]}
    assert (
        adjudge.compare_learners(*both, path, "y", **columns, **ON_FILES).difference
        == adjudge.compare_learners(*both, X, y, **ON_FILES).difference
    )
    ranked = adjudge.rank(list(both), path, "y", **columns, **ON_FILES)
    assert [row.name for row in ranked.rows] == [row.name for row in adjudge.rank(list(both), X, y, **ON_FILES).rows]


@pytest.mark.slow
def test_ensembles_are_judged_where_they_are_named():
    tree, quiet = DecisionTreeClassifier(max_depth=1), {"by": "3-fold", "random_state": 0, "progress": False}
    found = estimate(tree, X[:120], Y[:120], ensemble="bagging", rounds=2, measures=["mcc"], **quiet)
    ours = adjudge.judge_ensembles(tree, X[:120], Y[:120], ensembles="bagging", n_estimators=2, measure="mcc", **quiet)
    assert found.to_dict() == ours.to_dict()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"rounds": 3}, "rounds counts the models of an ensemble; name one with ensemble="),
        ({"samme": True}, "samme is for adaboost; name one with ensemble="),
        ({"ensemble": "bagging", "checkpoint": "kept"}, "one measure and takes no checkpoint"),
        ({"ensemble": "bagging", "measures": ("mcc", "error")}, "takes one measure; estimate each by itself"),
    ],
)
def test_what_does_not_go_with_one_learner_or_with_ensembles(given, told):
    with pytest.raises(InputError, match=told):
        estimate(GaussianNB(), X, Y, **given)
