"""Documents of corrections: what they would gain, what they are made of, and what became of a file."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.described import facts, mentions, sections

import adjudge
from adjudge import Predictions, recommend
from adjudge.corrections.streaming import Corrected
from adjudge.describe import describe
from adjudge.describe.corrections import cards, comparison, corrections, in_short, pictures, table
from adjudge.plots.labels import NOTHING
from adjudge.plots.tables import CellMap
from adjudge.render.text import text


def judged(source, **how):
    """Return the evaluation of a report: with corrections tried."""
    return adjudge.report(source, **how).evaluation


ERRORS, RELIABILITY = "Errors against the multiplier", "Reliability of the probabilities"
REJECTION = "Accuracy against rejection"


def two(n=300, seed=1):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    q = 1 / (1 + np.exp(-rng.normal(2 * y - 0.3, 1.2)))
    return np.column_stack([1 - q, q]), y


def three(n=150):
    rng = np.random.default_rng(2)
    y = np.arange(n) % 3
    z = rng.normal(size=(n, 3)) + np.eye(3)[y]
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), y


def chapter(result, name="corrections"):
    return next(part for part in sections(result) if part.name == name)


@pytest.mark.slow
def test_two_classes_have_their_errors_against_kappa_on_the_page():
    p, y = two()
    found = judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))
    (_, corrected), *drawn = chapter(found).pictures
    assert isinstance(corrected, CellMap)  # that without a correction stands above
    assert [picture.drawing.title for _, picture in drawn] == [ERRORS, RELIABILITY, REJECTION]
    assert all(f"{name}: calibration error" in drawn[1][1].words for name in ("without", "corrected"))
    wrong = int((p.argmax(axis=1) != y).sum())
    assert f"no correction, multiplier 1: {wrong}" in drawn[0][1].drawing.words
    text = found.to_html()
    place = text.index('id="corrections-box"')
    inside = text[place : text.index("</section>", place)]
    assert inside.count("<svg") == 4
    assert inside.count("<figcaption") == 4
    assert "dot mark1" in inside  # the dots of the second line have its colour
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_more_classes_have_no_single_kappa_to_draw():
    p, y = three()
    found = judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1, 2]))
    drawn = [picture for _, picture in chapter(found).pictures if not isinstance(picture, CellMap)]
    assert [picture.title for picture in drawn] == [REJECTION]
    assert found.recommendations[0].reliability == ()  # none is worth trying


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "titles"),
    [
        ({}, [ERRORS, RELIABILITY]),
        ({"old": [0.5, 0.5]}, [ERRORS, RELIABILITY, "Forest plot: A shift of priors"]),
        ({"measure": "brier"}, [RELIABILITY]),
        ({"measure": "cost", "gamma": 3.0}, [REJECTION]),
        ({"measure": "cost", "costs": [[0, 1], [4, 0]]}, [REJECTION]),
    ],
)
def test_what_was_tried_is_drawn(how, titles):
    found = recommend(*two()[::-1], **how)
    assert [picture.drawing.title for _, picture in pictures(found)] == titles
    text = found.to_html()
    assert text.count("<svg") == len(titles)
    assert "Every correction tried" in text
    assert "points" not in found.to_dict()


@pytest.mark.slow
def test_the_page_of_recommendations_tells_cases_findings_and_method():
    p, y = two(40)
    parts = {part.name: part for part in sections(recommend(y, p))}
    assert list(parts) == ["verdict", "findings", "corrections", "methods"]
    assert mentions(parts["verdict"].lead, "40 cases", "accuracy", "3 corrections")
    assert [card.title for card in parts["verdict"].cards] == ["Accuracy", "Gain in points", "P(gain)"]
    assert "Holm" in parts["methods"].sentences[0]
    alone = recommend(y, p, measure="cost", max_rejection=0.2)
    assert "Holm" not in {part.name: part for part in sections(alone)}["methods"].sentences[0]


def test_the_words_name_what_was_rejected_and_where():
    found = recommend(*two()[::-1], measure="cost", gamma=3.0, folds=4)
    words = " ".join(text(describe(found), width=400).split())
    row = next(row for row in found.rows if row.rejected and row.correction.kind == "two-sided")
    low, high = row.correction.thresholds
    assert f"1 {low:.3g} to {high:.3g}" in words
    assert f"{100 * row.rejected:.1f}%" in words
    assert "4 parts but one" in words


@pytest.mark.slow
def test_probabilities_are_not_rounded_up_to_what_they_do_not_reach():
    found = recommend(*two()[::-1])
    row = replace(found.rows[0], p_gain=0.9899, p_together=0.7999)
    shown = table(replace(found, rows=(row, row))).rows[0]
    assert shown[4:6] == ("= 0.98", "= 0.79")
    assert table(replace(found, rows=(replace(row, p_gain=0.99),))).rows[0][4] == "= 0.99"
    shown = {card.title: card.value for card in cards(replace(found, rows=(row,)))}
    assert shown["P(gain)"] == "0.98"


@pytest.mark.slow
def test_the_value_without_correction_is_rounded():
    found = replace(recommend(*two()[::-1]), before=2 / 3)
    assert table(found).caption.endswith("without correction 66.7%")


@pytest.mark.slow
def test_only_what_was_fitted_is_said_to_be():
    p, y = three()
    taken = recommend(y, p, measure="cost", costs=(1 - np.eye(3)).tolist())
    assert [row.recipe.kind for row in taken.rows] == ["costs"]
    words = " ".join(taken.in_words().split())
    assert "Nothing was fitted" in words
    assert "flatters" not in words
    assert "gains are of held-out cases" not in words
    assert table(taken).rows[0][table(taken).header.index("Gain where fitted")] == NOTHING
    assert "gains are of held-out cases" in " ".join(recommend(y, p).in_words().split())


@pytest.fixture(scope="module")
def found():
    p, y = two(401)
    return list(corrections(judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))))


def test_the_lead_is_one_sentence_and_the_second_chapter_is_folded(found):
    first, second = found
    assert first.lead.count(". ") == 0
    assert mentions(first.lead, "Recommended for accuracy", "class multipliers")
    assert (first.folded, second.folded, second.name) == (False, True, "corrections-balanced")
    assert facts(first.reading[0]) == ["401"]
    assert {section.theme for section in found} == {"corrections"}


@pytest.mark.slow
def test_the_best_advice_is_in_sight_whatever_its_goal():
    """A rare class that is hardly found: nothing for accuracy, much for balanced accuracy, and what that costs."""
    rng = np.random.default_rng(3)
    y = (rng.random(3000) < 0.03).astype(int)
    q = 1 / (1 + np.exp(3.5 - 1.2 * rng.normal(2.2 * y, 1.0)))
    result = judged(Predictions(y, scores=np.column_stack([1 - q, q]), classes=[0, 1]))
    accuracy, balanced = result.recommendations
    assert accuracy.best is None
    assert balanced.best is not None
    first, second = corrections(result)
    assert (first.name, first.folded, second.name, second.folded) == ("corrections-balanced", False, "corrections", True)
    before, after = balanced.unseen.measures["accuracy"]
    assert after < before
    assert result.next_steps[0].kind == "threshold"  # which does what the multipliers do to two classes
    now, then = result.next_steps[0].changes["sensitivity"]
    assert then > 3 * now
    assert f"{100 * balanced.best.gain:.1f}" in facts(first.lead)
    assert facts(first.lead)[-3:] == [f"{100 * (after - before):.1f}", f"{before:.1%}", f"{after:.1%}"]
    assert not first.lead.startswith("Leave it")


@pytest.mark.slow
def test_nothing_recommended_says_so_first():
    rng = np.random.default_rng(0)
    q = rng.random(800)
    y = (rng.random(800) < q).astype(int)
    result = judged(Predictions(y, scores=np.column_stack([1 - q, q]), classes=[0, 1]))
    assert all(each.best is None for each in result.recommendations)
    assert next(iter(corrections(result))).lead.startswith(
        ("No correction is recommended for accuracy", "Worth trying for accuracy")
    )
    assert not any("improved" in line for line in next(iter(sections(result))).sentences)


def test_before_and_after_are_shown_as_numbers_and_maps(found):
    first, _ = found
    p, y = two(401)
    compared = {row[0]: row[1:] for row in first.tables[0].rows}
    assert compared["Accuracy"][0] == f"{np.mean(p.argmax(axis=1) == y):.1%}"
    assert compared["Errors in 1,000 cases"][0] == f"{1000 * np.mean(p.argmax(axis=1) != y):.1f}"
    assert compared["Brier score"][0] == f"{np.mean((p[:, 1] - y) ** 2):.3f}"
    (after,) = (picture for _, picture in first.pictures if isinstance(picture, CellMap))  # as they are is a picture already
    assert after.counts.sum() == 401
    assert f"{1000 * (1 - np.trace(after.counts) / 401):.1f}" == compared["Errors in 1,000 cases"][1]


@pytest.mark.slow
def test_columns_are_named_and_explained(found):
    told = found[0].tables[1]
    assert not any(name[0].islower() for name in told.header)
    assert told.header[-1] == "Multipliers"
    assert all("\u00d7" in row[-1] for row in told.rows)
    assert any(note.startswith("Multipliers:") for note in told.notes)


@pytest.mark.slow
def test_a_gain_of_nothing_is_about_nothing():
    result = recommend(*two(401)[::-1])
    tiny = replace(result.rows[0], gain=-1e-9)
    assert table(replace(result, rows=(tiny,))).rows[0][2] == "about 0"


@pytest.mark.slow
def test_what_is_not_recommended_is_still_one_sentence():
    rng = np.random.default_rng(2)
    y = np.arange(150) % 3
    z = rng.normal(size=(150, 3)) + np.eye(3)[y]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    result = recommend(y, p)
    assert in_short(result).startswith("No correction is recommended for accuracy:")
    assert comparison(result).rows[0][0] == "Errors in 1,000 cases"


@pytest.mark.parametrize(("kind", "why"), [("hundred", "100 classes"), ("one row", "fewer than 50 cases")])
def test_without_corrections_the_reason_is_told(kinds, kind, why):
    (only,) = corrections(kinds[kind])
    assert "not tried" in only.lead
    assert why in only.lead


def test_decisions_alone_have_no_such_chapter(kinds):
    assert list(corrections(kinds["decisions"])) == []
    assert list(corrections(kinds["numbers"])) == []


# -- one that was fitted, and applied

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 3, 200)
P = RNG.dirichlet(np.ones(3), 200) / 2 + np.eye(3)[Y] / 2
FRAME = {"truth": np.array(["a", "b", "c"])[Y], "p_a": P[:, 0], "p_b": P[:, 1], "p_c": P[:, 2]}


@pytest.mark.parametrize(
    ("kind", "how", "headers"),
    [
        ("multipliers", {}, ("Class", "Multiplier")),
        ("priors", {"priors": [0.2, 0.3, 0.5]}, ("Class", "Old prior", "New prior")),
        ("reject", {"gamma": 2, "thresholds": "per-class"}, ("Class", "Rejected below")),
    ],
)
def test_a_fit_shows_its_parts_and_the_rates_of_cases_left_out(kind, how, headers):
    fitted = adjudge.correct.fit(FRAME, kind, **how)
    document = describe(fitted)
    rule, rates = document.tables
    assert rule.header == headers
    assert rates.header[1:] == (("Before", "After") if kind == "priors" else ("Before", "Held out", "In-sample"))
    first = dict((row[0], row[1:]) for row in rates.rows)["accuracy"]  # noqa: C402
    assert first[0] == f"{fitted.before['accuracy']:.4f}"
    assert document.closing


def test_many_classes_are_counted_not_listed():
    document = describe(Corrected(500, 3, 2, tuple(range(30)), np.full(30, 16), ("p",), "REJECTED", Path("out dir/new one.csv")))
    (table,) = document.tables
    assert (len(table.rows), table.rows[-1], table.untold) == (21, ("rejected", "2"), 10)
    assert document.closing[0].in_shell({}).endswith("adjudge evaluate 'new one.csv' --rejected REJECTED")
    assert str(document.closing[0]).endswith('evaluate("new one.csv", rejected="REJECTED")')
