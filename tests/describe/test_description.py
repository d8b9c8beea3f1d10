"""Results are described once, and none of them is judged by showing it."""

from __future__ import annotations

import ast
import importlib
import sys
from importlib import import_module
from inspect import isfunction
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from tests.results import EVERY, made

import adjudge
from adjudge._base.show import Shown
from adjudge.describe import describe
from adjudge.describe.description import FAMILIES, document
from adjudge.describe.frames import rows


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
    """Say whether a call is made by what shows a result, and neither by a figure, a distribution nor an import.

    Figures work out the points they draw, of a density or a band. A posterior is a distribution: its mean and its limits are
    read by asking it.
    """
    while frame is not None and frame.f_globals.get("__name__") != __name__:
        name = frame.f_globals.get("__name__", "")
        if name.startswith(("adjudge.plots", "adjudge.estimates.posterior", "importlib", "adjudge.stats.distribution")):
            return False
        frame = frame.f_back
    return True


SHOWS = ("adjudge._base", "adjudge.describe", "adjudge.render", "adjudge.plots", "adjudge.metrics")
"""Packages that are watched from outside only; a measure of a fold's table is a quotient of its cells, which JSON has."""
READERS = {"__init__", "_shortest", "_unit", "false_verdicts", "is_rare", "plain_curves", "plain_tables", "spaced", "start_of"}
READERS |= {"_by_name", "_span", "find", "out_of_bag_share", "position", "subject", "verdict_of"}
"""Functions of other packages that look something up, compare numbers that are known, or put them into plain Python."""
DEAR = ("Report of several", "Report of three", "Report of Counts", "PartitionDifference")


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in DEAR)) for name in EVERY])
def test_showing_a_fresh_result_calls_no_statistics_and_no_judge(name):
    """What was worked out when asked for the first time would be kept, so that the result is made anew and shown once."""
    make, called = EVERY[name], []
    result = getattr(make, "__wrapped__", make)()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        module, code = frame.f_globals.get("__name__", ""), frame.f_code
        function = getattr(frame.f_globals.get(code.co_name), "__code__", None) is code  # and no method, which reads
        judge = module.startswith("adjudge.") and not module.startswith(SHOWS)
        asked = event == "call" and judge and code.co_name not in READERS
        if asked and function and judging(frame.f_back):
            called.append(f"{module}.{code.co_name}")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        describe(result, whole=isinstance(result, Shown))
        if isinstance(result, Shown):
            result.to_dict()
            rows(result)
    finally:
        sys.setprofile(before)
    assert not called


def test_the_watch_sees_what_is_judged_late():
    """A result that judges when it is described is seen, though it keeps what it found."""

    class Late(adjudge.Undefined):
        def __repr__(self) -> str:
            return str(adjudge.evaluate(adjudge.ConfusionCounts([[3, 1], [1, 3]])))

    EVERY["late"] = lambda: Late("late")
    try:
        with pytest.raises(AssertionError, match=r"verbs\.evaluate"):
            test_showing_a_fresh_result_calls_no_statistics_and_no_judge("late")
    finally:
        del EVERY["late"]


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
