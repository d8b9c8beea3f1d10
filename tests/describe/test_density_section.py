"""What the page says above the densities."""

import numpy as np
import pytest

import adjudge
from adjudge.describe.sections import sections

TRUTH, DECIDED = np.array([0] * 70 + [1] * 70), np.array([0] * 69 + [1] + [0] + [1] * 69)


def section(**how):
    roles = {name: how.pop(name) for name in ("fold", "weight") if name in how}
    found = sections(adjudge.evaluate(adjudge.Predictions(TRUTH, DECIDED, **roles), **how))
    return next(part for part in found if part.name == "densities")


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        ("jeffreys", "Jeffreys' prior"),
        ("flat", "flat priors"),
        ("dirichlet", "flat Dirichlet priors"),
        ((2, 5), "Beta(2, 5) priors"),
    ],
)
def test_the_prior_is_named(prior, words):
    assert f"One classifier, 140 cases: posterior distributions under {words}." in section(prior=prior).lead


def test_weights_do_not_hide_the_prior():
    assert "flat priors" in section(prior="flat", weight=np.linspace(0.5, 3.5, 140)).lead


def test_an_algorithm_and_its_folds_are_named():
    found = section(fold=np.tile(np.arange(10), 14))
    assert found.lead.startswith("An algorithm, 10 folds summed, 140 cases: ")
    assert found.figure.title.startswith("an algorithm, 10 folds summed, 140 cases. ")


def test_the_commonest_answer_and_chance_are_marked():
    assert {mark.words for mark in section().figure.marks} == {"always 0 50.0%", "chance 50.0%"}


def test_the_level_is_that_of_the_evaluation():
    found = section(level=0.9)
    assert "is the 90% interval" in found.lead
    assert found.figure.densities[0].limits.startswith("90%: ")
