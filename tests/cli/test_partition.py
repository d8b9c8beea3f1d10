"""adjudge partition: words, pages and pictures; bad input leaves nothing behind."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.hostile import HTML

from adjudge.cli import main
from adjudge.verbs.compare_partitions import compare_partitions

WORDS = ["red", "green", "blue", "grey", "pink", "teal"]


@pytest.fixture(autouse=True)
def _fewer_resamples(monkeypatch):
    """Draw as few resamples as are allowed: how sure the limits are is not what is asked here."""
    monkeypatch.setitem(compare_partitions.__kwdefaults__, "resamples", 100)


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["partition", *(str(a) for a in arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def write(path, k: int = 3, n: int = 60, seed: int = 0, names=WORDS):
    y = np.arange(n) % k
    z = np.random.default_rng(seed).normal(size=(n, k)) + 1.5 * np.eye(k)[y]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    table = {"id": np.arange(n), "truth": np.array(names[:k], dtype=object)[y]}
    pd.DataFrame(table | {f"p_{name}": p[:, i] for i, name in enumerate(names[:k])}).to_csv(path, index=False)
    return path


@pytest.fixture
def two(tmp_path):
    return write(tmp_path / "a.csv"), write(tmp_path / "b.csv", seed=1)


@pytest.mark.slow
def test_words_and_json_say_the_same(two):
    code, out, _ = run(*two)
    assert code == 0
    told = json.loads(run(*two, "--json")[1], parse_constant=pytest.fail)
    assert set(told["rules"]) == {"a.csv", "b.csv"}
    for name, rule in told["rules"].items():
        low, high = (rule["intervals"]["scaled_accuracy"][side] for side in ("low", "high"))
        assert re.search(
            rf"^Rule: {name}\n.*\n +Ac: {rule['scaled_accuracy']:.3f} \(95%: {low:.3f} to {high:.3f}\)$", out, re.MULTILINE
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "ending"),
    [(2, "html"), (3, "html"), (4, "html"), (6, "html"), (2, "png"), (3, "svg"), (4, "png"), (4, "pdf"), (6, "svg")],
)
def test_every_number_of_classes_in_every_form(tmp_path, k, ending):
    path, out = write(tmp_path / "a.csv", k), tmp_path / f"simplex.{ending}"
    assert run(path, "-o", out)[0] == 0
    first = out.read_bytes()
    assert run(path, "-o", out)[0] == 0
    assert out.read_bytes() == first
    start = {"html": b"<!doctype html>", "svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}[ending]
    assert first.lower().startswith(start.lower())


@pytest.mark.slow
def test_only_a_solid_needs_a_script(tmp_path):
    for k, scripts in ((3, 0), (4, 1)):
        out = tmp_path / f"{k}.html"
        assert run(write(tmp_path / f"{k}.csv", k), "-o", out)[0] == 0
        page = out.read_text(encoding="utf-8")
        assert page.count("<script") == scripts
        assert ("script-src" in page) is bool(scripts)
        assert "unsafe" not in page


@pytest.mark.slow
def test_options_change_the_picture(two, tmp_path):
    seen = set()
    for i, options in enumerate(
        ([], ["--original"], ["--lines", "scaled_accuracy"], ["--lines", "ability_to_separate"], ["--show", "red"])
    ):
        out = tmp_path / f"{i}.svg"
        assert run(*two, "-o", out, *options)[0] == 0
        ET.fromstring(out.read_text(encoding="utf-8"))  # noqa: S314 - our own file
        seen.add(out.read_bytes())
    assert len(seen) == 5


@pytest.mark.slow
def test_depth_and_convention_reach_the_numbers(two):
    plain, deep, klar = (
        json.loads(run(two[0], "--json", *more)[1])["rules"]["a.csv"] for more in ([], ["--depth", 2], ["--convention", "klar"])
    )
    assert len({rule["scaled_accuracy"] for rule in (plain, deep, klar)}) == 3
    assert {len(region["order"]) for region in deep["regions"]} == {2}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--depth", "3"], "depth must be a whole number from 1 to 2"),
        (["--depth", "2", "--convention", "klar"], "depth 1 only"),
        (["-o", "simplex.txt"], "ends in .html, .svg, .png or .pdf"),
        (["--show", "red,purple", "-o", "x.svg"], "purple"),
        (["--show", "red,purple", "-o", "x.html"], "purple"),
        (["--lines", "scaled_accuracy"], "name a page or a picture with -o"),
        (["--level", "2"], "level"),
        (["--names", "a,b"], "names must be 1"),
    ],
)
def test_bad_input_is_one_error_and_no_file(tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "a.csv")
    code, out, err = run(path, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]


def test_the_data_are_not_written_over(two):
    before = two[0].read_bytes()
    page = two[0].with_suffix(".html")
    two[0].rename(page)
    code, _, err = run(page, "-o", page)
    assert code == 2
    assert "would replace" in err or "html" in err
    assert page.read_bytes() == before


def test_no_probabilities_is_said(tmp_path):
    pd.DataFrame({"truth": WORDS * 4, "predicted": WORDS * 4}).to_csv(tmp_path / "a.csv", index=False)
    code, _, err = run(tmp_path / "a.csv")
    assert code == 2
    assert "needs probabilities or scores" in err


@pytest.mark.slow
def test_hostile_names_change_no_tag(tmp_path):
    tags = None
    for i, name in enumerate(["plain", *[v for v in HTML if "\n" not in v and "\r" not in v][:12]]):
        path = write(tmp_path / f"{i}.csv", names=[name, "other", "third"])
        out = tmp_path / f"{i}.html"
        if run(path, "-o", out)[0] != 0:  # a name no column can have
            continue
        found = re.findall(r"<(/?[a-z0-9]+)", re.sub(r"<style>.*?</style>", "", out.read_text(encoding="utf-8"), flags=re.DOTALL))
        found = [tag for tag in found if tag.strip("/") != "text"]  # names of several lines are several texts
        tags = tags or found
        assert found == tags, name
