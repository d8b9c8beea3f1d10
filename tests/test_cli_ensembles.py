"""The command that judges ensembles against a single model: what it reads, prints, writes and refuses."""

from __future__ import annotations

import json

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


def test_the_answers_are_those_of_the_library(iris):
    told = json.loads(run(*TREE, *BOTH, "--data", iris, "--target", "species", "--json").stdout)
    X, y = load_iris(return_X_y=True)
    ours = adjudge.judge_ensembles(DecisionTreeClassifier(max_depth=1), X, y, by="5-fold", n_estimators=5, progress=False)
    assert told["against"]["adaboost"]["values"] == list(ours.against["adaboost"].values)
    assert told["helped"] == ours.helped
    assert told["overfitted"] == ours.overfitted


def test_words_page_and_plan(iris, tmp_path):
    page, plan = tmp_path / "page.html", tmp_path / "plan.json"
    result = run(*TREE, *BOTH, "--data", iris, "--target", "species", "-o", page, "--save-plan", plan)
    assert result.exit_code == 0
    assert "of the single model" in " ".join(result.stdout.split())
    assert "round by round" in page.read_text(encoding="utf-8")
    again = run(*TREE, "--ensemble", "bagging", "--rounds", 2, "--by", plan, "--data", iris, "--target", "species", "--json")
    assert list(json.loads(again.stdout)["against"]) == ["bagging"]


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
        (("--ensemble", "stacking"), "ensembles names 'stacking'"),
        (("--rounds", "3"), "--rounds counts the models of an ensemble"),
        (("--ensemble", "bagging", "--save", "kept.csv"), "neither --checkpoint nor --save"),
        (("--ensemble", "bagging", "--checkpoint", "kept"), "neither --checkpoint nor --save"),
        (("--ensemble", "bagging", "--measure", "mcc", "--measure", "accuracy"), "takes one --measure"),
        (("--ensemble", "bagging", "--rounds", "0"), "n_estimators must be a whole number of at least 1"),
    ],
)
def test_what_is_refused(iris, given, told):
    result = run(*TREE, "--data", iris, "--target", "species", *given)
    assert result.exit_code != 0
    assert told in " ".join(result.output.split())
