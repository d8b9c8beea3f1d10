"""Laws that every partition obeys, what it says of thin evidence, and what it refuses."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.memory import peak_of

import adjudge
from adjudge import InputError, PartitionSpace, Predictions, partition
from adjudge.partitions.goodness import goodness
from adjudge.partitions.matching import MANY


@st.composite
def cases(draw, most_classes=4):
    """Shares of whole numbers, so that ties and corners come up, and true classes."""
    g = draw(st.integers(2, most_classes))
    n = draw(st.integers(1, 25))
    rows = draw(st.lists(st.lists(st.integers(0, 9), min_size=g, max_size=g).filter(any), min_size=n, max_size=n))
    m = np.array(rows, dtype=float)
    truth = np.array(draw(st.lists(st.integers(0, g - 1), min_size=n, max_size=n)))
    return m / m.sum(axis=1, keepdims=True), truth, draw(st.integers(1, g - 1))


def simulated(n, g=3, seed=0, sharp=1.7):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, g, n)
    z = rng.normal(size=(n, g))
    z[np.arange(n), truth] += 1.5
    p = np.exp(sharp * z)
    return p / p.sum(axis=1, keepdims=True), truth


@given(cases())
def test_scaled_rows_lie_in_the_simplex(case):
    m, truth, depth = case
    found = partition(m, truth, depth=depth)
    assert np.all((found.scaled >= 0) & (found.scaled <= 1 + 1e-12))
    assert np.abs(found.scaled.sum(axis=1) - 1).max() < 1e-12
    least = 1 - np.sqrt(2 * m.shape[1] / (m.shape[1] - 1))
    assert all(least - 1e-12 <= value <= 1 + 1e-12 for value in (found.accuracy, found.separation))
    assert -1e-12 <= found.non_resemblance <= 1 + 1e-12


@given(cases())
def test_order_inside_a_region_is_kept_and_others_keep_their_ratios(case):
    m, truth, _ = case
    found = partition(m, truth)
    for code in np.unique(found.assigned):
        rows = np.flatnonzero(found.assigned == code)
        rows = rows[np.argsort(m[rows, code])]
        assert np.diff(found.scaled[rows, code]).min(initial=0) >= -1e-12
        for row in rows:
            others = np.delete(m[row], code)
            if others.sum():
                wanted = others / others.sum() * (1 - found.scaled[row, code])
                assert np.delete(found.scaled[row], code) == pytest.approx(wanted, abs=1e-12)
            else:
                assert np.ptp(np.delete(found.scaled[row], code)) < 1e-15


@given(cases(), st.randoms(use_true_random=False))
def test_other_orders_of_classes_and_cases_change_nothing(case, chance):
    m, truth, depth = case
    columns, rows = list(range(m.shape[1])), list(range(len(m)))
    chance.shuffle(columns)
    chance.shuffle(rows)
    if any(len(set(row)) < len(row) for row in m.tolist()):
        columns.sort()  # ties go to the class listed first
    place = np.argsort(columns)
    found, other = partition(m, truth, depth=depth), partition(m[np.ix_(rows, columns)], place[truth[rows]], depth=depth)
    assert np.abs(other.scaled - found.scaled[np.ix_(rows, columns)]).max() < 1e-9
    assert other.accuracy == pytest.approx(found.accuracy, abs=1e-9)
    assert other.separation == pytest.approx(found.separation, abs=1e-9)


def test_every_case_twice_changes_what_rests_on_their_number_only():
    m, truth = simulated(4000)
    once, twice = partition(m, truth), partition(np.repeat(m, 2, axis=0), np.repeat(truth, 2))
    assert twice.correct == once.correct
    assert np.array_equal(twice.correctness, once.correctness)
    assert np.abs(twice.scaled[::2] - once.scaled).max() < 2e-3


@given(cases())
def test_mean_scaled_assignment_values_follow_the_frequencies(case):
    m, truth, _ = case
    found = partition(m, truth)
    for region in found.regions:
        code = region.order[0]
        values = found.scaled[found.assigned == code, code]
        if np.isnan(region.scaled_alpha):  # a point
            assert values == pytest.approx(region.correct, abs=1e-12)


def test_the_mean_is_nearly_the_frequency_where_a_beta_fits():
    rng = np.random.default_rng(5)
    v = 0.5 + 0.5 * rng.beta(4, 4, 4000)
    m, truth = np.column_stack([v, 1 - v]), (rng.random(4000) > 0.8).astype(int)
    found = partition(m, truth)
    assert found.scaled[:, 0].mean() == pytest.approx(found.correctness[0], abs=0.01)


def test_corners_centroid_and_the_worst():
    for g in (2, 3, 5):
        corners, truth = np.eye(g), np.arange(g)
        assert goodness(corners, truth, truth).accuracy == 1
        assert goodness(np.full((g, g), 1 / g), truth, truth).accuracy == pytest.approx(0, abs=1e-15)
        assert goodness(np.full((g, g), 1 / g), truth, truth).non_resemblance == pytest.approx(0, abs=1e-15)
        wrong = goodness(corners, (truth + 1) % g, truth)
        assert wrong.accuracy == pytest.approx(1 - np.sqrt(2 * g / (g - 1)), abs=1e-15)
        assert (wrong.separation, wrong.confidence, wrong.non_resemblance) == (1, 1, 1)


@given(cases())
def test_separation_and_correctness_go_by_the_original_assignment(case):
    m, truth, depth = case
    found = partition(m, truth, depth=depth)
    assert np.array_equal(found.assigned, m.argmax(axis=1))
    own = found.scaled - np.eye(m.shape[1])[found.assigned]
    g = m.shape[1]
    assert found.separation == pytest.approx(1 - np.sqrt((own**2).sum(axis=1)).mean() / np.sqrt((g - 1) / g), abs=1e-12)
    assert found.correct == (truth == m.argmax(axis=1)).mean()


@given(cases())
def test_regions_add_up_and_small_ones_share_a_fit(case):
    m, truth, depth = case
    found = partition(m, truth, depth=depth)
    assert sum(region.n for region in found.regions) == len(m)
    assert sum(region.n * region.correct for region in found.regions) == pytest.approx(len(m) * found.correct)
    for region in found.regions:
        assert region.frequencies.sum() == pytest.approx(1)
        assert region.fallback == (depth > 1 and region.n < m.shape[1])
        if region.fallback:
            assert region.parent == region.order[: len(region.parent)]
            assert "fitted with all cases" in region.note
    told = {finding.code for finding in found.findings}
    assert ("A901" in told) == any(region.fallback for region in found.regions)
    assert ("A902" in told) == bool(np.isnan(found.correctness).any())


def test_moments_of_as_many_cases_as_classes_always_fit_a_beta():
    for g in (2, 3, 4):
        m = np.full((g, g), 1 / g)  # the widest spread that assignment values can have
        m[0] = np.eye(g)[0]
        region = partition(m, [0] + [1] * (g - 1)).regions[0]
        assert region.n == g
        assert region.alpha > 0


def test_fewer_cases_take_the_variance_that_fits():
    m = [[1.0, 0.0, 0.0, 0.0], [0.26, 0.25, 0.25, 0.24]]
    region = partition(m, [0, 1]).regions[0]
    mean, spread = 0.63, 0.37**2
    assert mean * (1 - mean) / (2 * spread) - 1 < 0
    assert region.alpha + region.beta == pytest.approx(mean * (1 - mean) / spread - 1)


@given(cases())
def test_a_space_scales_its_own_cases_again_the_same(case):
    m, truth, depth = case
    space = partition(m, truth, depth=depth)
    again = space.apply(m, truth)
    assert np.array_equal(again.scaled, space.scaled)
    assert (again.accuracy, again.separation) == (space.accuracy, space.separation)
    alone = space.apply(m)
    assert np.array_equal(alone.scaled, space.scaled)
    assert alone.truth is None
    assert np.isnan(alone.accuracy)
    assert np.isnan(alone.correctness).all()
    assert alone.separation == space.separation


def test_new_orders_fall_back_and_say_so():
    m, truth = simulated(200)
    kept = ~((m.argmax(axis=1) == 0) & (m.argmin(axis=1) == 1))  # no order 0 > 2
    space = partition(m[kept], truth[kept], depth=2)
    found = space.apply(m[~kept])
    told = [finding for finding in found.findings if finding.code == "A903"]
    assert [finding.value for finding in told] == [int((~kept).sum())]
    assert all(region.parent == (0,) for region in found.regions)
    first = partition(m[kept], truth[kept]).apply(m[~kept])
    assert np.abs(found.scaled - first.scaled).max() < 1e-12


def test_cases_of_a_class_never_assigned_keep_their_memberships():
    space = partition([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.2, 0.7, 0.1]], [0, 1, 1])
    found = space.apply([[0.1, 0.2, 0.7], [0.65, 0.25, 0.1]])
    assert found.scaled[0].tolist() == [0.1, 0.2, 0.7]
    assert [finding.code for finding in found.findings if finding.code == "A903"] == ["A903"]
    assert found.regions[1].parent == ()
    assert np.isnan(space.correctness[2])


def test_ranks_leave_points():
    found = partition(adjudge.memberships([[3, 2, 1], [5, 1, 0], [9, 1, 4], [0, 4, 1]], ordinal=True), [0, 0, 1, 1])
    assert found.scaled[:3, 0] == pytest.approx(2 / 3)
    assert "A906" in {finding.code for finding in found.findings}


def test_ties_in_the_order_of_columns_or_drawn():
    m, truth = np.full((400, 2), 0.5), np.tile([0, 1], 200)
    assert partition(m, truth).assigned.max() == 0
    drawn = partition(m, truth, ties="random", rng=3)
    assert 150 < drawn.assigned.sum() < 250
    assert np.array_equal(drawn.assigned, partition(m, truth, ties="random", rng=3).assigned)
    assert "A904" in {finding.code for finding in drawn.findings}


def test_labels_by_name_in_any_frame():
    m, truth = simulated(60)
    labels = np.array(["lo", "mid", "hi"])[truth]
    wanted = partition(m, truth)
    frame = pd.DataFrame(m, columns=["lo", "mid", "hi"])
    for given_as in (frame, pl.DataFrame(frame.to_dict("list")), frame.to_dict("list")):
        found = partition(given_as, labels)
        assert found.classes == ("lo", "mid", "hi")
        assert np.array_equal(found.scaled, wanted.scaled)
    turned = partition(frame[["hi", "lo", "mid"]], labels, classes=["lo", "mid", "hi"])
    assert np.array_equal(turned.scaled, wanted.scaled)
    assert np.array_equal(wanted.apply(m[:9]).scaled, found.apply(frame[["hi", "lo", "mid"]].head(9)).scaled)


def test_predictions_bring_their_own_truth(tmp_path):
    m, truth = simulated(80)
    frame = pd.DataFrame(m, columns=["p_a", "p_b", "p_c"])
    frame["truth"] = np.array(["a", "b", "c"])[truth]
    frame.to_csv(tmp_path / "x.csv", index=False)
    found, wanted = partition(adjudge.read(tmp_path / "x.csv")), partition(m, truth)
    assert found.classes == ("a", "b", "c")
    assert np.abs(found.scaled - wanted.scaled).max() < 1e-12
    single = Predictions([0, 1, 1, 0, 1], scores=[0.1, 0.8, 0.4, 0.3, 0.9], positive=1)
    two = partition(single)
    assert two.memberships[two.truth == two.classes.index(1), two.classes.index(1)].tolist() == pytest.approx([0.8, 0.4, 0.9])
    with pytest.raises(InputError, match="hold their own truth"):
        partition(single, [0, 1, 1, 0, 1])
    with pytest.raises(InputError, match="needs probabilities"):
        partition(Predictions([0, 1], [1, 1]))


def test_new_predictions_are_matched_by_the_names_of_classes():
    m, truth = simulated(80)
    space = partition(m, np.array(["a", "b", "c"])[truth], classes=["a", "b", "c"])
    new, labels = simulated(30, seed=8)
    given_as = Predictions(np.array(["a", "b", "c"])[labels], scores={"c": new[:, 2], "a": new[:, 0], "b": new[:, 1]})
    found = space.apply(given_as)
    assert np.abs(found.scaled - space.apply(new).scaled).max() < 1e-12
    assert np.array_equal(found.truth, labels)
    two = Predictions(["a", "b"], scores={"a": [0.6, 0.1], "b": [0.4, 0.9]})
    with pytest.raises(InputError, match="Give a column for each"):
        space.apply(two)


def test_single_precision_is_brought_to_sums_of_one():
    m, truth = simulated(100)
    found = partition(m.astype(np.float32), truth)
    assert np.abs(found.memberships.sum(axis=1) - 1).max() < 1e-9
    assert np.abs(found.scaled - partition(m, truth).scaled).max() < 1e-5


def test_many_classes_and_deep_orders():
    m, truth = simulated(300, g=40)
    found = partition(m, truth, depth=39)
    assert np.abs(found.scaled.sum(axis=1) - 1).max() < 1e-12
    assert all(region.fallback for region in found.regions if region.n < 40)


def test_decisions_that_are_not_the_highest_probability_are_told():
    said = Predictions(["a", "b", "a"], ["a", "a", "a"], scores={"a": [0.9, 0.2, 0.6], "b": [0.1, 0.8, 0.4]})
    assert ("A905", 1) in [(finding.code, finding.value) for finding in partition(said).findings]


def test_precision_and_separability_where_the_truth_is_known():
    m, truth = simulated(300)
    space = partition(m, truth)
    assert space.precision(m) == 1
    assert space.separability(m) == pytest.approx(goodness(m, truth, m.argmax(axis=1)).separation)
    assert space.precision(np.full((300, 3), 1 / 3)) < 1
    assert space.separability(np.full((300, 3), 1 / 3)) == pytest.approx(0, abs=1e-15)
    with pytest.raises(InputError, match="a row for each case"):
        space.precision(m[:5])


def test_large_regions_go_through_tables_and_come_out_the_same(monkeypatch):
    m, truth = simulated(6 * MANY)
    looked_up = partition(m, truth, depth=2).scaled
    monkeypatch.setattr("adjudge.partitions.matching.MANY", len(m) + 1)
    assert np.abs(looked_up - partition(m, truth, depth=2).scaled).max() < 1e-12


_LARGE = """
import sys
import numpy as np
from adjudge import partition
rng = np.random.default_rng(1)
n = int(sys.argv[1])
p = rng.random((n, 4))
p /= p.sum(axis=1, keepdims=True)
truth = rng.integers(0, 4, n)
partition(p, truth)
"""


@pytest.mark.slow
def test_memory_is_a_few_times_the_matrix():
    matrix = 1_000_000 * 4 * 8 / 2**20
    _, small = peak_of(_LARGE, 10_000)
    _, large = peak_of(_LARGE, 1_000_000)
    assert large - small < 8 * matrix  # two of them the script's own, two the result's


def test_results_are_read_only_and_plain():
    m, truth = simulated(50)
    m_before = m.copy()
    found = partition(m, truth)
    for array in (found.memberships, found.truth, found.assigned, found.scaled, found.orders, found.correctness):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    m[0] = 0.5
    assert np.array_equal(found.memberships, m_before)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["accuracy"] == found.accuracy
    assert [region["n"] for region in told["regions"]] == [region.n for region in found.regions]
    assert isinstance(found, PartitionSpace)
    assert "accuracy" in repr(found)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"memberships": [0.5, 0.5]}, "a row per case"),
        ({"memberships": [[1.0], [1.0]]}, "at least two"),
        ({"memberships": [[0.5, np.nan], [0.5, 0.5]]}, r"memberships\[0, 1\] is nan"),
        ({"memberships": [[0.5, np.inf], [0.5, 0.5]]}, r"is inf"),
        ({"memberships": [[0.5, 0.6], [0.5, 0.5]]}, r"sums to 1\.1, not to 1"),
        ({"memberships": [[1.5, -0.5], [0.5, 0.5]]}, "below 0"),
        ({"memberships": [["a", "b"], ["c", "d"]]}, "must be numbers"),
        ({"truth": None}, "needs the true class"),
        ({"truth": [0]}, "one class for each of 2 cases"),
        ({"truth": [0, 2]}, "2 is not among the classes"),
        ({"truth": ["a", "b"]}, "Labels need classes"),
        ({"truth": "ab"}, "got str"),
        ({"classes": ["a"]}, "each of the 2 columns"),
        ({"classes": "ab"}, "must list"),
        ({"depth": 0}, "from 1 to 1"),
        ({"depth": 2}, "from 1 to 1"),
        ({"depth": True}, "depth must be"),
        ({"convention": "r"}, "'paper' or 'klar'"),
        ({"ties": "last"}, "'first' or 'random'"),
    ],
)
def test_refusals_say_what_to_do(change, said):
    given_all = {"memberships": [[0.5, 0.5], [0.2, 0.8]], "truth": [0, 1]} | change
    with pytest.raises(InputError, match=said):
        partition(given_all.pop("memberships"), given_all.pop("truth"), **given_all)


def test_klar_has_depth_one_only():
    with pytest.raises(InputError, match="depth 1 only"):
        partition(*simulated(30), depth=2, convention="klar")


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_sharp_rules_give_numbers(seed):
    m, truth = simulated(60, seed=seed, sharp=25)
    found = partition(m, truth, depth=2)
    assert np.isfinite(found.scaled).all()
    assert np.abs(found.scaled.sum(axis=1) - 1).max() < 1e-12


def test_columns_named_by_text_are_names_and_merely_numbered_ones_places():
    m, truth = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]), [0, 1, 0]
    wanted = partition(m, truth).memberships
    for given_as in (pd.DataFrame(m, columns=["0", "1"]), {"0": m[:, 0], "1": m[:, 1]}):
        turned = partition(given_as, ["0", "1", "0"], classes=["1", "0"])
        assert np.array_equal(turned.memberships, wanted[:, ::-1])
        assert turned.correct == partition(given_as, truth).correct == 1
    assert np.array_equal(partition(pd.DataFrame(m), truth).memberships, wanted)
    assert np.array_equal(partition(pd.DataFrame(m), ["a", "b", "a"], classes=["a", "b"]).memberships, wanted)
    assert np.array_equal(partition(pd.DataFrame(m), truth, classes=[1, 0]).memberships, wanted[:, ::-1])


@pytest.mark.parametrize("labels", [("a\0", "a"), (1, "1"), ((0, 1), (1, 2)), ("x", 2.5)])
def test_labels_stay_what_they_are(labels):
    m = [[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]]
    found = partition(m, [labels[0], labels[1], labels[0]], classes=labels)
    assert found.truth.tolist() == [0, 1, 0]
    assert found.classes == labels


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (pd.Series(["a", pd.NA, "b"]), r"truth\[1\] is missing"),
        (pd.Series([1, None, 2], dtype="Int64"), r"truth\[1\] is missing"),
        (["a", None, "b"], r"truth\[1\] is missing"),
        ([["a"], ["b", "a"], ["a"]], "must hold labels"),
        (np.ma.masked_array(["a", "b", "a"], mask=[False, True, False]), "masked"),
    ],
)
def test_truths_that_are_none_are_refused(truth, said):
    with pytest.raises(InputError, match=said):
        partition([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]], truth, classes=["a", "b"])
