"""The same seed gives the same digits, wherever a learner or a splitter takes its chance from."""

# ruff: noqa: NPY002, S311, ARG002 - the generators that all share are what is tried here

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from sklearn import model_selection as ms
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from adjudge import InputError, estimate, plan, trade_off
from adjudge.resampling.learner import borrowed, draws_anew

RNG = np.random.default_rng(5)
Y = np.arange(80) % 2
X = RNG.normal(size=(80, 3)) + 0.4 * Y[:, None]


class Careless(ClassifierMixin, BaseEstimator):
    """Draws from what the whole process shares, when it is fitted and when it is asked."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.first_ = np.random.normal() + random.random()
        return self

    def predict_proba(self, X):
        p = (np.random.random(len(X)) + random.random() + abs(self.first_)) / (3 + abs(self.first_))
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Splitting:
    """A splitter with no random_state that shuffles by the generator of the process."""

    def split(self, _, y, groups):
        order = np.random.permutation(len(y))
        return [(order[:40], order[40:]), (order[40:], order[:40])]


def said(learner, **options):
    found = estimate(learner, X, Y, **{"by": "5-fold", "random_state": 3, "progress": False, **options})
    columns = found.predictions.source.columns
    return {name: columns[name].to_pylist() for name in columns}


def searching(cv):
    return ms.GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, None]}, cv=cv)


@pytest.mark.parametrize(
    "splitter",
    [
        ms.ShuffleSplit(4, test_size=0.3),
        ms.KFold(4, shuffle=True),
        ms.StratifiedKFold(4, shuffle=True),
        ms.RepeatedKFold(n_splits=3, n_repeats=2),
        ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=2),
        Splitting(),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_splitters_without_a_seed_draw_by_that_of_the_run(splitter):
    one, again, other = (plan(splitter, X, Y, random_state=seed) for seed in (1, 1, 2))
    assert one.fingerprint == again.fingerprint
    assert any(not np.array_equal(a, b) for a, b in zip(one.test, other.test, strict=True))
    assert getattr(splitter, "random_state", None) is None  # the caller's own is left as it was


def test_a_splitter_without_a_seed_splits_as_one_with_the_seed_of_the_run():
    made = plan(ms.StratifiedKFold(4, shuffle=True), X, Y, random_state=9)
    assert made.seed == 9
    expected = ms.StratifiedKFold(4, shuffle=True, random_state=9).split(X, Y)
    assert all(np.array_equal(judge, test) for judge, (_, test) in zip(made.test, expected, strict=True))


def test_splitters_that_do_not_draw_or_have_a_seed_are_used_as_they_are():
    for splitter in (ms.KFold(4), ms.KFold(4, shuffle=True, random_state=0), ms.TimeSeriesSplit(3)):
        assert not draws_anew(splitter)
        assert plan(splitter, X, Y, random_state=1).seed is None
        assert plan(splitter, X, Y, random_state=1).fingerprint == plan(splitter, X, Y, random_state=2).fingerprint


@pytest.mark.slow
def test_a_splitter_within_a_learner_is_seeded():
    seen = []

    class Noting(ms.KFold):
        def split(self, X, y=None, groups=None):
            seen.append(self.random_state)
            return super().split(X, y, groups)

    cv = Noting(3, shuffle=True)
    said(searching(cv))
    said(searching(cv))
    assert None not in seen
    assert seen[: len(seen) // 2] == seen[len(seen) // 2 :]
    assert len(set(seen)) == 6  # of five folds and of all rows
    assert cv.random_state is None


@pytest.mark.slow
@pytest.mark.parametrize("learner", [searching(ms.ShuffleSplit(2)), Careless()], ids=["search", "careless"])
def test_digits_do_not_depend_on_the_state_the_caller_is_in(learner):
    np.random.seed(1)
    random.seed(1)
    one = said(learner)
    np.random.seed(2)
    random.seed(2)
    assert said(learner) == one
    assert said(learner, random_state=4) != one


@pytest.mark.slow
def test_digits_do_not_depend_on_where_the_fits_are_done(tmp_path):
    expected = said(Careless())
    assert said(Careless(), isolate=True) == expected
    assert said(Careless(), checkpoint=tmp_path / "run.adj") == expected
    with ProcessPoolExecutor(2) as pool:
        assert said(Careless(), executor=pool) == expected


def test_folds_draw_differently():
    p = said(Careless())["p_1"]
    assert len(set(p)) == len(p)


def both_states():
    numpys = np.random.get_state(legacy=False)
    return numpys["state"]["key"].tolist(), numpys["state"]["pos"], numpys["has_gauss"], numpys["gauss"], random.getstate()


@pytest.mark.parametrize(
    "work",
    [
        lambda: said(Careless()),
        lambda: plan(Splitting(), X, Y, random_state=0),
        lambda: trade_off(Careless(), X, Y, shares=(0.5,), repeats=2, random_state=0, progress=False),
        lambda: said(SVC(), measures=("mae",)),
        lambda: said(GaussianNB(priors=[2.0, 3.0])),
    ],
    ids=["estimate", "plan", "trade-off", "refused", "all failed"],
)
def test_the_caller_gets_the_generators_back_as_they_were(work):
    np.random.normal()  # leaves a second draw in store
    before = both_states()
    with suppress(InputError):
        work()
    assert both_states() == before


def test_the_first_to_borrow_gives_back():
    before = both_states()
    with borrowed():
        with borrowed():
            np.random.random()
            random.random()
        assert both_states() != before
    assert both_states() == before


@pytest.mark.slow
def test_learners_with_a_seed_answer_as_scikit_learn_alone():
    folds = list(ms.KFold(4, shuffle=True, random_state=0).split(X))
    learner = LogisticRegression(C=0.1)
    expected = ms.cross_val_predict(learner, X, Y, cv=folds, method="predict_proba")
    found = said(learner, by=folds)
    assert np.array_equal(np.array(found["p_1"])[np.argsort(found["row"])], expected[:, 1])
