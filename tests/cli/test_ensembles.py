"""The command that judges ensembles against a single model: what it reads, prints, writes and refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier

import adjudge
from adjudge.cli import main

TREE = ("--learner", "sklearn.tree:DecisionTreeClassifier", "--params", "max_depth=1")
BOTH = ("--ensemble", "bagging,adaboost", "--rounds", "5", "--by", "5-fold")


def run(*arguments: object):
    return CliRunner().invoke(main, ["estimate", *map(str, arguments)])


@pytest.mark.slow
def test_the_answers_are_those_of_the_library(iris):
    told = json.loads(run(*TREE, *BOTH, "--data", iris, "--target", "species", "--json").stdout)
    X, y = load_iris(return_X_y=True)
    ours = adjudge.judge_ensembles(DecisionTreeClassifier(max_depth=1), X, y, by="5-fold", n_estimators=5, progress=False)
    assert told["against"]["adaboost"]["values"] == list(ours.against["adaboost"].values)
    assert told["helped"] == ours.helped
    assert told["overfitted"] == ours.overfitted


@pytest.mark.slow
def test_words_page_and_plan(iris, tmp_path):
    page, plan = tmp_path / "page.html", tmp_path / "plan.json"
    result = run(*TREE, *BOTH, "--data", iris, "--target", "species", "-o", page, "--save-plan", plan)
    assert result.exit_code == 0
    assert "of the single model" in " ".join(result.stdout.split())
    assert "round by round" in page.read_text(encoding="utf-8")
    again = run(*TREE, "--ensemble", "bagging", "--rounds", 2, "--by", plan, "--data", iris, "--target", "species", "--json")
    assert list(json.loads(again.stdout)["against"]) == ["bagging"]


@pytest.mark.slow
def test_numbers(write_csv):
    X, y = load_diabetes(return_X_y=True)
    path = write_csv({f"x{i}": X[:90, i] for i in range(3)} | {"y": y[:90]})
    tree = ("--learner", "sklearn.tree:DecisionTreeRegressor", "--params", "max_depth=2")
    result = run(*tree, *BOTH, "--data", path, "--target", "y")
    assert result.exit_code == 0
    assert "mean absolute error" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("--ensemble", "stacking"), "--ensemble names 'stacking'; name bagging and adaboost or one of them."),
        (("--ensemble", "bagging,bagging"), "--ensemble names one of them twice; name bagging and adaboost or one of them."),
        (("--samme",), "--samme is for adaboost; name one with --ensemble"),
        (("--samme", "--ensemble", "bagging"), "--samme is for 'adaboost', and --ensemble does not name it"),
        (("--rounds", "3"), "--rounds counts the models of an ensemble"),
        (("--ensemble", "bagging", "--save", "kept.csv"), "takes no --save"),
        (("--ensemble", "bagging", "--checkpoint", "kept"), "takes no --checkpoint"),
        (("--ensemble", "bagging", "--measure", "mcc", "--measure", "accuracy"), "takes one --measure"),
        (("--ensemble", "bagging", "--rounds", "0"), "Invalid value for '--rounds'"),
        (("--ensemble", "bagging", "--by", "stratified-60-fold"), "Use --by stratified-50-fold"),
        (("--ensemble", "bagging", "--by", "bootstrap632"), "Compare ensembles --by 10x10-fold"),
        (("--ensemble", "bagging", "--jobs", "0"), "--jobs must be a whole number of workers"),
        (("--ensemble", "bagging", "--params", "max_depth=None", "--measure", "log_loss"), "Use --measure brier"),
    ],
)
def test_what_is_refused(iris, given, told):
    result = run(*TREE, "--data", iris, "--target", "species", *given)
    assert result.exit_code != 0
    assert told in " ".join(result.output.split())


@pytest.mark.slow
def test_samme_is_passed_on_and_warnings_are_left_to_the_finding(write_csv):
    rng = np.random.default_rng(5)
    path = write_csv({"x": rng.normal(size=80), "class": np.tile(["a", "b", "c", "d"], 20)})
    asked = (*TREE, "--ensemble", "adaboost", "--rounds", 3, "--by", "4-fold", "--data", path, "--target", "class")
    plain = run(*asked)
    assert plain.stderr == ""
    assert "A952" in plain.stdout
    assert "--samme" in plain.stdout
    assert "samme=True" in json.loads(run(*asked, "--samme", "--json").stdout)["runs"]["adaboost"]["learner"]


def test_places_are_looked_at_before_the_work(iris, tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.verbs.judge_ensembles.judge_ensembles", lambda *_, **__: pytest.fail("the work was begun"))
    plan = tmp_path / "plan.json"
    asked = (*TREE, *BOTH, "--data", iris, "--target", "species", "--save-plan", plan, "-o")
    assert "there is no folder" in run(*asked, tmp_path / "none" / "page.html").stderr
    assert "is a folder" in run(*asked, tmp_path).stderr
    assert "two of them name the same" in run(*asked, plan).stderr
    assert not plan.exists()


@pytest.mark.slow
def test_all_files_are_written_or_none(iris, tmp_path, monkeypatch):
    page, plan = tmp_path / "page.html", tmp_path / "plan.json"

    def full(*_):
        msg = "Cannot write it: No space left on device."
        raise adjudge.InputError(msg)

    monkeypatch.setattr("adjudge.cli.answers.write_whole", full)
    monkeypatch.chdir(tmp_path)
    result = run(*TREE, *BOTH, "--data", iris, "--target", "species", "--save-plan", plan, "-o", page)
    assert result.exit_code == 2
    assert "No space left" in result.stderr
    assert [path.name for path in tmp_path.iterdir() if path != iris] == []
