"""What cannot be asked for is refused in a sentence, before anything is fitted."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from adjudge import InputError, Plan, estimate, plan, trade_off
from adjudge._base.errors import AdjudgeError

Y = np.arange(20) % 2
X = np.random.default_rng(0).normal(size=(20, 2)) + Y[:, None]


class Untouched(ClassifierMixin, BaseEstimator):
    """Fails the test that fits it."""

    def fit(self, X, y):  # noqa: ARG002 - scikit-learn's words
        raise AssertionError

    def predict(self, X):  # noqa: ARG002
        raise AssertionError


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"timeout": "5"}, "timeout must be a number of seconds above 0; got '5'"),
        ({"timeout": True}, "timeout must be a number"),
        ({"timeout": []}, r"got \[\]"),
        ({"timeout": float("nan")}, "got nan"),
        ({"timeout": float("inf")}, "got inf"),
        ({"timeout": 0}, "got 0"),
        ({"timeout": -1}, "got -1"),
        ({"n_jobs": "2"}, "n_jobs must be a whole number of workers or -1 .* got '2'"),
        ({"n_jobs": 1.5}, "got 1.5"),
        ({"n_jobs": 0}, "got 0"),
        ({"n_jobs": True}, "got True"),
        ({"executor": 5}, r"executor must have submit\(\)"),
        ({"checkpoint": 5}, "checkpoint must be the path of a folder; got 5"),
        ({"checkpoint": ""}, "Name one, such as 'run.adj'"),
        ({"isolate": "no"}, "isolate must be True or False; got 'no'"),
        ({"progress": None}, "progress must be True or False"),
        ({"random_state": "x"}, "random_state must be a whole number"),
        ({"measures": None}, "measures must list names"),
        ({"measures": 5}, "measures must list names"),
        ({"measures": ()}, "measures names nothing to follow"),
        ({"measures": ("accuracy", None)}, "There is no measure None"),
        ({"measures": ("mae",)}, "mae is a measure of numbers"),
        ({"by": []}, "by names no rows at all"),
        ({"by": [([0], [])]}, r"at least one for training and one for testing per unit; got shape \(0,\)"),
        ({"by": [([0, 1], ["a"])]}, "type <U1"),
        ({"by": [([0], [1, [2]])]}, "rows of different lengths"),
        ({"by": [(None, None)]}, "lists the numbers of rows"),
        ({"by": ["ab"]}, "lists the numbers of rows"),
        ({"by": [5]}, r"made of pairs \(training rows, test rows\); got 5"),
        ({"by": [([0], [2**70])]}, "type object"),
        ({"by": [([0], [1e300])]}, "type float64"),
        ({"by": KFold}, r"not the class KFold itself; make one"),
        ({"by": b"5-fold"}, "got bytes"),
        ({"by": -1}, "at least 2 folds, got -1"),
        ({"by": "bootstrap-0"}, "at least 1 round, got 0"),
        ({"by": "bootstrap-99999999999"}, "up to 1,000,000 rounds"),
        ({"groups": [1, [2]] * 10}, "groups must be one array; got rows of different lengths"),
        ({"groups": np.array([1, "a"] * 10, dtype=object)}, "groups mix types"),
    ],
)
def test_odd_arguments_are_refused_before_any_fit(options, told):
    with pytest.raises(InputError, match=told):
        estimate(Untouched(), X, Y, **{"by": "2-fold", "progress": False, **options})


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"shares": [float("nan")]}, "between 0 and 1, at least one; got nan"),
        ({"shares": [float("inf")]}, "got inf"),
        ({"shares": 0.5}, "shares must list the shares of cases to test on; got 0.5"),
        ({"shares": []}, r"at least one; got \[\]"),
        ({"shares": ["a"]}, "got 'a'"),
        ({"shares": "0.5"}, "got '0.5'"),
        ({"shares": (0.5, 1.0)}, "leaves none for testing or none for training"),
        ({"repeats": 2.5}, "a whole number, since one split has no spread; got 2.5"),
        ({"repeats": "3"}, "got '3'"),
        ({"repeats": None}, "got None"),
        ({"repeats": 10**9}, "up to 1,000,000 splits"),
        ({"measure": ""}, "There is no measure ''"),
        ({"n_jobs": "2"}, "n_jobs must be"),
        ({"timeout": "5"}, "timeout must be"),
    ],
)
def test_odd_trade_offs_are_refused_before_any_fit(options, told):
    with pytest.raises(InputError, match=told):
        trade_off(Untouched(), X, Y, **options)


class Broken:
    def split(self, *_):
        return {}["nothing"]


def test_a_splitter_that_breaks_is_named():
    with pytest.raises(InputError, match=r"Broken.* refuses these rows: 'nothing'"):
        plan(Broken(), X, Y)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Plan("p", "4", [[0]], [[1]]), "a whole number of rows, got '4'"),
        (lambda: Plan("p", 4, None, None), "got NoneType"),
        (lambda: Plan("p", 4, [[0, [1]]], [[1]]), "rows of different lengths"),
        (lambda: Plan.load(5), "read from a path; got int"),
    ],
)
def test_odd_plans_are_refused(make, told):
    with pytest.raises(InputError, match=told):
        make()


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.floats(), st.text(max_size=3), st.binary(max_size=2),
    st.lists(st.one_of(st.integers(-1, 25), st.text(max_size=1), st.none(), st.floats()), max_size=3),
    st.lists(st.tuples(st.lists(st.integers(-1, 21), max_size=3), st.lists(st.integers(-1, 21), max_size=3)), max_size=2),
    st.dictionaries(st.text(max_size=1), st.integers(), max_size=1), st.sampled_from([Decimal(1), object, 1j, np.float64(2), len]),
)  # fmt: skip


@pytest.mark.slow
@given(st.sampled_from(["by", "measures", "groups", "level", "random_state", "timeout", "executor", "isolate"]), ODD)
@settings(max_examples=50, deadline=None)
def test_nothing_but_our_own_refusals_gets_out_of_estimate(name, value):
    if name in ("timeout", "isolate") and (value is True or isinstance(value, (int, float))):
        return  # a process for each fit, tried elsewhere
    try:
        estimate(GaussianNB(), X, Y, **{"by": "2-fold", "random_state": 0, "progress": False, name: value})
    except AdjudgeError as error:
        assert str(error).rstrip().endswith(".")  # noqa: PT017 - most values are refused, some are not
        assert ".." not in str(error).replace("...", "")  # noqa: PT017


@pytest.mark.slow
@given(st.sampled_from(["shares", "measure", "random_state", "n_jobs"]), ODD)
@settings(max_examples=50, deadline=None)
def test_nothing_but_our_own_refusals_gets_out_of_a_trade_off(name, value):
    try:
        trade_off(GaussianNB(), X, Y, **{"shares": (0.5,), "repeats": 2, "random_state": 0, "progress": False, name: value})
    except AdjudgeError as error:
        assert ".." not in str(error).replace("...", "")  # noqa: PT017


@pytest.mark.slow
@given(st.lists(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=2), st.binary(max_size=1),
                          st.dates(), st.decimals(), st.lists(st.integers(), max_size=2)), max_size=8), st.booleans())  # fmt: skip
@settings(deadline=None)
def test_nothing_but_our_own_refusals_comes_of_odd_targets(y, held):
    values = np.empty(len(y), dtype=object)
    values[:] = y
    for learner in (GaussianNB(), Ridge()):
        with suppress(AdjudgeError):
            estimate(learner, np.arange(len(y))[:, None], values if held else y, by="loo", random_state=0, progress=False)


@pytest.mark.parametrize(
    "y",
    [
        Y.astype(object),
        (Y == 1).astype(object),
        np.array([True, 2] * 10, dtype=object),
        np.array([np.int8(1), np.int64(3)] * 10, dtype=object),
        np.array([1, 2.0] * 10, dtype=object),
        Y.astype(np.longdouble),
    ],
    ids=["int", "bool", "bool and int", "numpy int", "int and float", "long double"],
)
def test_numbers_kept_as_objects_are_labels_like_others(y):
    plain, found = (estimate(GaussianNB(), X, labels, by="5-fold", random_state=0, progress=False) for labels in (Y, y))
    assert found.run_result.classes == tuple(sorted(set(y.tolist())))
    low, high = found.run_result.classes
    columns, expected = found.predictions.source.columns, plain.predictions.source.columns
    assert [label == high for label in columns["predicted"].to_pylist()] == [c == 1 for c in expected["predicted"].to_pylist()]
    assert {*columns["predicted"].to_pylist()} <= {low, high}
    assert columns[columns_of(found)[1]].to_pylist() == expected["p_1"].to_pylist()


def columns_of(found):
    return [name for name in found.predictions.source.columns if name.startswith("p_")]


@pytest.mark.parametrize(
    ("y", "told"),
    [
        ([], "y is empty"),
        (np.array(["2020-01-01", "2020-01-02"] * 10, dtype="datetime64[D]"), r"type datetime64\[D\]; give .*str\(label\)"),
        ([dt.date(2020, 1, 1), dt.date(2020, 1, 2)] * 10, "type date;"),
        ([b"a", b"b"] * 10, r"type \|S1; .*label.decode\(\)"),
        (np.array([b"a", b"b"] * 10, dtype=object), "type bytes;"),
        ([Decimal(1), Decimal(2)] * 10, "type Decimal"),
        ([1j, 2j] * 10, "type complex128"),
        ([2**70, 2**71] * 10, "type int of more than 64 bits"),
        (np.array([1, "a"] * 10, dtype=object), "mixes labels of types int, str"),
        ([1.0, np.inf] * 10, "the label inf"),
        ([0.0, 2.0**53] * 10, "from 2\\^53 on"),
        ([[1], [1, 2]] * 10, "rows of different lengths"),
        (np.ma.array(Y, mask=[True] + [False] * 19), "y is masked in 1 row"),
    ],
)
def test_what_is_no_label_is_refused_before_any_fit(y, told):
    for ask in (lambda: estimate(Untouched(), X, y, by="2-fold"), lambda: plan("2-fold", X, y)):
        with pytest.raises(InputError, match=told):
            ask()


@pytest.mark.parametrize("table", [np.array(5), {"a": [1] * 20}, set(range(20)), None, 5])
def test_what_is_no_table_is_refused(table):
    with pytest.raises(InputError, match=r"^X must be a table"):
        estimate(Untouched(), table, Y)
