"""Every verb takes arrays and models in every shape people type, with the answers of a dict of arrays; the rest is refused."""

from __future__ import annotations

import inspect
import json
import pydoc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import adjudge
from adjudge import InputError

CLASSES = ["ant", "bee", "cat"]
CASES = 240


def cases(seed=0, labels=CLASSES):
    """Return true labels, decisions and probabilities by class."""
    rng = np.random.default_rng(seed)
    at = rng.integers(0, len(labels), CASES)
    p = rng.dirichlet(np.ones(len(labels)), CASES) + np.eye(len(labels))[at] * 0.6
    p /= p.sum(axis=1, keepdims=True)
    return np.array(labels)[at], np.array(labels)[p.argmax(axis=1)], p


TRUTH, SAID, P = cases()
TABLE = {"y_true": TRUTH, "y_pred": SAID, "y_score": P}
NAMED = {"truth": "y_true", "predicted": "y_pred", "scores": "y_score", "classes": CLASSES}
RULES = ("accuracy >= 0.6", "mcc > 0.9")


class Tensor:
    """What frameworks hand over: an object with ``__array__`` and a length, and nothing else."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values.astype(dtype) if dtype is not None else self.values

    def __len__(self):
        return len(self.values)


def facts(result):
    """Return what a result says, without where it came from."""

    def stripped(value):
        if isinstance(value, dict):
            return {name: stripped(each) for name, each in value.items() if name not in ("roles", "call", "column")}
        return [stripped(each) for each in value] if isinstance(value, list) else value

    return stripped(json.loads(json.dumps(result.to_dict(), default=str)))


VERBS = {
    "evaluate": adjudge.evaluate,
    "report": adjudge.report,
    "count": adjudge.count,
    "gate": lambda *of, **how: adjudge.gate(*of, *RULES, **how),
    "thresholds": lambda y=None, d=None, s=None, **how: adjudge.thresholds(y, s, d, **how),
    "recommend": lambda y=None, d=None, s=None, **how: adjudge.recommend(y, s, d, **how),
}
SHAPES = {
    "arrays": lambda y, d, s: (y, d, s),
    "lists": lambda y, d, s: (y.tolist(), d.tolist(), s.tolist()),
    "tuples": lambda y, d, s: (tuple(y.tolist()), tuple(d.tolist()), tuple(map(tuple, s.tolist()))),
    "series": lambda y, d, s: (pd.Series(y, index=np.arange(CASES)[::-1]), pd.Series(d, index=np.arange(CASES)[::-1]), s),
    "series beside arrays": lambda y, d, s: (pd.Series(y, index=list("xy") * (CASES // 2)), d, s),
    "polars": lambda y, d, s: (pl.Series(y), pl.Series(d), pl.DataFrame(dict(zip(CLASSES, s.T, strict=True)))),
    "Arrow": lambda y, d, s: (pa.array(y), pa.chunked_array([d[:7], d[7:]]), s),
    "categories": lambda y, d, s: (pd.Categorical(y, categories=CLASSES), pd.Series(d, dtype="category"), s),
    "objects": lambda y, d, s: (y.astype(object), d.astype(object), s),
    "column vectors": lambda y, d, s: (y[:, None], pd.DataFrame({"said": d}), s),
    "tensors": lambda y, d, s: (y, d, Tensor(s)),
    "places": lambda y, d, s: (y, np.searchsorted(CLASSES, d), s),
    "places both": lambda y, d, s: (Tensor(np.searchsorted(CLASSES, y)), Tensor(np.searchsorted(CLASSES, d)[:, None]), s),
    "frame of classes": lambda y, d, s: (y, d, pd.DataFrame(s[:, ::-1], columns=CLASSES[::-1])),
    "frame without names": lambda y, d, s: (y, d, pd.DataFrame(s)),
    "mapping": lambda y, d, s: (y, d, {label: s[:, i].tolist() for i, label in enumerate(CLASSES)}),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_shape_says_what_a_dict_of_arrays_says(verb):
    wanted = facts(VERBS[verb](TABLE, **NAMED))
    shapes = ("lists", "polars", "places both") if verb in ("report", "recommend") else SHAPES  # which take longer
    for shape in shapes:
        of = SHAPES[shape]
        assert facts(VERBS[verb](*of(TRUTH, SAID, P), classes=CLASSES)) == wanted, shape


@pytest.mark.parametrize("verb", ["evaluate", "report", "count", "gate", "thresholds", "recommend"])
def test_names_say_the_same_as_places(verb):
    rules = {"require": list(RULES)} if verb == "gate" else {}
    named = getattr(adjudge, verb)(y_true=TRUTH, y_pred=SAID, y_score=P, classes=CLASSES, **rules)
    assert facts(named) == facts(VERBS[verb](TRUTH, SAID, P, classes=CLASSES))
    scored = getattr(adjudge, verb)(TRUTH, y_score=P, classes=CLASSES, **rules)
    assert facts(scored) == facts(VERBS[verb]({"y_true": TRUTH, "y_score": P}, **{**NAMED, "predicted": None}))


@pytest.mark.parametrize("verb", ["evaluate", "report", "count", "gate"])
def test_decisions_alone_say_what_a_dict_of_them_says(verb):
    for labels in (TRUTH, (TRUTH == "ant").astype(int), TRUTH == "ant"):
        said = np.roll(labels, 3)
        wanted = VERBS[verb]({"y_true": labels, "y_pred": said}, truth="y_true", predicted="y_pred")
        assert facts(VERBS[verb](labels, said)) == facts(wanted)


@pytest.mark.parametrize("labels", [["well", "ill"], [0, 1], [False, True]])
def test_one_score_is_that_of_the_positive_class(labels):
    truth, _, p = cases(3, labels)
    found = adjudge.evaluate(truth, y_score=p[:, 1], positive=labels[1])
    assert found["auc"].value == pytest.approx(roc_auc_score(truth == labels[1], p[:, 1]))
    wanted = {"y_true": truth, "y_score": p[:, 1]}
    assert facts(found) == facts(adjudge.evaluate(wanted, truth="y_true", scores="y_score", positive=labels[1]))
    assert facts(found) == facts(adjudge.evaluate(truth, y_score=p[:, 1:], positive=labels[1]))
    one = {labels[1]: p[:, 1]}
    assert adjudge.evaluate(truth, y_score=one, positive=labels[1])["auc"].value == found["auc"].value


def test_columns_without_names_are_those_of_the_sorted_labels_and_the_roles_say_so():
    for labels in (CLASSES[::-1], [2, 0, 1], ["only", "two"], [False, True]):
        truth, said, p = cases(1, labels)
        by_label = p[:, np.argsort(labels)]
        found = adjudge.evaluate(truth, said, by_label)
        told = found.origin.roles.evidence["scores"]
        assert f"{len(labels)} columns in the sorted order of the labels" in told
        assert "sorted order" in str(found)
        wanted = adjudge.evaluate(truth, said, by_label, classes=sorted(labels))
        assert found["log_loss"].value == wanted["log_loss"].value == pytest.approx(log_loss(truth, by_label))
        assert facts(found) == facts(wanted)


def test_measures_are_those_of_scikit_learn():
    found = adjudge.evaluate(TRUTH, SAID, P)
    assert found.accuracy.value == pytest.approx(accuracy_score(TRUTH, SAID))
    assert found["balanced_accuracy"].value == pytest.approx(balanced_accuracy_score(TRUTH, SAID))
    assert found["auc"].value == pytest.approx(roc_auc_score(TRUTH, P, multi_class="ovr"))
    assert found["log_loss"].value == pytest.approx(log_loss(TRUTH, P))


def test_weights_groups_and_folds_are_arrays_beside_arrays():
    rng = np.random.default_rng(4)
    weight, group = rng.integers(1, 5, CASES) / 2, rng.integers(0, 30, CASES)
    sides = {"weight": weight, "group": group, "row": np.arange(CASES)}
    wanted = adjudge.evaluate(TABLE | sides, **NAMED, weight="weight", group="group", row="row")
    found = adjudge.evaluate(TRUTH, SAID, P, classes=CLASSES, **sides)
    assert facts(found) == facts(wanted)
    assert found.accuracy.value == pytest.approx(accuracy_score(TRUTH, SAID, sample_weight=weight))


def test_numbers_are_predicted_where_the_truth_is_measured():
    rng = np.random.default_rng(6)
    truth = rng.normal(10, 3, CASES)
    said = truth + rng.normal(size=CASES)
    table = {"y_true": truth, "y_pred": said}
    assert facts(adjudge.evaluate(truth, said)) == facts(adjudge.evaluate(table, truth="y_true", predicted="y_pred"))
    whole = rng.integers(0, 90, CASES)
    assert adjudge.evaluate(whole, whole + 0.25)["mae"].value == 0.25


# -- models --------------------------------------------------------------------------------------------------------


RNG = np.random.default_rng(9)
X = RNG.normal(size=(CASES, 4))
Y = np.array(CLASSES)[np.argmax(X[:, :3] + RNG.normal(size=(CASES, 3)), axis=1)]


class Bare(BaseEstimator):
    """A network: probabilities from predict, no classes."""

    def predict(self, rows):
        p = np.exp(np.asarray(rows)[:, :3])
        return p / p.sum(axis=1, keepdims=True)


MODELS = {
    "LogisticRegression": lambda: LogisticRegression().fit(X, Y),
    "Pipeline": lambda: make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y),
    "GridSearchCV": lambda: GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2).fit(X, Y),
    "RandomForestClassifier": lambda: RandomForestClassifier(8, random_state=0).fit(X, Y),
    "CalibratedClassifierCV": lambda: CalibratedClassifierCV(RidgeClassifier(), cv=2).fit(X, Y),
}


@pytest.mark.parametrize("kind", MODELS)
def test_a_fitted_model_says_what_its_answers_say(kind):
    model = MODELS[kind]()
    answers = (Y, model.predict(X), model.predict_proba(X))
    found = adjudge.evaluate(model, X, Y)
    assert found.origin.name == kind
    origin = json.loads(json.dumps(facts(found)).replace(f'"{kind}"', '"arrays"'))
    assert origin == facts(adjudge.evaluate(*answers, classes=model.classes_))


@pytest.mark.parametrize("verb", ["evaluate", "report", "count", "gate", "thresholds", "recommend"])
def test_every_verb_takes_a_model_by_place_and_by_name(verb):
    model = MODELS["LogisticRegression"]()
    rules = RULES if verb == "gate" else ()
    placed = facts(getattr(adjudge, verb)(model, X, Y, *rules))
    named = facts(getattr(adjudge, verb)(model, X=X, y=Y, **({"require": rules} if rules else {})))
    arrays = VERBS[verb](Y, model.predict(X), model.predict_proba(X), classes=model.classes_)
    assert placed == named
    assert json.loads(json.dumps(placed).replace('"LogisticRegression"', '"arrays"')) == facts(arrays)


def test_partitions_of_a_model_are_those_of_its_probabilities():
    model = MODELS["LogisticRegression"]()
    wanted = adjudge.partition(Y, model.predict_proba(X), classes=list(model.classes_)).to_dict()
    assert adjudge.partition(model, X, Y).to_dict() == wanted
    assert adjudge.partition(Y, model.predict_proba(X), classes=CLASSES).to_dict() == wanted
    both = adjudge.compare_partitions(model, MODELS["RandomForestClassifier"](), X, Y, resamples=100)
    assert list(both.spaces) == ["LogisticRegression", "RandomForestClassifier"]
    alone = adjudge.compare_partitions(Y, model.predict_proba(X), resamples=100)
    assert alone.first.scaled_accuracy == both.first.scaled_accuracy
    arrays = adjudge.compare_partitions(Y, model.predict_proba(X), P, resamples=100, classes=CLASSES)
    assert arrays.first.scaled_accuracy == both.first.scaled_accuracy


def test_training_beside_arrays_and_models_says_whether_it_overfits():
    model = RandomForestClassifier(8, random_state=0).fit(X[::2], Y[::2])
    found = adjudge.evaluate(model, X[1::2], Y[1::2], training=(X[::2], Y[::2]))
    said = model.predict(X)
    arrays = adjudge.evaluate(Y[1::2], said[1::2], training=(Y[::2], said[::2]))
    assert found.overfitting.verdict == arrays.overfitting.verdict
    places = np.searchsorted(CLASSES, said)
    named = adjudge.evaluate(Y[1::2], places[1::2], training=(Y[::2], places[::2]), classes=CLASSES)
    assert named.overfitting.verdict == arrays.overfitting.verdict


# -- several -------------------------------------------------------------------------------------------------------


OTHER = np.where(np.arange(CASES) % 4 == 0, "cat", SAID)
THIRD = np.where(np.arange(CASES) % 3 == 0, "ant", SAID)
A, B, C = ({"y_true": TRUTH, "y_pred": each, "case": range(CASES)} for each in (SAID, OTHER, THIRD))
HOW = {"truth": "y_true", "predicted": "y_pred", "row": "case"}


def test_arrays_compare_as_dicts_of_them_do():
    wanted = facts(adjudge.compare(A, B, **HOW))
    assert facts(adjudge.compare(TRUTH, SAID, OTHER)) == wanted
    assert facts(adjudge.compare(SAID, OTHER, y_true=TRUTH)) == wanted
    named = adjudge.compare(A, B, names=["old", "new"], **HOW)
    assert facts(adjudge.compare({"old": SAID, "new": OTHER}, TRUTH)) == facts(named)
    assert facts(adjudge.compare({"old": SAID, "new": OTHER}, y=TRUTH)) == facts(named)
    shifted = pd.Series(TRUTH, index=np.arange(CASES) + 5)
    assert facts(adjudge.compare(shifted, SAID.tolist(), pd.Categorical(OTHER))) == wanted
    assert facts(adjudge.compare(TRUTH, SAID, np.searchsorted(CLASSES, OTHER), classes=CLASSES))["outcomes"] == wanted["outcomes"]


@pytest.mark.slow
def test_three_arrays_are_ranked():
    wanted = facts(adjudge.rank([A, B, C], **HOW))
    assert facts(adjudge.rank(TRUTH, SAID, OTHER, THIRD)) == wanted
    assert facts(adjudge.compare(TRUTH, SAID, OTHER, THIRD)) == wanted
    named = facts(adjudge.rank({"a": A, "b": B, "c": C}, **HOW))
    assert facts(adjudge.rank({"a": SAID, "b": OTHER, "c": THIRD}, TRUTH)) == named
    assert facts(adjudge.rank({"a": SAID, "b": OTHER, "c": THIRD}, y=TRUTH)) == named


def test_pairs_are_counted_of_arrays():
    wanted = adjudge.count_pairs(A, B, **HOW)
    assert facts(adjudge.count_pairs(TRUTH, SAID, OTHER)) == facts(wanted)


def test_reports_of_several_arrays_hold_their_comparison():
    found = adjudge.report({"old": SAID, "new": OTHER}, TRUTH)
    assert sorted(found.names) == ["new", "old"]
    assert facts(found.comparison) == facts(adjudge.compare({"old": SAID, "new": OTHER}, TRUTH))


@pytest.mark.slow
def test_fitted_models_compare_as_their_answers_do():
    one, other = MODELS["LogisticRegression"](), MODELS["RandomForestClassifier"]()
    found = adjudge.compare(one, other, X, Y)
    assert found.names == ("LogisticRegression", "RandomForestClassifier")
    wanted = adjudge.compare({"LogisticRegression": one.predict(X), "RandomForestClassifier": other.predict(X)}, Y)
    every, of_decisions = facts(found), facts(wanted)
    assert facts(adjudge.compare(one, other, X=X, y=Y)) == every
    rows, wanted_rows = every.pop("measures")["rows"], of_decisions.pop("measures")["rows"]
    assert rows[: len(wanted_rows)] == wanted_rows  # those of scores follow
    assert {row["measure"] for row in rows[len(wanted_rows) :]} == {"auc", "average_precision", "brier", "log_loss", "ece"}
    every.pop("overlaid", None)
    assert every == of_decisions
    named = adjudge.compare({"old": one, "new": other}, X, Y, measure="log_loss")
    assert named.names == ("old", "new")
    assert named.difference == pytest.approx(log_loss(Y, one.predict_proba(X)) - log_loss(Y, other.predict_proba(X)))
    assert adjudge.report(one, other, X, Y).comparison.cases == CASES
    assert adjudge.compare(one, one, X, Y).names == ("LogisticRegression (1)", "LogisticRegression (2)")


@pytest.mark.slow
def test_what_arrays_hold_is_found_by_their_values_and_said():
    sick, score = TRUTH == "ant", P[:, 0]
    found = adjudge.compare(sick.astype(int), (score > 0.5).astype(int), score, measure="accuracy")
    told = {each.code: str(each.message) for each in found.findings if each.code == "A117"}
    assert found.outcomes[1] == found.outcomes[2] == 0  # deciding at a half is what the first did
    said = " ".join(str(each.message) for each in found.findings if each.code == "A117")
    assert told
    assert "Taken as scores" in said
    assert "Taken as decisions" in said
    for labels in (TRUTH, sick, sick.astype(int)):  # which need no remark
        assert not [each for each in adjudge.compare(labels, labels[::-1], labels).findings if each.code == "A117"]
    both = adjudge.compare(TRUTH, P, P[:, ::-1])
    assert [each.value for each in both.findings if each.code == "A117"] == ["scores"]  # said once of both
    assert "A702" not in [each.code for each in both.findings]  # that position pairs them is no assumption
    areas = adjudge.compare(sick, score, 1 - score, measure="auc")
    assert areas.difference == pytest.approx(roc_auc_score(sick, score) - roc_auc_score(sick, 1 - score))


# -- what is refused -----------------------------------------------------------------------------------------------


MODEL = LogisticRegression().fit(X, Y)
REFUSED = {
    "predictions alone": (lambda: adjudge.evaluate(SAID), r"evaluate\(y_true, y_pred\)"),
    "nothing": (adjudge.evaluate, r"evaluate\(y_true, y_pred\), evaluate\(model, X, y\)"),
    "lengths": (lambda: adjudge.evaluate(TRUTH, SAID[:-1]), "y_true has 240 cases and y_pred 239"),
    "lengths of scores": (
        lambda: adjudge.evaluate(TRUTH, y_score=P[1:], classes=CLASSES),
        "y_true has 240 cases and y_score 239",
    ),
    "empty": (lambda: adjudge.evaluate([], []), "y_true is empty"),
    "scores as labels": (lambda: adjudge.evaluate(TRUTH, P[:, 0]), r"y_pred holds 0\.\d+, .*evaluate\(y_true, y_score=\.\.\.\)"),
    "scores as labels, 0 and 1": (lambda: adjudge.evaluate(TRUTH == "ant", P[:, 0]), r"y_pred holds .*y_score=\.\.\."),
    "columns as labels": (lambda: adjudge.evaluate(TRUTH, P), r"y_pred has 3 columns of numbers.*y_score=\.\.\."),
    "one-hot truth": (
        lambda: adjudge.evaluate(np.eye(3)[[0, 1, 2]], [0, 1, 2]),
        r"y_true has 3 columns.*y_true\.argmax\(axis=1\)",
    ),
    "one-hot decisions": (lambda: adjudge.evaluate([0, 1, 2], np.eye(3, dtype=int)), r"y_pred\.argmax\(axis=1\)"),
    "labels as scores": (lambda: adjudge.evaluate(TRUTH, y_score=SAID), "y_score holds text such as '"),
    "text and places": (
        lambda: adjudge.evaluate(TRUTH, np.searchsorted(CLASSES, SAID)),
        r"y_pred holds whole.*classes=\[\.\.\.\]",
    ),
    "more columns than labels": (
        lambda: adjudge.evaluate(TRUTH, y_score=np.c_[P, P[:, 0]]),
        r"4 columns.*classes=model\.classes_",
    ),
    "classes unlike columns": (lambda: adjudge.evaluate(TRUTH, y_score=P, classes=CLASSES[:2]), "3 columns, and 2 classes"),
    "which is positive": (lambda: adjudge.evaluate(["ill", "well"] * 9, y_score=[0.5] * 18), "positive="),
    "a set": (lambda: adjudge.evaluate(TRUTH, {*SAID}), "y_pred must hold one value per case"),
    "masked": (lambda: adjudge.evaluate([0, 1], np.ma.masked_array([0, 1], [1, 0])), "'y_pred' has 1 missing value"),
    "indexes": (lambda: adjudge.evaluate(pd.Series([0, 1]), pd.Series([0, 1], index=[1, 0])), "different indices"),
    "names of columns": (lambda: adjudge.evaluate(TRUTH, SAID, truth="y"), "truth= says how files and frames are read"),
    "a named group": (lambda: adjudge.evaluate(TRUTH, SAID, group="patient"), 'group="patient" names a column'),
    "scores first": (lambda: adjudge.thresholds([0.1, 0.9] * 9, ["ill", "well"] * 9), "The true classes come first: thresholds"),
    "a weight": (lambda: adjudge.evaluate(TRUTH, SAID, sample_weight=[1.0] * CASES), "sample_weight is weight= here; call"),
    "other decisions": (
        lambda: adjudge.report([0, 1] * 9, [0, 1] * 9, [1, 1] * 9),
        r"y_score holds labels.*compare\(y_true, a, b\)",
    ),
    "features": (lambda: adjudge.evaluate(X, Y), r"y_true has 4 columns.*evaluate\(y_true, y_pred\)"),
    "probabilities first": (lambda: adjudge.recommend(P, TRUTH), r"y_true has 3 columns.*recommend\(y_true, y_score\)"),
    "thresholds of nothing": (lambda: adjudge.thresholds(TRUTH), r"Call thresholds\(y_true, y_score\)\."),
    "a score first": (
        lambda: adjudge.roc(P[:, 0], TRUTH == "ant"),
        r"y_true holds 0.*true classes come first\. Call roc\(y_true, y_score\)",
    ),
    "a score first, to reject": (lambda: adjudge.fit_rejection(P[:, 0], TRUTH == "ant", gamma=2), r"y_true holds 0.*come first"),
    "twice": (lambda: adjudge.evaluate(TRUTH, SAID, y_true=TRUTH), "y_score holds text"),
    "a mapping": (lambda: adjudge.evaluate({"old": SAID, "new": OTHER}, TRUTH), r"compare\(\{\.\.\.\}, y_true\)"),
    "a path": (lambda: adjudge.evaluate("preds.csv", SAID), r"evaluate\(path, truth=\.\.\., predicted=\.\.\.\)"),
    "a frame": (lambda: adjudge.evaluate(pd.DataFrame(P), SAID), "the first argument has 3 columns"),
    "four arrays": (lambda: adjudge.report(TRUTH, SAID, OTHER, THIRD), r"compare\(y_true, a, b\)"),
    "a model alone": (lambda: adjudge.evaluate(MODEL), r"LogisticRegression is a model.*neither came.*evaluate\(model, X, y\)"),
    "a model without y": (lambda: adjudge.evaluate(MODEL, X), r"only one came.*evaluate\(model, X, y\)"),
    "X beside arrays": (lambda: adjudge.evaluate(TRUTH, SAID, X=X), r"X and y go with a fitted model: evaluate\(model, X, y\)"),
    "not fitted": (lambda: adjudge.evaluate(LogisticRegression(), X, Y), r"not fitted.*estimate\(model, X, y\)"),
    "not fitted, two": (
        lambda: adjudge.compare(MODEL, LogisticRegression(), X, Y),
        r"not fitted.*compare_learners\(a, b, X, y\)",
    ),
    "a class": (lambda: adjudge.evaluate(LogisticRegression, X, Y), r"LogisticRegression\(\)\.fit\(X_train, y_train\)"),
    "models without X": (lambda: adjudge.compare(MODEL, MODEL), "learner, not predictions"),
    "models without y": (lambda: adjudge.compare(MODEL, MODEL, X), r"compare\(model_a, model_b, X, y\)"),
    "one to compare": (lambda: adjudge.compare(TRUTH, SAID), r'compare\(\{"old": a, "new": b\}, y_true\)'),
    "decisions or scores": (lambda: adjudge.compare([0, 1] * 9, [0, 7] * 9, [0, 1] * 9), "decisions or scores"),
    "both by and cv": (lambda: adjudge.estimate(MODEL, X, Y, by="5-fold", cv=5), "by and cv say the same"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_call_is_answered_with_the_right_one(case):
    call, told = REFUSED[case]
    with pytest.raises(InputError, match=f"(?s){told}") as refused:
        call()
    assert str(refused.value).count(". ") <= 2  # one or two sentences


# -- help ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["evaluate", "report", "count", "gate", "thresholds", "recommend"])
def test_signatures_and_help_name_what_to_type(verb):
    taken = inspect.signature(getattr(adjudge, verb)).parameters
    told = pydoc.render_doc(getattr(adjudge, verb), renderer=pydoc.plaintext)
    for name in ("y_true", "y_pred", "y_score", "X", "y"):
        assert name in taken
        assert name in told
    assert taken["classes"].default is None


# -- scikit-learn's word ---------------------------------------------------------------------------------------------


def test_cv_is_by_in_the_word_of_scikit_learn():
    how = {"random_state": 0, "progress": False}
    assert facts(adjudge.estimate(LogisticRegression(), X, Y, cv=4, **how)) == facts(
        adjudge.estimate(LogisticRegression(), X, Y, by=4, **how)
    )
    folds = StratifiedKFold(4, shuffle=True, random_state=1)
    found = adjudge.estimate(LogisticRegression(), X, Y, cv=folds, **how)
    assert found.pooled.accuracy.value == pytest.approx(
        accuracy_score(Y, cross_val_predict(LogisticRegression(), X, Y, cv=folds)), abs=1e-12
    )
    one = adjudge.compare_learners(LogisticRegression(), RidgeClassifier(), X, Y, cv=4, progress=False)
    assert facts(one) == facts(adjudge.compare_learners(LogisticRegression(), RidgeClassifier(), X, Y, by=4, progress=False))
    learners = [LogisticRegression(), RidgeClassifier()]
    assert facts(adjudge.rank(learners, X, Y, cv=4, progress=False)) == facts(adjudge.rank(learners, X, Y, by=4, progress=False))


def test_a_regressor_predicts_numbers():
    target = X @ [1.0, 2.0, 0.0, -1.0] + 0.1
    found = adjudge.evaluate(LinearRegression().fit(X, target + X[:, 0] ** 2), X, target)
    assert found.numbers is not None
    assert found.origin.name == "LinearRegression"


def test_a_network_gives_probabilities_by_predict():
    found = adjudge.evaluate(Bare(), X, Y)
    assert facts(adjudge.evaluate(Y, y_score=Bare().predict(X)))["estimates"] == facts(found)["estimates"]
    assert "sorted order" in found.origin.roles.evidence["scores"]


def test_the_calls_of_next_steps_run_as_they_are_printed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(400, 2))
    y = np.where(rows[:, 0] + rng.normal(size=400) > 1.7, "ill", "well")
    model = RidgeClassifier().fit(rows, y)
    p = 1 / (1 + np.exp(-4 * rows[:, :1]))
    arrays = {"y_true": y, "y_pred": np.where(p[:, 0] > 0.5, "ill", "well"), "y_score": np.c_[p, 1 - p]}
    judged = [
        adjudge.report(**arrays),
        adjudge.report(arrays["y_true"], y_score=arrays["y_score"]),
        adjudge.report(model, rows, y),
    ]
    run = []
    for each in judged:
        steps = [str(step.call) for step in each.evaluation.next_steps if step.call]
        for call in steps:
            eval(call, {"adjudge": adjudge, "model": model, "X": rows, "y": y, **arrays})  # noqa: S307 - our own words
        run.append(steps)
    assert all(run)
    assert any("y_true, y_pred=y_pred, y_score=y_score" in call for call in run[0])
    assert any("y_true, y_score=y_score" in call for call in run[1])
    assert any("model, X=X, y=y" in call for call in run[2])
