"""One rule for comparisons, rankings, gates and plans: what is promised is what its verdicts reach, simulated with the truth known."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from tests.described import refused

import adjudge
from adjudge import ConfusionCounts, Predictions
from adjudge.counts.joint import JointCounts
from adjudge.estimates.differences import paired_difference
from adjudge.estimates.estimate import Interval
from adjudge.judgements.comparison import Comparison, three_numbers
from adjudge.judgements.decision import (
    assured,
    checked_assurance,
    cleared,
    false_verdicts,
    more_until,
    two_digits,
    verdict_of,
)
from adjudge.judgements.evaluation import Evaluation, Origin
from adjudge.judgements.gate import judge_rules, read_rules
from adjudge.judgements.ranking import adjusted
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import Measure

LEAST, MOST = 0.78, 0.86
"""What 80% may turn out as: two or three standard errors of some hundred samples, and whole numbers of cases."""


@given(st.floats(-0.2, 0.2), st.floats(0.001, 0.1), st.floats(0.001, 0.1), st.sampled_from([0.8, 0.95, 0.99]))
def test_assurance_is_how_often_the_true_verdict_comes(difference, spread, margin, level):
    """Over the quantiles of what may be estimated, each judged by scipy's normal."""
    assume(abs(difference) != margin)
    seen = stats.norm.ppf((np.arange(8000) + 0.5) / 8000, difference, spread)
    better, worse = stats.norm.sf(margin, seen, spread), stats.norm.cdf(-margin, seen, spread)
    true = better if difference > margin else worse if difference < -margin else 1 - better - worse
    assert assured(difference, spread, margin=margin, level=level) == pytest.approx(np.mean(true >= level), abs=2e-3)


def test_a_difference_of_the_margin_has_no_verdict():
    assert assured(0.01, 1e-9, margin=0.01, level=0.95) == 0
    assert assured(-0.01, 1e-9, margin=0.01, level=0.95) == 0
    assert assured(0.0, 1e-9, margin=0.0, level=0.95) == 0


@given(st.floats(1, 1e6), st.floats(0.1, 0.99), st.floats(0.1, 100))
def test_the_number_is_the_least_of_two_digits(cases, assurance, gap):
    def reached(n):
        return cleared(gap, 100 * math.sqrt(cases / n), 0.95)

    found = more_until(reached, assurance, cases)
    if found is None:
        assert reached(1e12) < assurance
        return
    assert reached(cases + found) >= assurance
    assert found <= 10 or float(f"{found:.1e}") == found
    less = cases + 0.89 * found - 1
    assert found == 1 or less <= cases or reached(less) < assurance + 1e-9


def test_no_number_decides_what_never_comes():
    assert more_until(lambda _: 0.5, 0.8, 100) is None
    assert more_until(lambda _: math.nan, 0.8, 100) is None
    assert more_until(lambda _: 1.0, 0.8, 1e13) is None


def test_two_digits_are_rounded_up():
    assert [two_digits(n) for n in (0.2, 3, 99, 101, 1201, 123_456)] == [1, 3, 99, 110, 1300, 130_000]


def test_both_sides_may_err():
    assert false_verdicts(0.95) == pytest.approx(0.1)
    assert false_verdicts(0.3) == 1


@pytest.mark.parametrize("given", [0, 1, 80, "0.8", True, math.nan, None])
def test_what_is_no_assurance_is_refused(given):
    with refused("assurance", "between 0 and 1", "got"):
        checked_assurance(given)


# -- what is promised, through the verdicts ------------------------------------------------------------------------


def counted(outcomes: np.ndarray) -> JointCounts:
    """What two classifiers said: by class so many cases that only the first gets right, only the second, both."""
    k = max(2, len(outcomes))
    truth = np.repeat(np.arange(len(outcomes)), 3)
    right, wrong = truth.reshape(-1, 3), (truth.reshape(-1, 3) + 1) % k
    first, second = right.copy(), right.copy()
    first[:, 1], second[:, 0] = wrong[:, 1], wrong[:, 0]
    seen = outcomes.ravel() > 0
    said = np.stack([first.ravel(), second.ravel()], axis=1)
    return JointCounts(tuple(range(k)), ("a", "b"), truth[seen], said[seen], outcomes.ravel()[seen].astype(np.int64))


def measure_of(outcomes: np.ndarray) -> Measure:
    return find("accuracy" if len(outcomes) == 1 else "balanced_accuracy")


def compared(outcomes: np.ndarray, margin: float = 0.01) -> Comparison:
    """The comparison by accuracy, of several classes by balanced accuracy."""
    joint = counted(outcomes)
    rows = np.repeat(np.arange(len(joint.truth)), joint.n)
    sets = [
        Predictions(joint.truth[rows], joint.predicted[rows, i], row=np.arange(rows.size), classes=list(joint.classes))
        for i in (0, 1)
    ]
    return adjudge.compare(*sets, measure=measure_of(outcomes).name, margin=margin)


def verdict(outcomes: np.ndarray, margin: float) -> str:
    """Its verdict alone, without the interval, which takes ten times as long."""
    distribution = paired_difference(counted(outcomes), measure_of(outcomes), 0, 1, positive=None).distribution
    return verdict_of(*three_numbers(distribution, margin, higher_is_better=True), 0.95)


@pytest.mark.parametrize("outcomes", [[[20, 3, 77]], [[12, 6, 82]], [[8, 2, 30], [5, 4, 71]], [[9, 0, 11], [5, 4, 71]]])
def test_the_verdict_that_is_simulated_is_that_of_compare(outcomes):
    found = compared(np.array(outcomes))
    assert found.verdict == verdict(np.array(outcomes), 0.01)
    assert (found.better, found.same) == pytest.approx(three(np.array(outcomes), 0.01)[:2], abs=0.05)


def three(outcomes: np.ndarray, margin: float) -> tuple[float, float, float]:
    """Better, the same, worse by a normal posterior: good enough to say what is out of the question."""
    alpha = outcomes + np.array([1, 1, 2])
    n = alpha.sum(axis=1)
    mean = (alpha[:, 0] - alpha[:, 1]) / n
    variance = ((alpha[:, 0] + alpha[:, 1]) / n - mean**2) / (n + 1)
    distribution = stats.norm(mean.mean(), math.sqrt(variance.sum()) / len(n))
    return distribution.sf(margin), distribution.cdf(margin) - distribution.cdf(-margin), distribution.cdf(-margin)


def verdicts(n: int, shares: np.ndarray, *, margin: float, samples: int, seed: int) -> Counter[str]:
    """What compare says of test sets of `n` cases, drawn with the shares of outcomes in every class."""
    drawn, found = np.random.default_rng(seed).multinomial(n, shares.ravel(), size=samples), Counter()
    for row, times in Counter(map(tuple, drawn.tolist())).items():
        outcomes = np.array(row).reshape(shares.shape)
        about = dict(zip(("better", "equivalent", "worse"), three(outcomes, margin), strict=True))
        likeliest = max(about, key=about.get)
        near = 0.9 < about[likeliest] < 0.98  # only where it matters is the posterior itself asked
        found[verdict(outcomes, margin) if near else likeliest if about[likeliest] >= 0.95 else "undecided"] += times
    return found


def outcomes_of(difference: float, discordant: float, shares=(1.0,)) -> np.ndarray:
    each = np.array([(discordant + difference) / 2, (discordant - difference) / 2, 1 - discordant])
    return np.asarray(shares)[:, None] * each


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "discordant", "margin", "assurance"),
    [(0.03, 0.09, 0.01, 0.8), (0.1, 0.2, 0.01, 0.8), (0.3, 0.4, 0.0, 0.8), (0.05, 0.052, 0.01, 0.8), (0.05, 0.1, 0.02, 0.9)],
)
def test_planned_cases_let_compare_find_the_better(difference, discordant, margin, assurance):
    n = adjudge.sample_size(difference=difference, discordant=discordant, margin=margin, assurance=assurance).cases
    found = verdicts(n, outcomes_of(difference, discordant), margin=margin, samples=500, seed=1)
    assert assurance - 0.03 <= found["better"] / 500 <= assurance + 0.06
    assert found["worse"] + found["equivalent"] <= 5


@pytest.mark.slow
@pytest.mark.parametrize(("difference", "discordant", "margin"), [(0.0, 0.05, 0.02), (0.01, 0.1, 0.04)])
def test_planned_cases_let_compare_find_two_the_same(difference, discordant, margin):
    n = adjudge.sample_size(equivalent=True, difference=difference, discordant=discordant, margin=margin).cases
    found = verdicts(n, outcomes_of(difference, discordant), margin=margin, samples=500, seed=2)
    assert LEAST <= found["equivalent"] / 500 <= MOST


@pytest.mark.slow
@pytest.mark.parametrize(("difference", "discordant", "share"), [(0.06, 0.15, 0.2), (0.15, 0.25, 0.5)])
def test_planned_cases_let_compare_decide_by_balanced_accuracy(difference, discordant, share):
    shares = {"a": 1 - share, "b": share}
    n = adjudge.sample_size(difference=difference, discordant=discordant, measure="balanced_accuracy", share=shares).cases
    found = verdicts(n, outcomes_of(difference, discordant, list(shares.values())), margin=0.01, samples=400, seed=3)
    assert LEAST <= found["better"] / 400 <= MOST


@pytest.mark.slow
def test_planned_cases_let_compare_decide_by_auc():
    """Binormal scores that share half of their noise; the areas are known: Phi(shift / sqrt(2))."""
    rng, shifts = np.random.default_rng(4), (1.4, 1.0)
    areas = stats.norm.cdf(np.array(shifts) / math.sqrt(2))

    def drawn(n):
        truth, common = rng.random(n) < 0.3, rng.normal(size=n)
        noise = [(common + rng.normal(size=n)) / math.sqrt(2) for _ in shifts]
        return [
            Predictions(truth.astype(int), None, shift * truth + e, classes=[0, 1], row=np.arange(n), threshold=0.5)
            for shift, e in zip(shifts, noise, strict=True)
        ]

    planned = adjudge.sample_size(*drawn(4000), difference=float(areas[0] - areas[1]), measure="auc").cases
    said = [adjudge.compare(*drawn(planned), measure="auc").verdict for _ in range(150)]
    assert 0.72 <= said.count("better") / 150 <= 0.88


@pytest.mark.slow
def test_planned_cases_let_the_gate_pass():
    """From which count on the gate passes is searched through its verdict; how often that is reached is scipy's binomial."""
    for bound, rate, assurance in ((0.9, 0.95, 0.8), (0.7, 0.8, 0.9)):
        n = adjudge.sample_size(above=bound, expected=rate, assurance=assurance).cases

        def passes(right, n=n, bound=bound):
            return gated(np.array([[right, n - right], [0, 0]]), f"accuracy >= {bound}") == "passes"

        low, high = 0, n
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if passes(middle) else (middle, high)
        assert assurance <= stats.binom.sf(high - 1, n, rate) <= assurance + 0.06


def gated(cells: np.ndarray, text: str) -> str:
    """The verdict of the gate, without evaluating all the rest."""
    return judged(cells, text).state


def judged(cells, text):
    counts = ConfusionCounts(cells)
    evaluation = Evaluation(Origin("table", counts.n), {}, counts=counts)
    (found,) = judge_rules(evaluation, list(read_rules(text, counts.classes, 2)), level=0.95)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "pilot",
    [
        [[3, 1, 6]],
        [[8, 3, 39]],
        [[12, 6, 82]],
        [[60, 45, 895]],
        [[2, 2, 96]],
        [[25, 25, 950]],
        [[6, 2, 12], [5, 4, 171]],
        [[2, 0, 3], [5, 4, 171]],
        [[1, 1, 28], [12, 4, 284]],
    ],
)
def test_more_cases_let_compare_decide(pilot):
    """Were the truth what the pilot shows, test sets with so many cases in all bring a verdict in 80%."""
    outcomes = np.array(pilot)
    found = compared(outcomes)
    assert found.verdict == "undecided"
    said = verdicts(found.cases + found.more_cases, outcomes / outcomes.sum(), margin=0.01, samples=200, seed=5)
    assert (200 - said["undecided"]) / 200 >= LEAST  # plans that bring 72% are found out 97 times of 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "rule"),
    [
        ([[45, 5], [3, 47]], "accuracy >= 0.9"),
        ([[95, 5], [3, 7]], "sensitivity[1] >= 0.8"),
        ([[95, 5], [0, 5]], "sensitivity[1] >= 0.9"),
        ([[95, 5], [1, 7]], "precision[1] >= 0.5"),
        ([[45, 5], [3, 47]], "balanced_accuracy >= 0.9"),
        ([[95, 5], [1, 5]], "balanced_accuracy >= 0.8"),
        ([[45, 5], [3, 47]], "f1[1] >= 0.88"),
        ([[45, 5], [3, 47]], "mcc >= 0.9"),
    ],
)
def test_more_cases_let_the_gate_decide(cells, rule):
    cells, rng = np.array(cells), np.random.default_rng(6)
    pilot = judged(cells, rule)
    assert pilot.state == "inconclusive"
    drawn = rng.multinomial(int(cells.sum()) + pilot.more_cases, cells.ravel() / cells.sum(), size=300)
    said = [gated(each.reshape(cells.shape), rule) for each in drawn]
    assert (300 - said.count("inconclusive")) / 300 >= LEAST


@pytest.mark.slow
@pytest.mark.parametrize("candidates", [5, 10])
def test_equals_are_seldom_called_better_in_rankings(candidates):
    """With no margin, the hardest case: the posterior of who is better is then a Beta of the discordant cases."""
    rng, wrong, alone, rankings, n = np.random.default_rng(7), 0, 0, 400, 300
    for _ in range(rankings):
        right = rng.random((candidates, n)) < 0.8
        pairs = [(i, j) for i in range(candidates) for j in range(i)]
        only = np.array([[np.sum(right[i] & ~right[j]), np.sum(right[j] & ~right[i])] for i, j in pairs])
        better = stats.beta.sf(0.5, only[:, 0] + 1, only[:, 1] + 1)
        compared = [
            Comparison("accuracy", ("a", "b"), (0.8, 0.8), 0.0, Interval(-1, 1, 0.95, ""), 1 - p, 0.0, p, 0.0, 0.95, "", n)
            for p in better.tolist()
        ]
        alone += any(each.verdict != "undecided" for each in compared)
        wrong += any(each.verdict != "undecided" for each in adjusted(compared))
    assert wrong / rankings <= 0.1
    assert alone / rankings > 0.3  # what is adjusted for
