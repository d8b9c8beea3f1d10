"""Bins of features and shallow trees grown from counts by bin, against scikit-learn's trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from adjudge import InputError
from adjudge.ensembles.growing import MOST, BinnedTreeClassifier, Table, between, bins_of, grow, kinds_of_numbers, stands_for

numbers = st.floats(-(2.0**100), 2.0**100, width=32)


def of_one_kind(column):
    return bins_of(column[:, None], np.zeros(column.size, dtype=np.int64))


def codes_in(bins, column):
    return bins.codes(column[:, None])[0]


@given(st.lists(numbers, min_size=1, max_size=60))
def test_few_values_have_a_bin_each(values):
    column = np.array(values)
    assert codes_in(of_one_kind(column), column).tolist() == [sorted(set(values)).index(value) for value in values]


@pytest.mark.slow
@given(st.lists(numbers, min_size=2, max_size=60), st.lists(st.integers(0, 3), min_size=60, max_size=60), st.integers(9, 30))
def test_an_edge_parts_values_as_it_parts_codes(values, kinds, most):
    column = np.array(values)
    bins = bins_of(column[:, None], np.array(kinds[: column.size]), most=most)
    codes = codes_in(bins, column)
    assert len(bins.edges[0]) < most
    for at, edge in enumerate(bins.edges[0].tolist()):
        assert ((column <= edge) == (codes <= at)).all()


@pytest.mark.parametrize("n", [1_000, 60_007])
@pytest.mark.parametrize("kind", ["smooth", "heavy", "tied"])
def test_no_bin_of_many_values_holds_much(n, kind):
    rng = np.random.default_rng(n)
    column = {"smooth": rng.normal(size=n), "heavy": rng.standard_cauchy(n), "tied": np.maximum(rng.normal(size=n), 0)}[kind]
    codes = codes_in(of_one_kind(column), column)
    counts = np.bincount(codes)
    assert counts.size <= MOST
    most = counts[1:].max() if kind == "tied" else counts.max()  # half of the values are 0 and cannot be parted
    assert most < 4 * n / MOST + 10
    assert counts[-1] == 1  # the largest value is parted from all others


def test_the_order_of_the_rows_does_not_matter():
    rng = np.random.default_rng(3)
    column = np.where(np.arange(50_000) % 2, rng.uniform(100, 200, 50_000), rng.normal(size=50_000))
    mixed = rng.permutation(column)
    assert (of_one_kind(column).edges[0] == of_one_kind(mixed).edges[0]).all()


@pytest.mark.parametrize("low", [-9.0, 0.3, 9.0])
def test_a_rare_kind_has_bins_of_its_own(low):
    rng = np.random.default_rng(1)
    column = rng.normal(size=30_000)
    column[:20] = low + 0.001 * rng.random(20)
    kinds = (np.arange(30_000) < 20).astype(np.int64)
    codes = codes_in(bins_of(column[:, None], kinds), column)
    inside = (column >= column[:20].min()) & (column <= column[:20].max())
    assert not set(codes[:20].tolist()) & set(codes[~inside].tolist())
    assert np.bincount(codes[~inside]).max() < 4 * 30_000 / MOST  # and the others are parted as well as before


def test_a_hundred_kinds_share_the_bins():
    column, kinds = np.random.default_rng(2).normal(size=5_000), np.arange(5_000) % 100
    codes = codes_in(bins_of(column[:, None], kinds), column)
    assert codes.max() < MOST
    assert np.bincount(codes).max() < 4 * 5_000 / MOST + 10


def test_a_rare_value_of_many_cases_has_its_bin():
    column = np.zeros(100_000)
    column[[1, 2]] = 1, 2
    assert codes_in(of_one_kind(column), column)[:4].tolist() == [0, 1, 2, 0]


def test_extreme_numbers_are_kinds():
    assert np.bincount(kinds_of_numbers(np.arange(1_000.0))).tolist() == [10, 980, 10]
    assert np.bincount(kinds_of_numbers(np.where(np.arange(1_000) == 7, 1.0, 0.0))).tolist() == [0, 999, 1]


def test_neighbouring_numbers_are_told_apart():
    column = np.array([1.0, np.nextafter(1.0, 2)])
    assert codes_in(of_one_kind(column), column).tolist() == [0, 1]
    assert between(*column) == 1.0


@parametrize_with_checks([BinnedTreeClassifier(max_depth=3)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def few(seed, n=250):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    k = int(rng.integers(2, 5))
    y = rng.integers(0, k, n) if seed % 2 else (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n) > 0).astype(int)
    return X, y, rng.random(n), rng.normal(size=(500, 4)).astype(np.float32)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_with_few_values_it_is_scikit_learns_tree(seed, depth):
    X, y, weights, other = few(seed)  # weights that are no whole numbers leave no two splits equally good
    ours = BinnedTreeClassifier(max_depth=depth).fit(X, y, sample_weight=weights)
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y, sample_weight=weights)
    assert ours.predict_proba(other) == pytest.approx(theirs.predict_proba(other), abs=1e-12)
    assert (ours.predict(other) == theirs.predict(other)).all()


def impurity(y, w):
    shares = np.bincount(y, weights=w) / w.sum()
    return w.sum() * (1 - (shares**2).sum())


@pytest.mark.parametrize("seed", range(6))
def test_every_split_is_as_good_as_the_best_one(seed):
    X, y, _, _ = few(seed)
    w = np.random.default_rng(seed).poisson(1, y.size).astype(float)
    tree = BinnedTreeClassifier(max_depth=3).fit(X, y, sample_weight=w)
    inside = {0: w > 0}
    for node, (feature, threshold) in enumerate(zip(tree.feature_, tree.threshold_, strict=True)):
        rows, left = inside[node], X[:, feature] <= threshold
        inside |= {2 * node + 1: rows & left, 2 * node + 2: rows & ~left}
        if np.isinf(threshold):
            assert np.unique(y[rows]).size <= 1
            continue
        stump = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X[rows], y[rows], sample_weight=w[rows])
        parts = stump.apply(X[rows])
        wanted = sum(impurity(y[rows][parts == part], w[rows][parts == part]) for part in np.unique(parts))
        found = sum(impurity(y[side], w[side]) for side in (inside[2 * node + 1], inside[2 * node + 2]))
        assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("depth", [1, 3, 6])
def test_cases_to_learn_from_come_to_the_leaf_that_others_would(depth):
    X, y = make_classification(3_000, 8, n_informative=5, n_classes=3, random_state=1)
    X = X.astype(np.float32)
    weights = np.random.default_rng(0).poisson(1, y.size).astype(float)
    grown = grow(Table(X, bins_of(X, y), y, 3), weights, depth)
    tree = BinnedTreeClassifier(max_depth=depth).take(grown, np.unique(y), 8)
    assert (tree.predict_proba(X) == grown.shares[grown.leaf]).all()
    assert tree.predict_proba(X).sum(axis=1) == pytest.approx(1)


@pytest.mark.slow
def test_with_many_values_little_is_lost():
    X, y = make_classification(12_000, 10, n_informative=6, flip_y=0.05, random_state=3)
    learnt, judged = slice(0, 8_000), slice(8_000, None)
    ours = BinnedTreeClassifier(max_depth=5).fit(X[learnt], y[learnt]).score(X[judged], y[judged])
    theirs = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X[learnt], y[learnt]).score(X[judged], y[judged])
    assert ours > theirs - 0.02


@pytest.mark.parametrize("seed", range(5))
def test_with_many_values_a_split_is_hardly_worse_than_the_best_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6_000, 3)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=6_000) > 0).astype(int)
    ours, theirs = BinnedTreeClassifier().fit(X, y), DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    left = [sum(impurity(y[side], np.ones(side.sum())) for side in sides(tree, X)) for tree in (ours, theirs)]
    assert left[1] <= left[0] * (1 + 1e-12) <= left[1] * 1.001
    below, above = (X[side, ours.feature_[0]] for side in sides(ours, X))
    assert ours.threshold_[0] == pytest.approx((float(below.max()) + float(above.min())) / 2, abs=1e-12)  # halfway, of all values


def sides(tree, X):
    feature, threshold = (
        (tree.tree_.feature[0], tree.tree_.threshold[0]) if hasattr(tree, "tree_") else (tree.feature_[0], tree.threshold_[0])
    )
    return X[:, feature] <= threshold, X[:, feature] > threshold


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("seed", range(4))
def test_missing_values_go_where_scikit_learns_trees_send_them(seed, depth):
    X, y, weights, other = few(seed)
    gaps = np.where(np.random.default_rng(seed).random(other.shape) < 0.4, np.nan, other).astype(np.float32)
    ours = BinnedTreeClassifier(max_depth=depth).fit(X, y, sample_weight=weights)
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y, sample_weight=weights)
    assert (ours.codes_of(gaps) == theirs.predict(gaps)).mean() == 1


def test_wide_tables_are_counted_in_parts(monkeypatch):
    X, y, weights, other = few(4)
    whole = BinnedTreeClassifier(max_depth=2).fit(X, y, sample_weight=weights)
    monkeypatch.setattr("adjudge.ensembles.growing._CELLS", 1)
    parts = BinnedTreeClassifier(max_depth=2).fit(X, y, sample_weight=weights)
    assert (whole.feature_ == parts.feature_).all()
    assert (whole.threshold_ == parts.threshold_).all()
    assert (whole.predict(other) == parts.predict(other)).all()


@pytest.mark.parametrize("depth", [0, 7, 2.0, None, True])
def test_a_depth_that_it_cannot_have_is_refused(depth):
    with pytest.raises(InputError, match="whole number from 1 to 6"):
        BinnedTreeClassifier(max_depth=depth).fit([[0], [1]], [0, 1])


def test_weights_that_are_all_nought_are_refused():
    with pytest.raises(ValueError, match="at least one"):  # by scikit-learn, where it is new enough
        BinnedTreeClassifier().fit([[0], [1]], [0, 1], sample_weight=[0, 0])


class Mine(DecisionTreeClassifier):
    pass


def test_it_stands_for_plain_shallow_trees_only():
    assert stands_for(DecisionTreeClassifier(max_depth=1))
    assert stands_for(DecisionTreeClassifier(max_depth=6, random_state=3))
    others = [
        DecisionTreeClassifier(),
        DecisionTreeClassifier(max_depth=7),
        DecisionTreeClassifier(max_depth=2, criterion="entropy"),
        DecisionTreeClassifier(max_depth=2, min_samples_leaf=5),
        DecisionTreeClassifier(max_depth=2, class_weight="balanced"),
        DecisionTreeClassifier(max_depth=2, max_features=1),
        Mine(max_depth=1),
    ]
    assert not any(stands_for(base) for base in others)
