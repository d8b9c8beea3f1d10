"""The commands that correct: what they read, print, write and refuse."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from click.testing import CliRunner

import adjudge
from adjudge.cli import main
from adjudge.judgements.mending import recommend

CLASSES = ["ill", "well"]


def run(*arguments: object):
    return CliRunner().invoke(main, ["correct", *map(str, arguments)])


def cases(n: int = 300, share: float = 0.3, seed: int = 8):
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < share
    ratio = np.exp(rng.normal(loc=np.where(ill, 1.0, -1.0), scale=1.4))  # likelihoods N(+-1, 1.4) about, priors even
    return ratio / (1 + ratio), ill


@pytest.fixture
def preds(write_csv):
    p, ill = cases()
    columns = {"id": range(300), "truth": np.where(ill, "ill", "well"), "p_ill": p, "p_well": 1 - p}
    return write_csv(columns, name="preds.csv")


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize(
    ("kind", "extra"),
    [
        ("kappa", []),
        ("kappa", ["--bounds", "free"]),
        ("kappa", ["--bounds", "0.2,0.9"]),
        ("softmax", []),
        ("errors", []),
        ("priors", ["--priors", "ill=0.05,well=0.95"]),
        ("reject", ["--gamma", 2]),
        ("reject", ["--alpha", 0.5, "--reject-cost", 0.1, "--positive", "ill"]),
        ("reject", ["--max-rejection", 0.2]),
    ],
)
def test_every_kind_is_fitted_told_and_applied(kind, extra, preds, tmp_path):
    fix, out = tmp_path / "fix.json", tmp_path / "out.csv"
    told = run("fit", preds, "--kind", kind, *extra, "-o", fix)
    assert told.exit_code == 0, told.stderr
    assert "Fitted to 300 cases of 2 classes" in told.stdout
    assert ("In-sample" in told.stdout) != (kind == "priors")
    done = run("apply", fix, preds, "-o", out)
    assert done.exit_code == 0, done.stderr
    p = np.array([[float(row["p_ill"]), float(row["p_well"])] for row in rows(preds)])
    made = adjudge.load_correction(fix)
    after = made.apply(p)
    decided = [str(label) for label in after] if kind == "reject" else None
    if kind == "priors":
        decided = [CLASSES[i] for i in after.argmax(axis=1)]
    elif decided is None:
        decided = made.predict(p).tolist()
    assert [row["predicted"] for row in rows(out)] == decided
    assert [row["id"] for row in rows(out)] == [row["id"] for row in rows(preds)]


def test_the_numbers_are_those_of_the_library(preds, tmp_path):
    told = json.loads(run("fit", preds, "--kind", "errors", "-o", tmp_path / "fix.json", "--json").stdout)
    p, ill = cases()
    wanted = adjudge.fit_kappa(np.column_stack([p, 1 - p]), np.where(ill, "ill", "well"), classes=CLASSES, goal="errors")
    assert told["correction"] == wanted.to_dict()
    assert told["in_sample"] is True
    assert told["after"]["error"] * 300 == pytest.approx(wanted.errors)
    applied = json.loads(run("apply", tmp_path / "fix.json", preds, "-o", tmp_path / "out.parquet", "--json").stdout)
    assert applied["cases"] == 300
    judged = adjudge.evaluate(tmp_path / "out.parquet")
    assert judged.estimates["error"].value * 300 == pytest.approx(wanted.errors)


def test_a_rejecting_file_is_judged_as_the_text_says(preds, tmp_path):
    assert run("fit", preds, "--kind", "reject", "--gamma", 2, "-o", tmp_path / "fix.json").exit_code == 0
    told = run("apply", tmp_path / "fix.json", preds, "-o", tmp_path / "out.parquet")
    assert "adjudge evaluate out.parquet --rejected REJECTED" in told.stdout
    judged = CliRunner().invoke(main, ["evaluate", str(tmp_path / "out.parquet"), "--rejected", "REJECTED", "--json"])
    assert judged.exit_code == 0
    made = adjudge.load_correction(tmp_path / "fix.json")
    assert json.loads(judged.stdout)["estimates"]["rejection_rate"]["value"] == pytest.approx(made.rejection)


def test_costs_by_name(preds, tmp_path):
    costs = tmp_path / "costs.json"
    costs.write_text(json.dumps({"well": {"ill": 1, "REJECTED": 0.3}, "ill": {"well": 5, "REJECTED": 0.3}}), encoding="utf-8")
    assert run("fit", preds, "--kind", "costs", "--costs", costs, "-o", tmp_path / "fix.json").exit_code == 0
    made = adjudge.load_correction(tmp_path / "fix.json")
    assert made.costs.tolist() == [[0, 5, 0.3], [1, 0, 0.3]]
    p, _ = cases()
    run("apply", tmp_path / "fix.json", preds, "-o", tmp_path / "out.csv")
    expected = np.column_stack([1 * (1 - p), 5 * p, np.full(300, 0.3)])  # of deciding ill, well, nothing
    wanted = np.array(["ill", "well", "REJECTED"])[expected.argmin(axis=1)]
    assert [row["predicted"] for row in rows(tmp_path / "out.csv")] == wanted.tolist()


def test_priors_are_estimated_and_counted(preds, write_csv, tmp_path):
    p, ill = cases(400, share=0.7, seed=9)
    new = write_csv({"p_ill": p, "p_well": 1 - p}, name="new.csv")
    labelled = write_csv({"truth": np.where(ill, "ill", "well")}, name="labelled.csv")
    even = ["--kind", "priors", "--old", "ill=0.5,well=0.5", "-o", tmp_path / "fix.json"]
    assert run("fit", preds, *even, "--unlabelled", new).exit_code == 0
    wanted = adjudge.estimate_priors(np.column_stack([p, 1 - p]), old=[0.5, 0.5]).priors
    assert adjudge.load_correction(tmp_path / "fix.json").new == pytest.approx(wanted, rel=1e-9)
    assert run("fit", preds, *even, "--counted", labelled).exit_code == 0
    assert adjudge.load_correction(tmp_path / "fix.json").new == pytest.approx([ill.mean(), 1 - ill.mean()], rel=1e-12)


def test_scores_that_only_rank_can_be_cut(write_csv, tmp_path):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 200)
    margin = rng.normal(size=200) + 2 * y
    path = write_csv({"truth": y, "margin": margin})
    reading = ["--scores", "margin", "--scores-are", "scores"]
    told = run("fit", path, "--kind", "reject", "--gamma", 3, *reading, "--threshold", 0, "-o", tmp_path / "fix.json")
    assert told.exit_code == 0, told.stderr
    rule = adjudge.load_correction(tmp_path / "fix.json")
    assert rule.thresholds.tolist() == adjudge.fit_rejection(margin, y, gamma=3).thresholds.tolist()
    assert run("apply", tmp_path / "fix.json", path, *reading, "-o", tmp_path / "out.csv").exit_code == 0
    low, high = rule.thresholds
    wanted = ["1" if m >= high else "0" if m < low else "REJECTED" for m in margin]
    assert [row["predicted"] for row in rows(tmp_path / "out.csv")] == wanted
    refused = run("fit", path, "--kind", "kappa", *reading, "--threshold", 0, "-o", tmp_path / "other.json")
    assert "only rank" in refused.stderr


def test_the_columns_of_the_fitted_file_are_looked_for_in_the_unlabelled_one(write_csv, tmp_path):
    p, ill = cases()
    sick = write_csv({"truth": np.where(ill, "yes", "no"), "risk": 100 * p}, name="known.csv")
    new = write_csv({"risk": 100 * p[:100], "p_yes": p[:100], "p_no": p[:100]}, name="new.csv")
    reading = ["--scores", "risk", "--scores-are", "percentages"]
    told = run("fit", sick, "--kind", "priors", *reading, "--unlabelled", new, "-o", tmp_path / "fix.json")
    assert told.exit_code == 0, told.stderr
    made = adjudge.load_correction(tmp_path / "fix.json")
    both = np.column_stack([1 - p, p])[:100] if made.classes == ("no", "yes") else np.column_stack([p, 1 - p])[:100]
    assert made.new == pytest.approx(adjudge.estimate_priors(both, old=made.old).priors, rel=1e-9)


@pytest.mark.parametrize(
    ("extra", "text"),
    [
        (["--kind", "magic"], "'magic' is not one of"),
        (["--kind", "kappa", "--gamma", 2], "--gamma does not go with --kind kappa"),
        (["--kind", "kappa", "--bounds", "wide"], "--bounds takes two numbers"),
        (["--kind", "kappa", "--bounds", "1,0"], "bounds must be two numbers"),
        (["--kind", "reject"], "Nothing says what rejecting a case costs"),
        (["--kind", "reject", "--max-rejection", 20], "Ten percent is 0.1"),
        (["--kind", "costs"], "needs the costs"),
        (["--kind", "costs", "--costs", "nowhere.json"], "Cannot read the costs"),
        (["--kind", "priors"], "one of --priors, --unlabelled and --counted"),
        (["--kind", "priors", "--priors", "ill:0.5"], "--priors takes each class once"),
        (["--kind", "priors", "--priors", "ill=0.5,ill=0.5"], "--priors takes each class once"),
        (["--kind", "priors", "--priors", "ill=0.5"], "says nothing about 'well'"),
        (["--kind", "priors", "--priors", "ill=0.5,sick=0.5"], "'sick' is not among the classes"),
        (["--kind", "priors", "--priors", "ill=0.5,well=0.4"], "sum to 1"),
        (["--kind", "priors", "--unlabelled", "nowhere.csv"], "No file 'nowhere.csv'"),
    ],
)
def test_what_cannot_be_fitted_is_refused_in_one_sentence(extra, text, preds, tmp_path):
    told = run("fit", preds, *extra, "-o", tmp_path / "fix.json")
    assert told.exit_code == 2
    assert text in told.stderr
    assert told.stderr.count("\n") == 1
    assert not (tmp_path / "fix.json").exists()


@pytest.mark.parametrize(
    "content", ["[[0, 1]]", '{"ill": 3, "well": {}}', "NaN", "{", '{"ill": {"well": "much"}, "well": {"ill": 1}}']
)
def test_costs_that_are_none_are_refused(content, preds, tmp_path):
    (tmp_path / "costs.json").write_text(content, encoding="utf-8")
    told = run("fit", preds, "--kind", "costs", "--costs", tmp_path / "costs.json", "-o", tmp_path / "fix.json")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert not (tmp_path / "fix.json").exists()


def test_decisions_alone_cannot_be_corrected(write_csv, tmp_path):
    path = write_csv({"truth": ["a", "b"] * 20, "predicted": ["a", "a"] * 20})
    told = run("fit", path, "--kind", "kappa", "-o", tmp_path / "fix.json")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert "needs the probabilities" in told.stderr


def test_predictions_and_corrections_are_not_replaced(preds, tmp_path):
    before = preds.read_bytes()
    assert run("fit", preds, "--kind", "kappa", "-o", preds).exit_code == 2
    run("fit", preds, "--kind", "kappa", "-o", tmp_path / "fix.json")
    assert run("apply", tmp_path / "fix.json", preds, "-o", preds).exit_code == 2
    assert preds.read_bytes() == before


def test_a_file_that_is_no_correction_is_refused(preds, tmp_path):
    told = run("apply", preds, preds, "-o", tmp_path / "out.csv")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert "'preds.csv' is no correction" in told.stderr
    assert not (tmp_path / "out.csv").exists()


def test_what_is_worth_it_is_judged_on_other_cases(preds):
    told = run("recommend", preds)
    assert told.exit_code == 0
    assert "gains are of cases that took no part in fitting it" in " ".join(told.stdout.split())
    found = json.loads(run("recommend", preds, "--json").stdout)
    p, ill = cases()
    wanted = recommend(np.column_stack([p, 1 - p]), np.where(ill, "ill", "well"), classes=CLASSES)
    assert [row["name"] for row in found["rows"]] == [row.name for row in wanted.rows]
    assert [row["gain"] for row in found["rows"]] == pytest.approx([row.gain for row in wanted.rows])
    priced = json.loads(run("recommend", preds, "--gamma", 2, "--json").stdout)
    assert priced["measure"] == "cost"
    assert run("recommend", preds, "--measure", "beauty").exit_code == 2
