"""What to do next: each step's numbers against those that scikit-learn and scipy find, and each call run."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import binom
from sklearn.metrics import accuracy_score, balanced_accuracy_score, precision_score, recall_score

import adjudge
from adjudge import ConfusionCounts, Predictions
from adjudge.judgements.next_steps import LARGE_GAIN, MOST_STEPS, WIDE


def kinds(result):
    return [step.kind for step in result.next_steps]


def step(result, kind):
    return next(each for each in result.next_steps if each.kind == kind)


def fraud(n=20_000, seed=3):
    """Calibrated probabilities of a class of about one case in a hundred, hardly any above one half."""
    rng = np.random.default_rng(seed)
    p = 1 / (1 + np.exp(5.8 - 1.6 * rng.normal(size=n)))
    return (rng.random(n) < p).astype(int), p


def shrunk(n=600, seed=0):
    """Probabilities of three classes that favour the first one far too much."""
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.25, 0.15])
    logits = rng.normal(size=(n, 3)) + np.log([0.9, 0.07, 0.03])
    logits[np.arange(n), y] += 2
    p = np.exp(logits)
    return y, p / p.sum(axis=1, keepdims=True)


@pytest.mark.slow
def test_the_threshold_of_a_rare_class_does_what_is_told():
    y, p = fraud()
    result = adjudge.evaluate({"truth": y, "predicted": (p >= 0.5).astype(int), "score": p})
    told = step(result, "threshold")
    decided = p >= told.value
    assert told.of == 1
    assert told.changes["sensitivity"] == pytest.approx((recall_score(y, p >= 0.5), recall_score(y, decided)))
    assert told.changes["precision"] == pytest.approx((precision_score(y, p >= 0.5), precision_score(y, decided)))
    point = result.thresholds.at(told.value)
    assert point.sensitivity.value == pytest.approx(told.changes["sensitivity"][1])
    best = max(recall_score(y, p >= cut) - np.mean(p[y == 0] >= cut) for cut in np.quantile(p, np.linspace(0, 1, 500)))
    assert recall_score(y, decided) - np.mean(decided[y == 0]) >= best - 1e-12


@pytest.mark.slow
def test_a_recommended_gain_is_told_with_its_price():
    y, p = shrunk()
    result = adjudge.report(Predictions(y, None, p, classes=[0, 1, 2]))
    best = {each.measure: each for each in result.recommendations}["balanced_accuracy"]
    told = step(result, "correction")
    decided = p.argmax(axis=1)
    assert told.changes["balanced_accuracy"][0] == pytest.approx(balanced_accuracy_score(y, decided))
    assert told.changes["accuracy"][0] == pytest.approx(accuracy_score(y, decided))
    assert told.value == max(each.best.gain for each in result.recommendations if each.best is not None)
    assert best.best is not None
    assert told.value >= LARGE_GAIN


def test_gains_of_an_evaluation_are_not_known():
    y, p = shrunk()
    assert "correction" not in kinds(adjudge.evaluate(Predictions(y, None, p, classes=[0, 1, 2])))


def expected_half_width(n, rate):
    """The half width of mid-P limits averaged over all counts, by scipy's tails alone."""

    def limit(x, low):
        def tail(p):
            beyond = binom.sf(x, n, p) if low else binom.cdf(x - 1, n, p)
            return binom.pmf(x, n, p) / 2 + beyond - 0.025

        if low:
            return 0.0 if x == 0 else brentq(tail, 1e-12, 1 - 1e-12)
        return 1.0 if x == n else brentq(tail, 1e-12, 1 - 1e-12)

    x = np.arange(n + 1)
    chance = binom.pmf(x, n, rate)
    return sum(c * (limit(i, low=False) - limit(i, low=True)) / 2 for i, c in zip(x, chance, strict=True) if c > 1e-9)


@pytest.mark.slow
def test_so_many_more_cases_halve_the_interval():
    result = adjudge.evaluate(ConfusionCounts([[40, 6], [8, 46]], ("a", "b")))
    told = step(result, "cases")
    now, then = told.changes["half_width"]
    assert then == pytest.approx(now / 2, rel=0.05)
    assert expected_half_width(100 + int(told.value), 0.86) <= then < expected_half_width(100 + int(told.value) - 2, 0.86)
    assert adjudge.sample_size(result, half_width=then).cases == 100 + told.value


def test_a_narrow_interval_needs_no_more_cases():
    result = adjudge.evaluate(ConfusionCounts([[4900, 100], [100, 4900]], (0, 1)))
    interval = result.estimates["accuracy"].interval
    assert (interval.high - interval.low) / 2 < WIDE
    assert "cases" not in kinds(result)


def test_a_positive_class_that_nobody_named_comes_first():
    counts = ConfusionCounts([[30, 10], [5, 55]], ("ill", "well"))
    result = adjudge.evaluate(counts)
    first = result.next_steps[0]
    assert (first.kind, first.of) == ("positive", "ill")
    assert first.changes["sensitivity"] == pytest.approx(((30 / 40 + 55 / 60) / 2, 30 / 40))
    assert first.changes["precision"] == pytest.approx(((30 / 35 + 55 / 65) / 2, 30 / 35))
    assert "positive" not in kinds(adjudge.evaluate(counts, positive="well"))


def test_labels_that_look_alike_become_one_class_first_of_all():
    rng = np.random.default_rng(2)
    truth = np.array(["ill", "well", "ill "])[rng.integers(0, 3, 300)]
    said = np.array(["ill", "well", "Well"])[rng.integers(0, 3, 300)]
    result = adjudge.evaluate(Predictions(truth, said))
    told = result.next_steps[0]
    merged = [np.char.lower(np.char.strip(labels)) for labels in (truth, said)]
    assert told.kind == "labels"
    assert told.changes["accuracy"] == pytest.approx((accuracy_score(truth, said), accuracy_score(*merged)))
    assert "A101" in [finding.code for finding in result.findings]
    assert "differ only by case, spaces or Unicode form" in result.in_words().partition("Next steps")[0].replace("\n", " ")
    assert "labels" not in kinds(adjudge.evaluate(Predictions(*merged)))


def test_a_class_that_is_never_predicted_asks_for_scores():
    told = adjudge.evaluate(ConfusionCounts([[70, 0], [30, 0]], (0, 1))).next_steps[0]
    assert (told.kind, told.of) == ("scores", 1)
    y, p = fraud()
    assert "scores" not in kinds(adjudge.evaluate({"truth": y, "predicted": np.zeros_like(y), "score": p}))


def test_the_weak_class_and_what_it_would_add():
    cells = np.diag([90, 90, 90, 40]) + np.array([[0, 10, 0, 0], [10, 0, 0, 0], [0, 10, 0, 0], [60, 0, 0, 0]])
    told = step(adjudge.evaluate(ConfusionCounts(cells, tuple("abcd"))), "class")
    assert (told.of, told.name, told.value, told.call) == ("d", "a", 60, "")
    assert told.changes["sensitivity"] == pytest.approx((0.4, 0.9))
    assert told.changes["accuracy"] == pytest.approx((310 / 400, 360 / 400))


def test_scores_that_decide_nothing_ask_for_a_threshold():
    y, p = fraud()
    result = adjudge.evaluate({"truth": y, "score": 10 * p - 3}, scores="score", scores_are="scores", positive=1)
    told = result.next_steps[0]
    assert told.kind == "decide"
    assert told.changes["sensitivity"][1] == pytest.approx(recall_score(y, 10 * p - 3 >= told.value))
    assert told.changes["precision"][1] == pytest.approx(precision_score(y, 10 * p - 3 >= told.value))


def test_numbers_and_a_sound_classifier_have_none():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=2_000)
    assert adjudge.evaluate({"truth": truth + rng.uniform(-1, 1, 2_000), "predicted": truth}).next_steps == ()
    p = rng.beta(0.3, 0.3, 20_000)
    y = (rng.random(20_000) < p).astype(int)
    assert adjudge.report({"truth": y, "predicted": (p >= 0.5).astype(int), "score": p}).next_steps == ()


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(0, 200), min_size=3, max_size=3), min_size=3, max_size=3))
def test_whatever_the_table_there_are_few_steps_and_they_are_plain(cells):
    table = np.array(cells)
    if table.sum() == 0:
        return
    result = adjudge.evaluate(ConfusionCounts(table, ("a", "b", "c")))
    assert len(result.next_steps) <= MOST_STEPS
    assert len(set(kinds(result))) == len(result.next_steps)
    for told, plain in zip(result.next_steps, result.to_dict()["next_steps"], strict=True):
        assert plain["kind"] == told.kind
        assert None not in plain.values()
        assert all(len(pair) == 2 for pair in plain.get("changes", {}).values())


@pytest.mark.slow
def test_every_call_runs_as_it_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    y, p = fraud()
    pl.DataFrame({"truth": y, "predicted": (p >= 0.5).astype(int), "score": p}).write_csv("rare.csv")
    y, p = shrunk()
    names = np.array(["a", "b", "c"])
    columns = {"truth": names[y], "predicted": names[p.argmax(axis=1)]} | {f"p_{name}": p[:, at] for at, name in enumerate(names)}
    pl.DataFrame(columns).write_csv("three.csv")
    pl.DataFrame({"truth": ["ill", "well"] * 60, "predicted": ["ill", "ill", "ill", "well"] * 30}).write_csv("two.csv")
    pl.DataFrame({"truth": ["ill", "well"] * 60, "predicted": ["ill", "ill ", "WELL", "well"] * 30}).write_csv("alike.csv")
    ran = set()
    for name in ("rare.csv", "three.csv", "two.csv", "alike.csv"):
        for told in adjudge.report(name).next_steps:
            if told.call and "COLUMN" not in told.call:
                eval(told.call, {"adjudge": adjudge})  # noqa: S307 - our own call, to be pasted as it is
                ran.add(told.kind)
    assert ran >= {"threshold", "correction", "positive", "cases", "labels"}
    assert (tmp_path / "fix.json").exists()
