"""Findings about how an answer was made: when they come, and when not."""

import pytest
from scipy import stats

from adjudge import ConfusionCounts
from adjudge.estimates import caveats


@pytest.mark.parametrize(
    ("prior", "flat"), [("flat", True), ("dirichlet", True), ("jeffreys", False), ((2, 1), True), ((0.5, 3), False)]
)
def test_flat_priors(prior, flat):
    assert caveats.is_flat(prior) is flat


def test_a_flat_prior_pulls_few_cases_and_many_classes():
    assert not list(caveats.of_prior(ConfusionCounts([[40, 5], [6, 50]]), "balanced_accuracy", "flat"))
    assert not list(caveats.of_prior(ConfusionCounts([[4, 0], [0, 4]]), "balanced_accuracy", "jeffreys"))
    (few,) = caveats.of_prior(ConfusionCounts([[4, 0], [6, 50]]), "balanced_accuracy", "flat")
    assert (few.code, few.value) == ("A501", 4.0)


def test_a_normal_approximation_outside_its_range_names_the_exact_limits():
    assert not list(caveats.of_normal(50, 100, 0.95))
    (found,) = caveats.of_normal(0, 40, 0.95)
    assert found.code == "A504"
    assert f"{stats.beta(1, 40).ppf(0.975):.4g}" in str(found.advice)


def test_a_prior_of_cells_is_told_from_a_tenth_of_the_cases_on():
    assert not list(caveats.of_cell_prior(10.0, 100.0))
    assert [finding.value for finding in caveats.of_cell_prior(10.1, 100.0)] == [10.1]


def test_a_class_that_is_never_predicted_makes_the_posterior_rest_on_its_prior():
    assert not list(caveats.of_one_in_k(ConfusionCounts([[40, 5], [6, 50]])))
    (found,) = caveats.of_one_in_k(ConfusionCounts([[40, 0], [56, 0]]))
    assert found.code == "A511"
