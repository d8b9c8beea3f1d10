"""Corrections are recommended only where cases that took no part in fitting them say so."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import adjudge
from adjudge import InputError, Predictions, evaluate
from adjudge.corrections.kappa import fit_kappa
from adjudge.judgements.mendable import MOST_CASES
from adjudge.judgements.mending import Recommendations, dealt, recommend


def skewed(n=400, seed=0, share=0.12):
    """Return probabilities that take two unequal classes for equal ones."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    q = np.clip(0.5 + 0.3 * (y - 0.5) + 0.2 * rng.normal(size=n), 0.01, 0.99)
    return np.column_stack([1 - q, q]), y


def calibrated(n=400, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.random(n)
    return np.column_stack([1 - q, q]), (rng.random(n) < q).astype(int)


def test_what_helps_is_recommended_and_what_does_not_is_left():
    helped, spared = recommend(*skewed()), recommend(*calibrated())
    assert helped.best is not None
    assert helped.best.gain > 0.05
    assert {row.advice for row in spared.rows} <= {"leave it", "worth trying"}
    assert spared.best is None
    assert [row.p_gain for row in helped.rows] == sorted((row.p_gain for row in helped.rows), reverse=True)


def test_the_gain_is_that_of_fits_without_the_fold():
    """By hand: fit on the other folds, decide, count."""
    p, y = skewed()
    found = recommend(p, y, rng=3)
    fold = dealt(y, 5, 3)
    right = np.empty(y.size, dtype=bool)
    for part in range(5):
        out = fold == part
        fitted = fit_kappa(p[~out], y[~out], majority=0)
        right[out] = fitted.predict(p[out]) == y[out]
    before = p.argmax(axis=1) == y
    row = next(row for row in found.rows if row.name == "kappa, least squares in [0, 1]")
    assert row.gain == pytest.approx(right.mean() - before.mean())
    b, c = int((right & ~before).sum()), int((before & ~right).sum())
    assert row.p_gain == pytest.approx(stats.beta(b + 1, c + 1).sf(0.5), rel=1e-9)
    whole = fit_kappa(p, y, majority=0)
    assert row.in_sample == pytest.approx((whole.predict(p) == y).mean() - before.mean())
    assert np.array_equal(row.correction.kappa, whole.kappa)


@pytest.mark.parametrize("measure", ["brier", "log_loss"])
def test_losses_gain_where_they_fall(measure):
    p, y = skewed()
    found = recommend(p, y, measure=measure, old=[0.5, 0.5])
    for row in found.rows:
        corrected = row.correction.apply(p)
        own = [v[np.arange(y.size), y] for v in (p, corrected)]
        if measure == "log_loss":
            before, after = (-np.log(v).mean() for v in own)
        else:
            before, after = (((1 - v) ** 2).mean() for v in own)
        assert found.before == pytest.approx(before)
        assert row.in_sample == pytest.approx(before - after)
    assert found.best is not None


def test_balanced_accuracy_counts_classes_alike():
    p, y = skewed()
    found = recommend(p, y, measure="balanced_accuracy")
    decided = p.argmax(axis=1) == y
    assert found.before == pytest.approx((decided[y == 0].mean() + decided[y == 1].mean()) / 2)


def test_costs_and_rejection():
    p, y = skewed()
    found = recommend(p, y, measure="cost", gamma=3.0)
    assert [row.name for row in found.rows] == ["rejection and costs"]
    assert found.best is not None
    costs = [[0, 1], [20, 0]]
    dear = recommend(p, y, measure="cost", costs=costs)
    assert dear.before == pytest.approx(np.array(costs)[y, p.argmax(axis=1)].mean())


@given(st.integers(2, 6), st.integers(10, 80), st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_folds_deal_every_class_alike(k, n, folds, seed):
    y = np.random.default_rng(seed).integers(0, k, n)
    fold = dealt(y, folds, seed)
    sizes = np.bincount(fold, minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    for c in range(k):
        own = np.bincount(fold[y == c], minlength=folds)
        assert own.max() - own.min() <= 1


def test_names_of_classes_and_seeds():
    p, y = skewed()
    one, other = recommend(p, y, rng=1), recommend(p, np.array(["well", "ill"])[y], classes=["well", "ill"], rng=1)
    assert [row.gain for row in one.rows] == [row.gain for row in other.rows]
    assert other.rows[0].correction.classes == ("well", "ill")
    assert recommend(p, y, rng=1).to_dict() == one.to_dict()


def test_the_gain_where_fitted_is_never_told_alone():
    told = recommend(*skewed()).to_dict()
    for row in told["rows"]:
        assert {"gain", "interval", "p_gain", "in_sample"} <= set(row)
    assert json.dumps(told, allow_nan=False)
    words = str(recommend(*skewed()))
    assert "on cases it had not seen" in words
    assert "it flatters" in words


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"measure": "auc"}, "measure must be one of"),
        ({"measure": "cost"}, "together with gamma"),
        ({"gamma": 2.0}, "together with gamma"),
        ({"measure": "cost", "gamma": 2.0, "costs": [[0, 1], [1, 0]]}, "pass one of them"),
        ({"folds": 1}, "folds must be"),
        ({"folds": 2.5}, "folds must be"),
        ({"level": 2}, "level"),
    ],
)
def test_odd_choices_are_refused(how, match):
    with pytest.raises(InputError, match=match):
        recommend(*skewed(), **how)


def test_few_cases_are_told():
    p, _ = skewed(30)
    y = np.arange(30) < 3
    assert {"A840", "A841"} <= {f.code for f in recommend(p, y.astype(int)).findings}


# -- in the evaluation ---------------------------------------------------------------------------------------


def test_an_evaluation_tries_corrections_when_asked():
    p, y = skewed()
    found = evaluate(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))
    accuracy, balanced = found.mending
    assert isinstance(accuracy, Recommendations)
    assert (accuracy.measure, balanced.measure) == ("accuracy", "balanced_accuracy")
    assert accuracy.best.gain == pytest.approx(recommend(p, y).best.gain)
    page = found.to_html()
    assert "Can it be mended?" in page
    single = evaluate(Predictions(y, p.argmax(axis=1), p[:, 1], positive=1))
    assert single.mending[0].best.gain == pytest.approx(accuracy.best.gain)


def test_many_cases_are_drawn_from():
    p, y = skewed(MOST_CASES + 500)
    found = evaluate(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))
    assert found.mending[0].cases == MOST_CASES
    assert f"drawn from {MOST_CASES + 500:,}" in found.to_html()


def test_nothing_to_mend():
    p, y = skewed(40)
    assert evaluate(Predictions(y, p.argmax(axis=1), p, classes=[0, 1])).mending == ()
    assert evaluate(Predictions([0, 1] * 40, [0, 1] * 40)).mending == ()


# -- does it keep what it promises? --------------------------------------------------------------------------


def _data(seed):
    yield load_breast_cancer(return_X_y=True)
    for share, k in ((0.85, 2), (0.7, 3)):
        weights = [share, *[(1 - share) / (k - 1)] * (k - 1)]
        yield make_classification(
            1500, 12, n_informative=5, n_redundant=5, n_classes=k, weights=weights, flip_y=0.05, class_sep=0.7, random_state=seed
        )


@pytest.mark.slow
def test_recommended_corrections_seldom_do_harm():
    """On fresh cases at most 5% of what is recommended is worse by more than half a point."""
    learners = (
        GaussianNB(),
        KNeighborsClassifier(7),
        DecisionTreeClassifier(max_depth=5, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    )
    worse = []
    for seed in range(4):
        for X, y in _data(seed):
            for learner in learners:
                X_dev, X_new, y_dev, y_new = train_test_split(X, y, train_size=300, stratify=y, random_state=seed)
                p = cross_val_predict(learner, X_dev, y_dev, method="predict_proba")
                fresh = learner.fit(X_dev, y_dev).predict_proba(X_new)
                for measure in ("accuracy", "balanced_accuracy"):
                    worse += [
                        _harm(row, fresh, y_new, measure)
                        for row in recommend(p, y_dev, measure=measure).rows
                        if row.advice == "recommended"
                    ]
    assert len(worse) >= 15
    assert np.mean(np.array(worse) > 0.005) <= 0.05


def _harm(row, p, y, measure):
    """Return how much worse the correction is on fresh cases."""
    value = {
        "accuracy": lambda d: (d == y).mean(),
        "balanced_accuracy": lambda d: np.mean([(d[y == c] == c).mean() for c in np.unique(y)]),
    }
    return value[measure](p.argmax(axis=1)) - value[measure](np.asarray(row.correction.predict(p), dtype=int))


def test_recommend_is_public():
    assert adjudge.recommend is recommend
