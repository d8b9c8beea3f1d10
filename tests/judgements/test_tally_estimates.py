"""Groups side by side, against scipy's chi-square where there is one class only."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from sklearn.metrics import balanced_accuracy_score
from tests.described import mentions

import adjudge
from adjudge import ConfusionCounts, Predictions
from adjudge.counts.confusion import WeightedCounts
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.judgements.tally_estimates import MOST_GROUPS, compare_groups, of_differing, owed_to_groups, skill_within


def tables(*pairs):
    """Groups with so many right and wrong of one class, beside another that is always right."""
    return {f"g{i}": ConfusionCounts([[right, wrong], [0, 10]], ("a", "b")) for i, (right, wrong) in enumerate(pairs)}


def test_one_class_that_varies_is_pearsons_test_but_for_a_case():
    found = compare_groups(tables((30, 10), (20, 20), (38, 2)))
    pearson = chi2_contingency([[30, 20, 38], [10, 20, 2]], correction=False)
    assert found.chi2 == pytest.approx(pearson.statistic * 119 / 120, rel=1e-9)
    assert (found.groups, found.df, found.lowest, found.highest) == (3, pearson.dof, "g1", "g2")


def test_what_cannot_be_compared():
    assert compare_groups({}) is None
    assert compare_groups(tables((3, 1))) is None
    assert compare_groups({i: ConfusionCounts([[1, 0], [0, 1]]) for i in range(4)}) is None  # two cases each
    assert compare_groups({i: ConfusionCounts([[9, 1], [1, 9]]) for i in range(MOST_GROUPS + 1)}) is None
    apart = {"x": ConfusionCounts([[9, 1], [0, 0]]), "y": ConfusionCounts([[0, 0], [1, 9]])}
    assert compare_groups(apart) is None
    cells = np.array([[9.0, 1.0], [1.0, 9.0]])
    assert compare_groups({i: WeightedCounts(cells, squares=cells) for i in range(3)}) is None


def test_the_finding_says_which_groups_are_the_ends():
    (told,) = of_differing(tables((30, 10), (20, 20), (38, 2)), 0.95)
    assert told.code == "A508"
    assert mentions(told.message, "60.0% in 'g1'", "96.0% in 'g2'")
    assert "p < 0.001" in told.message
    assert not list(of_differing(tables((30, 10), (31, 9)), 0.95))


@pytest.mark.slow
def test_an_evaluation_tells_it():
    rng = np.random.default_rng(0)
    truth, site = rng.integers(0, 2, 600), np.repeat(["rome", "paris"], 300)
    decided = np.where(rng.random(600) < np.where(site == "rome", 0.95, 0.7), truth, 1 - truth)
    result = adjudge.evaluate(Predictions(truth, decided, group=site))
    assert "A508" in [finding.code for finding in result.findings]
    assert result.to_dict()["groups_compared"]["lowest"] == "paris"
    alike = adjudge.evaluate(Predictions(truth, truth, group=site))
    assert alike.to_dict()["groups_compared"] is None


def sites(within, n=1000):
    """Two sites that each have mostly one class, and a classifier that goes by the site but for a share of cases."""
    rng = np.random.default_rng(5)
    site = rng.integers(0, 2, n)
    truth = np.where(rng.random(n) < 0.85, site, 1 - site)
    decided = np.where(rng.random(n) < within, truth, site)
    return adjudge.evaluate(Predictions(truth, decided, group=site)), truth, decided, site


@pytest.mark.slow
def test_a_classifier_of_sites_is_found_out():
    result, truth, decided, site = sites(0.0)
    (told,) = (finding for finding in result.findings if finding.code == "A509")
    cells = [np.mean((decided == truth)[(truth == c) & (site == g)]) for c in (0, 1) for g in (0, 1)]
    plain = balanced_accuracy_score(truth, decided)
    assert told.value == pytest.approx(np.mean(cells) - plain, abs=1e-12)
    assert mentions(told.advice, "All of", f"{100 * plain:.1f}%")
    assert "A509" not in {finding.code for finding in sites(0.5)[0].findings}  # part of it, and A505 says that
    assert "A509" not in {finding.code for finding in sites(1.0)[0].findings}


SKILL, NONE, WORSE = ([[40, 10], [10, 40]], [[25, 25], [25, 25]], [[20, 30], [30, 20]])


@pytest.mark.parametrize(
    ("plain", "over", "limits", "within", "owed"),
    [
        (0.84, 0.51, (0.48, 0.55), NONE, "all"),
        (0.84, 0.60, (0.55, 0.65), SKILL, "part"),
        (0.84, 0.60, (0.45, 0.65), SKILL, "part"),  # the limits reach down to chance, and yet there is skill
        (0.84, 0.80, (0.75, 0.85), SKILL, ""),
        (0.60, 0.80, (0.75, 0.85), SKILL, "hidden"),
        (0.45, 0.30, (0.20, 0.40), WORSE, "part"),  # nothing was above chance
        (0.841, 0.835, (0.834, 0.836), SKILL, ""),  # sure, and of no account
        (0.84, 0.51, None, NONE, ""),
    ],
)
def test_what_groups_explain(plain, over, limits, within, owed):
    interval = None if limits is None else Interval(*limits, 0.95, "wilson")
    groups = {"x": ConfusionCounts(within), "y": ConfusionCounts(within)}
    assert owed_to_groups(plain, Estimate("balanced_accuracy", over, interval), groups) == owed


def test_skill_within_groups_is_that_of_permutations_within_them():
    one, other = np.array([[14, 6, 0], [5, 9, 4], [0, 3, 7]]), np.array([[3, 2, 1], [8, 21, 6], [1, 4, 3]])
    assert skill_within({"x": ConfusionCounts(one), "y": ConfusionCounts(other)}) < 1e-4
    shuffled = np.outer(one.sum(axis=1), one.sum(axis=0)) // one.sum()
    assert 0.3 < skill_within({"x": ConfusionCounts(shuffled), "y": ConfusionCounts(shuffled)}) < 0.7
    constant = {"x": ConfusionCounts([[90, 0], [10, 0]]), "y": ConfusionCounts([[0, 10], [0, 90]])}
    assert skill_within(constant) == 0.5
