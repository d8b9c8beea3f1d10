"""Cases held out, and when their errors say enough."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from adjudge import InputError
from adjudge.ensembles.rounds import Watch, check_share, split


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


def test_it_is_over_when_the_least_error_lies_too_long_ago():
    watch = Watch(patience=3)
    assert [watch.is_over(error) for error in (0.5, 0.3, 0.4, 0.3, 0.31)] == [False, False, False, False, True]
    assert watch.best == 2  # of two equal ones the earlier


@pytest.mark.parametrize("share", [0, 1, 1.0, -0.2, "0.2", True, float("nan")])
def test_what_is_no_part_is_refused(share):
    with pytest.raises(InputError, match="early_stop must be None or the part"):
        check_share(share)
