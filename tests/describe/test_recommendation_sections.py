"""The chapter on corrections: short, with before and after, or with the reason why there is none."""

from dataclasses import replace

import numpy as np
import pytest

import adjudge
from adjudge import Predictions, recommend
from adjudge.describe.recommendation_sections import corrections
from adjudge.describe.recommendations import comparison, in_short, table
from adjudge.describe.sections import sections
from adjudge.plots.geometry import CellMap


def judged(source, **how):
    """Return the evaluation of a report: with corrections tried."""
    return adjudge.report(source, **how).evaluation


def two(n=401, seed=1):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    q = 1 / (1 + np.exp(-rng.normal(2 * y - 0.3, 1.2)))
    return np.column_stack([1 - q, q]), y


@pytest.fixture(scope="module")
def found():
    p, y = two()
    return list(corrections(judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))))


def test_the_lead_is_one_sentence_and_the_second_chapter_is_folded(found):
    first, second = found
    assert first.lead.count(". ") == 0
    assert first.lead.startswith("Recommended for accuracy: class multipliers")
    assert (first.folded, second.folded, second.name) == (False, True, "corrections-balanced")
    assert first.reading[0] == "Tried on 401 cases, without retraining."
    assert {section.theme for section in found} == {"corrections"}


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
    told = [line for line in next(iter(sections(result))).sentences if "Recommended" in line]
    assert told == [f"It can be improved without retraining. {first.lead}"]
    assert f"it gained {100 * balanced.best.gain:.1f} points on cases it had not seen" in first.lead
    assert first.lead.endswith(f"at {100 * (after - before):.1f} points of accuracy ({before:.1%} to {after:.1%}).")
    assert not first.lead.startswith("Leave it")


def test_nothing_recommended_says_so_first():
    rng = np.random.default_rng(0)
    q = rng.random(800)
    y = (rng.random(800) < q).astype(int)
    result = judged(Predictions(y, scores=np.column_stack([1 - q, q]), classes=[0, 1]))
    assert all(each.best is None for each in result.recommendations)
    assert next(iter(corrections(result))).lead.startswith(("Leave it, for accuracy", "Worth trying for accuracy"))
    assert not any("improved" in line for line in next(iter(sections(result))).sentences)


def test_before_and_after_are_shown_as_numbers_and_maps(found):
    first, _ = found
    p, y = two()
    compared = {row[0]: row[1:] for row in first.tables[0].rows}
    assert compared["Accuracy"][0] == f"{np.mean(p.argmax(axis=1) == y):.1%}"
    assert compared["Errors in 1,000 cases"][0] == f"{1000 * np.mean(p.argmax(axis=1) != y):.1f}"
    assert compared["Brier score"][0] == f"{np.mean((p[:, 1] - y) ** 2):.3f}"
    before, after = (picture for _, picture in first.pictures if isinstance(picture, CellMap))
    assert before.counts.sum() == after.counts.sum() == 401
    assert f"{1000 * (1 - np.trace(after.counts) / 401):.1f}" == compared["Errors in 1,000 cases"][1]


def test_columns_are_named_and_explained(found):
    told = found[0].tables[1]
    assert not any(name[0].islower() for name in told.header)
    assert told.header[-1] == "Multipliers"
    assert all("\u00d7" in row[-1] for row in told.rows)
    assert any(note.startswith("Multipliers:") for note in told.notes)


def test_a_gain_of_nothing_is_about_nothing():
    result = recommend(*two())
    tiny = replace(result.rows[0], gain=-1e-9)
    assert table(replace(result, rows=(tiny,))).rows[0][2] == "about 0"


def test_what_is_not_recommended_is_still_one_sentence():
    rng = np.random.default_rng(2)
    y = np.arange(150) % 3
    z = rng.normal(size=(150, 3)) + np.eye(3)[y]
    p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    result = recommend(p, y)
    assert in_short(result).startswith("Leave it, for accuracy:")
    assert comparison(result).rows[0][0] == "Errors in 1,000 cases"


@pytest.mark.parametrize(("kind", "why"), [("hundred", "100 classes"), ("one row", "fewer than 50 cases")])
def test_without_corrections_the_reason_is_told(kinds, kind, why):
    (only,) = corrections(kinds[kind])
    assert only.lead.startswith("Corrections of the probabilities were not tried: ")
    assert why in only.lead


def test_decisions_alone_have_no_such_chapter(kinds):
    assert list(corrections(kinds["decisions"])) == []
    assert list(corrections(kinds["numbers"])) == []
