"""One model against ensembles of it: the same answers as by hand, and what is refused."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_diabetes, make_classification
from sklearn.ensemble import AdaBoostClassifier, BaggingClassifier, RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from tests.described import mentions, refused, verdict
from tests.drawn import svg
from tests.terminals import notebook

import adjudge
from adjudge import BaggingAverager, BaggingVoter, InputError, judge_ensembles
from adjudge.describe.ensembles import candidates, courses
from adjudge.judgements.ensembles import Staged, judge_rounds
from adjudge.metrics.catalogue import find
from adjudge.plots.labels import NOTHING
from adjudge.plots.learners import models_of, rounds_picture
from adjudge.verbs.judge_ensembles import _models

TREE = DecisionTreeClassifier(max_depth=2)
QUIET = {"progress": False}


@pytest.fixture(scope="module")
def cases():
    X, y = make_classification(160, 6, n_informative=4, n_classes=3, class_sep=0.7, flip_y=0.1, random_state=3)
    return X, np.array(["a", "b", "c"])[y]


@pytest.fixture(scope="module")
def judged(cases):
    return judge_ensembles(TREE, *cases, by="2x5-fold", n_estimators=8, **QUIET)


@pytest.fixture(scope="module")
def numbers():
    X, y = load_diabetes(return_X_y=True)
    return X[:150], y[:150]


# -- the same plan, the same answers --------------------------------------------------------------------------


@pytest.mark.slow
def test_estimates_and_comparisons_are_those_of_estimate_and_compare(cases, judged):
    plan = adjudge.plan("2x5-fold", *cases, random_state=0)
    alone = [adjudge.estimate(each, *cases, by=plan, random_state=0, **QUIET) for each in (TREE, BaggingVoter(TREE, 8))]
    assert judged.plan.fingerprint == plan.fingerprint
    for name, found in zip(("single", "bagging"), alone, strict=True):
        np.testing.assert_array_equal(judged.runs[name].estimates["accuracy"].folds, found.estimates["accuracy"].folds)
    compared = adjudge.compare_learners(BaggingVoter(TREE, 8), TREE, *cases, by=plan, random_state=0, **QUIET)
    ours = judged.against["bagging"]
    assert (ours.better, ours.same, ours.worse) == (compared.better, compared.same, compared.worse)
    assert judged.between[0].names == ("bagging", "adaboost")


@pytest.mark.slow
def test_the_last_round_is_the_ensemble_that_was_judged(judged):
    for name in ("single", "bagging", "adaboost"):
        np.testing.assert_array_equal(judged.rounds[name].test[:, -1], 1 - judged.runs[name].estimates["accuracy"].folds)


@pytest.mark.slow
def test_the_last_round_of_numbers_too(numbers):
    found = judge_ensembles(DecisionTreeRegressor(max_depth=2), *numbers, by="4-fold", n_estimators=6, **QUIET)
    assert found.measure == "mae"
    for name in ("single", "bagging", "adaboost"):
        np.testing.assert_allclose(found.rounds[name].test[:, -1], found.runs[name].estimates["mae"].folds, rtol=1e-12)
    assert not found.against["bagging"].higher_is_better


def test_training_errors_are_those_of_scikit_learn_on_the_rows_learnt_from(cases, judged):
    X, y = cases
    for unit, rows in enumerate(judged.plan.train):
        theirs = 1 - DecisionTreeClassifier(max_depth=2, random_state=0).fit(X[rows], y[rows]).score(X[rows], y[rows])
        assert judged.rounds["single"].training[unit, 0] == pytest.approx(theirs, abs=1e-12)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_digits_and_another_seed_others(cases, judged):
    again = judge_ensembles(TREE, *cases, by="2x5-fold", n_estimators=8, **QUIET)
    assert json.dumps(again.to_dict()) == json.dumps(judged.to_dict())
    other = judge_ensembles(TREE, *cases, by="2x5-fold", n_estimators=8, random_state=1, **QUIET)
    assert other.rounds["bagging"].test.tolist() != judged.rounds["bagging"].test.tolist()


@pytest.mark.slow
def test_workers_give_the_same_digits(cases, judged, monkeypatch):
    monkeypatch.setattr("adjudge.resampling.run.pays_for_processes", lambda *_: True)
    again = judge_ensembles(TREE, *cases, by="2x5-fold", n_estimators=8, n_jobs=2, **QUIET)
    assert json.dumps(again.to_dict()) == json.dumps(judged.to_dict())


@pytest.mark.slow
def test_frames_are_taken_as_arrays_are(cases, judged):
    X, y = cases
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(6)])
    found = judge_ensembles(TREE, frame, pd.Series(y), by="2x5-fold", n_estimators=8, **QUIET)
    np.testing.assert_array_equal(found.rounds["bagging"].test, judged.rounds["bagging"].test)


@pytest.mark.slow
def test_ensembles_of_ones_own(cases):
    own = {
        "forest": RandomForestClassifier(5),
        "theirs": AdaBoostClassifier(TREE, n_estimators=6),
        "bags": BaggingClassifier(GaussianNB(), 4),
    }
    found = judge_ensembles(TREE, *cases, by="4-fold", ensembles=own, **QUIET)
    assert found.rounds["forest"].test.shape == (4, 1)  # it has no rounds to follow
    assert not found.rounds["forest"].followed
    assert found.rounds["theirs"].test.shape == (4, 6)
    assert len(found.between) == 3


@pytest.mark.slow
def test_another_measure_is_compared_while_errors_are_followed(cases):
    found = judge_ensembles(TREE, *cases, by="4-fold", n_estimators=3, measure="mcc", margin=0.02, **QUIET)
    assert found.against["bagging"].measure == "mcc"
    assert found.against["bagging"].margin == 0.02
    assert found.rounds["bagging"].measure == "error"
    assert found.rounds["bagging"].rise.margin == 0.01


# -- every fold once ------------------------------------------------------------------------------------------


class Noted(DecisionTreeClassifier):
    """Writes down the rows of every fit."""

    fits: ClassVar[list[int]] = []

    def fit(self, X, y, sample_weight=None):
        Noted.fits.append(len(X))
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_every_candidate_is_fitted_once_in_each_fold(cases):
    Noted.fits.clear()
    own = {"bags": BaggingClassifier(Noted(max_depth=2), 4), "boosted": AdaBoostClassifier(Noted(max_depth=2), n_estimators=3)}
    found = judge_ensembles(Noted(max_depth=2), *cases, by="5-fold", ensembles=own, **QUIET)
    whole = 5 + 1  # the folds, and all cases
    assert found.rounds["boosted"].kept.sum() == 15
    assert len(Noted.fits) == whole * (1 + 4 + 3)
    assert found.rounds["single"].test.shape == (5, 1)


class Mute(RandomForestClassifier):
    """Says that it can be asked round by round, and cannot."""

    def staged_predict(self, X):  # noqa: ARG002 - as learners have it
        msg = "no words"
        raise RuntimeError(msg)


@pytest.mark.slow
def test_an_ensemble_that_fails_when_asked_round_by_round_is_judged_all_the_same(cases):
    found = judge_ensembles(TREE, *cases, by="4-fold", ensembles={"mute": Mute(4)}, **QUIET)
    plain = judge_ensembles(TREE, *cases, by="4-fold", ensembles={"forest": RandomForestClassifier(4)}, **QUIET)
    assert found.against["mute"].better == plain.against["forest"].better
    assert "mute" not in found.rounds
    (finding,) = (each for each in found.findings if each.code == "A954")
    assert "RuntimeError: no words" in finding.message


@pytest.mark.slow
def test_a_plan_that_nobody_named_is_told_and_gives_the_same_digits_when_named(cases, monkeypatch):
    monkeypatch.setattr("adjudge.resampling.plan_size.SECONDS", 0.8)
    found = judge_ensembles(TREE, *cases, n_estimators=3, **QUIET)
    assert found.sized == "5x10-fold"
    words = " ".join(found.in_words().split())
    assert "about a minute" in words
    assert 'by="5x10-fold"' in words
    named = judge_ensembles(TREE, *cases, by=found.sized, n_estimators=3, **QUIET)
    assert named.sized is None
    assert named.to_dict() == found.to_dict()
    assert "about a minute" not in named.in_words()


def test_the_size_of_a_plan_counts_the_models_of_every_candidate():
    assert _models(["bagging", "adaboost"], 50) == 101
    assert _models("bagging", 20) == 21
    assert _models({"forest": RandomForestClassifier(30), "bayes": GaussianNB()}, 50) == 32


@pytest.mark.slow
def test_a_notebook_sees_one_bar_for_all_candidates(cases, monkeypatch):
    lines = notebook(monkeypatch)
    judge_ensembles(TREE, *cases, by="4-fold", n_estimators=5)
    told = [int(part) for line in lines for part in re.findall(r"fitting: (\d+)%", line)]
    assert lines[0] == "fitting, 0:00 gone"
    assert told == sorted(told)
    assert told[-1] == 100
    assert len(set(told)) > 8
    assert all("left" in line for line in lines[1:] if "100%" not in line)


# -- staged bagging -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["lowest", "probability"])
def test_stages_of_bagging_are_the_votes_of_the_first_models(cases, ties):
    X, y = cases
    voter = BaggingVoter(TREE, 7, ties=ties, random_state=1).fit(X[::2], y[::2])
    whole, stages = voter.estimators_, list(voter.staged_predict(X[1::2]))
    assert len(stages) == 7
    for number, said in enumerate(stages, 1):
        voter.estimators_ = whole[:number]
        np.testing.assert_array_equal(said, voter.predict(X[1::2]))


def test_stages_of_averaging_are_the_means_of_the_first_models(numbers):
    X, y = numbers
    averager = BaggingAverager(DecisionTreeRegressor(max_depth=3), 5, random_state=1).fit(X, y)
    said = np.array([model.predict(X.astype(np.float32)) for model in averager.estimators_])
    for number, stage in enumerate(averager.staged_predict(X), 1):
        np.testing.assert_allclose(stage, said[:number].mean(axis=0), rtol=1e-12)


# -- over the rounds ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_boosting_that_ends_early_stays_as_it_is(cases):
    X = np.concatenate([cases[0], (cases[1] == "a")[:, None]], axis=1)
    found = judge_ensembles(DecisionTreeClassifier(), X, cases[1] == "a", by="4-fold", n_estimators=5, **QUIET).rounds["adaboost"]
    assert found.stopped == ("perfect",) * 4  # the answer is among the features
    assert found.kept.tolist() == [1] * 4
    assert found.test.tolist() == [[0.0] * 5] * 4


@pytest.mark.slow
def test_models_no_better_than_chance_are_a_finding():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(80, 2)), np.tile(["a", "b", "c", "d"], 20)
    stump = DecisionTreeClassifier(max_depth=1)
    found = judge_ensembles(stump, X, y, by="4-fold", ensembles="adaboost", n_estimators=4, **QUIET)  # a warning would fail it
    (finding,) = (each for each in found.findings if each.code == "A952")
    assert finding.value == found.rounds["adaboost"].stopped.count("chance") > 0
    assert "samme=True" in finding.advice
    less = judge_ensembles(stump, X, y, by="4-fold", ensembles="adaboost", n_estimators=4, samme=True, **QUIET)
    assert "samme=True" in less.runs["adaboost"].learner
    assert not [each for each in less.findings if each.code == "A952" and "samme" in each.advice]


# -- where nothing was followed ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forest(cases):
    return judge_ensembles(TREE, *cases, by="4-fold", ensembles={"forest": RandomForestClassifier(4)}, **QUIET)


@pytest.mark.slow
def test_nothing_is_said_of_rounds_that_were_not_followed(forest):
    assert forest.overfitted == {"forest": "unknown"}
    codes = {finding.code for finding in forest.findings}
    assert "A954" in codes
    assert "A953" not in codes
    assert "overfit" not in " ".join(verdict(forest))
    assert forest.to_dict()["rounds"]["forest"]["followed"] is False
    assert "not followed" in repr(forest.rounds["forest"])


def test_nothing_is_drawn_of_rounds_that_were_not_followed(forest):
    assert "round by round" not in forest.to_html()
    with pytest.raises(InputError, match="no rounds of any ensemble"):
        rounds_picture(forest)
    assert forest.plot().get_title(loc="left") == "EnsemblesJudged"  # its numbers


def test_the_models_of_a_learner_that_was_not_followed_are_not_counted(forest):
    rows = {row[0]: dict(zip(courses(forest).header, row, strict=True)) for row in courses(forest).rows}
    assert rows["single"]["Models"] == "1"
    assert rows["forest"]["Models"] == NOTHING
    assert rows["forest"]["New, all"].endswith("%")


@pytest.mark.slow
def test_boosting_that_ended_at_once_is_said_to_have(cases):
    X = np.concatenate([cases[0], (cases[1] == "a")[:, None]], axis=1)
    found = judge_ensembles(
        DecisionTreeClassifier(), X, cases[1] == "a", by="4-fold", ensembles="adaboost", n_estimators=5, **QUIET
    )
    words = " ".join(found.in_words().split())
    assert mentions(words, "AdaBoost ended after one model", "no error")
    assert "did not overfit" not in words
    assert "ended at once" in words
    assert rounds_picture(found, "adaboost").words.split("; ")[0].endswith("after 1 model")


def test_models_of_boosting_that_ends_early_are_counted_as_they_are():
    short = Staged(0, np.array([0.2]), np.array([0.3])), Staged(1, np.array([0.2, 0.1]), np.array([0.3, 0.2]))
    y = np.tile([0, 1], 50)
    plan = adjudge.plan("2-fold", y[:, None], y, random_state=0)
    found = judge_rounds("some", list(short), plan, find("error"), rounds=9, margin=0.01, level=0.95)
    assert models_of(found) == "1 to 2 models"
    assert not found.ended_at_once


# -- one margin for all --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_margin_from_the_single_model_holds_for_all_numbers(numbers):
    found = judge_ensembles(DecisionTreeRegressor(max_depth=2), *numbers, by="4-fold", n_estimators=4, **QUIET)
    wanted = 0.01 * found.runs["single"].estimates["mae"].folds.mean()
    margins = [each.margin for each in (*found.against.values(), *found.between)]
    margins += [found.rounds[name].rise.margin for name in found.against]
    assert margins == pytest.approx([wanted] * 5, rel=1e-12)
    assert f"{wanted:.4g}" in found.in_words()


@pytest.mark.slow
def test_errors_over_the_rounds_have_a_margin_of_their_own_where_another_loss_is_compared(numbers):
    found = judge_ensembles(
        DecisionTreeRegressor(max_depth=2), *numbers, by="4-fold", n_estimators=3, measure="mse", margin=50.0, **QUIET
    )
    assert found.against["bagging"].margin == 50.0
    assert found.rounds["bagging"].rise.margin == pytest.approx(0.01 * found.runs["single"].estimates["mae"].folds.mean())


# -- failures ----------------------------------------------------------------------------------------------------


class Broken(ClassifierMixin, BaseEstimator):
    """Never learns anything."""

    def fit(self, X, y):  # noqa: ARG002 - as learners have it
        msg = "out of order"
        raise RuntimeError(msg)

    def predict(self, X):
        return np.full(len(X), self.most_)


@pytest.mark.slow
def test_an_ensemble_that_always_fails_is_named_and_the_rest_is_judged(cases):
    own = {"broken": Broken(), "bags": BaggingVoter(TREE, 3)}
    found = judge_ensembles(TREE, *cases, by="4-fold", ensembles=own, **QUIET)
    assert list(found.against) == ["bags"]
    assert list(found.runs) == ["single", "bags"]
    assert set(found.failures["broken"]) >= {1, 2, 3, 4}
    (finding,) = (each for each in found.findings if each.code == "A955")
    assert "broken" in finding.message
    assert "RuntimeError: out of order" in finding.message
    assert "broken failed" in found.in_words()
    assert "broken" in found.to_html()
    json.dumps(found.to_dict(), allow_nan=False)


def test_where_nothing_is_left_to_compare_the_culprits_are_named(cases):
    with pytest.raises(InputError, match=r"single model failed .*1: RuntimeError: "):
        judge_ensembles(Broken(), *cases, by="3-fold", ensembles={"bags": BaggingVoter(TREE, 2)}, **QUIET)
    with pytest.raises(InputError, match=r"wreck failed \(fold 1: RuntimeError: "):
        judge_ensembles(TREE, *cases, by="3-fold", ensembles={"wreck": Broken()}, **QUIET)


class Mostly(Broken):
    """Learns only where one case is not among those to learn from: in one fold of the plan."""

    def fit(self, X, y):
        if X[:, 0].max() > 1e6:
            msg = "it is there"
            raise ValueError(msg)
        self.classes_, self.most_ = np.unique(y), y[0]
        return self


def test_one_fold_is_too_little_to_judge_an_ensemble_by(cases):
    X, y = cases[0].copy(), cases[1]
    X[7, 0] = 1e9
    found = judge_ensembles(GaussianNB(), X, y, by="5-fold", ensembles={"mostly": Mostly(), "moody": Moody()}, **QUIET)
    assert list(found.against) == ["moody"]
    assert "mostly" in found.left_out


def test_an_infinite_loss_is_told_before_ensembles_are_fitted(cases):
    tree = DecisionTreeClassifier(min_samples_leaf=1)
    with pytest.raises(InputError, match=r"^log_loss .*single .*4 of 4.*measure=.brier"):
        judge_ensembles(tree, *cases, by="4-fold", ensembles={"never": Broken()}, measure="log_loss", **QUIET)
    found = [adjudge.estimate(each, *cases, by="4-fold", random_state=0, progress=False) for each in (tree, GaussianNB())]
    with refused("measure", "of DecisionTreeClassifier", "4 of 4"):
        adjudge.compare(*found, measure="log_loss")


@pytest.mark.slow
def test_folds_that_are_all_alike_have_no_digits_of_rounding_and_no_certainty():
    y = np.tile([0, 1], 60)
    X = np.column_stack([y, np.zeros(120)]).astype(float)
    plan = adjudge.plan("6-fold", X, y, random_state=0)
    for rows in plan.test:
        X[rows[0], 0] = 1 - X[rows[0], 0]  # one error in twenty: in every fold 0.95, whose mean is not 0.95 in floats
    found = judge_ensembles(GaussianNB(), X, y, by=plan, n_estimators=2, **QUIET)
    assert dict(zip(candidates(found).header, candidates(found).rows[0], strict=True))["Accuracy"] == "95.0%"
    (finding,) = (each for each in found.findings if each.code == "A609")
    assert "Probabilities" in finding.message


def test_what_is_no_argument_is_refused_in_ones_own_name(cases):
    with pytest.raises(TypeError, match=r"judge_ensembles\(\) .*'foo'"):
        judge_ensembles(TREE, *cases, foo=1)


@pytest.mark.slow
def test_an_executor_follows_the_rounds_too(cases, judged):
    with ThreadPoolExecutor(1) as pool:
        again = judge_ensembles(TREE, *cases, by="2x5-fold", n_estimators=8, executor=(counting := Counting(pool)), **QUIET)
    assert json.dumps(again.to_dict()) == json.dumps(judged.to_dict())
    assert counting.asked == 3 * 11  # each candidate in each fold, and on all rows, once


class Counting:
    """An executor that counts what it is asked to do."""

    def __init__(self, pool):
        self.pool, self.asked = pool, 0

    def submit(self, *task, **given):
        self.asked += 1
        return self.pool.submit(*task, **given)


@pytest.mark.slow
def test_one_split_cannot_say_whether_the_error_rises(cases):
    found = judge_ensembles(TREE, *cases, by="holdout", n_estimators=3, **QUIET)
    assert set(found.overfitted.values()) == {"unknown"}
    assert "A953" in {finding.code for finding in found.findings}
    assert "unknown" in found.in_words()
    assert "<svg" in found.to_html()


class Moody(ClassifierMixin, BaseEstimator):
    """Refuses to learn where one case is not among those it should learn from."""

    def fit(self, X, y):
        if X[:, 0].max() < 1e6:
            msg = "it is not there"
            raise ValueError(msg)
        self.classes_, self.most_ = np.unique(y), y[0]
        return self

    def predict(self, X):
        return np.full(len(X), self.most_)


def _answered(found):
    return [unit for unit in range(5) if unit + 1 not in found.failures["moody"]]


def test_folds_that_fail_are_left_out_and_told(cases):
    X, y = cases[0].copy(), cases[1]
    X[7, 0] = 1e9
    found = judge_ensembles(GaussianNB(), X, y, by="5-fold", ensembles={"moody": Moody()}, **QUIET)
    assert found.failures.keys() == {"moody"}
    assert len(found.rounds["moody"].test) == 4
    ours, alone = found.against["moody"], found.rounds["single"].test[_answered(found), 0]
    assert ours.difference == pytest.approx(alone.mean() - found.rounds["moody"].test[:, 0].mean())
    assert "moody: 4 of 5 folds" in found.in_words()
    assert "A708" in {finding.code for finding in found.findings}


# -- what is said and drawn -----------------------------------------------------------------------------------


def test_each_ensemble_has_its_sentences(judged):
    words = judged.in_words()
    for name in ("Bagging", "AdaBoost"):
        assert f"{name} " in words
    assert words.count("P(better)") >= 3
    assert "overfit" in words
    assert repr(judged) == words


def test_everything_becomes_strict_json(judged):
    told = json.loads(json.dumps(judged.to_dict(), allow_nan=False))
    assert told["helped"] == judged.helped
    assert told["rounds"]["bagging"]["test"] == judged.rounds["bagging"].test.mean(axis=0).tolist()
    assert len(told["rounds"]["bagging"]["test"]) == 8


def test_the_page_is_whole_and_always_the_same(judged):
    page = judged.to_html()
    assert page == judged.to_html()
    assert page.count("<svg") == 4
    assert "round by round" in page


@pytest.mark.slow
def test_names_cannot_break_the_page(cases):
    found = judge_ensembles(TREE, *cases, by="3-fold", ensembles={"<script>$x_1$": BaggingVoter(TREE, 2)}, **QUIET)
    assert "<script>$x" not in found.to_html()
    assert any("<script>$x_1$" in text.get_text() for text in found.plot().texts)


@pytest.mark.slow
def test_the_picture_shows_the_means_over_folds(judged):
    ax = judged.plot()
    drawn = {line.get_label(): line.get_ydata() for line in ax.get_lines()}
    label = next(label for label in drawn if label.startswith("bagging, new"))
    np.testing.assert_allclose(drawn[label], judged.rounds["bagging"].test.mean(axis=0))
    assert len(drawn) == 5
    ax.figure.canvas.draw()


def test_pictures_of_one_ensemble_share_their_scale(judged):
    one, other = (rounds_picture(judged, name) for name in ("bagging", "adaboost"))
    assert one.panel.y == other.panel.y
    assert svg(one, "x").count("broken") == 2
    with pytest.raises(InputError, match="no rounds of forest"):
        rounds_picture(judged, "forest")


@pytest.mark.slow
def test_one_round_can_be_drawn(cases):
    found = judge_ensembles(TREE, *cases, by="3-fold", n_estimators=1, **QUIET)
    assert found.rounds["adaboost"].course == "stays"
    assert "<circle" in svg(rounds_picture(found, "bagging"), "x")
    found.plot().figure.canvas.draw()


# -- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"ensembles": "boosting"}, "ensembles names 'boosting'; name bagging and adaboost"),
        ({"ensembles": ()}, "ensembles names nothing"),
        ({"ensembles": ("bagging", "bagging")}, "one of them twice"),
        ({"ensembles": 3}, "ensembles names 3"),
        ({"ensembles": {"single": TREE}}, "one is named 'single'"),
        ({"ensembles": {}}, "must map 1 to 4 names"),
        ({"ensembles": {"mine": "text"}}, "A learner is an instance with fit"),
        ({"n_estimators": 0}, "n_estimators must be a whole number of at least 1, got 0"),
        ({"by": "bootstrap632"}, "Compare ensembles by=.10x10-fold."),
        ({"measure": "mae"}, "mae does not fit predictions of classes"),
        ({"level": 1.5}, "level"),
        ({"margin": -1}, "margin is the largest difference that does not matter"),
        ({"checkpoint": "run"}, "A checkpoint keeps the fits of one learner"),
        ({"samme": "yes"}, "samme must be True or False, got 'yes'"),
        ({"samme": True, "ensembles": {"mine": TREE}}, "samme is for 'adaboost' of classes"),
        ({"ensembles": {"mine": DecisionTreeRegressor()}}, "mine predicts numbers and the single model classes"),
    ],
)
def test_bad_input_is_refused_with_advice(cases, given, told):
    with pytest.raises(InputError, match=told):
        judge_ensembles(TREE, *cases, **{"by": "3-fold", "n_estimators": 2, **QUIET, **given})


def test_a_learner_of_numbers_on_classes_and_no_learner_at_all(cases):
    with pytest.raises(InputError):
        judge_ensembles(LinearRegression(), *cases, **QUIET)
    with pytest.raises(InputError, match="the class DecisionTreeClassifier itself"):
        judge_ensembles(DecisionTreeClassifier, *cases, **QUIET)
