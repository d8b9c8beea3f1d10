"""Next steps in words, wherever they are read: in text, Markdown, a notebook and a page, before the long tables."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import ConfusionCounts
from adjudge._base import Finding
from adjudge.describe import describe
from adjudge.describe.next_steps import steps
from adjudge.judgements.findings import by_importance

TWO = ConfusionCounts([[30, 10], [5, 55]], ("ill", "well"))


@pytest.fixture(scope="module")
def rare():
    rng = np.random.default_rng(3)
    p = 1 / (1 + np.exp(5.8 - 1.6 * rng.normal(size=5000)))
    y = (rng.random(5000) < p).astype(int)
    return adjudge.evaluate({"truth": y, "predicted": (p >= 0.5).astype(int), "score": p})


def test_a_step_says_what_to_do_and_what_it_changes():
    first, more, scores = map(str, steps(adjudge.evaluate(TWO)))
    assert first == (
        "Name the positive class, such as 'ill': sensitivity (recall) 75.0%, not the mean 83.3%; precision 85.7%, not the mean 85.2%."
    )
    halved = r"half its width falls from 7\.\d to 3\.\d points"
    assert re.fullmatch(rf"Label about [\d,]+ more cases to halve the interval of the accuracy: {halved}\.", more)
    assert scores.startswith("Give the scores of the classes")


def test_the_threshold_of_a_rare_class(rare):
    told = next(each for each in steps(rare) if "threshold" in each.action)
    step = next(each for each in rare.next_steps if each.kind == "threshold")
    assert told.action == f"Lower the threshold to {step.value:g}"
    assert f"finds {step.changes['sensitivity'][1]:.1%} of class 1 at precision {step.changes['precision'][1]:.1%}" in told.effect
    assert str(step.value) in told.call


def test_nothing_to_change_is_said():
    rng = np.random.default_rng(0)
    p = rng.beta(0.3, 0.3, 5000)
    y = (rng.random(5000) < p).astype(int)
    (only,) = steps(adjudge.evaluate({"truth": y, "predicted": (p >= 0.5).astype(int), "score": p}))
    assert only.action == "Nothing to change"
    assert not only.call


def test_steps_come_before_the_tables_everywhere(rare):
    for text in (rare.in_words(), rare.to_markdown(), rare.to_html()):
        assert text.index("Next steps") < text.index("Cohen's kappa".replace("'", "&#39;" if "<html" in text else "'"))
        assert "Lower the threshold to" in text
    notebook = rare._repr_html_()
    assert notebook.index("Next: ") < notebook.index("<table>")
    assert "Finds " in notebook


def test_the_first_screen_has_a_headline_and_four_sentences(rare):
    for result in (rare, adjudge.evaluate(TWO), adjudge.evaluate(ConfusionCounts([[70, 0], [30, 0]], (0, 1)))):
        said = describe(result)
        assert len(said.sentences) <= 5
        assert any("for always predicting" in sentence for sentence in said.sentences)  # the baseline
        assert said.weakest
    assert describe(rare).sentences[0].startswith("Finds ")


def test_the_page_is_a_summary_with_one_picture_and_folded_details(rare):
    sections = describe(rare).sections
    verdict, todo, *_ = sections
    assert (verdict.kind, verdict.folded, todo.kind) == ("verdict", True, "steps")
    assert "positive class: 1" in verdict.lead
    assert 3 <= len(verdict.cards) <= 5
    assert len({card.title for card in verdict.cards}) == len(verdict.cards)
    assert [section.name for section in sections if section.theme == "summary"] == ["precision-recall"]
    page = rare.to_html()
    drawn = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(drawn) == len({re.sub(r"(?:id|aria-labelledby|url)[=(][^ >)]*", "", each) for each in drawn})
    summary, details = page.index('class="summary'), page.index('<details class="chapter"')
    assert page.count("<svg", 0, details) == page.count("<svg", summary, details) == 1
    assert all(f'id="{target}"' in page for target in re.findall(r'href="#([^"]+)"', page))


def test_unknown_positive_classes_are_said_on_the_page():
    assert "no positive class known" in describe(adjudge.evaluate(TWO)).sections[0].lead


@given(st.lists(st.sampled_from(["A205", "A208", "A111", "A301", "A305", "A102"]), max_size=8))
def test_the_worst_finding_comes_first(codes):
    findings = [Finding(code, str(at), "") for at, code in enumerate(codes)]
    order = ["A205", "A208", "A111", "A301"]
    placed = by_importance(findings)
    assert sorted(placed, key=lambda each: each.message) == sorted(findings, key=lambda each: each.message)
    ranks = [order.index(each.code) if each.code in order else len(order) for each in placed]
    assert ranks == sorted(ranks)
    last = [int(each.message) for each in placed if each.code not in order]
    assert last == sorted(last)
