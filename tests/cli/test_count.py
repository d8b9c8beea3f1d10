"""Predictions counted where they are, and judged together, from the command line."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from tests.described import mentions

import adjudge
from adjudge.cli import main


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def exit_code(*words):
    with pytest.raises(SystemExit) as left:
        main([str(word) for word in words])
    return left.value.code


@pytest.fixture
def places(tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    frame = pl.DataFrame({"truth": truth, "score": (1 / (1 + np.exp(-rng.normal(2 * truth - 1, 1.5)))).round(3)})
    frame.write_csv(tmp_path / "all.csv")
    frame[:150].write_parquet(tmp_path / "north.parquet")
    frame[150:].write_csv(tmp_path / "south.csv")
    return tmp_path


@pytest.mark.slow
def test_parts_are_judged_together(places):
    for name in ("north.parquet", "south.csv"):
        found = run("count", places / name, "-o", places / f"{name[:5]}.counts")
        assert found.exit_code == 0
        assert "Wrote" in found.output
    page = places / "page.html"
    together = run("report", places / "north.counts", places / "south.counts", "-o", page, "--json")
    assert together.exit_code == 0
    added, whole = (json.loads(out) for out in (together.output, run("evaluate", places / "all.csv", "--json").output))
    for name in ("accuracy", "balanced_accuracy", "auc", "brier"):
        assert added["estimates"][name]["value"] == pytest.approx(whole["estimates"][name]["value"], rel=1e-12)
    assert "400 cases" in page.read_text(encoding="utf-8")
    assert "Accuracy " in run("evaluate", places / "north.counts").output


def test_counts_of_counts(places):
    run("count", places / "north.parquet", "-o", places / "north.counts")
    found = run("count", places / "north.counts", places / "south.csv", "-o", places / "both.counts", "--json")
    assert found.exit_code == 0
    assert json.loads(found.output)["rows"] == 400


@pytest.mark.slow
def test_what_was_settled_is_refused(places, capsys):
    run("count", places / "north.parquet", "-o", places / "north.counts")
    assert exit_code("evaluate", places / "north.counts", "--group", "site") == 2
    assert "--group: that was settled" in capsys.readouterr().err
    assert exit_code("report", places / "north.counts", "--margin", "0.1", "-o", places / "p.html") == 2
    assert not (places / "p.html").exists()


def test_a_bad_file_is_refused_and_nothing_written(places, capsys):
    (places / "bad.counts").write_bytes(b"no")
    assert exit_code("report", places / "bad.counts", "-o", places / "p.html") == 2
    assert "no file of counts" in capsys.readouterr().err
    assert exit_code("count", places / "north.parquet", "-o", places / "none" / "a.counts") == 2
    assert exit_code("count", places / "north.parquet", "-o", places / "north.parquet") == 2
    assert not (places / "p.html").exists()


@pytest.fixture
def north(places):
    run("count", places / "north.parquet", "-o", places / "north.counts")
    return places / "north.counts"


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked", [("gate", "--require", "accuracy >= 0.5"), ("gate", "--require", "auc > 0.9"), ("sample-size", "--half-width", "0.02"),
              ("sample-size", "--difference", "0.05"), ("sample-size", "--above", "0.5", "--measure", "sensitivity", "--positive", "1")],
)  # fmt: skip
def test_counts_are_gated_and_planned_as_the_file_they_are_of(places, north, asked):
    verb, *how = asked
    told = [run(verb, path, *how) for path in (north, places / "north.parquet")]
    assert told[0].exit_code in (0, 1, 3)
    assert (told[0].exit_code, told[0].output.replace("north.counts", "north.parquet")) == (told[1].exit_code, told[1].output)


def test_only_flags_that_were_typed_are_named(north, capsys):
    assert exit_code("gate", north, "--require", "accuracy > 0.5", "--truth", "y", "--missing-scores", "drop") == 2
    assert capsys.readouterr().err.startswith("adjudge: --truth, --missing-scores: ")
    assert exit_code("sample-size", north, "--half-width", "0.1", "--missing", "drop") == 2
    assert capsys.readouterr().err.startswith("adjudge: --missing: ")
    assert exit_code("evaluate", north, "--duplicates", "first") == 2
    assert capsys.readouterr().err.startswith("adjudge: --duplicates: ")


def test_counts_and_predictions_do_not_mix(places, north, capsys):
    for words in (("report", north, places / "south.csv", "-o", places / "p.html"),
                  ("sample-size", places / "south.csv", north, "--difference", "0.1")):  # fmt: skip
        assert exit_code(*words) == 2
        assert mentions(capsys.readouterr().err, "north.counts", "counts", "south.csv", "predictions", "cannot be mixed")
    assert not (places / "p.html").exists()


@pytest.mark.parametrize(
    "words", [("gate", "--against", "SELF"), ("sample-size", "SELF", "--difference", "0.1")]
)  # fmt: skip
def test_counts_keep_no_cases_to_compare(north, capsys, words):
    assert exit_code(words[0], north, *(north if word == "SELF" else word for word in words[1:])) == 2
    assert "counts and evaluations" in capsys.readouterr().err


def test_the_same_file_of_counts_is_not_added_to_itself(places, capsys):
    """Counts of arrays have no fingerprint, so that only their place tells that they come twice."""
    truth = np.random.default_rng(3).integers(0, 2, 50)
    one = adjudge.count({"truth": truth, "predicted": 1 - truth}).save(places / "x.counts")
    two = adjudge.count({"truth": truth, "predicted": truth}).save(places / "y.counts")
    assert adjudge.load_counts(one, two).rows == 100
    (places / "sub").mkdir()
    for again in (one, str(one), places / "sub" / ".." / "x.counts"):
        with pytest.raises(adjudge.InputError, match=r"^x\.counts is given twice"):
            adjudge.load_counts(one, two, again)
        for words in (("report", one, again, "-o", places / "p.html"), ("count", one, two, again, "-o", places / "z.counts")):
            assert exit_code(*words) == 2
            assert capsys.readouterr().err.startswith("adjudge: x.counts is given twice")
    assert not (places / "p.html").exists()
    assert not (places / "z.counts").exists()


def test_counts_are_written_where_they_are_known_as_counts(places, north, capsys):
    before = north.read_bytes()
    assert exit_code("count", places / "all.csv", "-o", places / "z.txt") == 2
    assert mentions(capsys.readouterr().err, ".counts", "z.txt")
    assert not (places / "z.txt").exists()
    assert exit_code("count", north, "-o", north) == 2
    assert "would replace" in capsys.readouterr().err
    assert north.read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("command", ["evaluate", "gate", "sample-size", "threshold"])
def test_no_engine_reads_counts(north, capsys, command):
    more = {"gate": ["--require", "accuracy > 0.5"], "sample-size": ["--half-width", "0.1"]}.get(command, [])
    assert exit_code(command, north, *more, "--engine", "polars") == 2
    assert capsys.readouterr().err.startswith("adjudge: --engine: that was settled")


# -- pairs ---------------------------------------------------------------------------------------------------


@pytest.fixture
def models(tmp_path):
    """Two models' answers in two places, and all of them."""
    rng = np.random.default_rng(1)
    truth = rng.choice(["a", "b", "c"], 300)
    for model in ("old", "new"):
        said = np.where(rng.random(300) < 0.7, truth, rng.choice(["a", "b", "c"], 300))
        frame = pl.DataFrame({"row": np.arange(300), "truth": truth, "predicted": said})
        frame.write_csv(tmp_path / f"{model}.csv")
        for place, part in (("north", frame[:120]), ("south", frame[120:])):
            (tmp_path / place).mkdir(exist_ok=True)
            part.write_csv(tmp_path / place / f"{model}.csv")
    return tmp_path


def without_names(output):
    """Return a comparison as JSON without the names of cases, which counts do not keep."""
    told = json.loads(output)
    for name in ("column", "disagreed"):
        told["where_correct"].pop(name)
    return told


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["accuracy", "error", "balanced_accuracy", "mcc", "f1"])
def test_pairs_counted_in_two_places_are_compared_as_the_files(models, measure):
    for place in ("north", "south"):
        files = models / place / "old.csv", models / place / "new.csv"
        assert run("count", *files, "--paired", "-o", models / f"{place}.counts").exit_code == 0
    page = models / "page.html"
    kept = run("compare", models / "north.counts", models / "south.counts", "--measure", measure, "--json", "-o", page)
    assert kept.exit_code == 0
    rows = run("compare", models / "old.csv", models / "new.csv", "--measure", measure, "--json")
    assert without_names(kept.output) == without_names(rows.output)
    assert "300 cases" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_counts_of_pairs_add_up_into_one_file(models):
    run("count", models / "north" / "old.csv", models / "north" / "new.csv", "--paired", "-o", models / "n.counts")
    run("count", models / "south" / "old.csv", models / "south" / "new.csv", "--paired", "-o", models / "s.counts")
    added = run("count", models / "n.counts", models / "s.counts", "-o", models / "all.counts")
    assert mentions(added.output, "300 cases", "old.csv", "new.csv")
    words = run("compare", models / "all.counts", "--names", "before,after").output
    assert words == run("compare", models / "old.csv", models / "new.csv", "--names", "before,after").output


@pytest.mark.slow
def test_three_models_are_ranked(models):
    three = [models / "old.csv", models / "new.csv", models / "north" / "old.csv"]
    names = ("--names", "x,y,z")
    assert run("count", *three, "--paired", *names, "-o", models / "three.counts").exit_code == 0
    kept, rows = run("compare", models / "three.counts", "--json"), run("compare", *three, *names, "--json")
    assert without_names(kept.output) == without_names(rows.output)


@pytest.mark.slow
def test_what_pairs_cannot_do_is_said(models, capsys):
    run("count", models / "old.csv", models / "new.csv", "--paired", "-o", models / "ab.counts")
    run("count", models / "old.csv", "-o", models / "a.counts")
    refusals = {
        ("compare", "ab.counts", "--measure", "auc"): "auc needs scores, which counts of pairs do not hold",
        ("compare", "ab.counts", "--measure", "mae"): "mae does not fit",
        ("compare", "ab.counts", "a.counts"): "they do not add up",
        ("compare", "ab.counts", "ab.counts"): "ab.counts is given twice; leave one out.",
        ("compare", "a.counts"): "keep no cases to compare",
        ("compare", "ab.counts", "old.csv"): "cannot be mixed",
        ("compare", "ab.counts", "--truth", "truth"): "--truth: that was settled",
        ("compare", "ab.counts", "--by-position"): "counts are paired already",
        ("evaluate", "ab.counts"): "compare them",
        ("report", "ab.counts", "-o", "p.html"): "compare them",
        ("count", "old.csv", "--paired", "-o", "x.counts"): "two sets of predictions",
        ("count", "ab.counts", "old.csv", "--paired", "-o", "x.counts"): "not counts",
        ("count", "old.csv", "new.csv", "--names", "a,b", "-o", "x.counts"): "go with --paired",
        ("count", "old.csv", "new.csv", "--paired", "--names", "a", "-o", "x.counts"): "--names must be 2 different names",
        ("compare", "old.csv", "new.csv", "--names", "a"): "--names must be 2 different names",
        ("compare", "ab.counts", "--engine", "polars"): "--engine: that was settled",
        ("gate", "old.csv", "--against", "ab.counts"): "keep no cases",
    }
    for words, why in refusals.items():
        told = [models / word if "." in word and not word.startswith("-") else word for word in words]
        assert exit_code(*told) == 2, words
        assert why in capsys.readouterr().err, words
    assert not (models / "p.html").exists()
    assert not (models / "x.counts").exists()


def test_numbers_are_counted_and_reported(tmp_path):
    rng = np.random.default_rng(2)
    truth = rng.normal(0, 3, 200)
    frame = pl.DataFrame({"truth": truth, "predicted": truth + rng.normal(0, 1, 200)})
    for name, part in (("all", frame), ("north", frame[:70]), ("south", frame[70:])):
        part.write_csv(tmp_path / f"{name}.csv")
        assert run("count", tmp_path / f"{name}.csv", "-o", tmp_path / f"{name}.counts").exit_code == 0
    both = run("report", tmp_path / "north.counts", tmp_path / "south.counts", "-o", tmp_path / "p.html", "--json")
    whole = run("evaluate", tmp_path / "all.csv", "--json")
    added, at_once = (json.loads(each.output)["estimates"] for each in (both, whole))
    for name in ("mae", "mse", "rse"):
        assert added[name]["value"] == pytest.approx(at_once[name]["value"], rel=1e-12)
    assert "distances from the mean" in added["rae"]["value"]["reason"]
    assert "Mean absolute error" in (tmp_path / "p.html").read_text(encoding="utf-8")
    alone = run("evaluate", tmp_path / "all.counts", "--measure", "rae").output
    assert alone == run("evaluate", tmp_path / "all.csv", "--measure", "rae").output


def test_findings_of_a_file_of_counts_name_flags_as_those_of_predictions_do(tmp_path):
    truth = np.arange(60) % 2
    frame = pl.DataFrame({"truth": truth, "predicted": np.roll(truth, 1), "split": ["train", "test", "test"] * 20})
    frame.write_csv(tmp_path / "a.csv")
    run("count", tmp_path / "a.csv", "-o", tmp_path / "a.counts")
    (told,) = adjudge.load_counts(tmp_path / "a.counts").found
    assert 'split=""' in told.advice
    for name in ("a.csv", "a.counts"):
        told = run("evaluate", tmp_path / name).output
        assert "A108" in told
        assert "--split ''" in told
