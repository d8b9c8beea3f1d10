"""Intervals: the default of each measure, what they must never do, and what is refused."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import binom
from tests.described import mentions, refused

from adjudge import ConfusionCounts, InputError, Predictions, WeightedCounts, confusion, evaluate, interval, measure
from adjudge.counts.counting import tally
from adjudge.estimates.intervals import count_interval, offered, one_sided, two_sided
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure
from adjudge.metrics.on_counts import ON_COUNTS

TABLES = (
    st.lists(st.integers(0, 40), min_size=9, max_size=9).map(lambda v: np.array(v).reshape(3, 3)).filter(lambda t: t.sum() > 0)
)
SHARES = ["midp", "clopper-pearson", "wilson", "jeffreys", "wald", "posterior"]


@given(TABLES)
@pytest.mark.parametrize("name", ["accuracy", "error", "balanced_accuracy", "informedness"])
def test_limits_hold_the_value_and_stay_in_range(name, table):
    counts = ConfusionCounts(table)
    value = measure(counts, name)
    if not math.isnan(value):
        limits = interval(counts, name)
        assert limits.low - 1e-12 <= value <= limits.high + 1e-12
        assert limits.low < limits.high


@pytest.mark.parametrize("name", [m.name for m in ON_COUNTS if m.name != "rejection_rate"])
def test_every_count_measure_has_a_default_that_is_never_certain(name):
    for table in ([[40, 5], [8, 2]], [[10, 0], [0, 5]], [[3, 1], [0, 2]]):
        counts = ConfusionCounts(table)
        limits = interval(counts, name, positive=0)
        assert -1 <= limits.low < limits.high <= 1
        assert limits.low <= measure(counts, name, positive=0) <= limits.high
        assert not limits.findings


@pytest.mark.parametrize("name", [m.name for m in ON_COUNTS if isinstance(m, ClassMeasure)])
def test_macro_averages_have_intervals(name):
    counts = ConfusionCounts([[20, 3, 2], [4, 15, 6], [1, 2, 30]])
    limits = interval(counts, name, average="macro")
    assert limits.low < measure(counts, name, average="macro") < limits.high


@pytest.mark.parametrize("method", SHARES)
def test_levels_are_nested(method):
    counts = ConfusionCounts([[40, 5], [8, 2]])
    narrow, wide = (interval(counts, "accuracy", level=level, method=method) for level in (0.8, 0.99))
    assert wide.low <= narrow.low < narrow.high <= wide.high


def test_the_default_of_the_balanced_accuracy_changes_at_ten_classes():
    few, many = (ConfusionCounts(np.eye(k, dtype=int) * 9 + 1) for k in (9, 10))
    assert interval(few, "balanced_accuracy").method == "mover-jeffreys"
    assert interval(many, "balanced_accuracy").method == "unbiased-centre"


def test_weights_count_as_much_as_they_are_worth():
    truth, predicted = [0, 1] * 40, [0, 1, 1, 1] * 20
    plain, doubled = confusion(truth, predicted), confusion(truth, predicted, weight=[2.0] * 80)
    assert isinstance(doubled, WeightedCounts)
    for name in ("accuracy", "balanced_accuracy", "f1", "sensitivity"):
        a, b = (interval(c, name, positive=1) for c in (plain, doubled))
        assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=1e-9)


def test_the_same_seed_gives_the_same_limits():
    counts = ConfusionCounts([[40, 5], [8, 12]])
    assert interval(counts, "mcc", rng=3) == interval(counts, "mcc", rng=3)


@pytest.mark.parametrize("method", ["default", "delong", "logit-delong", "newcombe"])
def test_auc_has_limits(method):
    rng = np.random.default_rng(4)
    truth = rng.random(200) < 0.3
    found = Predictions(truth, scores=1 / (1 + np.exp(-rng.normal(truth * 1.0))))
    limits = interval(found, "auc", method=method)
    assert 0 <= limits.low < measure(found, "auc") < limits.high <= 1


def test_a_perfect_ranking_is_not_certain():
    limits = interval(Predictions([0, 0, 1, 1], scores=[0.1, 0.2, 0.8, 0.9]), "auc")
    assert limits.low < limits.high == 1.0


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("accuracy", {"method": "mover-jeffreys"}),
        ("mcc", {"method": "wilson"}),
        ("f1", {"average": "weighted"}),
        ("mcc", {"average": "macro"}),
        ("auc", {}),
    ],
)
def test_what_has_no_interval_is_refused(name, arguments):
    with pytest.raises(InputError, match=name):
        interval(ConfusionCounts([[40, 5], [8, 2]]), name, **arguments)


@pytest.mark.parametrize(
    ("errors", "n", "holds"), [(12, 40, True), (2, 140, False), (10, 29, False), (0, 50, False), (6, 60, True)]
)
def test_the_normal_approximation_says_when_it_does_not_hold(errors, n, holds):
    found = interval(ConfusionCounts([[n - errors, errors], [0, 0]]), "error", method="wald")
    assert [finding.code for finding in found.findings] == ([] if holds else ["A504"])
    assert 0 <= found.low <= found.high <= 1


@given(st.integers(0, 60), st.integers(1, 60), st.floats(0.5, 0.999))
def test_tail_inversion_bounds_are_each_exact(errors, right, level):
    found = interval(ConfusionCounts([[right, errors], [0, 0]]), "error", method="tail-inversion", level=level)
    n = errors + right
    if errors:
        assert binom.sf(errors - 1, n, found.low) == pytest.approx(1 - level, rel=1e-9)
    if right:
        assert binom.cdf(errors, n, found.high) == pytest.approx(1 - level, rel=1e-9)


def test_a_table_may_be_given_as_it_is():
    assert interval([[40, 5], [8, 2]], "accuracy") == interval(ConfusionCounts([[40, 5], [8, 2]]), "accuracy")
    assert measure([[40, 5], [8, 2]], "accuracy") == 42 / 55


OF_A_CLASS = [m.name for m in ON_COUNTS if isinstance(m, ClassMeasure)]
OF_TABLES = [m.name for m in ON_COUNTS if not isinstance(m, ClassMeasure) and m.name != "rejection_rate"]


@given(TABLES, st.sampled_from([(name, "macro") for name in OF_A_CLASS] + [(name, None) for name in OF_TABLES]))
def test_defaults_hold_the_value_and_have_a_width(table, asked):
    name, average = asked
    counts = ConfusionCounts(table)
    value = measure(counts, name, average=average)
    if math.isnan(value):
        with pytest.raises(InputError, match="has no value here"):
            interval(counts, name, average=average)
        return
    limits = interval(counts, name, average=average)
    assert find(name).low <= limits.low <= value <= limits.high <= find(name).high
    assert limits.low < limits.high


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 3, 12])
def test_perfect_tables_have_limits_that_end_at_perfection(k):
    found = evaluate(ConfusionCounts(np.eye(k, dtype=int) * 9)).estimates
    for name in (
        "mcc",
        "kappa",
        "g_mean",
        "informedness",
        "balanced_accuracy",
        "sensitivity",
        "precision",
        "jaccard",
        "f1",
        "npv",
    ):
        assert found[name].value == found[name].interval.high == 1
        assert 0.5 < found[name].interval.low < 1
        assert not found[name].interval.findings


@pytest.mark.parametrize("table", [[[40, 5], [8, 2]], np.eye(12, dtype=int) * 9 + 1, [[20, 3, 2], [4, 15, 6], [0, 0, 0]]])
def test_the_mean_recall_has_one_interval_whatever_it_is_called(table):
    counts = ConfusionCounts(table)
    recall, missed = (interval(counts, name, average="macro") for name in ("sensitivity", "fnr"))
    assert recall == interval(counts, "balanced_accuracy")
    assert (missed.low, missed.high) == pytest.approx((1 - recall.high, 1 - recall.low), abs=1e-12)


def test_of_two_classes_the_rates_of_the_others_are_the_same_mean():
    counts = ConfusionCounts([[40, 5], [8, 2]])
    for name, other in (("specificity", "sensitivity"), ("fpr", "fnr"), ("npv", "precision")):
        assert interval(counts, name, average="macro") == interval(counts, other, average="macro")


def test_the_mean_precision_is_the_mean_recall_of_the_table_on_its_side():
    table = np.array([[20, 3, 2], [4, 15, 6], [1, 2, 30]])
    assert interval(table, "precision", average="macro") == interval(table.T, "sensitivity", average="macro")


@pytest.mark.slow
@given(TABLES)
def test_a_positive_class_makes_it_a_table_of_two(table):
    counts = ConfusionCounts(table, "abc")
    for name in OF_TABLES:
        value = measure(counts, name, positive="c")
        if not math.isnan(value):
            assert interval(counts, name, positive="c") == interval(counts.binary("c"), name)


@pytest.mark.parametrize("arguments", [{"positive": "z"}, {"positive": "z", "average": "macro"}])
@pytest.mark.parametrize("name", ["accuracy", "mcc", "f1", "balanced_accuracy"])
def test_unknown_classes_are_refused(name, arguments):
    with pytest.raises(InputError):
        interval(ConfusionCounts([[40, 5], [8, 2]], "ab"), name, **arguments)


@pytest.mark.parametrize(
    ("table", "name", "average", "reason"),
    [
        ([[5, 2], [0, 0]], "informedness", None, "all cases are of class 0"),
        ([[5, 2], [0, 0]], "mcc", None, "all cases are of class 0"),
        ([[5, 0], [4, 0]], "mcc", None, "all decisions are the same"),
        ([[5]], "kappa", None, "all cases are of class 0"),
        ([[5]], "specificity", "macro", "every case is of class 0"),
        ([[5]], "fpr", "macro", "every case is of class 0"),
        ([[5]], "npv", "macro", "no case was predicted as another class than 0"),
        ([[5, 0], [4, 0]], "precision", "macro", "class 1 was never predicted"),
        ([[0, 0], [0, 0]], "balanced_accuracy", None, "there is no case"),
        ([[0, 0], [0, 0]], "g_mean", None, "there is no case"),
        ([[0, 0], [0, 0]], "accuracy", None, "there is no case"),
        ([[0, 0], [0, 0]], "f1", "macro", "there is no case"),
    ],
)
def test_what_has_no_value_has_no_interval_and_the_reason_is_told(table, name, average, reason):
    for method in ("default", "posterior", "bootstrap"):
        with pytest.raises(InputError, match=f"{name} has no value.*: {reason};"):
            interval(ConfusionCounts(table), name, average=average, method=method)


@pytest.mark.parametrize(
    "name", ["accuracy", "balanced_accuracy", "g_mean", "f1", "fbeta", "jaccard", "sensitivity", "precision"]
)
def test_one_class_is_not_certain(name):
    counts = ConfusionCounts([[5]])
    for arguments in ({"positive": 0}, {"average": "macro"}):
        if arguments == {"average": "macro"} and name in OF_TABLES:
            continue
        for beta in (1.0, 2.0):
            limits = count_interval(counts, name, beta=beta, **arguments)
            assert 0.3 < limits.low < limits.high == 1


def test_a_mean_over_one_class_is_the_share_of_that_class():
    counts = ConfusionCounts([[5, 2], [0, 0]])
    for name in ("npv", "jaccard"):
        mean, share = interval(counts, name, average="macro"), interval(counts, name, positive=0)
        assert mean == share


@pytest.mark.parametrize("arguments", [{"positive": 1}, {"average": "macro"}])
def test_the_f_beta_of_one_is_f1(arguments):
    counts = ConfusionCounts([[40, 5, 1], [8, 22, 0], [1, 1, 9]])
    for method in ("default", "posterior", "bca"):
        plain = interval(counts, "f1", method=method, **arguments)
        assert count_interval(counts, "fbeta", beta=1, method=method, **arguments) == plain


@pytest.mark.slow
@given(TABLES, st.floats(0.1, 10), st.sampled_from([{"positive": 1}, {"average": "macro"}]))
def test_f_beta_holds_its_value(table, beta, arguments):
    counts = ConfusionCounts(table)
    value = measure(counts, "fbeta", beta=beta, **arguments)
    if not math.isnan(value):
        limits = count_interval(counts, "fbeta", beta=beta, **arguments)
        assert 0 <= limits.low <= value <= limits.high <= 1
        assert limits.low < limits.high


def test_f_beta_goes_from_precision_to_recall():
    counts = ConfusionCounts([[60, 40], [5, 95]])
    for beta, name in ((1e-4, "precision"), (1e4, "sensitivity")):
        found, share = count_interval(counts, "fbeta", beta=beta, positive=0), interval(counts, name, positive=0)
        assert (found.low, found.high) == pytest.approx((share.low, share.high), abs=0.01)  # given other cases


@pytest.mark.slow
@given(TABLES, st.floats(0.2, 5))
def test_a_class_has_the_same_limits_however_the_others_are_divided(table, beta):
    counts = ConfusionCounts(table, "abc")
    if not math.isnan(measure(counts, "fbeta", positive="a", beta=beta)):
        divided, joined = (count_interval(c, "fbeta", positive="a", beta=beta) for c in (counts, counts.binary("a")))
        assert divided == joined


@pytest.mark.parametrize("beta", [0, -1, math.nan, math.inf, "2", True])
def test_no_beta_is_refused(beta):
    with pytest.raises(InputError, match=r"^beta .*above 0"):
        count_interval(ConfusionCounts([[40, 5], [8, 2]]), "fbeta", positive=1, beta=beta)


@pytest.mark.parametrize("level", [0, 1, 95, -0.1, math.nan, "0.95", True])
def test_no_level_is_refused(level):
    with refused("level", "strictly between 0 and 1"):
        count_interval(ConfusionCounts([[40, 5], [8, 2]]), "accuracy", level=level)


def weighted(cases, weights):
    """Return the table of so many cases in each cell, all of a cell with one weight."""
    cases, weights = np.asarray(cases, dtype=float), np.asarray(weights, dtype=float)
    return WeightedCounts(cases * weights, tuple(range(len(cases))), squares=cases * weights**2)


SIX_HEAVY = weighted([[90, 10, 4], [5, 80, 3], [1, 1, 4]], np.array([[1.0], [1.0], [30.0]]))


def test_the_cases_of_a_class_are_worth_what_they_are():
    """Six cases of weight 30 are six cases, whatever else was weighed."""
    limits = interval(SIX_HEAVY, "sensitivity", positive=2)
    plain = interval(ConfusionCounts([[90, 10, 4], [5, 80, 3], [1, 1, 4]]), "sensitivity", positive=2)
    assert (limits.low, limits.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    found = evaluate(SIX_HEAVY, positive=2)
    assert found.estimates["sensitivity"].cases == pytest.approx(6)
    assert found.estimates["sensitivity"].interval == limits
    assert found.by_class[2].sensitivity.cases == pytest.approx(6)


def test_f1_rests_on_the_cases_of_its_class_and_those_called_so():
    squares = SIX_HEAVY.squares[2].sum() + SIX_HEAVY.squares[:2, 2].sum()
    worth = (SIX_HEAVY.cells[2].sum() + SIX_HEAVY.cells[:2, 2].sum()) ** 2 / squares
    value, limits = measure(SIX_HEAVY, "f1", positive=2), interval(SIX_HEAVY, "f1", positive=2)
    share = stats.beta.ppf([0.025, 0.975], value / (2 - value) * worth + 0.5, (1 - value / (2 - value)) * worth + 0.5)
    assert (limits.low, limits.high) == pytest.approx(tuple(2 * share / (1 + share)), abs=1e-9)


@pytest.mark.parametrize("method", ["default", "bootstrap", "bca", "posterior"])
@pytest.mark.parametrize(
    ("name", "average"),
    [
        ("mcc", None),
        ("kappa", None),
        ("g_mean", None),
        *((n, "macro") for n in ("precision", "jaccard", "f1", "npv", "sensitivity")),
    ],
)
def test_one_weight_for_all_changes_nothing(name, average, method):
    cases = [[40, 5, 2], [8, 22, 3], [1, 1, 9]]
    plain = interval(ConfusionCounts(cases), name, average=average, method=method)
    doubled = interval(weighted(cases, 2.5), name, average=average, method=method)
    assert (plain.low, plain.high) == pytest.approx((doubled.low, doubled.high), abs=1e-6)


@pytest.mark.parametrize("method", ["default", "bootstrap", "bca", "posterior"])
@pytest.mark.parametrize(("name", "average"), [("g_mean", None), ("sensitivity", "macro"), ("jaccard", "macro"), ("f1", "macro")])
def test_few_heavy_cases_make_wide_limits(name, average, method):
    light = weighted([[90, 10, 4], [5, 80, 3], [30, 30, 120]], 1.0)  # the same sums of weights
    heavy, even = (interval(counts, name, average=average, method=method) for counts in (SIX_HEAVY, light))
    assert measure(SIX_HEAVY, name, average=average) == pytest.approx(measure(light, name, average=average))
    assert heavy.high - heavy.low > 2 * (even.high - even.low)


def test_weighted_resamples_keep_light_classes():
    """A class of one light case is still a class: it is drawn as one case, not rounded away."""
    counts = weighted([[50, 5, 0], [5, 50, 0], [0, 1, 2]], [[10, 10, 10], [10, 10, 10], [0.1, 0.1, 0.1]])
    for method in ("bootstrap", "bca"):
        limits = interval(counts, "balanced_accuracy", method=method)
        assert not limits.findings
        assert limits.low < measure(counts, "balanced_accuracy") < limits.high
        assert limits.high - limits.low > 0.2


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_resamples_that_agree_are_no_certainty(method):
    limits = interval([[40, 0], [0, 9]], "mcc", method=method)
    (told,) = limits.findings
    assert told.code == "A507"
    assert mentions(told.message, "All resamples", "the same mcc")
    assert replace(limits, findings=()) == interval([[40, 0], [0, 9]], "mcc")


def test_many_resamples_agree():
    """With one error in a thousand, 37% of the resamples have one too: the middle tenth has no width."""
    limits = interval([[500, 0], [1, 499]], "accuracy", method="bootstrap", level=0.1)
    (told,) = limits.findings
    assert mentions(told.message, "So many resamples", "the same accuracy")
    assert replace(limits, findings=()) == interval([[500, 0], [1, 499]], "accuracy", level=0.1)


@pytest.mark.slow
def test_the_posterior_of_a_perfect_table_is_near_perfection():
    """A prior worth one case in all does not pull the kappa of twelve classes away from what was seen."""
    limits = interval(np.eye(12, dtype=int) * 9, "kappa", method="posterior")
    assert limits.low > 0.93
    assert limits.high > 0.999


def test_a_class_without_a_case_takes_no_part_in_the_posterior_of_a_mean():
    with_none, without = np.array([[20, 3, 0], [4, 15, 0], [0, 0, 0]]), np.array([[20, 3], [4, 15]])
    a, b = (interval(table, "g_mean", method="posterior") for table in (with_none, without))
    assert (a.low, a.high) == pytest.approx((b.low, b.high), abs=0.02)


@pytest.mark.slow
def test_every_method_that_is_offered_works():
    rows = np.repeat(np.arange(9), [40, 5, 1, 8, 22, 0, 1, 1, 9])
    counts = tally(Predictions(rows // 3, rows % 3, cluster=np.arange(rows.size) % 30)).confusion
    for m in ON_COUNTS:
        for average in (None, "macro") if isinstance(m, ClassMeasure) else (None,):
            for method in offered(m, average):
                positive = 1 if isinstance(m, ClassMeasure) and average is None else None
                limits = interval(counts, m.name, average=average, method=method, positive=positive)
                assert limits.low <= limits.high


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
def test_the_g_mean_of_two_classes_has_the_limits_of_its_logarithms(a, b, c, d):
    hits, cases = np.array([a, d]), np.array([a + b, c + d])
    if not cases.all():
        return
    lows = np.where(hits == 0, 0, stats.beta.ppf(0.025, hits + 0.5, cases - hits + 0.5))
    highs = np.where(hits == cases, 1, stats.beta.ppf(0.975, hits + 0.5, cases - hits + 0.5))
    with np.errstate(divide="ignore"):
        centre, low, high = np.log(np.where(hits == 0, 0.5 / (cases + 1), hits / cases)), np.log(lows), np.log(highs)
    expected = [np.exp(centre.mean() - np.hypot(*(centre - low)) / 2), np.exp(centre.mean() + np.hypot(*(high - centre)) / 2)]
    found = interval([[a, b], [c, d]], "g_mean")
    assert found.method == "mover-log"
    assert (found.low, found.high) == pytest.approx((expected[0], min(expected[1], 1)), abs=1e-9)


def test_rejected_cases_are_cases():
    counts = ConfusionCounts([[40, 5, 3], [8, 22, 6]])
    for name, average in (("mcc", None), ("kappa", None), ("g_mean", None), ("jaccard", "macro"), ("specificity", "macro")):
        limits = interval(counts, name, average=average)
        assert limits.low < measure(counts, name, average=average) < limits.high


def table(*rows):
    return ConfusionCounts(np.array(rows))


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_shares_have_the_bounds_of_beta_quantiles(n, x, level):
    x = min(x, n)
    found = one_sided(table([x, n - x], [0, 0]), find("accuracy"), level=level)
    low = stats.beta.ppf(1 - level, x, n - x + 1) if x else 0.0
    high = stats.beta.ppf(level, x + 1, n - x) if x < n else 1.0
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sizes", "rates"),
    [((30, 15), (0.97, 0.85)), ((60, 8), (0.99, 0.7)), ((12, 12), (0.97, 0.6)), ((40, 20), (0.8, 0.8)), ((25, 5), (0.9, 0.5))],
)
@pytest.mark.parametrize("name", ["balanced_accuracy", "informedness"])
def test_a_claim_at_the_truth_is_let_through_rarely(sizes, rates, name):
    """Every table, with its probability: few cases of a class that are all right must not be enough."""
    truth = sum(rates) / 2 if name == "balanced_accuracy" else sum(rates) - 1
    wrong = 0.0
    for a, b in itertools.product(range(sizes[0] + 1), range(sizes[1] + 1)):
        chance = stats.binom.pmf(a, sizes[0], rates[0]) * stats.binom.pmf(b, sizes[1], rates[1])
        if chance > 1e-5:
            wrong += chance * (one_sided(table([a, sizes[0] - a], [sizes[1] - b, b]), find(name)).low >= truth)
    assert wrong <= 0.05


def test_the_default_of_two_sides_would_let_too_much_through():
    counts, truth = table([293, 7], [0, 15]), (0.97 + 0.85) / 2  # nine in a hundred tests have all 15 right
    assert count_interval(counts, "balanced_accuracy", level=0.9).low > truth > one_sided(counts, find("balanced_accuracy")).low


@pytest.mark.parametrize("rows", [([45, 5], [3, 47]), ([180, 0], [3, 17]), ([20, 3, 2], [4, 15, 6], [1, 2, 30])])
def test_the_g_mean_has_the_wider_of_two_limits_on_either_side(rows):
    counts = table(*rows)
    whole = count_interval(counts, "g_mean", level=two_sided(0.95))
    worth = count_interval(counts, "g_mean", level=0.95, method="effective-tail-inversion")
    found = one_sided(counts, find("g_mean"), level=0.95)
    assert (found.low, found.high) == (min(whole.low, worth.low), max(whole.high, worth.high))


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.8, 0.95, 0.99]))
def test_f1_has_the_exact_bounds_of_the_jaccard_index(hit, miss, alarm, level):
    """TP is binomial given TP + FP + FN, so the bounds are never wrong more often than they say."""
    n = hit + miss + alarm
    if not n:
        return
    found = one_sided(table([hit, miss], [alarm, 9]), find("f1"), level=level, positive=0)
    low = stats.beta.ppf(1 - level, hit, n - hit + 1) if hit else 0.0
    high = stats.beta.ppf(level, hit + 1, n - hit) if hit < n else 1.0
    assert found.method == "f1-tail-inversion"
    assert (found.low, found.high) == pytest.approx((2 * low / (1 + low), 2 * high / (1 + high)), abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "shares"), [(20, (0.1, 0.1, 0.1)), (30, (0.05, 0.05, 0.02)), (30, (0.4, 0.02, 0.02))])
def test_a_claim_about_f1_at_the_truth_is_settled_rarely(n, shares):
    """Every table, with its probability: true positives, false negatives, false positives; both ways."""
    truth, passed, failed = 2 * shares[0] / (2 * shares[0] + shares[1] + shares[2]), 0.0, 0.0
    rest = 1 - sum(shares)
    for m in range(1, n + 1):
        for hit in range(m + 1):
            of_any = stats.binom.pmf(m, n, 1 - rest)
            chance = of_any * stats.binom.pmf(hit, m, shares[0] / sum(shares))
            if chance > 1e-6:
                found = one_sided(table([hit, m - hit], [0, n - m]), find("f1"), positive=0)
                passed += chance * (found.low > truth)
                failed += chance * (found.high < truth)
    assert max(passed, failed) <= 0.05


@pytest.mark.parametrize("name", ["f1", "jaccard"])
def test_means_over_classes_have_the_bounds_of_as_many_cases_as_they_are_worth(name):
    counts = table([20, 3, 2], [4, 15, 6], [1, 2, 30])
    found, both = one_sided(counts, find(name), average="macro"), count_interval(counts, name, average="macro", level=0.9)
    assert found.method == "effective-tail-inversion"
    assert found.low < both.low < both.high < found.high


@pytest.mark.parametrize(("classes", "cases"), [(2, 50), (8, 20)])
def test_few_errors_spread_over_the_classes_do_not_fail_a_claim_that_is_met(classes, cases):
    """Errors are nearly a Poisson number, spread at random: the bound of the balanced accuracy against that of their sum."""
    rate = 0.01 if classes == 2 else 0.02
    rng = np.random.default_rng(5)
    errors = rng.binomial(cases, rate, (2000, classes))
    kinds, times = np.unique(np.sort(errors, axis=1), axis=0, return_counts=True)
    failed = 0.0
    for kind, count in zip(kinds, times, strict=True):
        cells = np.diag(cases - kind) + np.roll(np.diag(kind), 1, axis=1)
        failed += count * (one_sided(ConfusionCounts(cells), find("balanced_accuracy")).high < 1 - rate)
    assert failed / 2000 <= 0.05


def test_bounds_of_missed_shares_mirror_those_of_recalls():
    counts = table([19, 1, 0], [0, 18, 2], [0, 0, 25])
    missed, recalled = (one_sided(counts, find(name), average="macro") for name in ("fnr", "sensitivity"))
    assert (missed.low, missed.high) == pytest.approx((1 - recalled.high, 1 - recalled.low), abs=1e-12)


def test_a_method_asked_for_is_used():
    found = one_sided(table([45, 5], [3, 47]), find("accuracy"), method="wilson")
    assert found.method == "wilson"
    assert found.low == count_interval(table([45, 5], [3, 47]), "accuracy", level=two_sided(0.95), method="wilson").low
    asked, usual = (one_sided(table([45, 5], [3, 47]), find("accuracy"), method=m) for m in ("tail-inversion", "default"))
    assert asked == usual


def test_macro_sensitivity_is_the_balanced_accuracy():
    counts = table([9, 1, 0], [2, 7, 1], [0, 0, 12])
    a, b = one_sided(counts, find("sensitivity"), average="macro"), one_sided(counts, find("balanced_accuracy"))
    assert (a.low, a.high) == (b.low, b.high)
