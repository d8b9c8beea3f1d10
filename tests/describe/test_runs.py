"""Repeated answers in words: agreement, what more answers leave, runs and flaky cases as tables, and a page that has them."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import Predictions, evaluate
from adjudge.describe.runs import more_answers, runs, tables


def asked(runs_a_case=4, right=0.8, cases=60, seed=1):
    rng = np.random.default_rng(seed)
    case, run = np.repeat(np.arange(cases), runs_a_case), np.tile(np.arange(runs_a_case), cases)
    hit = rng.random(case.size) < right
    return evaluate(Predictions(case % 2, np.where(hit, case % 2, 1 - case % 2), row=case, run=run))


def test_words_numbers_and_tables_agree():
    result = asked()
    text = result.in_words()
    assert "240 answers to 60 cases" in " ".join(text.split())
    assert f"all agree in {result.runs.all_agree:.1%} of the cases" in " ".join(text.split())
    by_run, flaky = tables(result)
    assert [row[0] for row in by_run.rows] == ["0", "1", "2", "3", "Majority of the runs"]
    assert len(flaky.rows) + len(flaky.folded) + flaky.untold == result.runs.flaky_cases
    widths = result.runs.half_widths
    assert f"±{100 * widths.twice_the_cases:.1f} with twice the cases" in more_answers(result.runs)


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_pages_have_a_chapter_of_runs(form):
    result = asked()
    page = result.to_html() if form == "html" else result.to_markdown()
    assert "Which cases change from run to run?" in page or form == "markdown"
    assert "Flaky cases" in page


def test_one_answer_a_case_says_what_is_unknown():
    result = asked(runs_a_case=1)
    assert more_answers(result.runs) is None
    facts = {row[0]: row[1] for row in next(iter(runs(result))).tables[0].rows}
    assert facts["Variance between runs of a case"] == "unknown: a case has one answer"
    assert "majority is correct" not in result.in_words()


def test_without_runs_there_is_nothing_to_say():
    plain = evaluate(Predictions([0, 1] * 20, [0, 1] * 20))
    assert tables(plain) == ()
    assert list(runs(plain)) == []
