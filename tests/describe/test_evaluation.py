"""The document of an evaluation and of a report: what is said with a page and without, of one set and of several."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta, binom
from tests.described import facts, mentions, section, verdict
from tests.results import made

import adjudge
from adjudge import ConfusionCounts, Predictions
from adjudge._base.levels import share
from adjudge.describe import describe
from adjudge.describe.evaluation import MOST_PARTS, MOST_SENTENCES, weaknesses
from adjudge.describe.evaluation_page import card_note
from adjudge.describe.tables import DETAILS


def test_the_page_is_made_only_where_it_is_asked_for(monkeypatch):
    result = made("Evaluation")
    whole = describe(result, figure=False)
    monkeypatch.setitem(sys.modules, "adjudge.describe.evaluation_page", None)  # importing it would fail now
    brief = describe(result, figure=False, whole=False)
    assert brief.sections == ()
    assert (brief.sentences, brief.tables, brief.findings) == (whole.sentences, whole.tables, whole.findings)


def test_a_terminal_has_every_measure_without_its_details():
    found = describe(made("Evaluation"), figure=False, whole=False)
    assert [row[0] for row in found.key.rows] == [row[0] for row in found.tables[0].rows]
    assert set(DETAILS) <= set(found.tables[0].header)
    assert not set(DETAILS) & set(found.key.header)


def test_a_report_of_one_is_its_evaluation_and_one_of_several_begins_with_their_comparison():
    one, several = made("Report"), made("Report of several")
    alone, own = describe(one, figure=False), describe(one.evaluation, figure=False)
    assert (alone.sentences, [part.name for part in alone.sections]) == (own.sentences, [part.name for part in own.sections])
    told = describe(several, figure=False)
    every = describe(several.comparison, figure=False).sentences
    assert (*told.sentences, *told.closing[: -len(several.names)]) == every
    assert len(told.sentences) <= 1 + MOST_SENTENCES
    assert [line.split(":")[0] for line in told.closing[-len(several.names) :]] == list(several.names)
    parts = [part for part in told.sections if part.kind == "part"]
    assert [part.title for part in parts] == list(several.names)
    assert [part.folded for part in parts] == [False, *(True for _ in parts[1:])]
    names = [inner.name for part in parts for inner in part.inner]
    assert len(set(names)) == len(names)


@pytest.mark.slow
def test_of_many_sets_the_first_are_told_and_the_others_counted():
    several = made("Report of several")
    n = MOST_PARTS + 3
    many = replace(several, names=tuple(f"s{i}" for i in range(n)), evaluations=several.evaluations[:1] * n)
    told = describe(many, figure=False)
    assert sum(part.kind == "part" for part in told.sections) == MOST_PARTS
    left = f"The evaluations of the first {MOST_PARTS} sets follow; those of 3 more sets are in the JSON of this report."
    assert told.closing[-1 - MOST_PARTS] == left
    assert [line.split(":")[0] for line in told.closing[-MOST_PARTS:]] == list(many.names[:MOST_PARTS])
    (remarks,) = [part for part in told.sections if part.name == "remarks"]
    assert remarks.sentences[-1] == left
    assert len(many.to_dict()["evaluations"]) == n


# -- what to worry about, and nothing where there is nothing -----------------------------------------------------


def told(result):
    return tuple(sentence for _, sentence in weaknesses(result, result.counts, result.weaknesses))


def test_nothing_is_said_where_there_is_nothing():
    assert told(adjudge.evaluate(ConfusionCounts([[90, 10], [11, 89]]))) == ()
    assert told(adjudge.evaluate(ConfusionCounts(np.eye(3, dtype=int) * 20))) == ()


def test_a_weak_class_and_a_large_confusion():
    result = adjudge.evaluate(ConfusionCounts([[95, 3, 2], [30, 60, 10], [2, 3, 95]], ("a", "b", "c")))
    named = facts(told(result)[0])
    assert named[:4] == ["'b'", "60.0%", "100", "95%"]
    assert named[6:] == ["30.0%", "'b'", "'a'", "30", "100"]
    assert verdict(result)[-1] == told(result)[0]


def test_many_weak_classes_are_named_in_part():
    table = np.diag([100] * 30)
    for i in range(5):
        table[i, i], table[i, 29] = 20, 80
    (line,) = told(adjudge.evaluate(ConfusionCounts(table)))
    assert line.count("is found in only") == 2
    assert mentions(line, "3 more classes", "3 more confusions")


def test_weights_are_no_numbers_of_cases():
    truth, decided = np.repeat([0, 1, 2], 60), np.repeat([0, 1, 2], 60)
    decided[:40] = 1
    (line,) = told(adjudge.evaluate(Predictions(truth, decided, weight=np.full(180, 0.5))))
    assert facts(line)[:2] in (["0", "33.3%"], ["0", "33%"])
    assert facts(line)[-3:] == ["66.7%", "0", "1"]
    assert not {"60", "40", "30", "20"} & set(facts(line))


def test_few_cases_are_named():
    (line,) = told(adjudge.evaluate(ConfusionCounts([[5, 1], [1, 5]])))
    assert line.endswith("only 12 cases.")
    assert told(adjudge.evaluate(ConfusionCounts([[1]])))[0].endswith("only 1 case.")


def sure(power, n=600):
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1.0, 1.0], n)
    y = (rng.random(n) < p[:, 1]).astype(int)
    p = p**power / (p**power).sum(axis=1, keepdims=True)
    return adjudge.evaluate(Predictions(y, p.argmax(axis=1), p, classes=[0, 1])), p, y


@pytest.mark.slow
def test_probabilities_too_high_or_too_low():
    result, p, y = sure(5.0)
    called, happened = f"{p.max(axis=1).mean():.1%}", f"{np.mean(p.argmax(axis=1) == y):.1%}"
    (line,) = told(result)
    assert facts(line) == [called, happened]
    assert "are overconfident" in line
    assert "are underconfident" in told(sure(0.2)[0])[-1]
    assert told(sure(1.0)[0]) == ()


def test_an_infinite_log_loss_has_its_reason(dna):
    assert mentions(told(dna)[1], "2 cases had probability 0", "log loss is infinite")


def test_groups_that_differ():
    rng = np.random.default_rng(0)
    truth, site = rng.integers(0, 2, 600), np.repeat(["rome", "paris"], 300)
    decided = np.where(rng.random(600) < np.where(site == "rome", 0.95, 0.7), truth, 1 - truth)
    result = adjudge.evaluate(Predictions(truth, decided, group=site))
    right = {name: np.mean((truth == decided)[site == name]) for name in ("paris", "rome")}
    assert told(result)[-1].startswith("Groups differ")
    assert facts(told(result)[-1]) == [f"{right['paris']:.1%}", "'paris'", f"{right['rome']:.1%}", "'rome'", "< 0.001"]


def test_a_loss_is_told_against_the_class_shares(dna):
    support = dna.counts.support / dna.counts.n
    better = 1 - dna.estimates["brier"].value / (1 - (support**2).sum())
    assert card_note(dna, dna.estimates["brier"]).startswith(f"{better:.0%} better ")
    assert card_note(dna, dna.estimates["accuracy"]) == f"always n: {support.max():.1%}"
    worse = adjudge.evaluate(Predictions([0, 1] * 20, scores=[0.9, 0.1] * 20, positive=1))
    assert " worse than" in card_note(worse, worse.estimates["brier"])


@pytest.mark.slow
def test_an_area_without_limits_says_why(make_many):
    many = make_many(100)
    assert facts(card_note(many, many.estimates["auc"])) == ["30"]


def test_the_interval_of_the_worst_class_is_its_own():
    result = adjudge.evaluate(ConfusionCounts([[95, 5], [40, 60]], ("a", "b")))
    low, high = (float(part.rstrip("%)")) / 100 for part in told(result)[0].split("interval ")[1].rstrip(".").split(" to "))
    for limit, tail in ((low, binom.sf(60, 100, low) + binom.pmf(60, 100, low) / 2), (high, binom.cdf(59, 100, high))):
        assert limit == pytest.approx(beta.ppf(0.025 if limit == low else 0.975, 60.5, 40.5), abs=0.004)  # close to Jeffreys'
        assert tail < 0.04


def by_site(within, n=1000):
    rng = np.random.default_rng(5)
    site = rng.integers(0, 2, n)
    truth = np.where(rng.random(n) < 0.85, site, 1 - site)
    return adjudge.evaluate(Predictions(truth, np.where(rng.random(n) < within, truth, site), group=site))


@pytest.mark.slow
def test_a_classifier_of_groups_is_not_praised():
    (line,) = (line for line in told(by_site(0.0)) if "groups" in line)
    assert facts(line)[0].startswith("8")
    assert line.endswith("no sign of skill within the groups.")
    assert any(line.startswith("Part of its skill ") for line in told(by_site(0.5)))
    assert told(by_site(1.0)) == ()
    all_of_it = section(by_site(0.0), "groups-balanced").reading[-1]
    assert all_of_it.startswith("All of the plain one")


def test_nothing_right_and_backwards():
    lines = told(adjudge.evaluate(Predictions([0, 1] * 20, scores=[0.9, 0.1] * 20, positive=1)))
    assert "not one decision" in lines[0]
    assert facts(lines[1])[:3] == ["0.000", "95%", "0.000"]
    assert mentions(lines[1], "scores", "wrong way round")


@pytest.mark.slow
def test_worse_than_one_answer():
    surely, perhaps = ConfusionCounts([[60, 40], [0, 20]]), ConfusionCounts([[93, 7], [3, 6]])
    assert "surely" in told(adjudge.evaluate(surely))[0]
    assert "than always predicting 0" in told(adjudge.evaluate(surely))[0]
    assert not any("always" in line for line in told(adjudge.evaluate(perhaps)))
    assert not any("always" in line for line in told(adjudge.evaluate(ConfusionCounts([[30, 10], [0, 0]]))))


def test_a_half_is_rounded_alike_in_the_verdict_and_in_the_finding():
    result = adjudge.evaluate(ConfusionCounts([[260, 47], [47, 46]]))
    always = verdict(result)[0].split("against ")[1].split(" for")[0]
    (told_of,) = (finding for finding in result.findings if finding.code == "A207")
    assert always == share(307 / 400)
    assert f"({always})" in told_of.message
