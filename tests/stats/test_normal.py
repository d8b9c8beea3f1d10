"""The normal law against SciPy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from adjudge import InputError
from adjudge.stats.student import NormalLaw

places = st.floats(-5, 5)
scales = st.floats(1e-6, 1e3)


@given(places, scales, st.floats(-8, 8))
def test_against_scipy(location, scale, z):
    law, theirs, x = NormalLaw(location, scale), stats.norm(location, scale), location + scale * z
    for name in ("pdf", "cdf", "sf", "logcdf", "logsf"):
        assert getattr(law, name)(x) == pytest.approx(getattr(theirs, name)(x), rel=1e-9, abs=1e-300)


@given(places, scales, st.floats(1e-12, 1 - 1e-12))
def test_quantiles_invert(location, scale, q):
    law = NormalLaw(location, scale)
    assert law.ppf(q) == pytest.approx(stats.norm.ppf(q, location, scale), rel=1e-9, abs=1e-9)
    assert law.isf(q) == pytest.approx(stats.norm.isf(q, location, scale), rel=1e-9, abs=1e-9)


def test_moments_and_limits():
    law = NormalLaw(0.1, 0.06)
    assert (law.mean, law.mode, law.median) == (0.1, 0.1, pytest.approx(0.1))
    assert law.var == pytest.approx(0.0036)
    assert law.interval(0.9) == pytest.approx(stats.norm.interval(0.9, 0.1, 0.06))
    assert law.interval(0.9, "hpd") == law.interval(0.9)
    draws = law.sample(50_000, np.random.default_rng(0))
    assert stats.kstest(draws, "norm", (0.1, 0.06)).pvalue > 0.001


@pytest.mark.parametrize(("location", "scale"), [(np.nan, 1), (0, 0), (0, -1), (0, np.inf), (np.inf, 1)])
def test_what_is_no_law_is_refused(location, scale):
    with pytest.raises(InputError, match="scale positive"):
        NormalLaw(location, scale)
