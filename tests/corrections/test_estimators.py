"""Corrections as classifiers: scikit-learn's own checks, the same done by hand, and what a user may put in or get wrong."""

from __future__ import annotations

import io
import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from adjudge import InputError
from adjudge.corrections.costs import REJECTED
from adjudge.corrections.estimators import CostClassifier, MultiplierClassifier, PriorShiftClassifier, RejectingClassifier
from adjudge.corrections.multipliers import fit_multipliers
from adjudge.corrections.priors import estimate_priors
from adjudge.corrections.rejection import fit_rejection

OBJECTS = "compares decisions as numbers, but one of them is REJECTED"
SCORED = "takes the accuracy of decisions without REJECTED"
EXPECTED = {
    "check_sample_weight_equivalence_on_dense_data": OBJECTS,
    "check_sample_weight_equivalence_on_sparse_data": OBJECTS,
    "check_estimators_pickle": OBJECTS,
    "check_classifier_data_not_an_array": OBJECTS,
    "check_supervised_y_2d": OBJECTS,
    "check_methods_sample_order_invariance": OBJECTS,
    "check_methods_subset_invariance": OBJECTS,
    "check_fit_idempotent": OBJECTS,
    "check_classifiers_train": SCORED,
}
CHECKED = [MultiplierClassifier(GaussianNB(), goal="errors", cv=3), PriorShiftClassifier()]
MORE_CHECKED = [MultiplierClassifier(cv=3), CostClassifier(), RejectingClassifier(GaussianNB(), gamma=3, cv=3)]
COSTS = {"a": {"b": 1, "c": 4}, "b": {"a": 2, "c": 1}, "c": {"a": 3, "b": 2}}
WITH_REJECTION = {true: {**row, REJECTED: 0.4} for true, row in COSTS.items()}
EACH = {
    "multipliers": lambda inner=None: MultiplierClassifier(inner, form="softmax", random_state=0),
    "priors": lambda inner=None: PriorShiftClassifier(
        inner, priors={"b": 0.7, "a": 0.2, "c": 0.1}, old={"c": 0.3, "b": 0.4, "a": 0.3}
    ),
    "rejection": lambda inner=None: RejectingClassifier(inner, gamma=3, kind="per-class"),
    "costs": lambda inner=None: CostClassifier(inner, costs=COSTS),
    "costs of rejecting": lambda inner=None: CostClassifier(inner, costs=WITH_REJECTION),
}
each = pytest.mark.parametrize("make", EACH.values(), ids=EACH)


@parametrize_with_checks(CHECKED)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(MORE_CHECKED, expected_failed_checks=lambda e: EXPECTED if isinstance(e, RejectingClassifier) else {})
def test_scikit_learns_checks_of_the_other_corrections(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def data():
    X, y = make_classification(180, 5, n_informative=3, n_redundant=0, n_classes=3, class_sep=0.7, flip_y=0.1, random_state=4)
    return X.round(3), np.array(["a", "b", "c"])[y]


def alike(a, b):
    return [repr(x) for x in a] == [repr(x) for x in b]


# -- fitting apart ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("cv", [3, StratifiedKFold(4, shuffle=True, random_state=2)], ids=["number", "splitter"])
def test_kappa_is_fitted_to_out_of_fold_probabilities(data, cv):
    X, y = data
    found = MultiplierClassifier(form="softmax", cv=cv, random_state=0).fit(X, y)
    apart = cross_val_predict(LogisticRegression(), X, y, cv=cv, method="predict_proba")
    wanted = fit_multipliers(y, apart, form="softmax", classes=["a", "b", "c"])
    inner = LogisticRegression().fit(X, y)
    assert found.multipliers_.multipliers == pytest.approx(wanted.multipliers, rel=1e-6)
    assert found.multipliers_.errors_before == (inner.classes_[apart.argmax(axis=1)] != y).sum()
    assert (found.estimator_.coef_ == inner.coef_).all()
    assert found.predict_proba(X) == pytest.approx(wanted.apply(inner.predict_proba(X)), abs=1e-6)


def test_thresholds_are_fitted_to_out_of_fold_probabilities(data):
    X, y = data
    found = RejectingClassifier(GaussianNB(), max_rejection=0.2, cv=4).fit(X, y)
    apart = cross_val_predict(GaussianNB(), X, y, cv=4, method="predict_proba")
    wanted = fit_rejection(y, apart, max_rejection=0.2, classes=["a", "b", "c"])
    inner = GaussianNB().fit(X, y)
    assert (found.rejection_.thresholds == wanted.thresholds).all()
    assert found.rejection_.counts == wanted.counts
    assert (found.predict_proba(X) == inner.predict_proba(X)).all()
    top, sure = inner.predict(X).tolist(), inner.predict_proba(X).max(axis=1)
    assert alike(found.predict(X), [t if s >= wanted.thresholds[0] else REJECTED for t, s in zip(top, sure, strict=True)])


# -- what is frozen stays --------------------------------------------------------------------------------------


@each
def test_a_frozen_classifier_is_not_fitted_again(make, data):
    X, y = data
    inner = LogisticRegression().fit(X[:90], y[:90])
    before = inner.coef_.copy()
    found = make(FrozenEstimator(inner)).fit(X[90:], y[90:])
    assert found.estimator_.estimator is inner
    assert (inner.coef_ == before).all()
    assert clone(found).estimator.estimator is inner


def test_a_correction_of_a_frozen_classifier_is_fitted_to_the_cases_given(data):
    X, y = data
    inner = GaussianNB().fit(X[:90], y[:90])
    found = MultiplierClassifier(FrozenEstimator(inner)).fit(X[90:], y[90:])
    wanted = fit_multipliers(y[90:], inner.predict_proba(X[90:]), classes=["a", "b", "c"])
    assert (found.multipliers_.multipliers == wanted.multipliers).all()
    few = MultiplierClassifier(FrozenEstimator(inner)).fit(X[:1], y[:1])  # one case, one of three classes: no folds are needed
    assert few.classes_.tolist() == ["a", "b", "c"]


def test_a_fitted_classifier_that_is_not_frozen_is_left_alone_and_its_clone_fitted(data):
    X, y = data
    inner = GaussianNB().fit(X[:90], y[:90])
    before = inner.theta_.copy()
    found = CostClassifier(inner).fit(X, y)
    assert (inner.theta_ == before).all()
    assert (found.estimator_.theta_ == GaussianNB().fit(X, y).theta_).all()


# -- weights, names, forms of data -----------------------------------------------------------------------------


@each
def test_weights_are_repeated_rows(make, data):
    X, y = data
    times = np.random.default_rng(0).integers(0, 4, len(y))
    fold = np.arange(len(y)) % 3
    repeated = np.repeat(np.arange(len(y)), times)

    def folds(of):
        return [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(3)]

    def with_folds(of):
        found = make(GaussianNB())
        return found.set_params(cv=folds(of)) if hasattr(found, "cv") else found

    weighted = with_folds(fold).fit(X, y, sample_weight=times)
    plain = with_folds(fold[repeated]).fit(X[repeated], y[repeated])
    assert weighted.predict_proba(X) == pytest.approx(plain.predict_proba(X), rel=1e-6)
    assert alike(weighted.predict(X), plain.predict(X))
    assert weighted.score(X, y, sample_weight=times) == pytest.approx(weighted.score(X[repeated], y[repeated]))


def test_priors_of_weighted_cases_are_those_of_repeated_ones(data):
    X, y = data
    times = np.random.default_rng(1).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), times)
    inner = KNeighborsClassifier(weights="distance")
    with pytest.warns(UserWarning, match="KNeighborsClassifier takes no sample_weight"):
        unseen = PriorShiftClassifier(inner).fit(X, y, sample_weight=times)
    assert unseen.old_priors_ == pytest.approx([(y == label).mean() for label in "abc"])
    found = PriorShiftClassifier(LogisticRegression()).fit(X, y, sample_weight=times)
    assert found.old_priors_ == pytest.approx([(y[repeated] == label).mean() for label in "abc"])
    alone = clone(found).fit(X, y).adapt(X[repeated])
    assert clone(found).fit(X, y).adapt(X, sample_weight=times).new_priors_ == pytest.approx(alone.new_priors_, abs=1e-6)


def renamed(value, names):
    if isinstance(value, dict):
        return {names.get(key, key): renamed(inner, names) for key, inner in value.items()}
    return names.get(value, value) if isinstance(value, str) else value


@each
@pytest.mark.parametrize("names", [{"a": "z", "b": "y", "c": "x"}, {"a": 30, "b": 10, "c": 20}], ids=["text", "numbers"])
def test_classes_are_told_by_name(make, names, data):
    X, y = data
    plain = make(GaussianNB()).fit(X, y)
    other = make(GaussianNB())
    given = {name: renamed(getattr(other, name), names) for name in ("costs", "priors", "old") if hasattr(other, name)}
    other.set_params(**given).fit(X, [names[label] for label in y])
    at = [other.classes_.tolist().index(names[label]) for label in "abc"]
    assert other.predict_proba(X)[:, at] == pytest.approx(plain.predict_proba(X), abs=1e-6)
    assert alike([names.get(label, label) for label in plain.predict(X).tolist()], other.predict(X).tolist())


class Recorder(ClassifierMixin, BaseEstimator):
    """Remembers the type it was fitted to, and learns nothing but the classes."""

    def fit(self, X, y):
        self.type_, self.classes_ = type(X), np.unique(y)
        return self

    def predict_proba(self, X):
        return np.full((len(X), self.classes_.size), 1 / self.classes_.size)


FORMS = {
    "pandas": lambda X: pd.DataFrame(X, columns=list("vwxyz")),
    "polars": lambda X: pl.DataFrame(X, schema=list("vwxyz")),
    "list": lambda X: X.tolist(),
    "rows": sparse.csr_array,
    "coordinates": sparse.coo_array,
}


@pytest.mark.slow
@each
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_tables_of_any_form_give_the_same(make, form, data):
    X, y = data
    inner = LogisticRegression(solver="newton-cg", tol=1e-10)
    plain, other = make(inner).fit(X, y), make(inner).fit(form(X), y)
    assert other.predict_proba(form(X)) == pytest.approx(plain.predict_proba(X), abs=1e-6)
    assert alike(other.predict(form(X)), plain.predict(X))
    assert getattr(other, "feature_names_in_", None) is None or other.feature_names_in_.tolist() == list("vwxyz")
    assert other.n_features_in_ == 5


@each
@pytest.mark.parametrize("form", [FORMS["pandas"], FORMS["polars"], FORMS["list"]], ids=["pandas", "polars", "list"])
def test_tables_reach_the_classifier_as_they_are(make, form, data):
    X, y = data
    assert make(Recorder()).fit(form(X), pd.Series(y)).estimator_.type_ is type(form(X))


# -- among scikit-learn's tools --------------------------------------------------------------------------------


@pytest.mark.slow
@each
def test_a_pipeline_a_search_and_a_copy(make, data):
    X, y = data
    pipe = make_pipeline(StandardScaler(), make(LogisticRegression()))
    name = f"{pipe.steps[-1][0]}__estimator__C"
    found = GridSearchCV(pipe, {name: [1e-4, 1.0]}, cv=3).fit(X, y)
    by_hand = [
        np.mean(
            [clone(pipe).set_params(**{name: c}).fit(X[a], y[a]).score(X[b], y[b]) for a, b in StratifiedKFold(3).split(X, y)]
        )
        for c in (1e-4, 1.0)
    ]
    assert found.cv_results_["mean_test_score"] == pytest.approx(by_hand)
    assert by_hand[0] != by_hand[1]
    best = found.best_estimator_
    kept = io.BytesIO()
    joblib.dump(best, kept)
    for copy in (pickle.loads(pickle.dumps(best)), joblib.load(io.BytesIO(kept.getvalue()))):  # noqa: S301
        assert alike(copy.predict(X), best.predict(X))
        assert (copy.predict_proba(X) == best.predict_proba(X)).all()


def test_one_model_against_the_rest_for_each_class(data):
    X, y = data
    inner = OneVsRestClassifier(GaussianNB())
    found = MultiplierClassifier(inner, cv=3).fit(X, y)
    apart = cross_val_predict(inner, X, y, cv=3, method="predict_proba")
    assert found.multipliers_.multipliers == pytest.approx(
        fit_multipliers(y, apart, classes=["a", "b", "c"]).multipliers, rel=1e-12
    )
    assert found.predict_proba(X).sum(axis=1) == pytest.approx(1)


def test_distances_between_cases_are_split_both_ways(data):
    X, y = data
    between = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    plain = MultiplierClassifier(KNeighborsClassifier(15), cv=3).fit(X, y)
    found = MultiplierClassifier(KNeighborsClassifier(15, metric="precomputed"), cv=3).fit(between, y)
    assert found.multipliers_.multipliers == pytest.approx(plain.multipliers_.multipliers, rel=1e-12)
    assert (found.predict_proba(between) == plain.predict_proba(X)).all()


@each
@pytest.mark.parametrize(
    "form",
    [list, pl.Series, lambda y: pd.Series(y, dtype="category"), lambda y: y.astype(object)],
    ids=["list", "polars", "categories", "objects"],
)
def test_labels_of_any_form_give_the_same(make, form, data):
    X, y = data
    plain, other = make(GaussianNB()).fit(X, y), make(GaussianNB()).fit(X, form(y))
    assert (other.predict_proba(X) == plain.predict_proba(X)).all()
    assert alike(other.predict(X).tolist(), plain.predict(X).tolist())
    assert other.score(X, form(y)) == plain.score(X, y)


@pytest.mark.slow
def test_chance_comes_from_random_state(data):
    X, y = data
    frozen = FrozenEstimator(GaussianNB().fit(X, y))

    def multipliers(state):
        return MultiplierClassifier(frozen, form="softmax", random_state=state).fit(X, y).multipliers_.multipliers.tolist()

    assert multipliers(np.random.default_rng(3)) == multipliers(np.random.default_rng(3))
    assert multipliers(np.random.RandomState(3)) == multipliers(np.random.RandomState(3)) == multipliers(3)


# -- priors ----------------------------------------------------------------------------------------------------


NEW = {"c": 0.1, "a": 0.7, "b": 0.2}


@pytest.mark.parametrize(
    ("inner", "knowing"),
    [
        (GaussianNB(), GaussianNB(priors=[0.7, 0.2, 0.1])),
        (GaussianNB(priors=[0.1, 0.1, 0.8]), GaussianNB(priors=[0.7, 0.2, 0.1])),
        (MultinomialNB(), MultinomialNB(class_prior=[0.7, 0.2, 0.1])),
        (MultinomialNB(fit_prior=False), MultinomialNB(class_prior=[0.7, 0.2, 0.1])),
    ],
    ids=["counted", "given", "log", "log, given"],
)
@pytest.mark.parametrize("frozen", [False, True], ids=["fitted here", "frozen"])
def test_new_priors_do_what_learning_under_them_does(inner, knowing, frozen, data):
    X, y = np.abs(data[0]), data[1]
    wanted = knowing.fit(X, y).predict_proba(X)
    inner = FrozenEstimator(clone(inner).fit(X, y)) if frozen else inner
    labels = np.where(y == "b", "a", y) if frozen else y  # not those it was learnt from
    assert PriorShiftClassifier(inner, priors=NEW).fit(X, labels).predict_proba(X) == pytest.approx(wanted, rel=1e-9)
    adapted = PriorShiftClassifier(inner).fit(X, labels).adapt(priors=[0.7, 0.2, 0.1])
    assert adapted.predict_proba(X) == pytest.approx(wanted, rel=1e-9)
    assert adapted.priors_ is None


@pytest.mark.parametrize("wrap", [lambda c: c, lambda c: make_pipeline(StandardScaler(), c)], ids=["alone", "pipeline"])
def test_weights_of_classes_are_part_of_the_old_priors(wrap, data):
    X, y = data
    heavy = {"a": 1, "b": 5, "c": 2}
    by_class = PriorShiftClassifier(wrap(LogisticRegression(class_weight=heavy)), priors=NEW).fit(X, y)
    by_case = PriorShiftClassifier(wrap(LogisticRegression()), priors=NEW).fit(X, y, sample_weight=[heavy[label] for label in y])
    assert by_class.old_priors_ == pytest.approx(by_case.old_priors_, rel=1e-12)
    assert by_class.predict_proba(X) == pytest.approx(by_case.predict_proba(X), rel=1e-6)
    even = PriorShiftClassifier(wrap(LogisticRegression(class_weight="balanced"))).fit(X, y)
    assert even.old_priors_ == pytest.approx([1 / 3] * 3)


def test_unadapted_probabilities_are_those_of_the_classifier_and_fit_undoes_adapting(data):
    X, y = data
    found = PriorShiftClassifier().fit(X, y)
    plain = LogisticRegression().fit(X, y).predict_proba(X)
    assert (found.predict_proba(X) == plain).all()
    assert not np.allclose(found.adapt(priors=NEW).predict_proba(X), plain)
    assert (found.fit(X, y).predict_proba(X) == plain).all()


def normals(n, share, rng):
    y = rng.random(n) < share
    return rng.normal(1.5 * y)[:, None], y


def test_a_shifted_prior_is_found_and_raises_accuracy():
    rng = np.random.default_rng(7)
    found = PriorShiftClassifier().fit(*normals(2000, 0.5, rng))
    X, y = normals(2000, 0.1, rng)
    before = found.score(X, y)
    found.adapt(X)
    low, high = found.priors_.interval[1]
    assert low <= 0.1 <= high
    assert high - low < 0.08
    assert found.priors_.p_value < 1e-9
    assert found.priors_.classes == (False, True)
    # The best rule for these normals cuts at 0.75 + ln(9) / 1.5; the unadapted one at 0.75.
    best = ((X[:, 0] > 0.75 + np.log(9) / 1.5) == y).mean()
    assert found.score(X, y) > before + 0.1
    assert found.score(X, y) == pytest.approx(best, abs=0.01)


def test_a_frozen_classifier_adapts_without_labels():
    rng = np.random.default_rng(8)
    inner = LogisticRegression().fit(*normals(500, 0.5, rng))
    X, _ = normals(500, 0.2, rng)
    found = PriorShiftClassifier(FrozenEstimator(inner), old=[0.5, 0.5]).adapt(X)
    wanted = estimate_priors(inner.predict_proba(X), old=[0.5, 0.5])
    assert (found.new_priors_ == wanted.priors).all()
    assert (found.predict_proba(X) == wanted.shift().apply(inner.predict_proba(X))).all()
    assert found.predict(X).dtype == bool
    unsaid = PriorShiftClassifier(FrozenEstimator(inner))
    with pytest.raises(InputError, match=r"LogisticRegression .*class priors.*old="):
        unsaid.adapt(X)
    assert unsaid.set_params(old=[0.5, 0.5]).adapt(X).new_priors_.tolist() == wanted.priors.tolist()
    with pytest.raises(NotFittedError):
        PriorShiftClassifier(inner).adapt(X)


def test_labels_say_nothing_about_a_classifier_frozen_inside_a_pipeline(data):
    X, y = data
    inner = FrozenEstimator(LogisticRegression().fit(X, y))
    with pytest.raises(InputError, match="LogisticRegression does not say"):
        PriorShiftClassifier(make_pipeline(StandardScaler(), inner)).fit(X[:90], y[:90])
    search = FrozenEstimator(GridSearchCV(GaussianNB(), {"priors": [[0.2, 0.2, 0.6]]}, cv=2).fit(X, y))
    assert PriorShiftClassifier(search).adapt(priors=NEW).old_priors_ == pytest.approx([0.2, 0.2, 0.6])
    said = PriorShiftClassifier(make_pipeline(StandardScaler(), FrozenEstimator(GaussianNB().fit(X, y)))).fit(X[:90], y[:90])
    assert said.old_priors_ == pytest.approx([(y == label).mean() for label in "abc"])


# -- costs -----------------------------------------------------------------------------------------------------


def mean_cost(costs, y, decided):
    told = [{**costs[true], true: 0}[choice] for true, choice in zip(y, decided, strict=True)]
    return float(np.mean(told))


@pytest.mark.parametrize("costs", [COSTS, WITH_REJECTION], ids=["K x K", "K x (K + 1)"])
def test_no_decision_is_expected_to_cost_less(costs, data):
    X, y = data
    found = CostClassifier(GaussianNB(), costs=costs).fit(X, y)
    decisions = list(costs["a"] | costs["b"])
    for p, decided in zip(found.predict_proba(X), found.predict(X), strict=True):
        expected = {j: sum(p[i] * {**costs[true], true: 0}[j] for i, true in enumerate("abc")) for j in decisions}
        assert expected[decided] == pytest.approx(min(expected.values()), abs=1e-12)
    assert found.score(X, y) == pytest.approx(-mean_cost(costs, y, found.predict(X)))
    assert (REJECTED in found.predict(X).tolist()) == (costs is WITH_REJECTION)


def test_costs_by_name_are_those_in_the_order_of_classes(data):
    X, y = data
    table = [[0, 1, 4, 0.4], [2, 0, 1, 0.4], [3, 2, 0, 0.4]]
    named, listed = (RejectingClassifier(GaussianNB(), costs=c).fit(X, y) for c in (WITH_REJECTION, table))
    assert (named.rejection_.costs == listed.rejection_.costs).all()
    assert alike(named.predict(X), listed.predict(X))
    assert named.score(X, y) == pytest.approx(-mean_cost(WITH_REJECTION, y, named.predict(X)))


def test_without_costs_the_most_probable_class_is_decided():
    X, y = load_iris(return_X_y=True)
    assert (CostClassifier(GaussianNB()).fit(X, y).predict(X) == GaussianNB().fit(X, y).predict(X)).all()


@pytest.mark.parametrize(
    "labels", [("a", "b", "c"), ("a", "b", "b"), (0, 1, 1), (False, True, True)], ids=["three", "two", "0/1", "truth"]
)
def test_the_score_of_gamma_is_accuracy_less_gamma_times_error(labels, data):
    X, y = data[0], np.array([labels["abc".index(label)] for label in data[1]])
    found = RejectingClassifier(GaussianNB(), gamma=3).fit(X, y)
    labels = found.predict(X)
    none = np.array([label is REJECTED for label in labels])
    right = np.array([a == b for a, b in zip(labels, y, strict=True)])
    assert none.any()
    assert found.score(X, y) == pytest.approx(right.mean() - 3 * (~right & ~none).mean())


# -- refusals --------------------------------------------------------------------------------------------------


REFUSED = {
    "no probabilities": (MultiplierClassifier(LinearSVC()), r"LinearSVC gives no probabilities.*CalibratedClassifierCV"),
    "nothing says what rejecting costs": (RejectingClassifier(), "Pass reject_cost="),
    "prefit": (MultiplierClassifier(cv="prefit"), r"got 'prefit'\. One fitted already is a FrozenEstimator"),
    "form": (MultiplierClassifier(form="cubic"), "form must be one of"),
    "costs shape": (CostClassifier(costs=np.eye(2)), r"costs for 3 classes.*got shape \(2, 2\)"),
    "costs of an unknown class": (CostClassifier(costs={**COSTS, "d": {}}), "'d' is not among the classes"),
    "costs without a class": (CostClassifier(costs={"a": COSTS["a"], "b": COSTS["b"]}), "costs says nothing about 'c'"),
    "costs without a decision": (CostClassifier(costs={**COSTS, "c": {"a": 1}}), r"costs\['c'\] says nothing about 'b'"),
    "costs that are no mapping": (CostClassifier(costs={**COSTS, "c": [1, 2, 0]}), r"costs\['c'\] must map.*got list"),
    "costs of rejecting some": (CostClassifier(costs={**WITH_REJECTION, "c": COSTS["c"]}), "but not for 'c'"),
    "priors without a class": (PriorShiftClassifier(priors={"a": 0.5, "b": 0.5}), "priors says nothing about 'c'"),
    "priors": (PriorShiftClassifier(priors=[0.5, 0.5, 0.5]), "priors must be shares"),
    "old": (PriorShiftClassifier(old="equal"), "old must be 'from estimator' or one prior for each class, got 'equal'"),
}


@pytest.mark.parametrize(("made", "told"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_is_refused(made, told, data):
    with pytest.raises(InputError, match=told):
        made.fit(*data)


def test_a_class_named_twice_is_refused():
    with pytest.raises(InputError, match="old names the class 1 twice"):
        PriorShiftClassifier(old={0: 0.5, 1: 0.3, "1": 0.2}).fit([[0.0], [1.0], [2.0]], [0, 1, 1])


@each
def test_a_class_the_frozen_classifier_did_not_learn_is_refused(make, data):
    X, y = data
    inner = FrozenEstimator(GaussianNB().fit(X, y))
    with pytest.raises(InputError, match=r"^y has 'd'.*'a', 'b', 'c'"):
        make(inner).fit(X, np.where(y == "a", "d", y))
    with pytest.raises(InputError, match="y has 'd', which"):
        CostClassifier(inner).fit(X, y).score(X[:1], ["d"])


def test_adapting_takes_cases_or_priors(data):
    found = PriorShiftClassifier().fit(*data)
    for given in ({}, {"X": data[0], "priors": NEW}):
        with pytest.raises(InputError, match=r"unlabelled cases or priors="):
            found.adapt(**given)


@pytest.mark.parametrize("frozen", [FrozenEstimator(LogisticRegression())])
def test_a_frozen_classifier_that_was_never_fitted_is_refused(frozen, data):
    with pytest.raises(NotFittedError):
        MultiplierClassifier(frozen).fit(*data)


def test_columns_without_names_are_refused(data):
    class Nameless(Recorder):
        def fit(self, X, y):
            super().fit(X, y)
            self.names_ = self.__dict__.pop("classes_")
            return self

    with pytest.raises(InputError, match=r"Nameless has no classes_"):
        CostClassifier(Nameless()).fit(*data)
