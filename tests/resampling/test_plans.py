"""Plans by name: the splits are scikit-learn's, the bootstrap is ours."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import model_selection as ms
from tests.described import refused

from adjudge import InputError, Plan, plan
from adjudge.estimates.over_folds import out_of_bag_share

Y = np.array(list("aaaaaaaaaaaabbbbbbbbbbbbccc" * 2))
X = np.arange(Y.size * 2.0).reshape(-1, 2)
GROUPS = np.arange(Y.size) // 4


def same(made, pairs):
    pairs = list(pairs)
    assert len(made) == len(pairs)
    for unit, (learn, judge) in enumerate(pairs):
        assert np.array_equal(made.train[unit], learn)
        assert np.array_equal(made.test[unit], judge)


@pytest.mark.parametrize(
    ("by", "splitter", "name"),
    [
        ("5-fold", ms.KFold(5, shuffle=True, random_state=3), "5-fold"),
        ("stratified-5-fold", ms.StratifiedKFold(5, shuffle=True, random_state=3), "stratified-5-fold"),
        (5, ms.StratifiedKFold(5, shuffle=True, random_state=3), "stratified-5-fold"),
        ("3x5-fold", ms.RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=3), "3x5-fold (stratified)"),
        ("leave-one-out", ms.LeaveOneOut(), "leave-one-out"),
        ("holdout", ms.StratifiedShuffleSplit(1, test_size=1 / 3, random_state=3), "holdout (stratified)"),
        ("subsampling-4", ms.StratifiedShuffleSplit(4, test_size=1 / 3, random_state=3), "subsampling-4 (stratified)"),
    ],
)
def test_the_splits_are_those_of_scikit_learn(by, splitter, name):
    made = plan(by, X, Y, random_state=3)
    same(made, splitter.split(X, Y))
    assert (made.name, made.seed) == (name, 3)


def test_groups_stay_together():
    made = plan("grouped-5-fold", X, Y, random_state=3, groups=GROUPS)
    same(made, ms.GroupKFold(5, shuffle=True, random_state=3).split(X, Y, GROUPS))
    for learn, judge in zip(made.train, made.test, strict=True):
        assert not set(GROUPS[learn]) & set(GROUPS[judge])


def test_numbers_are_not_stratified_and_the_name_says_so():
    made = plan("stratified-5-fold", X, X[:, 0] / 7, random_state=3)
    same(made, ms.KFold(5, shuffle=True, random_state=3).split(X))
    assert made.name == "5-fold (numbers have no strata)"
    assert plan("holdout", X, X[:, 0] / 7, random_state=3).name == "holdout"


def test_a_class_of_one_case_leaves_a_holdout_unstratified():
    y = np.array(["a"] * 20 + ["b"])
    assert plan("holdout", X[:21], y, random_state=0).name == "holdout"


@pytest.mark.slow
@given(st.integers(2, 6), st.integers(12, 60), st.integers(0, 2**32 - 1), st.sampled_from(["{}-fold", "stratified-{}-fold"]))
def test_folds_are_a_partition(k, n, seed, by):
    made = plan(by.format(k), np.zeros((n, 1)), np.arange(n) % 2, random_state=seed)
    assert sorted(np.concatenate(made.test)) == list(range(n))
    sizes = [part.size for part in made.test]
    assert max(sizes) - min(sizes) <= 2  # one for each class


@pytest.mark.slow
@given(st.integers(2, 5), st.integers(2, 4), st.integers(0, 1000))
def test_every_repetition_is_a_partition_and_they_differ(k, times, seed):
    made = plan(f"{times}x{k}-fold", np.zeros((40, 1)), np.arange(40) % 2, random_state=seed)
    for repeat in range(times):
        parts = [part for part, own in zip(made.test, made.repeat, strict=True) if own == repeat]
        assert sorted(np.concatenate(parts)) == list(range(40))
    assert made.kind == "repeated folds"
    assert not np.array_equal(made.test[0], made.test[k])


@given(st.integers(2, 40), st.integers(0, 1000))
def test_a_bootstrap_draws_as_many_rows_and_judges_those_not_drawn(n, seed):
    made = plan("bootstrap632-6", np.zeros((n, 1)), np.arange(n) % 2, random_state=seed)
    assert made.kind == "bootstrap"
    for learn, judge in zip(made.train, made.test, strict=True):
        assert learn.size == n
        assert set(learn) | set(judge) == set(range(n))
        assert not set(learn) & set(judge)
        assert judge.size


def test_a_bootstrap_leaves_out_the_share_it_should():
    made = plan("bootstrap-400", np.zeros((50, 1)), np.arange(50) % 2, random_state=1)
    shares = np.array([part.size for part in made.test]) / 50
    error = shares.std(ddof=1) / np.sqrt(shares.size)
    assert abs(shares.mean() - out_of_bag_share(50)) < 4 * error
    drawn = Counter(np.concatenate(made.train).tolist())
    assert set(drawn) == set(range(50))


@pytest.mark.parametrize("by", ["bootstrap", "bootstrap632", "bootstrap632+"])
def test_bootstraps_have_a_hundred_rounds_unless_told(by):
    assert len(plan(by, X, Y, random_state=0)) == 100
    assert plan(by, X, Y, random_state=0).name == f"{by}-100"
    assert len(plan(f"{by}-7", X, Y, random_state=0)) == 7


@pytest.mark.parametrize("by", ["stratified-5-fold", "2x5-fold", "holdout", "bootstrap-5"])
def test_the_same_number_gives_the_same_plan_and_another_another(by):
    one, again, other = (plan(by, X, Y, random_state=seed).fingerprint for seed in (1, 1, 2))
    assert one == again != other


def test_a_plan_drawn_without_a_number_can_be_drawn_again():
    made = plan("5-fold", X, Y)
    assert made.fingerprint == plan("5-fold", X, Y, random_state=made.seed).fingerprint
    assert made.fingerprint != plan("5-fold", X, Y).fingerprint
    rng = np.random.default_rng(0)
    assert plan("5-fold", X, Y, random_state=rng).seed != plan("5-fold", X, Y, random_state=rng).seed


def test_splitters_pairs_and_plans_are_taken():
    splitter = ms.RepeatedKFold(n_splits=4, n_repeats=2, random_state=0)
    made = plan(splitter, X, Y)
    same(made, splitter.split(X))
    assert made.repeat == (0,) * 4 + (1,) * 4
    assert made.kind == "repeated folds"
    assert plan(made, X, Y) is made
    assert plan(iter([([0, 1], [2, 3])]), X, Y).kind == "holdout"
    grouped = plan(ms.GroupKFold(3), X, Y, groups=GROUPS)
    same(grouped, ms.GroupKFold(3).split(X, Y, GROUPS))
    assert plan(ms.ShuffleSplit(3, random_state=0), X, Y).kind == "subsampling"
    assert isinstance(plan(ms.LeaveOneOut(), X, Y), Plan)


@pytest.mark.parametrize(
    ("by", "told"),
    [
        ("10-fould", "There is no plan '10-fould'. Use 'stratified-10-fold'"),
        ("1-fold", "at least 2 folds, got 1"),
        ("0x5-fold", "at least 1 repetition, got 0"),
        ("60-fold", "60 folds need at least 60 rows, but there are 54"),
        ("stratified-7-fold", r"Class 'c' has 6 cases, fewer than 7 folds.*by=.stratified-6-fold., by=.7-fold."),
        ("grouped-5-fold", "pass groups="),
        (3.5, "by must be a name, a scikit-learn splitter"),
        ([1, 2, 3], r"pairs \(training rows, test rows\)"),
        (ms.KFold(99), "KFold.* refuses these rows"),
        (Plan("p", 3, [[0]], [[1]]), "The plan is for 3 rows, but there are 54"),
        (None, "by must be a name"),
    ],
)
def test_what_cannot_be_planned_is_refused(by, told):
    with pytest.raises(InputError, match=told):
        plan(by, X, Y, random_state=0)


def test_groups_that_would_be_torn_apart_or_do_not_fit_are_refused():
    with pytest.raises(InputError, match="does not keep groups together"):
        plan("5-fold", X, Y, groups=GROUPS)
    with pytest.raises(InputError, match=r"5 folds .*5 groups.* 2; .*by=.grouped-2-fold"):
        plan("grouped-5-fold", X, Y, groups=np.arange(Y.size) % 2)
    with pytest.raises(InputError, match="one value per row"):
        plan("grouped-5-fold", X, Y, groups=[1, 2])


@pytest.mark.parametrize("seed", [-1, 2**32, "0", 1.5])
def test_what_is_no_seed_is_refused(seed):
    with refused("random_state", "whole number"):
        plan("5-fold", X, Y, random_state=seed)


@pytest.mark.parametrize(
    ("y", "told"),
    [
        (["a", None] * 27, "y lacks a label in 27 rows"),
        (["a", 1] * 27, "y mixes labels of types int, str"),
        (["a"] * 54, "one class only"),
        (["a", "b"], "X has 54 rows and y 2"),
        (np.zeros((54, 2)), "one value per case; got shape"),
    ],
)
def test_targets_that_cannot_be_judged_are_refused(y, told):
    y = y if isinstance(y, np.ndarray) else np.array(y, dtype=object)
    with pytest.raises(InputError, match=told):
        plan("5-fold", X, y)


def test_missing_groups_are_counted():
    groups = np.array(["a", None, "b", float("nan")] * 5, dtype=object)
    with pytest.raises(InputError, match=r"groups lack .*10 rows"):
        plan("grouped-2-fold", np.zeros((20, 1)), np.arange(20) % 2, groups=groups, random_state=0)


def test_a_plan_that_tears_a_group_apart_is_refused():
    X, y, groups = np.zeros((20, 1)), np.arange(20) % 2, np.repeat(np.arange(5), 4)
    with pytest.raises(InputError, match="trains and tests on group"):
        plan(plan("5-fold", X, y, random_state=0), X, y, groups=groups)
    kept = plan("grouped-5-fold", X, y, groups=groups, random_state=0)
    assert plan(kept, X, y, groups=groups).fingerprint == kept.fingerprint
