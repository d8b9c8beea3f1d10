"""The tests of textbooks, against their papers, scipy and enumeration."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.drawn import shapes

import adjudge
from adjudge import InputError, Undefined, correlated_t, five_by_two, mcnemar, nadeau_bengio, paired_t
from adjudge.estimates.posterior import Posterior
from adjudge.judgements.decision import ErrorRate, known_error, told
from adjudge.plots.drawing import Line, Marks
from adjudge.plots.posteriors import posterior_set
from adjudge.resampling.plan import Kind

ORACLES = Path(__file__).parents[1] / "oracles"
CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))
BAYCOMP = json.loads((ORACLES / "baycomp.json").read_text(encoding="utf-8"))["cases"]
counts = st.integers(0, 60)
rows = st.lists(st.floats(-1, 1), min_size=2, max_size=30)
spread_rows = rows.filter(lambda v: np.std(v) > 1e-6)
shares = st.floats(0.01, 0.9)


def oracles(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def agree(found, case, names):
    tolerance = {"rel": case["tolerance"]["rtol"], "abs": case["tolerance"]["atol"]}
    for name, attribute in names.items():
        expected = case["expected"][name]
        if expected is not None:
            assert getattr(found, attribute) == pytest.approx(float(expected), **tolerance), name


@pytest.mark.parametrize("case", oracles("mcnemar"))
def test_mcnemar_agrees_with_the_oracle(case):
    found = mcnemar(**case["inputs"])
    agree(found, case, {name: name for name in ("p_exact", "p_mid", "chi2", "chi2_cc")})


@given(counts, counts)
def test_mcnemar_agrees_with_scipy_and_with_sums_of_fractions(b, c):
    found = mcnemar(b, c)
    assert found.p_exact == pytest.approx(stats.binomtest(b, b + c).pvalue if b + c else 1.0, rel=1e-9)
    chance = [Fraction(math.comb(b + c, k), 2 ** (b + c)) for k in range(b + c + 1)]
    seen = chance[b]
    rarer, as_rare = (sum(p for p in chance if keep(p)) for keep in (lambda p: p < seen, lambda p: p == seen))
    mid_p = rarer + (as_rare / 2 if b != c else 0)  # of b = c, the one outcome at the peak, nothing is as rare
    assert found.p_mid == pytest.approx(float(mid_p) if b + c else 1.0, rel=1e-9)


@given(counts, counts)
def test_mcnemar_does_not_mind_which_classifier_is_first(b, c):
    one, other = mcnemar(b, c), mcnemar(c, b)
    assert (one.p_exact, one.p_mid, repr(one.chi2), repr(one.chi2_cc)) == (
        other.p_exact,
        other.p_mid,
        repr(other.chi2),
        repr(other.chi2_cc),
    )
    assert 0 < one.p_mid <= one.p_exact <= 1


def test_classifiers_that_never_differ_are_not_told_apart():
    found = mcnemar(0, 0)
    assert (found.p_exact, found.p_mid) == (1, 1)
    assert isinstance(found.chi2, Undefined)
    assert found.chi2.reason.endswith("on the same cases")
    assert found.to_dict()["chi2"] == {"value": None, "reason": found.chi2.reason}


@pytest.mark.slow
def test_many_cases_keep_the_digits_of_a_tiny_probability():
    b, c = 1_020_000, 1_000_000
    found = mcnemar(np.int64(b), float(c))
    assert (found.b, found.c) == (b, c)
    with mp.workdps(50):
        term = total = mp.binomial(b + c, b) * mp.mpf(2) ** -(b + c)
        for k in range(b, b + 20_000):  # each term is at most 0.98 of the one before
            term *= mp.mpf(b + c - k) / (k + 1)
            total += term
    assert found.p_exact == pytest.approx(float(2 * total), rel=1e-9)


@pytest.mark.parametrize("b", [-1, 2.5, math.nan, math.inf, True, "3", None, [1]])
def test_what_is_no_count_is_refused(b):
    with pytest.raises(InputError, match="b must be a"):
        mcnemar(b, 1)


@pytest.mark.parametrize("case", oracles("paired_t_cv"))
def test_paired_t_agrees_with_the_oracle(case):
    found = paired_t(case["inputs"]["differences"], level=case["inputs"]["level"])
    agree(found, case, {"mean": "mean", "se": "se", "t": "t"})
    limits = [float(end) for end in case["expected"]["ci"]]
    assert [found.interval.low, found.interval.high] == pytest.approx(limits, rel=1e-11, abs=1e-13)


@pytest.mark.slow
@given(spread_rows, st.floats(0.5, 0.99))
def test_paired_t_agrees_with_scipy(values, level):
    found, known = paired_t(values, level=level), stats.ttest_1samp(values, 0)
    assert found.t == pytest.approx(known.statistic, rel=1e-8, abs=1e-9)
    assert found.p_value == pytest.approx(known.pvalue, rel=1e-6, abs=1e-12)
    limits = known.confidence_interval(level)
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high), rel=1e-8, abs=1e-9)


@given(rows)
def test_paired_t_turns_round_with_the_differences(values):
    one, other = paired_t(values), paired_t([-v for v in values])
    assert other.mean == -one.mean
    assert (other.interval.low, other.interval.high) == (-one.interval.high, -one.interval.low)
    assert other.t == pytest.approx(-one.t, nan_ok=True)
    assert other.p_value == pytest.approx(one.p_value, nan_ok=True)


@given(spread_rows, st.integers(-600, 600))
def test_the_unit_of_the_differences_does_not_matter(values, power):
    one, other = paired_t(values), paired_t(np.ldexp(values, power))
    assert other.t == pytest.approx(one.t, rel=1e-12)


@pytest.mark.parametrize("case", oracles("nadeau_bengio"))
def test_nadeau_bengio_agrees_with_the_oracle(case):
    ratio = case["inputs"]["test_train_ratio"]
    found = nadeau_bengio(case["inputs"]["differences"], test_share=ratio / (1 + ratio))
    agree(found, case, {"mean": "mean", "var_corrected": "variance", "t": "t", "p_two_sided": "p_value"})
    agree(found, case, {"t_naive": "t_naive", "p_naive": "p_naive"})
    limits = [float(end) for end in case["expected"]["ci95"]]
    assert [found.interval.low, found.interval.high] == pytest.approx(limits, rel=1e-9)


@given(spread_rows)
def test_with_next_to_nothing_tested_the_paired_t_returns(values):
    found, plain = nadeau_bengio(values, test_share=1e-12), paired_t(values)
    assert (found.t, found.p_value) == pytest.approx((plain.t, plain.p_value), rel=1e-6, abs=1e-9)
    assert (found.t_naive, found.p_naive) == (plain.t, plain.p_value)


@given(spread_rows, shares)
def test_the_correction_makes_nothing_surer(values, share):
    found = nadeau_bengio(values, test_share=share)
    assert abs(found.t) <= abs(found.t_naive)
    assert found.p_value >= found.p_naive


@pytest.mark.parametrize("value", [0.02, 0.1, -0.3])
def test_differences_all_alike_are_infinitely_many_standard_errors_from_0(value):
    for found in (paired_t([value] * 7), nadeau_bengio([value] * 7, test_share=0.1)):
        assert found.t == math.copysign(math.inf, value)
        assert found.p_value == 0
        assert (found.interval.low, found.interval.high) == (value, value)


def test_no_difference_at_all_is_undefined_with_the_reason():
    for found in (paired_t([0.0] * 5), nadeau_bengio([0] * 5, test_share=0.2)):
        assert found.t.reason.startswith("every difference is 0")
        assert math.isnan(found.p_value)


@pytest.mark.parametrize("case", oracles("cv_5x2"))
def test_five_by_two_agrees_with_the_oracle(case):
    agree(five_by_two(case["inputs"]["differences"]), case, {name: name for name in ("t", "p_t", "f", "p_f")})


@given(st.lists(st.floats(-1, 1), min_size=10, max_size=10).filter(lambda v: np.abs(np.diff(v))[::2].max() > 1e-3))
def test_five_by_two_agrees_with_its_formulas(values):
    d = np.array(values).reshape(5, 2)
    noise = ((d - d.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    t, f = d[0, 0] / np.sqrt(noise.mean()), (d**2).sum() / (2 * noise.sum())
    found = five_by_two(d)
    assert (found.t, found.f) == pytest.approx((t, f), rel=1e-6, abs=1e-9)
    assert (found.p_t, found.p_f) == pytest.approx((2 * stats.t.sf(abs(t), 5), stats.f.sf(f, 10, 5)), rel=1e-6)


def test_five_by_two_without_any_spread():
    alike = five_by_two(np.full((5, 2), -0.1))
    assert (alike.t, alike.p_t, alike.f, alike.p_f) == (-math.inf, 0, math.inf, 0)
    none = five_by_two(np.zeros((5, 2)))
    assert all(math.isnan(value) for value in (none.t, none.p_t, none.f, none.p_f))
    first = np.full((5, 2), 0.1)
    first[0] = 0
    assert math.isnan(five_by_two(first).t)
    assert five_by_two(first).f == math.inf


def test_a_level_outside_its_range_is_refused():
    for judge in (paired_t, lambda d, level: nadeau_bengio(d, test_share=0.1, level=level)):
        with pytest.raises(InputError, match=r"95% is 0\.95"):
            judge([0.1, 0.2], level=95)


JUDGES = {
    "paired_t": paired_t,
    "nadeau_bengio": lambda d: nadeau_bengio(d, test_share=0.1),
    "correlated_t": lambda d: correlated_t(d, test_share=0.1),
}


@pytest.mark.parametrize("judge", JUDGES.values(), ids=list(JUDGES))
@pytest.mark.parametrize(
    ("d", "words"),
    [
        ([0.1], "at least two differences, got 1"),
        ([], "at least two differences, got 0"),
        ([0.1, math.nan], "1 values that are not finite .the first is nan"),
        ([0.1, math.inf], "leave out splits without a value"),
        ([[0.1, 0.2], [0.3, 0.4]], r"one row of numbers.*shape \(2, 2\)"),
        ([[0.1, 0.2], [0.3]], "rows of different lengths"),
        (["0.1", "0.2"], "d must be differences"),
        ([True, False], "d must be differences"),
        (0.1, r"shape \(\)"),
    ],
)
def test_what_are_no_differences_is_refused(judge, d, words):
    with pytest.raises(InputError, match=words):
        judge(d)


@pytest.mark.parametrize("d", [np.zeros((2, 5)), np.zeros(10), np.full((5, 2), np.nan)])
def test_five_by_two_needs_its_shape(d):
    with pytest.raises(InputError, match=r"5 repetitions x 2 folds|not finite"):
        five_by_two(d)


@pytest.mark.parametrize("share", [0, 1, -0.1, 10, math.nan, "0.1", True])
def test_a_share_outside_its_range_is_refused(share):
    for judge in (nadeau_bengio, correlated_t):
        with pytest.raises(InputError, match="test_share must"):
            judge([0.1, 0.2], test_share=share)


@pytest.mark.parametrize("case", BAYCOMP, ids=lambda case: case["id"])
def test_correlated_t_agrees_with_baycomp(case):
    found = correlated_t(case["differences"], test_share=1 / case["folds"], margin=case["rope"])
    assert found.worse == pytest.approx(case["left"], abs=1e-9)
    assert found.better == pytest.approx(case["right"], abs=1e-9)
    assert found.same == pytest.approx(case["middle"] or 0, abs=1e-9)
    if 1e-100 < case["left"] < 0.5 and len(set(case["differences"])) > 1:
        assert found.worse == pytest.approx(case["left"], rel=1e-8)


@given(rows, shares, st.floats(0, 0.2))
def test_the_three_add_up_and_turn_round(values, share, margin):
    one = correlated_t(values, test_share=share, margin=margin)
    other = correlated_t([-v for v in values], test_share=share, margin=margin)
    assert one.worse + one.same + one.better == pytest.approx(1, abs=1e-12)
    assert min(one.worse, one.same, one.better) >= 0
    assert (other.better, other.same, other.worse) == pytest.approx((one.worse, one.same, one.better), abs=1e-14)


@pytest.mark.slow
@given(spread_rows, shares)
def test_without_a_margin_it_is_the_one_sided_corrected_t(values, share):
    found, test = correlated_t(values, test_share=share, margin=0), nadeau_bengio(values, test_share=share)
    assert 2 * min(found.worse, found.better) == pytest.approx(test.p_value, rel=1e-9)
    assert found.same == 0
    assert (found.better > found.worse) == (test.t > 0)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.01, (0, 1, 0)), (-0.01, (0, 1, 0)), (0.0, (0, 1, 0)), (0.010001, (0, 0, 1)), (-0.010001, (1, 0, 0))],
)
def test_differences_all_alike_are_certain_and_the_margin_belongs_to_the_same(value, expected):
    found = correlated_t([value] * 10, test_share=0.1, margin=0.01)
    assert (found.worse, found.same, found.better) == expected
    assert (found.mean, found.distribution.interval()) == (value, (value, value))


@pytest.mark.parametrize("margin", [-0.01, math.nan, math.inf, "0.01"])
def test_a_margin_that_is_no_size_is_refused(margin):
    with pytest.raises(InputError, match="margin must"):
        correlated_t([0.1, 0.2], test_share=0.1, margin=margin)


@pytest.mark.parametrize("d", [[0.02, 0.03, -0.01, 0.05], [0.02, 0.02, 0.02], [0.0, 0.0, 0.0], [0.1, 0.4]])
def test_the_distribution_can_be_drawn(d):
    found = correlated_t(d, test_share=0.25)
    drawn = posterior_set(Posterior("accuracy, a - b", found.distribution, found.method))
    (line,), points = shapes(drawn, Line, "curve"), [mark.points[0, 0] for mark in shapes(drawn, Marks, "mark0")]
    assert math.isfinite(drawn.panel.x.start)
    assert drawn.panel.x.start < points[-1] < drawn.panel.x.stop
    assert np.isfinite(line.points).all()


RESULTS = (
    mcnemar(9, 2),
    paired_t([0.1, 0.2]),
    nadeau_bengio([0.1, 0.2], test_share=0.1),
    five_by_two(np.arange(10).reshape(5, 2) ** 2),
    correlated_t([0.1, 0.2], test_share=0.1),
)


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: type(result).__name__)
def test_every_result_is_plain_data_and_names_its_method_and_its_errors(result):
    told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert told["method"] == result.method
    assert any(year.isdigit() for year in result.method.replace(",", " ").split())
    assert told["type_i_error"] == result.type_i_error
    with pytest.raises(AttributeError):
        result.method = "another"


@pytest.mark.parametrize(
    "method", ["paired_t", "nadeau_bengio", "five_by_two_t", "five_by_two_f", "mcnemar_exact", "mcnemar_mid"]
)
def test_known_errors_are_told_with_their_worst_case(method):
    known = [rate for kind in Kind.__args__ if (rate := known_error(method, kind)) is not None]
    assert known
    for rate in known:
        assert 0 < rate.mean <= rate.max < 1
        assert str(rate) in told(method)


def test_only_the_uncorrected_t_over_overlapping_splits_is_refused():
    refused = {kind for kind in Kind.__args__ if (rate := known_error("paired_t", kind)) is not None and rate.refused}
    assert refused == {"repeated folds", "subsampling"}
    others = ("nadeau_bengio", "correlated_t", "five_by_two_t", "five_by_two_f", "mcnemar_exact", "mcnemar_mid")
    rates = [known_error(method, kind) for method in others for kind in Kind.__args__]
    assert not any(rate.refused for rate in rates if rate is not None)


def test_what_was_not_measured_is_not_known():
    assert known_error("nadeau_bengio", "bootstrap") is None
    assert known_error("sign test", "folds") is None
    assert not ErrorRate(0.30, 0.9, "over folds").refused


KNOWN = [case for case in CASES if case["quantity"] == "error_difference_interval"]


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["id"])
def test_against_the_reference(case):
    given, expected = dict(case["inputs"]), case["expected"]
    found = adjudge.error_difference(given["errors1"], given["n1"], given["errors2"], given["n2"], level=given["level"])
    near = {"abs": case["tolerance"]["atol"], "rel": case["tolerance"]["rtol"]}
    assert found.d == pytest.approx(float(expected["d"]), **near)
    assert found.sd == pytest.approx(float(expected["sd"]), **near)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(map(float, expected["interval"])), **near)
    assert found.p_positive == pytest.approx(float(expected["prob_d_positive"]), **near)


def test_there_are_references():
    assert len(KNOWN) == 3


def test_rates_that_do_not_vary_leave_the_probability_undefined():
    found = adjudge.error_difference(0, 10, 0, 20)
    assert (found.d, found.sd) == (0, 0)
    assert math.isnan(found.p_positive)
    assert "neither rate varies" in found.p_positive.reason


@pytest.mark.parametrize(
    "given", [(-1, 10, 1, 10), (11, 10, 1, 10), (1, 0, 1, 10), (1.5, 10, 1, 10), ("1", 10, 1, 10), (1, 10, 1, True)]
)
def test_what_counts_no_errors_is_refused(given):
    with pytest.raises(InputError, match="whole numbers"):
        adjudge.error_difference(*given)
