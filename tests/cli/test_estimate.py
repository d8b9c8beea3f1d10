"""The command that estimates a learner: what it reads, prints, writes and refuses."""

from __future__ import annotations

import json
import textwrap

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from tests.described import mentions

import adjudge
from adjudge.cli import main

NB = ("--learner", "sklearn.naive_bayes:GaussianNB")


def run(*arguments: object):
    return CliRunner().invoke(main, ["estimate", *map(str, arguments)])


@pytest.mark.slow
def test_the_answers_are_those_of_scikit_learn(iris):
    X, y = load_iris(return_X_y=True)
    told = json.loads(run(*NB, "--data", iris, "--target", "species", "--json").stdout)
    plan = adjudge.plan("stratified-10-fold", X, y, random_state=0)
    theirs = cross_val_predict(GaussianNB(), X, y, cv=list(zip(plan.train, plan.test, strict=True)))
    assert told["estimates"]["accuracy"]["pooled"] == pytest.approx((theirs == y).mean(), rel=1e-12)
    assert told["plan"]["units"] == 10


@pytest.mark.slow
def test_parameters_are_python_values_or_words(iris):
    learner = ("--learner", "sklearn.neighbors:KNeighborsClassifier", "--params", "n_neighbors=3", "--params", "weights=distance")
    result = run(*learner, "--data", iris, "--target", "species", "--by", "5-fold")
    assert result.exit_code == 0
    assert "KNeighborsClassifier(n_neighbors=3, weights='distance')" in " ".join(result.stdout.split())


@pytest.mark.slow
def test_columns_of_text_get_a_column_for_each_value(write_csv):
    rng = np.random.default_rng(5)
    colour = rng.choice(["red", "green", "blue"], 120)
    ill = np.where(rng.random(120) < np.where(colour == "green", 0.9, 0.2), "ill", "well")
    path = write_csv({"colour": colour, "class": ill})
    told = json.loads(run(*NB, "--data", path, "--target", "class", "--by", "4-fold", "--json").stdout)
    plan = adjudge.plan("4-fold", colour[:, None], ill, random_state=0)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore", sparse_output=False), GaussianNB())
    theirs = cross_val_predict(model, colour[:, None], ill, cv=list(zip(plan.train, plan.test, strict=True)))
    assert told["estimates"]["accuracy"]["pooled"] == pytest.approx((theirs == ill).mean(), rel=1e-12)


@pytest.mark.slow
def test_groups_stay_together(write_csv):
    rng = np.random.default_rng(6)
    path = write_csv({"x": rng.normal(size=60), "site": np.repeat(np.arange(12), 5), "class": rng.integers(0, 2, 60)})
    result = run(*NB, "--data", path, "--target", "class", "--groups", "site", "--by", "grouped-4-fold", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["plan"]["units"] == 4


def test_clusters_stay_together(write_csv):
    rng = np.random.default_rng(6)
    path = write_csv({"x": rng.normal(size=60), "patient": np.repeat(np.arange(12), 5), "class": np.arange(60) % 2})
    found, given, none = (
        json.loads(run(*NB, "--data", path, "--target", "class", "--json", *more).stdout)
        for more in ((), ("--cluster", "patient"), ("--cluster", ""))
    )
    assert found["plan"]["name"] == given["plan"]["name"] == "stratified-grouped-10-fold"
    assert found["pooled"]["clusters"]["clusters"] == 12
    assert none["plan"]["name"] == "stratified-10-fold"
    (told,) = [f for f in found["findings"] if f["code"] == "A956"]
    assert "--cluster ''" in told["advice"]
    bad = run(*NB, "--data", path, "--target", "class", "--cluster", "patients")
    assert bad.exit_code == 2
    assert "There is no column 'patients'" in bad.stderr


def test_numbers_are_learnt_too(write_csv):
    rng = np.random.default_rng(7)
    x = rng.normal(size=80)
    path = write_csv({"x": x, "y": 3 * x + rng.normal(size=80)})
    result = run("--learner", "sklearn.linear_model:LinearRegression", "--data", path, "--target", "y", "--by", "5-fold")
    assert result.exit_code == 0
    assert "ean absolute error" in result.stdout


@pytest.mark.slow
def test_the_page_and_the_predictions_are_written(iris, tmp_path):
    page, kept = tmp_path / "out.html", tmp_path / "kept.parquet"
    result = run(*NB, "--data", iris, "--target", "species", "-o", page, "--save", kept)
    assert result.exit_code == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    again = adjudge.evaluate(kept)
    assert again.counts.n == 150
    assert len(again.by_fold) == 10
    assert f"{again.estimates['accuracy'].value:.1%}" in result.stdout


@pytest.mark.slow
def test_a_failing_fold_is_named_and_leaves_with_3(iris, tmp_path, monkeypatch):
    (tmp_path / "shaky.py").write_text(
        textwrap.dedent("""
            from sklearn.naive_bayes import GaussianNB

            class Shaky(GaussianNB):
                def fit(self, X, y):
                    if abs(X[:, 0].sum() - 787.4) > 1e9 or len(y) == 135 and X[0, 0] != 5.1:
                        raise RuntimeError("the first case is missing")
                    return super().fit(X, y)
        """),
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    result = run("--learner", "shaky:Shaky", "--data", iris, "--target", "species")
    assert result.exit_code == 3
    assert "9 of 10 folds" in result.stdout
    assert "the first case is missing" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (["--learner", "GaussianNB"], "--learner takes MODULE:CLASS"),
        (["--learner", "no.such:Thing"], "cannot be imported"),
        (["--learner", "sklearn.naive_bayes:Nothing"], "cannot be imported"),
        ([*NB, "--params", "depth=3"], "does not take these parameters"),
        ([*NB, "--params", "depth"], "--params takes NAME=VALUE"),
        ([*NB, "--target", "genus"], "There is no column 'genus'"),
        ([*NB, "--leave-out", "genus"], "There is no column 'genus'"),
        ([*NB, "--by", "many-folds"], "many-folds"),
        ([*NB, "--by", "stratified-60-fold"], "fewer than 60 folds"),
        ([*NB, "--level", "95"], "level must be a number strictly between 0 and 1"),
        ([*NB, "--measure", "beauty"], "beauty"),
    ],
)
def test_what_cannot_be_done_is_refused_in_one_sentence(extra, text, iris):
    target = [] if "--target" in extra else ["--target", "species"]
    result = run("--data", iris, *target, *extra)
    assert result.exit_code == 2
    assert text in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_missing_target_is_counted(write_csv):
    path = write_csv({"x": [1.0, 2.0, 3.0, 4.0], "class": ["a", "", "b", "a"]})
    assert "1 of 4 rows" in run(*NB, "--data", path, "--target", "class").stderr


@pytest.mark.slow
def test_an_identity_is_no_feature(write_csv):
    path = write_csv({"name": [f"case {i}" for i in range(1500)], "x": range(1500), "class": ["a", "b"] * 750})
    assert "--leave-out" in run(*NB, "--data", path, "--target", "class").stderr
    assert run(*NB, "--data", path, "--target", "class", "--leave-out", "name", "--by", "holdout").exit_code == 0


@pytest.mark.slow
def test_a_checkpoint_goes_on_is_refused_for_other_runs_and_says_what_was_damaged(iris, tmp_path):
    kept = tmp_path / "run.adj"
    base = (*NB, "--data", iris, "--target", "species", "--by", "5-fold", "--checkpoint", kept)
    first = json.loads(run(*base, "--json").stdout)
    plain = json.loads(run(*base[:-2], "--json").stdout)
    assert first["estimates"] == plain["estimates"]
    unit = min(kept.glob("*.parquet"))
    unit.write_bytes(unit.read_bytes()[:-7])
    again = json.loads(run(*base, "--json").stdout)
    assert again["estimates"] == first["estimates"]
    assert "A650" in [finding["code"] for finding in again["findings"]]
    other = run(*base, "--seed", 1)
    assert other.exit_code == 2
    assert "seed" in other.stderr
    assert adjudge.evaluate(kept).counts.n == 150


@pytest.mark.slow
def test_a_checkpoint_in_use_leaves_with_75(iris, tmp_path):
    from adjudge.resampling.isolation.store import locked

    folder = tmp_path / "run.adj"
    assert run(*NB, "--data", iris, "--target", "species", "--by", "5-fold", "--checkpoint", folder).exit_code == 0
    with locked(folder / ".lock"):
        result = run(*NB, "--data", iris, "--target", "species", "--by", "5-fold", "--checkpoint", folder)
    assert result.exit_code == 75
    assert "in use by" in result.stderr


@pytest.mark.slow
def test_a_plan_is_saved_and_used_again(iris, tmp_path):
    base = (*NB, "--data", iris, "--target", "species", "--json")
    first = json.loads(run(*base, "--seed", 5, "--by", "5-fold", "--save-plan", tmp_path / "plan.json").stdout)
    again = json.loads(run(*base, "--seed", 5, "--by", tmp_path / "plan.json").stdout)
    assert again["plan"]["fingerprint"] == first["plan"]["fingerprint"]
    assert again["estimates"] == first["estimates"]
    assert "Cannot read the plan" in run(*base, "--by", tmp_path / "other.json").stderr


def test_the_share_kept_for_testing(iris, tmp_path):
    page = tmp_path / "shares.html"
    base = ("trade-off", *NB, "--data", str(iris), "--target", "species", "--repeats", "3")
    told = CliRunner().invoke(main, [*base, "-o", str(page)])
    assert told.exit_code == 0
    assert "Kept for testing" in told.stdout
    assert "<svg" in page.read_text(encoding="utf-8")
    found = json.loads(CliRunner().invoke(main, [*base, "--json"]).stdout)
    X, y = load_iris(return_X_y=True)
    ours = adjudge.trade_off(GaussianNB(), X, y, repeats=3, random_state=0)
    assert [len(share["values"]) for share in found["shares"]] == [3] * len(ours.shares)
    assert CliRunner().invoke(main, [*base[:-1], "1"]).exit_code == 2


@pytest.mark.slow
def test_the_share_kept_for_testing_is_found_alike_by_any_workers(iris):
    base = ["trade-off", *NB, "--data", str(iris), "--target", "species", "--repeats", "2", "--json"]
    plain, *others = (
        CliRunner().invoke(main, [*base, *extra]) for extra in ([], ["--jobs", "2"], ["--isolate", "--timeout", "60"])
    )
    assert plain.exit_code == 0
    assert [other.stdout for other in others] == [plain.stdout] * 2
    refused = CliRunner().invoke(main, [*base, "--jobs", "0"])
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("column", ["x", "class"])
def test_text_far_down_a_column_of_numbers_is_named_with_its_row(column, write_csv):
    cells = {"x": list(range(5200)), "class": [i % 2 for i in range(5200)]}
    cells[column][5123] = "oops"
    told = run(*NB, "--data", write_csv(cells, name="late.csv"), "--target", "class")
    assert told.exit_code == 2
    assert mentions(told.stderr, "late.csv", f"'{column}'", "'oops'", "5,124")


@pytest.mark.parametrize("learner", ["..:x", "broken_module:Learner", "sad_module:Learner"])
def test_learners_that_cannot_be_made_are_refused_in_one_sentence(learner, iris, tmp_path, monkeypatch):
    (tmp_path / "broken_module.py").write_text("1 / 0", encoding="utf-8")
    (tmp_path / "sad_module.py").write_text("class Learner:\n    def __init__(self):\n        {}['a']", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    told = run("--learner", learner, "--data", iris, "--target", "species")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)


@pytest.mark.slow
@pytest.mark.parametrize("command", [["estimate"], ["trade-off"], ["compare-learners", "--against", "sklearn.tree:NoSuchTree"]])
def test_the_place_of_the_page_is_looked_at_first(command, tmp_path):
    asked = [*command, *NB, "--data", tmp_path / "none.csv", "--target", "y", "-o", tmp_path / "none" / "page.html"]
    result = CliRunner().invoke(main, [str(word) for word in asked])
    assert result.exit_code == 2
    assert "there is no folder" in result.stderr


def test_endings_of_predictions_are_looked_at_first(tmp_path):
    told = run(*NB, "--data", tmp_path / "none.csv", "--target", "y", "--save", tmp_path / "kept.xlsx").stderr
    assert mentions(told, "--save", ".csv or .parquet", "kept.xlsx")


def test_the_page_of_a_trade_off_does_not_replace_its_data(iris):
    result = CliRunner().invoke(main, ["trade-off", *NB, "--data", str(iris), "--target", "species", "-o", str(iris)])
    assert result.exit_code == 2
    assert "would replace the data" in result.stderr
