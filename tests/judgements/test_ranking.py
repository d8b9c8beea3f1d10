"""Candidates from best to worst: groups, Holm's procedure and luck, by enumeration."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.described import facts

from adjudge.estimates.differences import Difference
from adjudge.judgements.comparison import judge_difference
from adjudge.judgements.ranking import Candidates, adjusted, of_draws, rank_candidates, two_sided
from adjudge.metrics.catalogue import find
from adjudge.stats.student import PointDistribution, StudentDistribution
from adjudge.stats.transforms import Drawn

ACCURACY = find("accuracy")


def judged(distribution, value=0.02, measure=ACCURACY, **how):
    found = Difference(0.8 + value, 0.8, distribution, "by hand")
    return judge_difference(found, measure, names=("a", "b"), cases=100, **how)


def test_too_few_draws_for_so_many_pairs_are_told():
    distribution = Drawn(np.random.default_rng(0).normal(0.3, 0.01, 99))
    found = Difference(0.8, 0.5, distribution, "drawn")
    compared = [judge_difference(found, find("mcc"), names=("a", f"b{i}"), cases=100) for i in range(6)]
    assert {c.verdict for c in compared} == {"better"}
    assert {c.verdict for c in adjusted(compared)} == {"undecided"}
    assert [f.code for f in of_draws(compared)] == ["A716"]
    assert not list(of_draws(compared[:4]))


def test_p_values_for_rankings():
    assert two_sided(judged(PointDistribution(0.0), 0.0)) == 1
    assert two_sided(judged(PointDistribution(0.02))) == 0
    assert two_sided(judged(StudentDistribution(0.02, 0.01))) == pytest.approx(2 * stats.norm.sf(2))
    assert two_sided(judged(StudentDistribution(0.02, 0.01), p_value=0.5)) == 0.5


def test_draws_are_counted_with_ties_on_either_side_and_are_never_certain():
    draws = np.array([-0.1, 0.0, 0.0, 0.2, 0.3, 0.4])
    assert two_sided(judged(Drawn(draws), 0.1)) == 1  # twice 4 of 7
    assert two_sided(judged(Drawn(draws[[0, 3, 3, 4, 4, 5, 5]]), 0.1)) == pytest.approx(2 * (1 + 1) / (7 + 1))
    assert two_sided(judged(Drawn(np.linspace(0.1, 0.2, 99)), 0.1)) == pytest.approx(2 / 100)


@given(st.lists(st.floats(0.01, 0.99), min_size=1, max_size=6))
def test_doubts_held_together_are_those_of_all_intersections(sure):
    """Holm's procedure is the closed test: a pair's doubt is the largest that Bonferroni gives any set of pairs it is in."""
    compared = [judged(StudentDistribution(float(stats.norm.isf(p)), 1.0), 0.0, margin=0.0) for p in sure]
    doubts = [1 - max(each.worse, each.better) for each in compared]
    sets = [which for size in range(1, len(sure) + 1) for which in combinations(range(len(sure)), size)]
    for at, each in enumerate(adjusted(compared)):
        wanted = max(min(1.0, len(which) * min(doubts[i] for i in which)) for which in sets if at in which)
        assert each.adjusted_doubt == pytest.approx(wanted, abs=1e-12)
        assert each.pairs == len(sure)


def ranked(values, draws, *, measure="accuracy", spread=0.02, corrected=None, level=0.95):
    values, of = np.asarray(values, dtype=float), find(measure)
    names = tuple("abcdefgh"[: values.size])

    def compare(i, j):
        found = Difference(values[i], values[j], StudentDistribution(values[i] - values[j], spread), "made up")
        return judge_difference(found, of, names=(names[i], names[j]), cases=900, margin=0.01)

    best = values.max() if of.higher_is_better else values.min()
    found = Candidates(
        names, values, [None] * values.size, draws, compare, best if corrected is None else corrected, 900, "made up"
    )
    return rank_candidates(found, of, level=level, margin=0.01)


@given(st.lists(st.integers(0, 12), min_size=2, max_size=5), st.booleans())
def test_groups_are_the_longest_runs_without_a_verdict(steps, less):
    values = np.array(steps) / 30
    found = ranked(values, np.zeros((1, values.size)), measure="error" if less else "accuracy")
    names = [row.name for row in found.rows]
    assert names == sorted(
        names, key=lambda name: (values["abcdef".index(name)] * (1 if less else -1), name)
    )  # of equals the first
    apart = {pair for pair, each in found.comparisons.items() if each.verdict in ("better", "worse")}
    runs = [tuple(names[i:j]) for i in range(len(names)) for j in range(i + 1, len(names) + 1)]
    alike = [run for run in runs if not apart & set(combinations(run, 2))]
    assert set(found.groups) == {run for run in alike if not any(set(run) < set(other) for other in alike)}
    for row in found.rows:
        assert row.groups == tuple(at for at, group in enumerate(found.groups, 1) if row.name in group)


def test_the_best_is_so_in_as_many_draws_ties_shared():
    draws = np.array([[3.0, 1, 3], [2, 5, 1], [0, 4, 4], [9, 9, 9]])
    assert {row.name: row.p_best for row in ranked([0.7, 0.8, 0.9], draws).rows} == pytest.approx(
        {"a": (1 / 2 + 1 / 3) / 4, "b": (1 + 1 / 2 + 1 / 3) / 4, "c": (1 / 2 + 1 / 2 + 1 / 3) / 4}
    )
    less = {row.name: row.p_best for row in ranked([0.7, 0.8, 0.9], draws, measure="error").rows}
    assert less == pytest.approx({"a": (1 + 1 / 3) / 4, "b": (1 + 1 / 3) / 4, "c": (1 + 1 / 3) / 4})


@pytest.mark.parametrize(
    ("measure", "corrected", "size"), [("accuracy", 0.87, 0.03), ("accuracy", 0.95, 0), ("error", 0.75, 0.05), ("error", 0.6, 0)]
)
def test_luck_is_never_less_than_none_and_points_to_the_worse(measure, corrected, size):
    found = ranked([0.9, 0.7, 0.8], np.eye(3), measure=measure, corrected=corrected)
    best = 0.9 if measure == "accuracy" else 0.7
    assert found.optimism.size == pytest.approx(size, abs=1e-12)
    assert found.optimism.corrected == pytest.approx(corrected if size else best)
    assert found.optimism.observed == found.best.value == best
    assert ("A711" in [f.code for f in found.findings]) == bool(size)


def test_a_best_that_is_not_sure_names_how_many_may_be_as_good():
    draws = np.zeros((20, 3))
    draws[:13, 0] = draws[13:19, 1] = draws[19:, 2] = 1
    (told,) = (f for f in ranked([0.9, 0.8, 0.7], draws, level=0.9).findings if f.code == "A710")
    assert told.message.startswith("a ")
    assert facts(told.message) == ["0.65"]
    assert facts(told.advice)[0] == "1"  # c is in a twentieth alone
    sure = ranked([0.9, 0.8, 0.7], draws, level=0.6)
    assert "A710" not in [f.code for f in sure.findings]
