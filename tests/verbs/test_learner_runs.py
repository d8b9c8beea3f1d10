"""A learner run by a plan: measures named, cases found in arrays or files, and what is refused before anything is fitted."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import adjudge
from adjudge import InputError
from adjudge.verbs.learner_runs import estimate_learner, learner_text, learning_cases, measure_names, tried

QUIET = {"progress": False}


class Untouched:
    """A learner that must not be fitted."""

    def fit(self, X, y):  # noqa: ARG002
        pytest.fail("it was fitted")

    def predict(self, X):  # noqa: ARG002
        pytest.fail("it was asked")


def halves(n=40):
    """Return cases of two classes, told by their first column but for every fifth."""
    y = np.arange(n) % 2
    X = np.column_stack([np.where(np.arange(n) % 5 == 0, 1 - y, y), np.arange(n) % 7]).astype(float)
    return X, np.array(["no", "yes"])[y]


def test_columns_belong_to_files(file_cases):
    path, X, y = file_cases
    with pytest.raises(InputError, match=r"leave_out= names columns") as refused:
        adjudge.estimate(GaussianNB(), X, y, leave_out=["id"])
    assert refused.value.parameter == "leave_out"
    with pytest.raises(InputError, match="the names of columns"):
        adjudge.estimate(GaussianNB(), path, y)
    with pytest.raises(InputError, match="There is no column 'z'"):
        adjudge.estimate(GaussianNB(), path, "z")


def test_measures_are_known_by_any_of_their_names():
    assert measure_names("Recall") == ("sensitivity",)
    assert measure_names(iter(["accuracy", "TPR"])) == ("accuracy", "sensitivity")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (5, "measures must list names, such as ('accuracy', 'mcc'); got 5. See adjudge.measures()."),
        (b"mcc", "measures must list names, such as ('accuracy', 'mcc'); got b'mcc'. See adjudge.measures()."),
        ({"mcc": 1}, "measures must list names, such as ('accuracy', 'mcc'); got {'mcc': 1}. See adjudge.measures()."),
        ([], "measures names nothing to follow; name at least one, or leave it out. See adjudge.measures()."),
    ],
)
def test_what_lists_no_measures_is_refused_as_it_came(given, told):
    with pytest.raises(InputError) as refused:
        measure_names(given)
    assert (str(refused.value), refused.value.parameter) == (told, "measures")


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"measures": "mae"}, "mae is a measure of numbers, but the learner predicts classes; leave it out of measures"),
        ({"measures": "accurracy"}, "Did you mean accuracy"),
        ({"level": 95}, "95% is 0.95"),
        ({"leave_out": ["id"]}, "leave_out= names columns of a file"),
        ({"by": "no_such_plan.json"}, "Cannot read the plan 'no_such_plan.json'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_the_learner_is_fitted(how, told):
    with pytest.raises(InputError, match=told):
        estimate_learner(Untouched(), *halves(), **{"by": "2-fold"} | QUIET | how)


def test_the_estimate_is_the_share_that_is_right_by_hand():
    X, y = halves()
    plan = adjudge.plan("4-fold", X, y, random_state=0)
    found = estimate_learner(GaussianNB(), X, y, by=plan, measures=("accuracy",), **QUIET)
    by_hand = []
    for judge in plan.test:
        learn = np.setdiff1d(np.arange(len(y)), judge)
        by_hand.append(np.mean(GaussianNB().fit(X[learn], y[learn]).predict(X[judge]) == y[judge]))
    assert found.estimates["accuracy"].folds.tolist() == pytest.approx(by_hand)
    assert found.learner == "GaussianNB()"


def test_learners_are_tried_by_one_plan_whatever_the_seed():
    X, y = halves()
    runs = tried([GaussianNB(), KNeighborsClassifier(1)], X, y, "3-fold", "mcc", None, level=0.9, **QUIET)
    assert runs[0].plan is runs[1].plan
    assert [list(run.estimates) for run in runs] == [["mcc"], ["mcc"]]
    with pytest.raises(InputError, match=r"checkpoint .*one learner"):
        tried([Untouched()], X, y, "3-fold", None, 0, checkpoint="kept")


def test_arrays_are_passed_on_and_columns_are_read(file_cases, tmp_path):
    path, X, y = file_cases
    learner = GaussianNB()
    same = learning_cases([learner], X, y, "5-fold", groups=y)
    assert (same[0][0], same[1], same[2], same[3], same[4]) == (learner, X, y, "5-fold", y)
    (one,), read, target, by, groups = learning_cases([learner], path, "y", "5-fold", groups="site", leave_out=["id"])
    assert one is learner  # no column of text
    np.testing.assert_allclose(np.asarray(read, dtype=float), X)
    assert (np.asarray(target).tolist(), by) == (y.tolist(), "5-fold")
    assert np.asarray(groups).tolist() == (np.arange(60) % 6).tolist()
    with pytest.raises(InputError, match=r"y and groups .*columns"):
        learning_cases([learner], path, "y", "5-fold", groups=y)


def test_a_plan_may_be_a_file(tmp_path):
    X, y = halves()
    plan = adjudge.plan("4-fold", X, y, random_state=0)
    plan.save(tmp_path / "plan.json")
    *_, by, _ = learning_cases([GaussianNB()], X, y, tmp_path / "plan.json")
    assert by.fingerprint == plan.fingerprint


def test_a_learner_is_called_as_it_prints_itself_in_one_line():
    assert learner_text(KNeighborsClassifier(11)) == "KNeighborsClassifier(n_neighbors=11)"
    assert learner_text(Untouched()) == "Untouched"
    long = KNeighborsClassifier(11, metric_params={f"a long name of a parameter {i}": i for i in range(5)})
    assert "\n" in repr(long)
    assert "\n" not in learner_text(long)
