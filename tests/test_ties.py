"""One tie rule: where classes share the highest score, the file's decision tells which of them it is, on every page and in every engine."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.engines import ENGINES, frame_of

import adjudge
from adjudge.counts.counting import tally
from adjudge.counts.probabilities import BINS, ProbabilityCounts, bins_of

LABELS = np.array(["ant", "bee", "cow"])
VOTES = st.lists(
    st.tuples(st.lists(st.integers(0, 2), min_size=3, max_size=3).filter(any), st.integers(0, 2), st.integers(-1, 2)),
    min_size=1, max_size=40,
)  # fmt: skip


def judged(source, **how):
    """Return the evaluation of a report: with corrections tried."""
    return adjudge.report(source, **how).evaluation


def voted(n, seed=0):
    """Return votes of few neighbours, many of them tied, and decisions that break ties by chance."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    votes = np.array([rng.multinomial(4, np.where(np.arange(3) == c, 0.6, 0.2)) for c in truth])
    decided = np.array([rng.choice(np.flatnonzero(row == row.max())) for row in votes])
    columns = {f"p_{label}": votes[:, i] / 4 for i, label in enumerate(LABELS)}
    return {"truth": LABELS[truth], "predicted": LABELS[decided], **columns}


@pytest.mark.slow
def test_accuracy_reliability_partition_and_corrections_speak_of_the_same_decisions():
    columns = voted(300)
    right = float(np.mean(columns["truth"] == columns["predicted"]))
    assert right != pytest.approx(np.mean(columns["truth"] == LABELS[np.argmax([columns[f"p_{c}"] for c in LABELS], axis=0)]))
    found = judged(columns)
    told = found.to_dict()
    assert found.estimates["accuracy"].value == pytest.approx(right)
    assert told["confidence"]["observed"]["value"] == pytest.approx(right)
    assert told["confidence"]["observed"]["interval"] == told["estimates"]["accuracy"]["interval"]
    assert found.partition.correct == pytest.approx(right)
    sizes = {region.order[0]: region.n for region in found.partition.regions}
    assert sizes == dict(zip(*np.unique(columns["predicted"], return_counts=True), strict=True))
    assert next(goal.before for goal in found.recommendations if goal.measure == "accuracy") == pytest.approx(right)
    assert adjudge.partition(adjudge.read(columns)).correct == pytest.approx(right)


@pytest.mark.parametrize("engine", ENGINES)
def test_engines_break_ties_by_the_decisions_too(engine, monkeypatch):
    monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 0)
    monkeypatch.setattr("adjudge.counts.distributed.EXACT", 0)
    table = pa.table(voted(200, seed=1))
    there, here = (tally(adjudge.read(source)).probabilities for source in (frame_of(engine, table), table))
    np.testing.assert_allclose(there.top, here.top, rtol=1e-12)
    assert here.top[2].sum() == np.count_nonzero(table["truth"].to_numpy() == table["predicted"].to_numpy())


@pytest.mark.slow
@given(VOTES)
def test_the_highest_probability_is_that_of_the_decision_among_equals(cases):
    votes, truth, decided = (np.array(part) for part in zip(*cases, strict=True))
    p = votes / votes.sum(axis=1, keepdims=True)
    wanted = np.zeros((3, BINS))
    for row, own, said in zip(p, truth, decided, strict=True):
        equals = np.flatnonzero(row == row.max())
        top = said if said in equals else equals[0]
        wanted[:, bins_of(row[[top]])[0]] += (1, row[top], top == own)
    sums = ProbabilityCounts()
    sums.add(p, truth, None, decided)
    np.testing.assert_allclose(sums.top, wanted, rtol=1e-12)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.integers(0, 1), st.integers(0, 1)), min_size=1))
def test_a_single_probability_of_one_half_is_that_of_the_decision(cases):
    p, truth, decided = (np.array(part) for part in zip(*cases, strict=True))
    single, both = ProbabilityCounts(), ProbabilityCounts()
    single.add(p[:, None], truth, None, decided)
    both.add(np.column_stack((p, 1 - p)), truth, None, decided)
    np.testing.assert_allclose(single.top, both.top, rtol=1e-12)
    half = p == 0.5
    assert single.top[2, bins_of(np.array([0.5]))[0]] == np.count_nonzero(decided[half] == truth[half])
