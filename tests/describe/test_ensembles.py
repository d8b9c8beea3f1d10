"""What is said of ensembles: whether each helped, and whether more rounds of it did harm."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.described import mentions, section, sections
from tests.ensembles.made import curves, rounds_of
from tests.results import made

from adjudge.describe.ensembles import candidates, courses, sentences
from adjudge.plots.labels import NOTHING


@cache
def judged():
    """Return one tree against three bagged."""
    return made("EnsemblesJudged")


def with_rounds(found):
    return replace(judged(), rounds=judged().rounds | {"bagging": found})


def rows_of(table):
    return {row[0]: dict(zip(table.header, row, strict=True)) for row in table.rows}


@pytest.mark.parametrize(
    ("chances", "begins", "cell"),
    [
        ((0.98, 0.01, 0.01), "Bagging helped: accuracy ", "helped"),
        ((0.01, 0.01, 0.98), "Bagging did harm: accuracy ", "did harm"),
        ((0.01, 0.98, 0.01), "Bagging made no difference that matters: accuracy ", "made no difference that matters"),
        ((0.5, 0.3, 0.2), "Undecided whether Bagging helped: accuracy ", "undecided"),
    ],
)
def test_every_verdict_has_its_words(chances, begins, cell):
    better, same, worse = chances
    against = replace(judged().against["bagging"], better=better, same=same, worse=worse)
    found = replace(judged(), against={"bagging": against})
    assert next(sentences(found)).startswith(begins)
    assert rows_of(candidates(found))["bagging"]["Verdict"] == cell


def test_the_numbers_are_those_of_the_comparison():
    found = judged().against["bagging"]
    rows = rows_of(candidates(judged()))
    assert [float(rows[name]["Accuracy"].rstrip("%")) for name in ("bagging", "single")] == [
        round(100 * v, 1) for v in found.values
    ]
    told = [float(rows["bagging"][f"P({name})"]) for name in ("better", "same", "worse")]
    assert told == pytest.approx([found.better, found.same, found.worse], abs=0.005)
    assert set(rows["single"].values()) >= {"single", NOTHING}


def test_overfitting_is_told_with_its_rounds():
    rng = np.random.default_rng(0)
    falls = np.linspace(0.2, 0.0, 12) + rng.normal(scale=0.005, size=(10, 12))
    grown = with_rounds(rounds_of(falls, curves(rng, 0.1)))
    told = " ".join(sentences(grown))
    assert "Bagging overfitted" in told
    assert rows_of(courses(grown))["bagging"]["Verdict"] == "overfits"
    flat = with_rounds(rounds_of(np.zeros((10, 12)) + 0.1, curves(rng, 0.1)))
    assert "more rounds did harm" in " ".join(sentences(flat))
    assert rows_of(courses(flat))["bagging"]["Verdict"] == "gets worse"
    low = with_rounds(rounds_of(falls, curves(rng, 0.0)))
    assert "Bagging did not overfit" in " ".join(sentences(low))
    assert rows_of(courses(low))["bagging"]["Verdict"] == "does not overfit"


def test_errors_of_the_first_and_of_all_rounds_are_means_over_folds():
    rng = np.random.default_rng(1)
    learnt, new = curves(rng, -0.1), curves(rng, 0.05)
    row = rows_of(courses(with_rounds(rounds_of(learnt, new))))["bagging"]
    told = [float(row[name].rstrip("%")) for name in ("Training, 1 round", "Training, all", "New, 1 round", "New, all")]
    ends = [100 * each[:, at].mean() for each in (learnt, new) for at in (0, -1)]
    assert told == pytest.approx(ends, abs=0.05)


def test_without_folds_nothing_is_said_of_overfitting():
    alone = replace(judged().rounds["bagging"], rise=None, fall=None)
    assert any(mentions(line, "Bagging", "unknown") for line in sentences(with_rounds(alone)))
    assert rows_of(courses(with_rounds(alone)))["bagging"]["Verdict"] == "unknown"


@pytest.mark.parametrize(
    ("stopped", "why"), [("perfect", ", which makes no error"), ("chance", ", as no other was better than chance"), ("", "")]
)
def test_boosting_that_ended_at_once_says_why(stopped, why):
    found = judged().rounds["bagging"]
    ended = replace(found, kept=np.ones_like(found.kept), stopped=(stopped,) * len(found.kept))
    told = f"Bagging ended after one model in every fold{why}: there are no rounds to overfit in."
    assert told in sentences(with_rounds(ended))
    assert rows_of(courses(with_rounds(ended)))["bagging"]["Verdict"] == "ended at once"


def test_the_models_of_a_learner_that_was_not_followed_are_not_counted():
    alone = with_rounds(replace(judged().rounds["bagging"], followed=False))
    rows = rows_of(courses(alone))
    assert rows["single"]["Models"] == "1"
    assert rows["bagging"]["Models"] == NOTHING
    assert rows["bagging"]["New, all"].endswith("%")
    assert "overfit" not in " ".join(sentences(alone))
    assert not any(part.name.startswith("rounds-") for part in sections(alone))


def test_who_failed_is_named_first():
    found = replace(judged(), left_out={"a\x1b[2J": {1: "ValueError"}, "adaboost": {1: "ValueError"}})
    told = list(sentences(found))
    assert [line.split(" failed ")[0] for line in told[:2]] == ["a\\x1b[2J", "AdaBoost"]


def test_the_page_tells_the_plan_and_every_candidate():
    (facts,) = section(judged(), "plan").tables
    told = dict(facts.rows)
    assert (told["Rows"], told["Seed"], told["SHA-256"]) == ("80", "0", judged().plan.fingerprint)
    assert "DecisionTreeClassifier(max_depth=2" in told["The single model"]
    assert "Bagging" in told
    assert [card.title for card in sections(judged())[0].cards] == ["Single", "Bagging"]
