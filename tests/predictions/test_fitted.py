"""What fitted models and cross_validate hand over, against scikit-learn's own answers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, roc_auc_score
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, StratifiedKFold, cross_val_predict, cross_validate
from sklearn.multioutput import MultiOutputClassifier
from sklearn.svm import SVC, LinearSVC

import adjudge
from adjudge import InputError
from adjudge.predictions.fitted import ask, is_cross_validated, is_model, rows_of

RNG = np.random.default_rng(3)
X = RNG.normal(size=(150, 3))
Y = np.array(["ant", "bee", "cat"])[np.argmax(X + RNG.normal(size=(150, 3)), axis=1)]
SICK = np.where(X[:, 0] + RNG.normal(size=150) > 0.5, "ill", "well")
MODEL = LogisticRegression().fit(X, Y)


def test_what_predicts_is_a_model():
    assert is_model(MODEL)
    assert is_model(LogisticRegression())
    for other in (X, Y.tolist(), "preds.csv", {"predict": X}, pd.DataFrame(X, columns=["predict", "b", "c"]), None):
        assert not is_model(other)


def test_decision_values_of_two_classes_speak_of_the_second():
    model = LinearSVC().fit(X, SICK)
    found = adjudge.evaluate(model, X, SICK)
    assert found["auc"].value == pytest.approx(roc_auc_score(SICK == "well", model.decision_function(X)))
    assert found.accuracy.value == accuracy_score(SICK, model.predict(X))
    assert np.isnan(found["brier"].value)  # they only rank
    asked = adjudge.evaluate(model, X, SICK, positive="ill")
    assert asked["auc"].value == pytest.approx(found["auc"].value)


def test_decision_values_of_pairs_of_classes_are_left_out():
    four = np.array(list("abcd"))[np.argmax(RNG.normal(size=(150, 4)), axis=1)]
    model = SVC(decision_function_shape="ovo").fit(X, four)
    assert model.decision_function(X).shape[1] == 6
    assert "auc" not in adjudge.evaluate(model, X, four).estimates


def test_classes_may_be_shown_in_another_order_or_named():
    wanted = log_loss(Y, MODEL.predict_proba(X))
    found = adjudge.evaluate(MODEL, X, Y, classes=["cat", "ant", "bee"])
    assert list(found.counts.classes) == ["cat", "ant", "bee"]
    assert found["log_loss"].value == pytest.approx(wanted)
    places = LogisticRegression().fit(X, np.searchsorted(["ant", "bee", "cat"], Y))
    named = adjudge.evaluate(places, X, Y, classes=["ant", "bee", "cat"])
    assert named["log_loss"].value == pytest.approx(wanted)
    with pytest.raises(InputError, match=r"y holds text such as .* pass classes=\[\.\.\.\]|whole numbers and y text"):
        adjudge.evaluate(places, X, Y)
    with pytest.raises(InputError, match=r"classes lists 'ant', 'dog', and the classes of LogisticRegression are"):
        adjudge.evaluate(MODEL, X, Y, classes=["ant", "dog"])


def test_a_class_the_model_never_saw_is_refused_by_its_name():
    with pytest.raises(InputError, match="dog"):
        adjudge.evaluate(MODEL, X, np.where(np.arange(150) == 7, "dog", Y))


def test_a_constant_model_and_a_regressor_are_judged():
    constant = DummyClassifier().fit(X, Y)
    assert adjudge.evaluate(constant, X, Y).accuracy.value == accuracy_score(Y, constant.predict(X))
    target = X @ [1.0, 0.5, 0.0]
    line = LinearRegression().fit(X[:, :1], target)
    assert adjudge.evaluate(line, X[:, :1], target)["mae"].value == pytest.approx(
        mean_absolute_error(target, line.predict(X[:, :1]))
    )


def test_several_targets_and_what_is_not_fitted_are_refused():
    both = MultiOutputClassifier(LogisticRegression()).fit(X, np.c_[Y, SICK])
    with pytest.raises(InputError, match="several targets"):
        adjudge.evaluate(both, X, Y)
    with pytest.raises(InputError, match="not fitted") as refused:
        ask(LogisticRegression(), X, "evaluate")
    assert isinstance(refused.value.__cause__, NotFittedError)
    with pytest.raises(ValueError, match="features"):  # what the model itself refuses stays as it says it
        adjudge.evaluate(MODEL, X[:, :2], Y)


def test_rows_come_of_tables_of_every_kind():
    rows = np.array([4, 1, 7])
    frame = pd.DataFrame(X, index=np.arange(150)[::-1])
    assert rows_of(X, rows).tolist() == X[rows].tolist()
    assert rows_of(frame, rows).to_numpy().tolist() == X[rows].tolist()
    assert rows_of(pl.DataFrame(X), rows).to_numpy().tolist() == X[rows].tolist()
    assert rows_of(sparse.csr_array(X), rows).toarray().tolist() == X[rows].tolist()
    assert rows_of(X.tolist(), rows) == X[rows].tolist()
    table = pa.table({"a": X[:, 0]})
    assert rows_of(table, rows)["a"].to_pylist() == X[rows, 0].tolist()


# -- cross_validate --------------------------------------------------------------------------------------------------


FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def crossed(model=None, cv=FOLDS, y=Y, **how):
    how = {"return_estimator": True, "return_indices": True} | how
    return cross_validate(LogisticRegression() if model is None else model, X, y, cv=cv, **how)


def test_cross_validate_is_judged_on_its_held_out_cases():
    found = adjudge.evaluate(crossed(), X, Y)
    said = cross_val_predict(LogisticRegression(), X, Y, cv=FOLDS)
    p = cross_val_predict(LogisticRegression(), X, Y, cv=FOLDS, method="predict_proba")
    assert found.origin.name == "LogisticRegression"
    assert found.accuracy.value == pytest.approx(accuracy_score(Y, said))
    assert found["log_loss"].value == pytest.approx(log_loss(Y, p))
    assert found.counts.n == 150
    assert len(adjudge.count(crossed(), X, Y).tally.by_fold) == 5
    held = adjudge.evaluate(Y, said, p)
    assert held.accuracy.value == found.accuracy.value
    assert held["auc"].value == pytest.approx(found["auc"].value)


def test_each_fold_has_the_score_that_cross_validate_gives_it():
    result = crossed()
    counts = adjudge.count(result, X, Y)
    by_fold = [table.correct.sum() / table.n for table in counts.tally.by_fold.values()]
    assert by_fold == pytest.approx(result["test_score"].tolist())


def test_repeated_folds_count_each_case_once():
    result = crossed(cv=RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=0))
    found = adjudge.evaluate(result, X, Y)
    assert found.origin.rows == 300
    assert found.repeats == 2
    assert found.accuracy.value == pytest.approx(np.mean(result["test_score"]))


def test_leaving_one_out_makes_no_folds_and_a_rare_class_may_be_missing_from_training():
    assert not adjudge.evaluate(crossed(cv=LeaveOneOut()), X, Y).folds
    rare = np.where(np.arange(150) == 3, "zebra", Y)
    with pytest.warns(UserWarning, match="least populated class"):
        result = crossed(y=rare)
    found = adjudge.evaluate(result, X, rare)
    assert found.origin.rows == 150
    assert "zebra" in found.counts.classes
    assert "log_loss" in found.estimates


def test_groups_beside_cross_validate_follow_the_cases():
    patient = np.arange(150) // 3
    result = crossed()
    rows = np.concatenate(result["indices"]["test"])
    said = np.concatenate([m.predict(X[t]) for m, t in zip(result["estimator"], result["indices"]["test"], strict=True)])
    wanted = adjudge.evaluate(Y[rows], said, group=patient[rows], row=rows)
    assert adjudge.evaluate(result, X, Y, group=patient).groups.to_dict() == wanted.groups.to_dict()


def test_results_without_models_or_rows_say_how_to_get_them():
    told = r"return_estimator=True, return_indices=True\) and then evaluate\(result, X, y\); or estimate\(model, X, y, cv=5\)"
    for lacking in ("return_estimator", "return_indices"):
        result = crossed(**{lacking: False})
        assert is_cross_validated(result)
        with pytest.raises(InputError, match=told):
            adjudge.evaluate(result, X, Y)
    with pytest.raises(InputError, match=r"evaluate\(result, X, y\)"):
        adjudge.evaluate(crossed())
    with pytest.raises(InputError, match="y has 20 cases, and row 150 was tested"):
        adjudge.evaluate(crossed(), X[:20], Y[:20])


def test_two_results_of_one_plan_are_told_apart():
    one, other = (
        adjudge.count(crossed(model), X, Y) for model in (LogisticRegression(), RandomForestClassifier(5, random_state=0))
    )
    assert one.rows == other.rows == 150


def test_arrays_do_not_load_scikit_learn():
    code = "import adjudge, sys; adjudge.evaluate([0, 1] * 20, [0, 1] * 19 + [1, 1]); print('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
