"""What gates and plans say, at a prompt and on a page."""

from __future__ import annotations

import numpy as np
import pytest
from tests.described import facts, mentions, sections
from tests.hostile import HTML

import adjudge
from adjudge import ConfusionCounts
from adjudge.describe import describe
from adjudge.render.text import text

TABLE = ConfusionCounts(np.array([[45, 5], [3, 47]]), ("well", "ill"))


def test_a_line_a_rule_and_the_verdict_last():
    found = adjudge.gate(TABLE, "accuracy >= 0.85", "accuracy >= 0.9", "mcc > 0.95")
    lines = text(describe(found), width=200).splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["passes", "inconclusive", "fails"]
    assert lines[-1].startswith("The gate fails")
    assert facts(lines[-1]) == ["3", "1", "1", "1"]
    assert facts(lines[1])[-2:] == [f"{found.rules[1].more_cases:,}", "80%"]
    assert lines[-2].startswith("Assurance is ")
    assert facts(lines[-2]) == ["95%"]


def test_a_limit_is_never_written_as_the_bound_it_differs_from():
    low = adjudge.gate(TABLE, "accuracy >= 0.5").rules[0].low
    (line, *_) = adjudge.gate(TABLE, f"accuracy >= {low - 1e-5:.6f}").in_words().splitlines()
    assert line.startswith("passes")
    assert f"at least {low:.5f}" in line


def test_pages_say_the_same_and_twice_the_same():
    for found in (adjudge.gate(TABLE, "accuracy >= 0.85"), adjudge.sample_size(above=0.7, expected=0.9)):
        page = found.to_html()
        assert page == found.to_html()
        assert all(sentence.replace("'", "&#39;") in page for sentence in sections(found)[0].sentences)


@pytest.mark.slow
def test_labels_do_nothing_on_a_page():
    for label in HTML[:5]:
        counts = ConfusionCounts(np.array([[45, 5], [3, 47]]), ("well", label))
        found = adjudge.gate(counts, "sensitivity[*] >= 0.5")
        assert label not in found.to_html()
        assert "\x1b" not in found.in_words()


@pytest.mark.slow
def test_a_plan_tells_cases_of_the_class_and_in_all():
    found = adjudge.sample_size(half_width=0.1, measure="sensitivity", expected=0.8, share=0.1)
    first, *rest = found.in_words().splitlines()
    assert facts(first)[:2] == [str(found.cases), str(found.total)]
    assert any(line.split() == [f"{found.cases:,}", "±", f"{dict(found.table)[found.cases]:.4f}"] for line in rest)


@pytest.mark.slow
def test_a_plan_of_two_says_margin_level_and_assurance():
    better = adjudge.sample_size(difference=0.1, discordant=0.2).in_words()
    assert mentions(better, "the better of two", "80% assurance", "differ by 0.1")
    same = adjudge.sample_size(equivalent=True, discordant=0.1, margin=0.05, assurance=0.9, level=0.9).in_words()
    assert mentions(same, "practically the same", "90% assurance", "0.05", "level 90%")


def test_words_that_readers_know():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 200)
    found = adjudge.sample_size({"truth": truth, "score": rng.random(200) / 2 + truth / 2}, half_width=0.01, measure="auc")
    assert "interval of the AUC of half width" in found.in_words()
    with pytest.raises(adjudge.InputError, match=r"^An accuracy of 0\.9 .*above 0\.9"):
        adjudge.sample_size(above=0.9, expected=0.9)
    with pytest.raises(adjudge.InputError, match=r"^A sensitivity of"):
        adjudge.sample_size(above=0.9, expected=0.9, measure="sensitivity")
