"""Every public result has words, a page, a notebook's view, Markdown and numbers; and none of them is judged by showing it."""

from __future__ import annotations

import ast
import importlib
import json
import sys
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from tests.results import EVERY, HOSTILE, made

import adjudge
from adjudge._base.show import Shown
from adjudge.describe import describe
from adjudge.describe.description import FAMILIES, document

SHOWN = [name for name in EVERY if name not in ("Undefined", "MeasureTable", "Measure", "ClassMeasure", "OtherMeasure", "Roles")]


@pytest.mark.parametrize("name", SHOWN)
def test_no_result_raises_in_being_shown(name):
    result = made(name)
    if not isinstance(result, Shown):
        pytest.skip("no result")
    assert str(result)
    assert result.in_words().strip()
    page, told = result.to_html(), result.to_markdown()
    assert page.casefold().startswith("<!doctype html>")
    assert all(label not in page and label not in told for label in HOSTILE)
    assert result._repr_html_()
    json.loads(json.dumps(result.to_dict(), allow_nan=False))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["Report", "Report of several", "Evaluation", "PartitionSpace", "PartitionComparison", "Ranking"]
)
def test_showing_draws_no_sample_and_tries_no_correction(name, monkeypatch):
    result = made(name)

    def refused(*_, **__):
        pytest.fail("a result was judged while it was shown")

    monkeypatch.setattr(np.random, "default_rng", refused)
    monkeypatch.setattr("adjudge.judgements.recommendation.recommend_sampled", refused)
    monkeypatch.setattr("adjudge.judgements.partitioned.judge_partitions", refused)
    assert result.to_html()
    assert result.to_markdown()
    assert result.in_words()
    assert result.to_json()


@pytest.mark.parametrize(("ending", "begins"), [("html", "<!"), ("md", "# "), ("json", "{")])
def test_results_are_saved_by_the_ending_of_the_name(tmp_path, ending, begins):
    written = made("Report").save(tmp_path / f"x.{ending}")
    assert written.read_text(encoding="utf-8").startswith(begins)
    with pytest.raises(adjudge.InputError, match=r"\.html, \.md or \.json"):
        made("Report").save(tmp_path / "x.pdf")
    assert [path.name for path in tmp_path.iterdir()] == [f"x.{ending}"]


def judging(frame: FrameType | None) -> bool:
    """Say whether a call into statistics is made by what describes, and neither by a figure nor by a distribution itself.

    Figures work out the points they draw, of a density or a band. A posterior is a distribution: its mean and its limits are
    read by asking it.
    """
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(("adjudge.plots", "adjudge.estimates.posterior", "importlib", "adjudge.stats.distributions")):
            return False
        if name.startswith("adjudge.describe"):
            return True
        frame = frame.f_back
    return False


@pytest.mark.parametrize("name", EVERY)
def test_describing_calls_no_statistics(name):
    result, found = made(name), []
    describe(result, whole=isinstance(result, Shown))  # modules are imported now

    def watch(frame: FrameType, event: str, _: Any) -> None:
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.startswith(("adjudge.stats", "adjudge.verbs")) and judging(frame.f_back):
            found.append(f"{module}.{frame.f_code.co_name}")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        describe(result, whole=isinstance(result, Shown))
    finally:
        sys.setprofile(before)
    assert not found


SOURCE = Path(adjudge.__file__).parent


def modules(package):
    return sorted((SOURCE / package).rglob("*.py"))


@pytest.mark.parametrize("path", modules("describe"), ids=lambda path: path.stem)
def test_descriptions_import_types_and_no_functions_that_judge(path):
    """Of what judges, results and constants are read; `find` looks a measure up."""
    judging_packages = ("verbs", "stats", "corrections", "resampling", "judgements", "estimates", "partitions", "ensembles")
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("adjudge."):
            package = node.module.split(".")[1]
            assert package not in ("verbs", "stats")
            named = [getattr(importlib.import_module(node.module), each.name) for each in node.names]
            if package in judging_packages:
                assert not [each for each in named if isfunction(each)]


@pytest.mark.parametrize("path", [*modules("describe"), *modules("render")], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_text_is_parsed_back(path):
    """Only the rules of our own style sheet are read with patterns, to take along those that one picture needs."""
    imported = {each.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Import)
                for each in node.names}  # fmt: skip
    assert "re" not in imported or path.name == "sheets.py"


@pytest.mark.slow
def test_a_result_has_one_description():
    """One table of functions describes results; a family builds the whole document, and nothing but its sections when whole."""
    for name in ("Evaluation", "Ranking", "Gate", "Recommendations", "PartitionSpace", "Thresholds", "Resampled"):
        brief = describe(made(name), figure=False, whole=False)
        assert document.dispatch(type(made(name))) is not document.dispatch(object)
        assert brief.sections == ()
        assert describe(made(name), figure=False).sentences == brief.sentences


def test_every_type_that_is_described_names_its_module():
    """The module is loaded by the name of the type; one that is missing would be told by its fields."""
    for path in modules("describe"):
        import_module(f"adjudge.describe.{path.stem}" if path.stem != "__init__" else "adjudge.describe")
    named = {kind.__name__: told.__module__.removeprefix("adjudge.describe.") for kind, told in document.registry.items()}
    assert {kind: module for kind, module in named.items() if module not in ("numbers", "description")} == FAMILIES
