"""Predictions counted where they are, and judged together, from the command line."""

import json

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

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


def test_parts_are_judged_together(places):
    for name in ("north.parquet", "south.csv"):
        found = run("counts", places / name, "-o", places / f"{name[:5]}.counts")
        assert found.exit_code == 0
        assert "Wrote" in found.output
    page = places / "page.html"
    together = run("report", places / "north.counts", places / "south.counts", "-o", page, "--json")
    assert together.exit_code == 0
    added, whole = (json.loads(out) for out in (together.output, run("evaluate", places / "all.csv", "--json").output))
    for name in ("accuracy", "balanced_accuracy", "auc", "brier"):
        assert added["estimates"][name]["value"] == pytest.approx(whole["estimates"][name]["value"], rel=1e-12)
    assert "400 cases" in page.read_text(encoding="utf-8")
    assert "Right in" in run("evaluate", places / "north.counts").output


def test_counts_of_counts(places):
    run("counts", places / "north.parquet", "-o", places / "north.counts")
    found = run("counts", places / "north.counts", places / "south.csv", "-o", places / "both.counts", "--json")
    assert found.exit_code == 0
    assert json.loads(found.output)["rows"] == 400


def test_what_was_settled_is_refused(places, capsys):
    run("counts", places / "north.parquet", "-o", places / "north.counts")
    assert exit_code("evaluate", places / "north.counts", "--group", "site") == 2
    assert "--group: that was settled" in capsys.readouterr().err
    assert exit_code("report", places / "north.counts", "--rope", "0.1", "-o", places / "p.html") == 2
    assert not (places / "p.html").exists()


def test_a_bad_file_is_refused_and_nothing_written(places, capsys):
    (places / "bad.counts").write_bytes(b"no")
    assert exit_code("report", places / "bad.counts", "-o", places / "p.html") == 2
    assert "no file of counts" in capsys.readouterr().err
    assert exit_code("counts", places / "north.parquet", "-o", places / "none" / "a.counts") == 2
    assert exit_code("counts", places / "north.parquet", "-o", places / "north.parquet") == 2
    assert not (places / "p.html").exists()


@pytest.fixture
def north(places):
    run("counts", places / "north.parquet", "-o", places / "north.counts")
    return places / "north.counts"


@pytest.mark.parametrize(
    "asked", [("gate", "--require", "accuracy >= 0.5"), ("gate", "--require", "auc > 0.9"), ("plan", "--half-width", "0.02"),
              ("plan", "--difference", "0.05"), ("plan", "--above", "0.5", "--measure", "sensitivity", "--positive", "1")],
)  # fmt: skip
def test_counts_are_gated_and_planned_as_the_file_they_are_of(places, north, asked):
    verb, *how = asked
    told = [run(verb, path, *how) for path in (north, places / "north.parquet")]
    assert told[0].exit_code in (0, 1, 3)
    assert (told[0].exit_code, told[0].output.replace("north.counts", "north.parquet")) == (told[1].exit_code, told[1].output)


def test_only_flags_that_were_typed_are_named(north, capsys):
    assert exit_code("gate", north, "--require", "accuracy > 0.5", "--truth", "y", "--missing-scores", "drop") == 2
    assert capsys.readouterr().err.startswith("adjudge: --truth, --missing-scores: that was settled")
    assert exit_code("plan", north, "--half-width", "0.1", "--missing", "drop") == 2
    assert capsys.readouterr().err.startswith("adjudge: --missing: that was settled")
    assert exit_code("evaluate", north, "--duplicates", "first") == 2
    assert capsys.readouterr().err.startswith("adjudge: --duplicates: that was settled")


def test_counts_and_predictions_do_not_mix(places, north, capsys):
    for words in (("report", north, places / "south.csv", "-o", places / "p.html"),
                  ("plan", places / "south.csv", north, "--difference", "0.1")):  # fmt: skip
        assert exit_code(*words) == 2
        assert "north.counts holds counts and south.csv predictions, which cannot be mixed" in capsys.readouterr().err
    assert not (places / "p.html").exists()


@pytest.mark.parametrize(
    "words", [("gate", "--against", "SELF"), ("plan", "SELF", "--difference", "0.1")]
)  # fmt: skip
def test_counts_keep_no_cases_to_compare(north, capsys, words):
    assert exit_code(words[0], north, *(north if word == "SELF" else word for word in words[1:])) == 2
    assert "counts and evaluations" in capsys.readouterr().err
