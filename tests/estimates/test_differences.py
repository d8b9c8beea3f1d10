"""The permutation tests of count measures against enumerations written out case by case, and the distributions that follow them."""

from __future__ import annotations

from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from adjudge import ConfusionCounts
from adjudge.counts.joint import JointCounts, count_joint
from adjudge.estimates import differences
from adjudge.estimates.differences import Cells, in_order, independent_difference, paired_difference, shuffle_tail, swap_tails
from adjudge.metrics.catalogue import find

THEIRS = {
    "f1": lambda t, s: metrics.f1_score(t, s, zero_division=np.nan),
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
    "macro f1": lambda t, s: metrics.f1_score(t, s, average="macro", labels=np.unique(t), zero_division=0),
}


def jointly(truth, a, b, k):
    cases = SimpleNamespace(
        classes=tuple(range(k)), names=("a", "b"), truth=np.asarray(truth), predicted=(np.asarray(a), np.asarray(b)), weight=None,
        rejects=False, cases=len(truth), rows=len(truth), cluster=None, cluster_keys=None,
    )  # fmt: skip
    return count_joint(cases)


def mid_p(leads, at):
    leads = np.array([lead for lead in leads if np.isfinite(lead)])
    near = np.abs(leads - at) < 1e-9
    return (np.count_nonzero((leads > at) & ~near) + np.count_nonzero(near) / 2) / leads.size


@pytest.mark.slow
@pytest.mark.parametrize("measure", sorted(THEIRS))
@given(seed=st.integers(0, 10_000))
@settings(max_examples=3, deadline=None)
def test_swaps_are_those_of_single_cases(measure, seed):
    """Every subset of the cases that got two answers is swapped, and scikit-learn measures each."""
    rng = np.random.default_rng(seed)
    k = 3 if measure.startswith("macro") else 2
    truth = np.arange(12) % k
    a, b = (np.where(rng.random(12) < 0.6, truth, rng.integers(0, k, 12)) for _ in range(2))
    apart = np.flatnonzero(a != b)[:5]
    b[np.setdiff1d(np.flatnonzero(a != b), apart)] = a[np.setdiff1d(np.flatnonzero(a != b), apart)]
    leads = []
    for swap in product([False, True], repeat=apart.size):
        at = apart[list(swap)]
        one, other = a.copy(), b.copy()
        one[at], other[at] = b[at], a[at]
        leads.append(THEIRS[measure](truth, one) - THEIRS[measure](truth, other))
    if len({*a}) < 2 or len({*b}) < 2:
        return  # scikit-learn calls the MCC of a constant 0; here it has no value
    ours = find(measure.removeprefix("macro "))
    joint = jointly(truth, a, b, k)
    found = swap_tails(joint, [ours], None if k > 2 else 1)[0]
    constant = [i for i, lead in enumerate(leads) if measure == "mcc" and _constant(a, b, apart, i)]
    assert found == pytest.approx(mid_p(np.delete(leads, constant), leads[0]), abs=1e-9)


def _constant(a, b, apart, number):
    """Say whether one of the two says the same of all cases after a swap, so that its MCC has no value."""
    swap = list(product([False, True], repeat=apart.size))[number]
    one, other = a.copy(), b.copy()
    at = apart[list(swap)]
    one[at], other[at] = b[at], a[at]
    return len({*one}) < 2 or len({*other}) < 2


def test_cases_are_dealt_anew_as_all_ways_to_deal_them():
    a, b = np.array([[3, 1], [0, 2]]), np.array([[2, 2], [2, 1]])
    cells = np.repeat(np.arange(4), (a + b).ravel())
    leads = []
    for rows in combinations(range(cells.size), int(a.sum())):
        one = np.bincount(cells[list(rows)], minlength=4)
        tp = np.array([one[3], (a + b)[1, 1] - one[3]])
        wrong = np.array([one[1] + one[2], (a + b)[0, 1] + (a + b)[1, 0] - one[1] - one[2]])
        with np.errstate(invalid="ignore"):
            leads.append(np.subtract(*(2 * tp / (2 * tp + wrong))))
    at = 4 / 5 - 2 / 6
    found = shuffle_tail(ConfusionCounts(a), ConfusionCounts(b), find("f1"), 1)
    assert found == pytest.approx(mid_p(leads, at), abs=0.012)  # of 20,000 draws


def of_counts(counts):
    counts = np.array(counts)
    seen = np.flatnonzero(counts)
    truth, said = np.repeat([0, 1], 4), np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 2)
    return JointCounts((0, 1), ("a", "b"), truth[seen], said[seen], counts[seen])


tables = st.lists(st.integers(0, 12), min_size=8, max_size=8).filter(lambda c: sum(c[:4]) and sum(c[4:]))


@pytest.mark.slow
@given(tables, st.sampled_from(["f1", "mcc", "kappa", "precision", "g_mean"]))
@settings(max_examples=6, deadline=None)
def test_a_distribution_claims_no_more_than_swaps_do_and_mirrors(counts, name):
    measure, joint = find(name), of_counts(counts)
    found = paired_difference(joint, measure, 0, 1, positive=1)
    if found.distribution is None:
        return
    tail = swap_tails(joint, [measure], 1)[0]
    assert float(found.distribution.sf(0.0)) <= max(1 - tail, 0.5) + 1e-3
    assert float(found.distribution.cdf(-1e-300)) <= max(tail, 0.5) + 1e-3
    other = paired_difference(joint, measure, 1, 0, positive=1)
    assert (-other.distribution.draws[::-1]).tolist() == found.distribution.draws.tolist()
    swapped = JointCounts(joint.classes, joint.names, joint.truth, joint.predicted[:, ::-1], joint.n)
    assert paired_difference(swapped, measure, 0, 1, positive=1).distribution.draws.tolist() == other.distribution.draws.tolist()
    renamed = JointCounts((1, 0), joint.names, 1 - joint.truth, 1 - joint.predicted, joint.n)
    assert paired_difference(renamed, measure, 0, 1, positive=0).distribution.draws == pytest.approx(
        found.distribution.draws, abs=1e-12
    )


def test_one_hostile_class_beside_huge_ones_is_answered():
    joint = of_counts([10**9, 3, 5, 10**9, 0, 0, 1, 1])
    found = paired_difference(joint, find("mcc"), 0, 1, positive=1)
    assert abs(found.distribution.interval(0.95)[1]) <= 2
    assert 0 < float(found.distribution.sf(0.0)) < 0.9
    same = paired_difference(of_counts([5, 0, 0, 1, 1, 0, 0, 4]), find("f1"), 0, 1, positive=1)
    assert float(same.distribution.sf(0.0)) == pytest.approx(0.5, abs=1e-3)
    assert swap_tails(of_counts([5, 0, 0, 1, 1, 0, 0, 4]), [find("f1")], 1)[0] == 0.5


def test_many_swaps_are_drawn_and_agree_with_the_normal_distribution():
    joint = of_counts([4000, 300, 260, 400, 500, 420, 520, 3600])
    tail = swap_tails(joint, [find("accuracy")], 1)[0]
    d, n = 300 - 260 + 520 - 420, 300 + 260 + 420 + 520
    from scipy.stats import norm

    assert tail == pytest.approx(norm.sf(d / n**0.5), abs=0.002)
    assert swap_tails(joint, [find("accuracy")], 1)[0] == tail


@pytest.mark.parametrize("rejects", [False, True])
def test_margins_of_many_classes_are_those_of_whole_tables(rejects, monkeypatch):
    rng, k = np.random.default_rng(4), 9
    truth, said = rng.integers(0, k, 60), rng.integers(0, k + rejects, 60)
    shares = rng.integers(0, 9, (5, 60)).astype(float)
    cells = Cells(truth, said, k, rejects=rejects)
    whole = cells.margins(shares)
    monkeypatch.setattr(differences, "_WHOLE", 2)
    for name in ("hit", "support", "assigned", "rejected"):
        assert np.array_equal(*np.broadcast_arrays(getattr(cells.margins(shares), name), getattr(whole, name))), name
    assert cells.held < k * k


def test_patterns_are_in_order_whoever_comes_first():
    joint = of_counts([5, 2, 1, 0, 3, 0, 4, 6])
    forth, back = in_order(joint, 0, 1, 1), in_order(joint, 1, 0, 1)
    (pair, _, turned, _), (other, _, turned_back, _) = forth, back
    assert turned != turned_back
    assert (pair.predicted.tolist(), pair.n.tolist()) == (other.predicted.tolist(), other.n.tolist())
    *_, alike = in_order(of_counts([5, 2, 2, 0, 3, 1, 1, 6]), 0, 1, 1)
    assert alike


@pytest.mark.slow
def test_different_cases_mirror_and_claim_no_more_than_exchanges():
    a, b = ConfusionCounts([[20, 8], [0, 2]]), ConfusionCounts([[27, 1], [1, 1]])
    for name in ("f1", "mcc", "kappa"):
        one, other = (independent_difference(*pair, find(name), positive=1) for pair in ((a, b), (b, a)))
        assert (-other.distribution.draws[::-1]).tolist() == one.distribution.draws.tolist()
        tail = shuffle_tail(b, a, find(name), 1)
        assert float(other.distribution.sf(0.0)) <= max(1 - tail, 0.5) + 0.01
    alike = independent_difference(a, a, find("mcc"), positive=1)
    assert float(alike.distribution.sf(0.0)) == 0.5
