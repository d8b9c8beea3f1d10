"""Which way a sum of rates is computed: every way against exact sums of uniform variables."""

import numpy as np
import pytest
from tests.stats.irwin_hall import above

from adjudge.stats.convolve import Alone, Convolution
from adjudge.stats.engines import FLAWED, allowed, engine, engines
from adjudge.stats.fourier import Fourier
from adjudge.stats.offsets import rates
from adjudge.stats.rough_sums import Waves

POINTS = (0.1, 0.35, 0.5, 0.8)


def flat(k, rows=1):
    return rates(np.ones((rows, k)), np.ones((rows, k)), np.ones((rows, k)))


@pytest.mark.parametrize(("k", "kind"), [(1, Alone), (2, Convolution), (3, Waves), (12, Fourier)])
def test_each_way_is_exact(k, kind):
    law = engine(flat(k))
    assert isinstance(law, kind)
    x = np.array([[k * share for share in POINTS]])
    assert law.sf(x - k / 2)[0] == pytest.approx([above(at, k) for at in x[0]], abs=1e-12)
    assert law.both(x - k / 2)[0].tolist() == law.sf(x - k / 2).tolist()
    assert float(law.flaw.max()) <= allowed(k)


def test_rows_come_in_lots_each_once():
    lots = list(engines(flat(2, rows=40)))
    assert sorted(int(row) for rows, _ in lots for row in rows) == list(range(40))
    assert len(lots) > 1


def test_many_classes_may_be_off_by_the_rounding_of_each():
    assert allowed(2) == FLAWED
    assert allowed(320) == 10 * FLAWED
