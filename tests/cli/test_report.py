"""The commands that write a report: of files, of counts added up, of the bundled example."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from tests.cli.running import run
from tests.described import mentions


@pytest.mark.slow
def test_report_prints_the_verdict_and_writes_one_page(predictions, tmp_path):
    page = tmp_path / "out.html"
    result = run("report", predictions, "-o", page)
    assert result.exit_code == 0
    assert "50.0%" in result.stdout
    assert f"Wrote {page}" in result.stdout
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.html", "predictions.csv"]


@pytest.mark.slow
def test_demo_judges_the_bundled_example(tmp_path):
    result = run("demo", "-o", tmp_path / "demo.html")
    assert result.exit_code == 0
    assert "1,186" in result.stdout
    assert "85.8%" in result.stdout
    assert "50.8%" in result.stdout


@pytest.mark.slow
def test_the_bundled_example_is_counted_as_its_cells_say(tmp_path):
    told = json.loads(run("demo", "--json", "-o", tmp_path / "demo.html").stdout)
    lines = (files("adjudge") / "data" / "dna_knn11.csv").read_text(encoding="utf-8").splitlines()[1:]
    cells = [line.split(",") for line in lines]
    right = sum(c[1] == c[2] for c in cells)
    assert told["estimates"]["accuracy"]["value"] == right / len(cells)


@pytest.mark.slow
def test_files_of_counts_are_judged_as_the_predictions_were(predictions, write_csv, tmp_path):
    elsewhere = write_csv({"y_true": ["sick", "well"] * 10, "y_pred": ["sick", "well"] * 10}, "elsewhere.csv")
    for name, file in (("a.counts", predictions), ("b.counts", elsewhere)):
        assert run("count", file, "-o", tmp_path / name).exit_code == 0
    both = [tmp_path / "a.counts", tmp_path / "b.counts"]
    alone = json.loads(run("evaluate", both[0], "--json").stdout)
    assert alone["counts"] == json.loads(run("evaluate", predictions, "--json").stdout)["counts"]
    added = json.loads(run("report", *both, "--json", "-o", tmp_path / "r.html").stdout)
    assert added["counts"]["cells"] == [[30, 20], [20, 30]]
    result = run("report", *both, "--margin", 0.1, "-o", tmp_path / "r.html")
    assert result.exit_code == 2
    assert "counts are added up" in result.stderr


def test_the_page_never_replaces_the_predictions(predictions):
    page = predictions.rename(predictions.with_suffix(".html"))
    before = page.read_bytes()
    result = run("report", page, "-o", page)
    assert result.exit_code == 2
    assert mentions(result.stderr, "adjudge: ", "would replace the predictions", str(page)[:40])
    assert page.read_bytes() == before


def test_a_page_of_another_kind_is_refused_before_the_work(predictions, tmp_path, monkeypatch):
    monkeypatch.setattr("adjudge.verbs.report.report", lambda *_, **__: pytest.fail("it was judged"))
    result = run("report", predictions, "-o", tmp_path / "a.pdf")
    assert result.exit_code == 2
    assert mentions(result.stderr, "-o", ".html, .md or .json", "a.pdf")
    assert not (tmp_path / "a.pdf").exists()


def test_a_folder_is_no_place_for_a_page(predictions, tmp_path):
    result = run("report", predictions, "-o", tmp_path)
    assert result.exit_code == 2
    assert "is a folder" in result.stderr
