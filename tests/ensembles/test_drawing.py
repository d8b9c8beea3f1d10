"""Samples with replacement: their law, and seeds that depend on nothing but the number of a member."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare, multinomial
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from adjudge.ensembles.members import drawn, seed, source, word_of


@given(st.lists(st.sampled_from([0.0, 1e-300, 0.2, 1.0, 7.5]), min_size=1, max_size=40).filter(any), st.integers(0, 2**31))
def test_as_many_are_drawn_as_are_asked_for_and_none_without_weight(weights, word):
    w = np.array(weights)
    counts = drawn(w, np.random.default_rng(word), 30)
    assert counts.sum() == 30
    assert (counts >= 0).all()
    assert not counts[w == 0].any()


@pytest.mark.slow
def test_counts_are_multinomial():
    p, times = np.array([0.5, 0.3, 0.2]), 20_000
    rng = np.random.default_rng(7)
    seen = [tuple(drawn(p, rng, 3).tolist()) for _ in range(times)]
    outcomes = [counts for counts in product(range(4), repeat=3) if sum(counts) == 3]
    assert len(outcomes) == factorial(5) // (factorial(3) * prod([2, 1]))
    expected = multinomial(3, p).pmf(outcomes) * times
    assert chisquare([seen.count(each) for each in outcomes], expected).pvalue > 1e-3


def test_the_law_of_a_case_does_not_depend_on_its_place():
    w, rng = np.array([4.0, 1, 1, 1, 3]), np.random.default_rng(3)
    total = sum(drawn(w, rng, 5) for _ in range(4_000))
    assert chisquare(total, w / w.sum() * total.sum()).pvalue > 1e-3


def test_every_nested_random_state_has_a_seed_of_its_own():
    learner = seed(BaggingClassifier(DecisionTreeClassifier(), random_state=4), np.random.default_rng(0))
    assert isinstance(learner.random_state, int)
    assert isinstance(learner.estimator.random_state, int)
    assert learner.random_state != learner.estimator.random_state
    assert seed(GaussianNB(), np.random.default_rng(0)).get_params() == GaussianNB().get_params()


def test_the_seed_of_a_member_is_that_of_its_number():
    assert source(5, 3).random() == source(5, 3).random()
    assert len({source(5, number).random() for number in range(20)}) == 20


@pytest.mark.parametrize("make", [lambda: 3, lambda: np.random.RandomState(3), lambda: np.random.default_rng(3)])
def test_a_seed_may_be_a_number_or_a_generator(make):
    assert word_of(make()) == word_of(make())
