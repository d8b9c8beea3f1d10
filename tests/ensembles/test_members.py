"""Members: their samples and seeds, which of them take a sample as weights, and what they predict in codes of the classes."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, multinomial
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import (
    BayesianRidge,
    ElasticNet,
    GammaRegressor,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
    RidgeClassifier,
    SGDClassifier,
    TweedieRegressor,
)
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier
from tests.sparing import some

from adjudge import InputError
from adjudge.ensembles.members import (
    CodedCases,
    coded,
    codes_said,
    drawn,
    fitted,
    goes_by_weight,
    named,
    numbers_said,
    probabilities_said,
    seed,
    source,
    word_of,
)


@given(st.lists(st.sampled_from([0.0, 1e-300, 0.2, 1.0, 7.5]), min_size=1, max_size=40).filter(any), st.integers(0, 2**31))
def test_as_many_are_drawn_as_are_asked_for_and_none_without_weight(weights, word):
    w = np.array(weights)
    counts = drawn(w, np.random.default_rng(word), 30)
    assert counts.sum() == 30
    assert (counts >= 0).all()
    assert not counts[w == 0].any()


@pytest.mark.slow
def test_counts_are_multinomial():
    p, times = np.array([0.5, 0.3, 0.2]), 20_000
    rng = np.random.default_rng(7)
    seen = [tuple(drawn(p, rng, 3).tolist()) for _ in range(times)]
    outcomes = [counts for counts in product(range(4), repeat=3) if sum(counts) == 3]
    assert len(outcomes) == factorial(5) // (factorial(3) * prod([2, 1]))
    expected = multinomial(3, p).pmf(outcomes) * times
    assert chisquare([seen.count(each) for each in outcomes], expected).pvalue > 1e-3


def test_the_distribution_of_a_case_does_not_depend_on_its_place():
    w, rng = np.array([4.0, 1, 1, 1, 3]), np.random.default_rng(3)
    total = sum(drawn(w, rng, 5) for _ in range(4_000))
    assert chisquare(total, w / w.sum() * total.sum()).pvalue > 1e-3


def test_every_nested_random_state_has_a_seed_of_its_own():
    learner = seed(BaggingClassifier(DecisionTreeClassifier(), random_state=4), np.random.default_rng(0))
    assert isinstance(learner.random_state, int)
    assert isinstance(learner.estimator.random_state, int)
    assert learner.random_state != learner.estimator.random_state
    assert seed(GaussianNB(), np.random.default_rng(0)).get_params() == GaussianNB().get_params()


def test_the_seed_of_a_member_is_that_of_its_number():
    assert source(5, 3).random() == source(5, 3).random()
    assert len({source(5, number).random() for number in range(20)}) == 20


@pytest.mark.parametrize("make", [lambda: 3, lambda: np.random.RandomState(3), lambda: np.random.default_rng(3)])
def test_a_seed_may_be_a_number_or_a_generator(make):
    assert word_of(make()) == word_of(make())


@pytest.mark.parametrize(
    ("base", "weights"),
    [
        (DecisionTreeClassifier(), True),
        (DecisionTreeClassifier(max_depth=3, class_weight={0: 2, 1: 1}), True),
        (DecisionTreeRegressor(), True),
        (DecisionTreeClassifier(min_samples_leaf=2), False),
        (DecisionTreeClassifier(min_samples_split=0.1), False),
        (DecisionTreeClassifier(class_weight="balanced"), False),
        (DecisionTreeRegressor(criterion="absolute_error"), False),
        (ExtraTreeClassifier(), False),
        (GaussianNB(), False),
        (LogisticRegression(), True),
        (LogisticRegression(solver="saga"), False),
        (LogisticRegression(class_weight="balanced"), False),
        (Ridge(solver="sag"), False),
        (Lasso(selection="random"), False),
        (SGDClassifier(), False),
        (SVC(), False),
    ],
)
def test_weights_are_taken_where_they_are_the_same_as_rows(base, weights):
    assert goes_by_weight(base, "auto") is weights
    assert goes_by_weight(base, False) is False
    assert goes_by_weight(base, True) is True


@pytest.mark.parametrize(
    "base", [DecisionTreeClassifier(), DecisionTreeClassifier(criterion="entropy", max_depth=4), DecisionTreeRegressor()]
)
@pytest.mark.parametrize("seed", range(5))
def test_there_they_are_the_same(base, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 30, (120, 4)).astype(float), rng.integers(0, 3, 120)
    counts = rng.multinomial(120, np.full(120, 1 / 120))
    by_weight, by_rows = (
        fitted(base, X, y, counts, rng=np.random.default_rng(9), by_weight=how, classes=None) for how in (True, False)
    )
    assert (by_weight.predict(X) == by_rows.predict(X)).all()
    assert by_weight.tree_.threshold.tolist() == by_rows.tree_.threshold.tolist()


CLASSES = [
    *(BernoulliNB(), CategoricalNB(min_categories=30), ComplementNB(), MultinomialNB(), LogisticRegression(max_iter=1000)),
    *(LogisticRegression(solver="newton-cholesky"), RidgeClassifier()),
]

NUMBERS = [
    *(BayesianRidge(), ElasticNet(), GammaRegressor(), HuberRegressor(), Lasso(), LinearRegression(), PoissonRegressor()),
    *(Ridge(), Ridge(fit_intercept=False), TweedieRegressor()),
]


@pytest.mark.parametrize("base", some(CLASSES + NUMBERS), ids=str)
@pytest.mark.parametrize("seed", some(range(3), 3))
def test_learners_that_get_weights_are_those_of_repeated_rows(base, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 30, (150, 4)).astype(float)
    sums = X[:, 0] - X[:, 1] + rng.normal(0, 12, 150)
    y = np.digitize(sums, (-5, 5)) if base in CLASSES else np.abs(sums) + 1
    counts = rng.multinomial(150, np.full(150, 1 / 150))
    rows = np.repeat(np.arange(150), counts)
    assert goes_by_weight(base, "auto")
    found = fitted(base, X, y, counts, rng=rng, by_weight=True, classes=None)
    wanted = clone(base).fit(X[rows], y[rows])
    if base in CLASSES:
        assert (found.predict(X) == wanted.predict(X)).all()
        ask = "predict_proba" if hasattr(base, "predict_proba") else "decision_function"
    else:
        ask = "predict"
    assert getattr(found, ask)(X) == pytest.approx(getattr(wanted, ask)(X), rel=1e-6, abs=1e-8)


def test_bayes_of_numbers_smooths_by_rows():
    X, y, counts = np.arange(8.0)[:, None], np.arange(8) % 2, np.array([9, 1, 1, 1, 1, 1, 1, 1])
    base, rng = GaussianNB(var_smoothing=0.5), np.random.default_rng(0)
    one, other = (fitted(base, X, y, counts, rng=rng, by_weight=how, classes=None).predict_proba(X) for how in (True, False))
    assert np.abs(one - other).max() > 0.001  # which is why it gets rows


def test_a_sample_of_one_class_that_is_refused_says_it():
    X, y, counts = np.arange(4.0)[:, None], np.array(["a", "a", "a", "b"]), np.array([2, 1, 1, 0])
    asked = {"rng": np.random.default_rng(0), "by_weight": False}
    model = fitted(LogisticRegression(), X, y, counts, **asked, classes=np.array(["a", "b"]))
    assert codes_said(model, X, np.array(["a", "b"])).tolist() == [0] * 4
    assert probabilities_said(model, X, np.array(["a", "b"])).tolist() == [[1, 0]] * 4
    with pytest.raises(ValueError, match="class"):  # no others may come: there is nothing to learn
        fitted(LogisticRegression(), X, np.repeat("a", 4), counts, **asked, classes=np.array(["a"]))


def test_the_member_that_fails_is_named():
    with pytest.raises(InputError, match=r"Model 3 .*could not be fitted.*'few'"), named(2):
        int("few")
    with pytest.raises(TypeError, match="int"), named(2):
        int([])


class Column(DummyClassifier):
    """Predicts a column, or several."""

    columns = 1

    def predict(self, X):
        return np.repeat(super().predict(X)[:, None], self.columns, axis=1)


class Columns(Column):
    columns = 2


class NumberColumns(DummyRegressor):
    def predict(self, X):
        return np.zeros((len(X), 2))


def test_a_column_is_one_answer_each_and_several_are_refused():
    X, y = np.arange(6.0)[:, None], np.array([0, 1, 1, 1, 0, 1])
    assert codes_said(Column().fit(X, y), X, np.array([0, 1])).tolist() == [1] * 6
    told = r"predicted an array of the shape \(6, 2\) for 6 cases; one answer for each is needed"
    with pytest.raises(InputError, match=f"Columns {told}"):
        codes_said(Columns().fit(X, y), X, np.array([0, 1]))
    with pytest.raises(InputError, match=f"NumberColumns {told}"):
        numbers_said(NumberColumns().fit(X, y), X)


def test_labels_have_the_places_of_their_classes():
    classes = np.array(["a", "b", "d"])
    assert coded(np.array(["d", "a", "b", "a"]), classes).tolist() == [2, 0, 1, 0]
    with pytest.raises(InputError, match=r"predicted 'c', 'z'.*no class"):
        coded(np.array(["a", "c", "z"]), classes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_model_that_lacks_a_class_says_the_others(dtype):
    X, y = np.arange(6.0, dtype=dtype)[:, None], np.array(["b", "b", "b", "d", "d", "d"])
    model = DecisionTreeClassifier().fit(X, y)
    classes = np.array(["a", "b", "c", "d"])
    assert codes_said(model, X, classes).tolist() == [1, 1, 1, 3, 3, 3]
    assert probabilities_said(model, X, classes)[[0, 5]].tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]


def test_a_model_without_probabilities_gives_its_vote():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])
    found = probabilities_said(RidgeClassifier().fit(X, y), X, np.array([0, 1]))
    assert found.tolist() == [[1, 0]] * 3 + [[0, 1]] * 3


@pytest.mark.parametrize("n", [150, 2_000])
@pytest.mark.parametrize("base", [DecisionTreeClassifier(), DecisionTreeClassifier(max_depth=4), DecisionTreeRegressor()])
def test_values_come_to_the_same_leaves_as_bins(n, base):
    X, y = make_classification(2 * n, 7, n_informative=4, n_classes=3, random_state=4)
    X = X.astype(np.float32)
    learnt, other = X[:n], X[n:]
    labels = np.array(["a", "b", "c"]) if isinstance(base, DecisionTreeClassifier) else None
    cases = CodedCases(learnt, y[:n], labels)
    counts = np.random.default_rng(1).poisson(1, n)
    model = cases.fitted(base, counts, np.random.default_rng(2))
    plain = clone(base).set_params(random_state=model.random_state).fit(cases.codes, y[:n], sample_weight=counts)
    codes = cases.bins.codes(other).T
    for values, bins in ((learnt, cases.codes), (other, codes)):
        wanted = plain.predict(bins)
        assert (model.predict(values) == (wanted if labels is None else labels[wanted])).all()
    assert model.n_features_in_ == 7
    if labels is not None:
        assert model.classes_.tolist() == ["a", "b", "c"]
