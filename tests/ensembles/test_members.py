"""Members: which of them take a sample as weights, and what they say in codes of the classes."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from adjudge import InputError
from adjudge.ensembles.members import coded, codes_said, fitted, goes_by_weight, probabilities_said


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
        (LogisticRegression(), False),
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
    by_weight, by_rows = (fitted(base, X, y, counts, rng=np.random.default_rng(9), by_weight=how) for how in (True, False))
    assert (by_weight.predict(X) == by_rows.predict(X)).all()
    assert by_weight.tree_.threshold.tolist() == by_rows.tree_.threshold.tolist()


def test_labels_have_the_places_of_their_classes():
    classes = np.array(["a", "b", "d"])
    assert coded(np.array(["d", "a", "b", "a"]), classes).tolist() == [2, 0, 1, 0]
    with pytest.raises(InputError, match="said 'c', 'z', which is no class of y"):
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
