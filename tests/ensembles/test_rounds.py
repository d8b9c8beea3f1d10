"""The rounds of AdaBoost, against exact cases, and learners that do as they are told; cases held out, and when to stop."""

import json
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.conftest import ORACLES

from adjudge.ensembles.rounds import Boosting, reweighted, split, vote, weighted_error

CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))

ROUNDS = [case for case in CASES if case["quantity"] == "adaboost_rounds"]

VOTES = [case for case in CASES if case["quantity"] == "adaboost_vote"]


def told(case, found, wanted):
    assert found == pytest.approx([float(each) for each in wanted], rel=case["tolerance"]["rtol"], abs=case["tolerance"]["atol"])


@pytest.mark.parametrize("case", ROUNDS, ids=lambda case: case["id"])
def test_rounds_are_the_exact_ones(case):
    d, expected = case["inputs"]["d"], case["expected"]
    weights, errors, votes = np.full(d, 1 / d), [], []
    for at, rows in enumerate(case["inputs"]["misclassified"]):
        wrong = np.isin(np.arange(d), rows)
        errors.append(weighted_error(weights, wrong))
        votes.append(vote(errors[-1]))
        weights = reweighted(weights, wrong, errors[-1])
        told(case, weights, expected["weights"][at])
    told(case, errors, expected["errors"])
    told(case, votes, expected["vote_weights"])


@pytest.mark.parametrize("case", VOTES, ids=lambda case: case["id"])
def test_votes_are_the_exact_ones(case):
    sums = dict.fromkeys(sorted(set(case["inputs"]["predictions"])), 0.0)
    for error, label in zip(case["inputs"]["errors"], case["inputs"]["predictions"], strict=True):
        sums[label] += vote(error)
    told(case, list(sums.values()), [case["expected"][f"score_{label}"] for label in sums])
    assert max(sums, key=sums.get) == case["expected"]["winner"]


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(1e-9, 1), st.booleans()), min_size=2, max_size=50), st.integers(1, 9))
def test_those_misclassified_hold_half_the_weight_or_their_part_of_the_classes(cases, others):
    weights, wrong = np.array([w for w, _ in cases]), np.array([is_wrong for _, is_wrong in cases])
    weights = weights / weights.sum()
    error = weighted_error(weights, wrong)
    assume(0 < error < others / (others + 1))  # a model with a larger one is not taken
    fresh = reweighted(weights, wrong, error, others=others)
    assert fresh.sum() == pytest.approx(1, rel=1e-13)
    assert fresh[wrong].sum() == pytest.approx(others / (others + 1), rel=1e-9)
    among = weights[wrong] / weights[wrong].sum()
    assert fresh[wrong] / fresh[wrong].sum() == pytest.approx(among, rel=1e-9)


@pytest.mark.slow
@given(st.lists(st.tuples(st.floats(1e-6, 1), st.booleans()), min_size=2, max_size=30))
def test_losses_of_nought_and_one_are_misclassifications(cases):
    weights, wrong = np.array([w for w, _ in cases]), np.array([is_wrong for _, is_wrong in cases])
    weights = weights / weights.sum()
    error = weighted_error(weights, wrong)
    assume(0 < error < 1)
    assert weighted_error(weights, wrong.astype(float)) == pytest.approx(error, rel=1e-12)
    assert reweighted(weights, wrong.astype(float), error) == pytest.approx(reweighted(weights, wrong, error), rel=1e-12)


class Script:
    """A learner that misclassifies the rows it is told to, and remembers how often each case was drawn."""

    def __init__(self, n, *misses):
        self.n, self.misses, self.counts = n, list(misses), []

    def __call__(self, counts, _):
        self.counts.append(counts)
        number = len(self.counts) - 1
        return number, np.isin(np.arange(self.n), self.misses[min(number, len(self.misses) - 1)])


def boosting(script, *, start=None, limit=0.5, others=1, most=10, max_restarts=2):
    start = np.full(script.n, 1 / script.n) if start is None else start
    return Boosting(script, start, limit, others, most, max_restarts, 0)


def test_a_failure_begins_the_weights_anew():
    # after [0] wrong that case holds half the weight; then it and another are too much
    run = boosting(Script(10, [0], [0, 1], [2, 3]), most=2)
    first, second = run.run()
    assert (first.model, second.model, run.restarts) == (0, 2, 1)
    assert second.error == pytest.approx(0.2)  # by the weights of the beginning
    assert run.stopped == "rounds"


def test_an_error_of_one_half_is_a_failure():
    run = boosting(Script(4, [0], [1, 0], [2, 3], [1]), most=2, max_restarts=5)
    assert [each.model for each in run.run()] == [0, 3]
    assert run.restarts == 2


def test_an_error_of_one_half_but_for_rounding_is_a_failure():
    start = np.array([0.25, 0.25, 0.25, 0.25 + 4e-16])
    assert weighted_error(start, np.array([True, True, False, False])) / start.sum() < 0.5
    run = boosting(Script(4, [0, 1], [2]), start=start / start.sum(), most=1)
    (only,) = run.run()
    assert (only.model, run.restarts) == (1, 1)


def test_as_many_are_drawn_as_have_a_weight():
    script = Script(4, [1], [2])
    list(boosting(script, start=np.array([0.0, 0.25, 0.25, 0.5]), most=2).run())
    assert [counts.sum() for counts in script.counts] == [3, 3]


@pytest.mark.parametrize("max_restarts", [0, 1, 4])
def test_restarts_are_bounded(max_restarts):
    script = Script(4, [0], [0, 1, 2])
    run = boosting(script, max_restarts=max_restarts)
    assert [each.model for each in run.run()] == [0]
    assert (run.restarts, run.stopped, len(script.counts)) == (max_restarts, "chance", max_restarts + 2)


def test_restarts_are_counted_anew_in_every_round():
    script = Script(4, [0, 1], [0], [1, 2, 3], [1], [2, 3, 0], [0])
    run = boosting(script, most=3, max_restarts=1)
    assert [each.model for each in run.run()] == [1, 3, 5]
    assert (run.restarts, run.stopped) == (3, "rounds")


def test_of_models_no_better_than_chance_the_best_is_kept_alone():
    run = boosting(Script(10, [0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4], [0, 1, 2, 3, 4, 5, 6]))
    (only,) = run.run()
    assert (only.model, only.error, only.vote, run.stopped) == (1, 0.5, 1.0, "chance")


def test_a_model_without_error_decides_alone():
    run = boosting(Script(10, [0], [1], [2, 3], []))
    *before, last = run.run()
    assert last.error == 0
    assert last.vote == pytest.approx(sum(each.vote for each in before) + math.log(11))
    assert run.stopped == "perfect"


def test_a_case_without_weight_makes_no_error():
    start = np.array([0.0, 0.25, 0.25, 0.5])
    (only,) = boosting(Script(4, [0]), start=start).run()
    assert only.error == 0


def test_many_classes_may_be_wrong_more_than_half_the_time():
    run = boosting(Script(10, [0, 1, 2, 3, 4, 5]), limit=2 / 3, others=2, most=1)
    (only,) = run.run()
    assert only.error == pytest.approx(0.6)
    assert only.vote == pytest.approx(math.log(0.4 / 0.6) + math.log(2))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=12, max_size=80), st.floats(0.1, 0.9), st.integers(0, 99))
def test_every_class_is_held_out_in_its_proportion_and_still_learnt_from(cases, share, word):
    kinds, counts = np.array([kind for kind, _ in cases]), np.array([counted for _, counted in cases])
    sizes = np.unique(kinds[counts], return_counts=True)[1].tolist()
    assume(any(min(round(share * n), n - 1) for n in sizes))
    learnt, held = split(share, kinds, counts, word)
    assert sorted([*learnt, *held]) == list(range(kinds.size))
    assert counts[held].all()
    for kind in np.unique(kinds[counts]):
        n = np.count_nonzero(kinds[counts] == kind)
        assert np.count_nonzero(kinds[held] == kind) == min(round(share * n), n - 1)


def test_nothing_is_held_out_unasked():
    learnt, held = split(None, np.zeros(5), np.ones(5, dtype=bool), 0)
    assert (learnt.tolist(), held.size) == ([0, 1, 2, 3, 4], 0)


def test_the_seed_says_which():
    kinds, counts = np.zeros(50), np.ones(50, dtype=bool)
    assert (split(0.3, kinds, counts, 1)[1] == split(0.3, kinds, counts, 1)[1]).all()
    assert (split(0.3, kinds, counts, 1)[1] != split(0.3, kinds, counts, 2)[1]).any()
