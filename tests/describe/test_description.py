"""Every public result has words, a page, a notebook's view, Markdown and numbers; and none of them is judged by showing it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.results import EVERY, HOSTILE, made

import adjudge
from adjudge._base.show import Shown

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


@pytest.mark.parametrize(
    "name", ["Report", "Report of several", "Evaluation", "PartitionSpace", "PartitionComparison", "Ranking"]
)
def test_showing_draws_no_sample_and_tries_no_correction(name, monkeypatch):
    result = made(name)

    def refused(*_, **__):
        pytest.fail("a result was judged while it was shown")

    monkeypatch.setattr(np.random, "default_rng", refused)
    monkeypatch.setattr("adjudge.judgements.eligibility.Correctable.recommendations", refused)
    monkeypatch.setattr("adjudge.judgements.evaluation.judge_partitions", refused)
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
