"""The commands that correct: what they read, print, write and refuse."""

from __future__ import annotations

import csv
import json
import shlex

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import balanced_accuracy_score
from tests.described import mentions

import adjudge
from adjudge.cli import main
from adjudge.corrections.labelled import labelled
from adjudge.judgements.recommendation import recommend

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
        ("multipliers", []),
        ("multipliers", ["--bounds", "free"]),
        ("multipliers", ["--bounds", "0.2,0.9"]),
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
    assert mentions(told.stdout, "Fitted", "300 cases", "2 classes") != (kind == "priors")
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


@pytest.mark.slow
def test_the_numbers_are_those_of_the_library(preds, tmp_path):
    told = json.loads(run("fit", preds, "--kind", "errors", "-o", tmp_path / "fix.json", "--json").stdout)
    p, ill = cases()
    alike = labelled(np.column_stack([p, 1 - p]), np.where(ill, "ill", "well"), classes=CLASSES).in_one_order()
    wanted = adjudge.fit_multipliers(alike.labels, alike.p, classes=CLASSES, goal="errors")
    assert told["correction"] == wanted.to_dict()
    assert told["in_sample"] is True
    assert told["after"]["error"] * 300 == pytest.approx(wanted.errors)
    applied = json.loads(run("apply", tmp_path / "fix.json", preds, "-o", tmp_path / "out.parquet", "--json").stdout)
    assert applied["cases"] == 300
    judged = adjudge.evaluate(tmp_path / "out.parquet")
    assert judged.estimates["error"].value * 300 == pytest.approx(wanted.errors)


@pytest.mark.slow
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
    assert rule.thresholds.tolist() == adjudge.fit_rejection(y, margin, gamma=3).thresholds.tolist()
    assert run("apply", tmp_path / "fix.json", path, *reading, "-o", tmp_path / "out.csv").exit_code == 0
    low, high = rule.thresholds
    wanted = ["1" if m >= high else "0" if m < low else "REJECTED" for m in margin]
    assert [row["predicted"] for row in rows(tmp_path / "out.csv")] == wanted
    refused = run("fit", path, "--kind", "multipliers", *reading, "--threshold", 0, "-o", tmp_path / "other.json")
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
        (["--kind", "multipliers", "--gamma", 2], "--gamma does not go with --kind multipliers"),
        (["--kind", "multipliers", "--bounds", "wide"], "--bounds takes two numbers"),
        (["--kind", "multipliers", "--bounds", "1,0"], "--bounds takes two numbers"),
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
    told = run("fit", path, "--kind", "multipliers", "-o", tmp_path / "fix.json")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert "needs the probabilities" in told.stderr


def test_predictions_and_corrections_are_not_replaced(preds, tmp_path):
    before = preds.read_bytes()
    assert run("fit", preds, "--kind", "multipliers", "-o", preds).exit_code == 2
    run("fit", preds, "--kind", "multipliers", "-o", tmp_path / "fix.json")
    assert run("apply", tmp_path / "fix.json", preds, "-o", preds).exit_code == 2
    assert preds.read_bytes() == before


def test_a_file_that_is_no_correction_is_refused(preds, tmp_path):
    told = run("apply", preds, preds, "-o", tmp_path / "out.csv")
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert "'preds.csv' cannot be used as a correction" in told.stderr
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_where_nothing_is_fitted_nothing_is_said_to_be(preds, tmp_path):
    costs = tmp_path / "costs.json"
    costs.write_text(json.dumps({"well": {"ill": 1}, "ill": {"well": 5}}), encoding="utf-8")
    for extra in (["--kind", "costs", "--costs", costs], ["--kind", "priors", "--priors", "ill=0.1,well=0.9"]):
        told = run("fit", preds, *extra, "-o", tmp_path / "fix.json")
        assert "nothing fitted" in told.stdout
        assert "In-sample" not in told.stdout
        assert "Fitted" not in told.stdout
        assert json.loads(run("fit", preds, *extra, "-o", tmp_path / "fix.json", "--json").stdout)["in_sample"] is False
    assert "as good as they are" in run("fit", preds, "--kind", "costs", "--gamma", 2, "-o", tmp_path / "fix.json").stdout


def test_priors_counted_in_the_cases_themselves(preds, tmp_path):
    told = run("fit", preds, "--kind", "priors", "--priors", "counted", "--old", "ill=0.5,well=0.5", "-o", tmp_path / "fix.json")
    assert "In-sample" in told.stdout
    _, ill = cases()
    assert adjudge.load_correction(tmp_path / "fix.json").new == pytest.approx([ill.mean(), 1 - ill.mean()], rel=1e-12)
    refused = run("fit", preds, "--kind", "priors", "--priors", "counted", "-o", tmp_path / "other.json")
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)
    assert "which the training cases had" in refused.stderr


def test_balanced_weights_serve_the_balanced_accuracy(preds, tmp_path):
    told = json.loads(
        run("fit", preds, "--kind", "errors", "--weights", "balanced", "-o", tmp_path / "fix.json", "--json").stdout
    )
    p, ill = cases()
    both, made = np.column_stack([p, 1 - p]), adjudge.load_correction(tmp_path / "fix.json")
    truth = np.where(ill, "ill", "well")
    assert told["after"]["balanced accuracy"] == pytest.approx(balanced_accuracy_score(truth, made.predict(both)))
    assert told["before"]["balanced accuracy"] == pytest.approx(balanced_accuracy_score(ill, p > 0.5))
    plain = adjudge.fit_multipliers(truth, both, classes=CLASSES, goal="errors")
    assert balanced_accuracy_score(truth, made.predict(both)) > balanced_accuracy_score(truth, plain.predict(both))


# -- recommend -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "extra",
    [
        ["--old", "ill=0.4,well=0.6", "--softmax"],
        ["--measure", "balanced_accuracy"],
        ["--gamma", 2],
        ["--alpha", 0.3, "--reject-cost", 0.1, "--positive", "ill"],
        ["--max-rejection", 0.15],
        ["--costs", "costs.json", "--max-rejection", 0.15, "--truth", "truth", "--scores", "p_*"],
    ],
)
def test_the_command_of_every_row_fits_what_was_judged(extra, preds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "costs.json").write_text(json.dumps({"well": {"ill": 1}, "ill": {"well": 5}}), encoding="utf-8")
    found = json.loads(run("recommend", preds, *extra, "--json").stdout)
    told = " ".join(run("recommend", preds, *extra).stdout.split())
    assert set(found["commands"]) == {row["name"] for row in found["rows"]}
    for row in found["rows"]:
        command = found["commands"][row["name"]]
        assert command.replace(preds.name, str(preds)) in told  # JSON names no folders
        program, *words = shlex.split(command)
        assert program == "adjudge"
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.stderr
        made = adjudge.load_correction("fix.json").to_dict()
        unkept = ("counts", "sensitivity", "specificity")  # of the table of the cases, which the file leaves out
        assert {key: made[key] for key in made if key not in unkept} == {
            key: row["correction"][key] for key in made if key not in unkept
        }


@pytest.mark.slow
def test_the_recommended_correction_is_written(preds, tmp_path):
    told = run("recommend", preds, "--gamma", 5, "-o", tmp_path / "best.json")
    assert told.exit_code == 0, told.stderr
    assert told.stdout.endswith(f"Wrote {tmp_path / 'best.json'}\n")
    line = next(at for at, words in enumerate(told.stdout.splitlines()) if "the one recommended" in words)
    words = shlex.split(told.stdout.splitlines()[line + 1].replace("best.json", "same.json"))[1:]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert (tmp_path / "same.json").read_bytes() == (tmp_path / "best.json").read_bytes()


@pytest.mark.slow
def test_nothing_is_written_where_nothing_is_recommended(write_csv, tmp_path):
    rng = np.random.default_rng(4)
    p = rng.random(200)
    path = write_csv({"truth": np.where(rng.random(200) < p, "ill", "well"), "p_ill": p, "p_well": 1 - p})
    told = run("recommend", path, "-o", tmp_path / "best.json")
    assert told.exit_code == 1
    assert "No correction is recommended, so" in told.stderr
    assert told.stderr.count("\n") == 1
    assert "To fit one of them" in told.stdout
    assert not (tmp_path / "best.json").exists()
    assert run("recommend", path).exit_code == 0


@pytest.mark.slow
def test_groups_are_kept_together(write_csv):
    p, ill = cases()
    columns = {"truth": np.where(ill, "ill", "well"), "p_ill": p, "p_well": 1 - p, "ward": np.arange(300) % 30}
    path = write_csv(columns | {"site": np.arange(300) % 3})
    found = json.loads(run("recommend", path, "--group", "ward", "--json").stdout)
    wanted = recommend(np.column_stack([p, 1 - p]), columns["truth"], classes=CLASSES, groups=columns["ward"])
    assert found["groups"] == 30
    assert [row["gain"] for row in found["rows"]] == pytest.approx([row.gain for row in wanted.rows])
    assert mentions(run("recommend", path, "--group", "ward").stdout, "30 groups stay together")
    assert mentions(run("recommend", path, "--group", "site").stderr, "5 folds", "groups")
    assert json.loads(run("recommend", path, "--json").stdout)["groups"] is None  # three sites nobody named are no clusters


@pytest.mark.slow
def test_messages_speak_of_their_own_command(preds, tmp_path):
    for words in (["fit", preds, "--kind", "multipliers"], ["recommend", preds]):
        told = run(*words, "-o", preds)
        assert told.exit_code == 2
        assert "The correction would replace" in told.stderr
    assert "correction.json" in run("fit", preds, "--kind", "multipliers", "-o", tmp_path).stderr
    assert "ends in .json" in run("fit", preds, "--kind", "multipliers", "-o", tmp_path / "fix.html").stderr
    assert run("fit", preds, "--kind", "multipliers", "-o", tmp_path / "fix.json").exit_code == 0
    (tmp_path / "folder.csv").mkdir()
    assert "corrected.csv" in run("apply", tmp_path / "fix.json", preds, "-o", tmp_path / "folder.csv").stderr
    with pytest.raises(adjudge.InputError, match=r"2 priors, .*class"):
        adjudge.count_priors(["a", "b"], old=[0.2, 0.3, 0.5])


@pytest.mark.slow
def test_scores_that_only_rank_and_weights_have_no_recommendation(write_csv):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 100)
    path = write_csv({"truth": y, "margin": rng.normal(size=100) + y, "w": np.ones(100)})
    reading = ["--scores", "margin", "--scores-are", "scores", "--threshold", 0]
    assert "only rank" in run("recommend", path, *reading).stderr
    p, ill = cases()
    path = write_csv({"truth": np.where(ill, "a", "b"), "p_a": p, "p_b": 1 - p, "w": np.ones(300)}, name="weighted.csv")
    assert run("recommend", path, "--weight", "w").exit_code == 0  # weights that are all alike are none
    weight = np.arange(300) % 3 + 1
    path = write_csv({"truth": np.where(ill, "a", "b"), "p_a": p, "p_b": 1 - p, "weight": weight}, name="unequal.csv")
    assert "--weight ''" in run("recommend", path).stderr
    found = json.loads(run("recommend", path, "--weight", "", "--json").stdout)
    wanted = recommend(np.column_stack([p, 1 - p]), np.where(ill, "a", "b"), classes=["a", "b"])
    assert [row["gain"] for row in found["rows"]] == pytest.approx([row.gain for row in wanted.rows])
    assert "--weight ''" in found["commands"]["class multipliers, least squares"]


def test_equal_weights_fit_as_none(write_csv, tmp_path):
    p, ill = cases()
    columns = {"truth": np.where(ill, "a", "b"), "p_a": p, "p_b": 1 - p}
    for name, more in (("plain", {}), ("equal", {"weight": np.full(300, 2.5)})):
        path = write_csv(columns | more, name=f"{name}.csv")
        assert run("fit", path, "--kind", "multipliers", "-o", tmp_path / f"{name}.json").exit_code == 0
    assert (tmp_path / "plain.json").read_bytes() == (tmp_path / "equal.json").read_bytes()


@pytest.mark.slow
def test_groups_found_can_be_left_out_and_must_have_names(write_csv):
    p, ill = cases()
    columns = {"truth": np.where(ill, "a", "b"), "p_a": p, "p_b": 1 - p, "cohort": [f"P{i}" for i in np.arange(300) % 10]}
    path = write_csv(columns)
    assert json.loads(run("recommend", path, "--json").stdout)["groups"] == 10
    found = json.loads(run("recommend", path, "--group", "", "--json").stdout)
    assert found["groups"] is None
    assert all("--group ''" in command for command in found["commands"].values())
    columns["cohort"][7] = ""
    told = run("recommend", write_csv(columns, name="nameless.csv"))
    assert told.exit_code == 2
    assert mentions(told.stderr, "'cohort'", "without a group")
    assert told.stderr.count("\n") == 1


@pytest.mark.slow
def test_gains_are_against_what_the_file_decided(write_csv):
    p, ill = cases()
    truth, decided = np.where(ill, "ill", "well"), np.where(p > 0.8, "ill", "well")
    columns = {"truth": truth, "p_ill": p, "p_well": 1 - p}
    path = write_csv(columns | {"predicted": decided}, name="decided.csv")
    before = (truth == decided).mean()
    assert json.loads(run("recommend", path, "--json").stdout)["before"] == pytest.approx(before)
    told = run("recommend", path).stdout
    assert mentions(told, "Without correction", f"{100 * before:.1f}%", "the decisions given")
    cut = ["recommend", write_csv(columns), "--threshold", 0.8, "--positive", "ill", "--json"]
    assert json.loads(run(*cut).stdout)["before"] == pytest.approx(before)
    fitted = json.loads(run("fit", path, "--kind", "errors", "-o", path.parent / "fix.json", "--json").stdout)
    assert fitted["before"]["accuracy"] == pytest.approx(before)


@pytest.mark.slow
def test_the_gain_where_fitted_is_told_beside_that_of_cases_left_out(preds, tmp_path):
    found = json.loads(run("recommend", preds, "--json").stdout)
    row = next(row for row in found["rows"] if row["name"] == "class multipliers, fewest errors")
    told = json.loads(run("fit", preds, "--kind", "errors", "-o", tmp_path / "fix.json", "--json").stdout)
    assert told["after"]["accuracy"] - told["before"]["accuracy"] == pytest.approx(row["in_sample"])
    assert told["left_out"]["accuracy"] - told["before"]["accuracy"] == pytest.approx(row["gain"])
    words = run("fit", preds, "--kind", "errors", "-o", tmp_path / "fix.json").stdout
    numbers = [told[name]["accuracy"] for name in ("before", "left_out", "after")]
    assert " ".join(f"{number:.4f}" for number in numbers) in " ".join(words.split())


def test_where_no_case_can_be_left_out_no_gain_is_told(write_csv, tmp_path):
    p, ill = cases()
    columns = {"truth": np.where(ill, "a", "b"), "p_a": p, "p_b": 1 - p, "ward": np.arange(300) % 3}
    path = write_csv(columns)
    told = run("fit", path, "--kind", "errors", "--group", "ward", "-o", tmp_path / "fix.json")
    assert told.exit_code == 0
    assert "accuracy" not in told.stdout
    assert "A844" in told.stdout
    plain = json.loads(run("fit", path, "--kind", "errors", "--group", "ward", "-o", tmp_path / "fix.json", "--json").stdout)
    assert plain["before"] == plain["after"] == plain["left_out"] == {}


def test_where_to_write_is_checked_before_the_work(preds, tmp_path, monkeypatch):
    def never(*_, **__):
        pytest.fail("the work was done before")

    monkeypatch.setattr("adjudge.verbs.correct.known", never)
    for output, told in (("nowhere/fix.json", "there is no folder"), ("fix.csv", "ends in .json"), (".", "is a folder")):
        found = run("recommend", preds, "-o", tmp_path / output)
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
        assert told in found.stderr


@pytest.mark.slow
def test_an_older_correction_is_not_taken_for_a_new_one(write_csv, tmp_path):
    rng = np.random.default_rng(4)
    p = rng.random(200)
    path = write_csv({"truth": np.where(rng.random(200) < p, "ill", "well"), "p_ill": p, "p_well": 1 - p})
    (tmp_path / "best.json").write_text("{}", encoding="utf-8")
    told = run("recommend", path, "-o", tmp_path / "best.json")
    assert told.exit_code == 1
    assert mentions(told.stderr, "best.json", "older")
    assert (tmp_path / "best.json").read_text(encoding="utf-8") == "{}"


@pytest.mark.slow
def test_few_cases_write_nothing(write_csv, tmp_path):
    y = np.arange(45) < 3
    p = np.where(y, 0.9, np.where(np.arange(45) % 7 == 0, 0.1, 0.6))
    path = write_csv({"truth": np.where(y, "ill", "well"), "p_ill": p, "p_well": 1 - p})
    assert run("recommend", path, "-o", tmp_path / "best.json").exit_code == 1
    assert not (tmp_path / "best.json").exists()


@pytest.mark.slow
def test_names_that_look_like_options_can_be_pasted(preds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-dash.csv").write_bytes(preds.read_bytes())
    found = json.loads(run("recommend", "./-dash.csv", "-o", "./-fix.json", "--json").stdout)
    words = shlex.split(found["commands"]["class multipliers, least squares"])
    assert words[3] == "./-dash.csv"
    assert words[-1] == "./-fix.json"
    assert CliRunner().invoke(main, words[1:]).exit_code == 0
    assert (tmp_path / "-fix.json").exists()


@pytest.mark.slow
def test_what_is_worth_it_is_judged_on_other_cases(preds):
    told = run("recommend", preds)
    assert told.exit_code == 0
    assert mentions(told.stdout, "held-out cases")
    found = json.loads(run("recommend", preds, "--json").stdout)
    p, ill = cases()
    wanted = recommend(np.column_stack([p, 1 - p]), np.where(ill, "ill", "well"), classes=CLASSES)
    assert [row["name"] for row in found["rows"]] == [row.name for row in wanted.rows]
    assert [row["gain"] for row in found["rows"]] == pytest.approx([row.gain for row in wanted.rows])
    priced = json.loads(run("recommend", preds, "--gamma", 2, "--json").stdout)
    assert priced["measure"] == "cost"
    assert run("recommend", preds, "--measure", "beauty").exit_code == 2


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["--kind", "softmax", "--bounds", "20000,30000"], "--bounds must begin below 10000"),
        (["--kind", "multipliers", "--bounds", "3,1"], "--bounds takes two numbers"),
        (["--kind", "reject"], "Pass --reject-cost, --max-rejection, --gamma, or --costs with"),
        (["--kind", "reject", "--gamma", 1, "--reject-cost", 2], "--gamma and --reject-cost say"),
        (["--kind", "reject", "--max-rejection", 3], "--max-rejection is a share"),
        (["--kind", "reject", "--thresholds", "per-class", "--max-rejection", 0.1], "go with --thresholds per-class"),
        (["--kind", "priors", "--priors", "ill=0.2,well=0.2"], "--priors must be shares"),
    ],
)
def test_what_is_refused_is_told_in_flags(command, told, preds, tmp_path):
    result = run("fit", preds, *command, "-o", tmp_path / "fix.json")
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_folder_without_a_name_is_named(tmp_path, monkeypatch):
    folder = tmp_path / "nothing"
    folder.mkdir()
    monkeypatch.chdir(folder)
    assert "nothing: the folder holds no" in run("fit", ".", "--kind", "multipliers", "-o", "fix.json").stderr
    assert "nothing: the folder holds no" in run("recommend", ".").stderr
    assert "'.' cannot be used as a correction" in run("apply", ".", ".", "-o", "out.csv").stderr


def test_counting_a_class_without_a_case_rules_it_out_nowhere(preds, write_csv, tmp_path):
    sample = write_csv({"truth": ["well"] * 9}, name="sample.csv")
    told = run("fit", preds, "--kind", "priors", "--counted", sample, "-o", tmp_path / "fix.json")
    assert "A815" in told.stdout
    assert adjudge.load_correction(tmp_path / "fix.json").new == pytest.approx([0.05, 0.95], rel=1e-15)
