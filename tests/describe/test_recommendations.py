"""What corrections would gain, in words, tables and pictures."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, recommend
from adjudge.describe.recommendations import figures, pictures, table
from adjudge.describe.sections import sections
from adjudge.plots.corrections import LinePicture
from adjudge.plots.forest import Forest
from adjudge.plots.geometry import CellMap, CurveSet
from adjudge.plots.labels import NOTHING


def judged(source, **how):
    """Return the evaluation of a report: with corrections tried."""
    return adjudge.report(source, **how).evaluation


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


def section(result, name="corrections"):
    return next(part for part in sections(result) if part.name == name)


def test_two_classes_have_their_errors_against_kappa_on_the_page():
    p, y = two()
    found = judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))
    maps, drawn = section(found).pictures[:2], section(found).pictures[2:]
    assert [type(picture) for _, picture in maps] == [CellMap, CellMap]  # without a correction, and with it
    assert [type(picture) for _, picture in drawn] == [LinePicture, CurveSet, LinePicture]
    assert (drawn[0][1].title, drawn[-1][1].title) == ("Errors against the multiplier", "Accuracy against rejection")
    assert [line.label for line in drawn[1][1].lines] == ["without", "corrected"]
    wrong = int((p.argmax(axis=1) != y).sum())
    assert f"no correction, multiplier 1: {wrong}" in drawn[0][1].words
    text = found.to_html()
    place = text.index('id="corrections-box"')
    inside = text[place : text.index("</section>", place)]
    assert inside.count("<svg") == 5
    assert inside.count("<figcaption") == 5
    assert "dot mark1" in inside  # the dots of the second line have its colour
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))


@pytest.mark.slow
def test_more_classes_have_no_single_kappa_to_draw():
    p, y = three()
    found = judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1, 2]))
    drawn = [picture for _, picture in section(found).pictures if not isinstance(picture, CellMap)]
    assert [picture.title for picture in drawn] == ["Accuracy against rejection"]
    assert found.recommendations[0].reliability == ()  # none is worth trying


@pytest.mark.parametrize(
    ("how", "kinds"),
    [
        ({}, [LinePicture, CurveSet]),
        ({"old": [0.5, 0.5]}, [LinePicture, CurveSet, Forest]),
        ({"measure": "brier"}, [CurveSet]),
        ({"measure": "cost", "gamma": 3.0}, [LinePicture]),
        ({"measure": "cost", "costs": [[0, 1], [4, 0]]}, [LinePicture]),
    ],
)
def test_what_was_tried_is_drawn(how, kinds):
    found = recommend(*two(), **how)
    assert [type(picture) for _, picture in pictures(found)] == kinds
    text = found.to_html()
    assert text.count("<svg") == len(kinds)
    assert "Every correction tried" in text
    assert "points" not in found.to_dict()


def test_the_page_of_recommendations_tells_cases_findings_and_method():
    p, y = two(40)
    parts = {part.name: part for part in sections(recommend(p, y))}
    assert list(parts) == ["verdict", "findings", "corrections", "methods"]
    assert parts["verdict"].lead == "40 cases · accuracy · 3 corrections tried"
    assert [card.title for card in parts["verdict"].cards] == ["Accuracy", "Gain in points", "P(gain)"]
    assert "Holm" in parts["methods"].sentences[0]
    alone = recommend(p, y, measure="cost", max_rejection=0.2)
    assert "Holm" not in {part.name: part for part in sections(alone)}["methods"].sentences[0]


def test_the_words_name_what_was_rejected_and_where():
    found = recommend(*two(), measure="cost", gamma=3.0, folds=4)
    words = " ".join(found.in_words().split())
    row = next(row for row in found.rows if row.rejected and row.correction.kind == "two-sided")
    low, high = row.correction.thresholds
    assert f"1 {low:.3g} to {high:.3g}" in words
    assert f"{100 * row.rejected:.1f}%" in words
    assert "all of 4 parts but one" in words


def test_probabilities_are_not_rounded_up_to_what_they_do_not_reach():
    found = recommend(*two())
    row = replace(found.rows[0], p_gain=0.9899, p_together=0.7999)
    shown = table(replace(found, rows=(row, row))).rows[0]
    assert shown[4:6] == ("= 0.98", "= 0.79")
    assert table(replace(found, rows=(replace(row, p_gain=0.99),))).rows[0][4] == "= 0.99"
    cards = {title: value for title, value, _ in figures(replace(found, rows=(row,)))}
    assert cards["P(gain)"] == "0.98"


def test_the_value_without_correction_is_rounded():
    found = replace(recommend(*two()), before=2 / 3)
    assert table(found).caption.endswith("without correction 66.7%")


def test_only_what_was_fitted_is_said_to_be():
    p, y = three()
    taken = recommend(p, y, measure="cost", costs=(1 - np.eye(3)).tolist())
    assert [row.recipe.kind for row in taken.rows] == ["costs"]
    words = " ".join(taken.in_words().split())
    assert "Nothing was fitted to these cases" in words
    assert "flatters" not in words
    assert "no part in fitting" not in words
    assert table(taken).rows[0][table(taken).header.index("Gain where fitted")] == NOTHING
    assert "gains are of cases that took no part in fitting" in " ".join(recommend(p, y).in_words().split())
