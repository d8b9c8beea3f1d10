"""Laws that follow a test: the tail it asks for, no more, and nothing beyond the ends."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.stats.student import StudentLaw
from adjudge.stats.transforms import Drawn, widened_draws, widened_student, within


@given(st.integers(0, 1000), st.floats(-3, 3), st.floats(0.001, 0.999))
def test_draws_claim_no_more_than_the_test(seed, place, tail):
    draws = np.random.default_rng(seed).normal(place, 1, 501) / 4
    wide = widened_draws(draws, tail, 2.0)
    above, below = np.mean(wide > 0), np.mean(wide < 0)
    assert above <= max(1 - tail, 0.5) + 1 / 500
    assert below <= max(tail, 0.5) + 1 / 500
    assert np.abs(wide).max() <= 2.0
    mirrored = widened_draws(-draws, 1 - tail, 2.0)
    assert np.sort(-mirrored) == pytest.approx(np.sort(wide), abs=1e-9)
    if np.mean(draws > 0) <= 1 - tail and np.mean(draws < 0) <= tail:
        assert wide is draws


def test_draws_keep_their_middle_and_reach_the_tail():
    draws = np.random.default_rng(1).normal(0.4, 0.1, 20_000)
    wide = widened_draws(draws, 0.08, 1.0)
    assert np.median(wide) == pytest.approx(np.median(draws))
    assert np.mean(wide <= 0) == pytest.approx(0.08, abs=1e-3)
    law = Drawn(wide)
    low, high = law.interval(0.84)
    assert low == pytest.approx(0.0, abs=5e-3)  # interval and probabilities are those of one law
    assert high > Drawn(draws).interval(0.84)[1]


@given(st.floats(-0.9, 0.9).filter(lambda d: abs(d) > 1e-6), st.floats(1e-4, 0.5), st.floats(1, 200), st.floats(1e-6, 0.499))
def test_students_law_claims_no_more_than_the_test(location, scale, df, p):
    law = StudentLaw(location, scale, df)
    wide = widened_student(law, p)
    other = wide.cdf(0.0) if location > 0 else wide.sf(0.0)
    own = law.cdf(0.0) if location > 0 else law.sf(0.0)
    assert other == pytest.approx(max(p, own), rel=1e-6)
    assert (wide.location, wide.df) == (location, df)
    assert wide.scale >= scale * (1 - 1e-9)
    assert widened_student(law.mirrored, p) == wide.mirrored


def test_a_law_is_kept_between_two_ends():
    narrow = StudentLaw(0.1, 0.01, 30)
    assert within(narrow, -1.0, 1.0) is narrow
    wide = StudentLaw(0.3, 0.4, 1.0)
    law = within(wide, -1.0, 1.0)
    assert law.interval(0.95) == (-1.0, 1.0)
    assert law.interval(0.5) == pytest.approx(wide.interval(0.5))
    assert (law.cdf(0.2), law.sf(0.2), law.pdf(0.2)) == (wide.cdf(0.2), wide.sf(0.2), wide.pdf(0.2))
    assert (law.cdf(-1.5), law.sf(-1.5), law.cdf(1.0), law.sf(1.0), law.pdf(2.0)) == (0.0, 1.0, 1.0, 0.0, 0.0)
    assert (law.logcdf(0.2), law.logsf(0.2)) == (wide.logcdf(0.2), wide.logsf(0.2))
    draws = law.sample(200_000, np.random.default_rng(2))
    assert np.abs(draws).max() == 1.0
    assert law.mean == pytest.approx(draws.mean(), abs=0.005)
    assert law.var == pytest.approx(draws.var(), abs=0.005)
    assert law.median == wide.median
    assert law.mode == 0.3
