"""Posteriors against the reference numbers, and the distributions they obey.

The balanced accuracy over the levels of a further variable.
"""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import gammaincinv
from scipy.stats import beta
from tests.conftest import ORACLES

from adjudge import ConfusionCounts, InputError, Predictions, chance, confusion, difference, evaluate, posterior
from adjudge.estimates.posterior import of_cell_prior, of_one_in_k, of_prior, over_levels

CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))


def cases(*quantities):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] in quantities]


def close(found, expected, case):
    if expected is None:
        assert math.isnan(found)
        return
    tolerance = case["tolerance"]
    assert found == pytest.approx(float(expected), abs=max(tolerance["atol"], 1e-14), rel=tolerance["rtol"])


def prior_of(inputs):
    prior = inputs.get("prior", [1, 1])
    return (1, 1) if prior == "beta" else prior if isinstance(prior, str) else tuple(prior)


def made(case):
    i = case["inputs"]
    if case["quantity"] == "posterior_accuracy":
        return posterior(ConfusionCounts([[i["C"], i["I"]], [0, 0]]), "accuracy", prior=prior_of(i))
    if case["quantity"] == "multiclass_balanced_accuracy":
        return posterior(ConfusionCounts(i["confusion"]), prior=prior_of(i))
    counts = ConfusionCounts([[i["tp"], i["fn"]], [i["fp"], i["tn"]]])
    return posterior(counts, prior=prior_of(i), weights=None if "c" not in i else (i["c"], 1 - i["c"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", cases("posterior_accuracy", "posterior_balanced_accuracy", "cost_weighted_accuracy", "multiclass_balanced_accuracy")
)
def test_posteriors_agree_with_the_reference(case):
    distribution, expected, x = made(case), case["expected"], case["inputs"].get("x", [])
    for name in ("mean", "var", "median", "mode"):
        if name in expected:
            close(getattr(distribution, name), expected[name], case)
    for name, level in (("ci95", 0.95), ("ci99", 0.99)):
        if name in expected:
            limits = distribution.interval(level)
            close(limits.low, expected[name][0], case)
            close(limits.high, expected[name][1], case)
    for name in ("pdf", "cdf", "sf"):
        for at, value in zip(x, expected.get(name, []), strict=False):
            close(float(getattr(distribution, name)(at)), value, case)
    if "hpd95" in expected and expected["hpd95"] is not None:
        limits = distribution.interval(0.95, "hpd")
        close(limits.low, expected["hpd95"][0], case)
        close(limits.high, expected["hpd95"][1], case)


@pytest.mark.parametrize("case", cases("balanced_accuracy_tail"))
def test_tails_keep_relative_accuracy(case):
    i = case["inputs"]
    distribution = posterior(ConfusionCounts([[i["tp"], i["fn"]], [i["fp"], i["tn"]]]), prior="flat").distribution
    close(float(distribution.logcdf(i["x"])) / math.log(10), case["expected"]["log10_cdf"], case)
    close(float(distribution.logsf(i["x"])) / math.log(10), case["expected"]["log10_sf"], case)


@pytest.mark.parametrize("case", cases("prob_better_accuracy_independent"))
def test_difference_of_accuracies(case):
    i, expected = case["inputs"], case["expected"]
    a, b = (posterior(ConfusionCounts([[i[f"C_{s}"], i[f"I_{s}"]], [0, 0]]), "accuracy", prior="flat") for s in "ab")
    distribution = difference(a, b)
    close(float(distribution.sf(0)), expected["prob_a_better"], case)
    close(distribution.mean, expected["mean_difference"], case)
    for found, wanted in zip(distribution.distribution.interval(), expected["diff_ci95"], strict=True):
        close(found, wanted, case)


@pytest.mark.parametrize("case", cases("prob_better_balanced_independent"))
def test_difference_of_balanced_accuracies(case):
    expected = case["expected"]
    a, b = (posterior(ConfusionCounts([t[:2], t[2:]]), prior="flat") for t in (case["inputs"]["a"], case["inputs"]["b"]))
    distribution = difference(a, b)
    close(float(distribution.sf(0)), expected["prob_a_better"], case)
    close(distribution.mean, expected["mean_difference"], case)


@pytest.mark.parametrize("case", cases("above_chance_threshold"))
def test_the_threshold_of_chance(case):
    i, expected = case["inputs"], case["expected"]
    found = chance(ConfusionCounts([[i["C"], i["n"] - i["C"]], [0, 0]]), alpha=i["alpha"], rate=i["p"])
    wanted = None if expected["critical_count"] is None else int(expected["critical_count"])
    assert found.threshold == wanted
    close(found.p_value_rate, expected["p_value"], case)
    assert (found.p_value_rate <= i["alpha"]) == (wanted is not None and i["C"] >= wanted)


def test_check_values_of_the_two_figures():
    c2 = posterior(ConfusionCounts([[40, 5], [8, 2]]), prior="flat")
    limits = c2.interval()
    found = [c2.mean, c2.median, c2.mode, limits.low, limits.high, c2.sf(0.5)]
    expected = [0.561170212766, 0.555343139746, 0.540592860346, 0.451142176929, 0.701657891990, 0.825992412090]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@given(st.lists(st.integers(0, 60), min_size=4, max_size=4))
def test_error_mirrors_accuracy_and_classes_may_swap(cells):
    tp, fn, fp, tn = cells
    counts, swapped = ConfusionCounts([[tp, fn], [fp, tn]]), ConfusionCounts([[tn, fp], [fn, tp]])
    accuracy, error = posterior(counts, "accuracy"), posterior(counts, "error")
    assert error.mean == pytest.approx(1 - accuracy.mean, abs=1e-15)
    assert error.cdf(0.3) == pytest.approx(accuracy.sf(0.7), abs=1e-12)
    assert posterior(swapped).median == pytest.approx(posterior(counts).median, abs=1e-12)


def test_error_rates_keep_their_digits_at_a_billion_counts():
    distribution = posterior(ConfusionCounts([[10**9, 3], [0, 0]]), "error", prior="flat")
    assert distribution.median == pytest.approx(gammaincinv(4, 0.5) / 1e9, rel=1e-7)  # the limit distribution is a Gamma


@pytest.mark.parametrize("name", ["f1", "mcc", "kappa", "g_mean", "fbeta", "informedness", "precision", "jaccard"])
def test_other_measures_agree_with_draws_of_the_cells(name):
    cells = np.array([[40, 5], [8, 12]])
    distribution = posterior(ConfusionCounts(cells), name, positive=0, prior=(1, 1))
    tables = np.random.default_rng(99).dirichlet(cells.ravel() + 1, 40_000)
    tp, fn, fp, tn = tables.T
    of = {
        "f1": 2 * tp / (2 * tp + fn + fp),
        "fbeta": 2 * tp / (2 * tp + fn + fp),
        "jaccard": tp / (tp + fn + fp),
        "precision": tp / (tp + fp),
        "g_mean": np.sqrt(tp / (tp + fn) * tn / (tn + fp)),
        "informedness": tp / (tp + fn) + tn / (tn + fp) - 1,
        "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
        "kappa": 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)),
    }[name]
    error = 5 * of.std() / math.sqrt(20_000)
    assert distribution.mean == pytest.approx(of.mean(), abs=error)
    assert distribution.median == pytest.approx(np.median(of), abs=1.3 * error)
    assert ("draws" in distribution.method) == (name in ("mcc", "kappa", "g_mean", "fbeta"))


def test_draws_are_the_same_for_the_same_seed():
    counts = ConfusionCounts([[40, 5], [8, 12]])
    assert posterior(counts, "mcc", rng=7).median == posterior(counts, "mcc", rng=7).median


def test_a_variable_that_goes_with_the_class_is_balanced_out():
    sites = {"east": ConfusionCounts([[90, 10], [5, 5]]), "west": ConfusionCounts([[5, 5], [10, 90]])}
    distribution = posterior(sum(sites.values()), by=sites, prior="flat")
    recalls = [(91, 102), (6, 12), (6, 12), (91, 102)]
    assert distribution.mean == pytest.approx(np.mean([a / n for a, n in recalls]), abs=1e-12)


@pytest.mark.parametrize("arguments", [{"prior": (0, 1)}, {"prior": "uniform"}, {"weights": (0.5, 0.6)}, {"weights": (1,)}])
def test_priors_and_weights_are_checked(arguments):
    with pytest.raises(InputError):
        posterior(ConfusionCounts([[4, 1], [1, 4]]), **arguments)


def test_scores_have_no_posterior_from_counts():
    with pytest.raises(InputError, match="auc"):
        posterior(ConfusionCounts([[4, 1], [1, 4]]), "auc")


THREE = ConfusionCounts([[50, 5, 1], [8, 22, 3], [2, 1, 9]], list("abc"))


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "error", "kappa"])
def test_one_class_against_the_rest_is_that_table(name):
    found, two = posterior(THREE, name, positive="c"), posterior(THREE.binary("c"), name)
    assert found.mean == pytest.approx(two.mean, rel=1e-12)
    with pytest.raises(InputError, match="not among the classes"):
        posterior(THREE, name, positive="d")


@pytest.mark.parametrize("prior", ["flat", "jeffreys"])
@pytest.mark.parametrize("table", [[[5, 0], [0, 0]], [[2, 0], [0, 0]], [[40, 5], [8, 2]], THREE.cells])
def test_informedness_is_the_balanced_accuracy_moved(table, prior):
    moved, plain = posterior(ConfusionCounts(table), "informedness", prior=prior), posterior(ConfusionCounts(table), prior=prior)
    k = len(table)
    for mine, theirs in ((moved.mean, plain.mean), (moved.median, plain.median), (moved.mode, plain.mode)):
        assert mine == pytest.approx((k * theirs - 1) / (k - 1), abs=1e-9)
    assert moved.sf(0.1) == pytest.approx(plain.sf((0.1 * (k - 1) + 1) / k), abs=1e-12)


def test_weighted_cases_are_worth_what_they_are_within_their_class():
    truth, predicted = [0] * 200 + [1] * 6, [0] * 190 + [1] * 10 + [1, 1, 1, 1, 0, 0]
    weighted = confusion(truth, predicted, weight=[1.0] * 200 + [30.0] * 6)
    found = posterior(weighted, "sensitivity", positive=1, prior="jeffreys")
    assert (found.distribution.a, found.distribution.b) == pytest.approx((4.5, 2.5))
    assert posterior(weighted).mean == pytest.approx(posterior(confusion(truth, predicted)).mean)


def test_what_has_no_value_between_points_of_no_number():
    distribution = posterior(ConfusionCounts([[40, 5], [8, 2]]))
    assert math.isnan(distribution.cdf(math.nan))
    assert math.isnan(distribution.pdf(math.nan))
    assert (distribution.cdf(math.inf), distribution.sf(math.inf), distribution.logsf(math.inf), distribution.cdf(-math.inf)) == (
        1,
        0,
        -math.inf,
        0,
    )


@pytest.mark.parametrize(
    ("table", "how", "text"),
    [
        ([[5]], {"name": "informedness"}, "only one class"),
        ([[5]], {"name": "mcc"}, "only one class"),
        ([[1, 2], [3]], {}, "as many cells in each row"),
        ([[1, 1], [1, 1]], {"prior": ("a", "b")}, "prior must be"),
        ([[1, 1], [1, 1]], {"prior": (1e300, 1)}, "at most 1e"),
        ([[1, 1], [1, 1]], {"prior": (2, 5), "name": "mcc"}, "give a = b"),
        ([[1, 1], [1, 1]], {"prior": (2, 5), "name": "f1", "positive": 0}, "give a = b"),
        ([[1, 1], [1, 1]], {"weights": "ab"}, "weights must be"),
    ],
)
def test_what_has_no_posterior_is_refused(table, how, text):
    with pytest.raises(InputError, match=text):
        posterior(table, **how)


def test_a_prior_may_be_an_array():
    assert posterior(THREE, prior=np.array([1, 1])).mean == posterior(THREE, prior="flat").mean


@pytest.mark.slow
def test_a_prior_on_many_cells_is_warned_of():
    assert [finding.code for finding in posterior(np.eye(20, dtype=int) * 5, "mcc").findings] == ["A501"]
    assert not posterior(ConfusionCounts([[400, 50], [80, 200]]), "mcc").findings


def test_only_posteriors_have_a_difference():
    with pytest.raises(InputError, match="takes two posteriors, got Posteriors"):
        difference(posterior([[[1, 1], [1, 1]]]), posterior(THREE))


TABLES = arrays(np.int64, (3, 2, 2), elements=st.integers(1, 60))


def spread(table, copies):
    """Return truth and decision of each case of a 2 x 2 table."""
    truth, predicted = np.indices((2, 2))
    times = np.asarray(table).ravel() * copies
    return np.repeat(truth.ravel(), times), np.repeat(predicted.ravel(), times)


def confounded():
    """Site x has nearly all of class 0, site y of class 1; the decision is the site."""
    sites = {"x": [[95, 0], [5, 0]], "y": [[0, 5], [0, 95]]}
    parts = {site: spread(table, 1) for site, table in sites.items()}
    truth, predicted = (np.concatenate([part[i] for part in parts.values()]) for i in (0, 1))
    return truth, predicted, np.repeat(list(parts), [part[0].size for part in parts.values()])


@pytest.mark.slow
@given(TABLES)
def test_moments_are_those_of_the_mean_of_all_recalls(tables):
    by = {i: ConfusionCounts(table) for i, table in enumerate(tables)}
    found = posterior(sum(by.values()), by=by, prior="jeffreys")
    each = [beta(t[i, i] + 0.5, t[i].sum() - t[i, i] + 0.5) for t in tables for i in range(2)]
    assert found.mean == pytest.approx(np.mean([distribution.mean() for distribution in each]), rel=1e-12)
    assert found.var == pytest.approx(np.sum([distribution.var() for distribution in each]) / 36, rel=1e-12)


@pytest.mark.slow
@given(TABLES)
def test_one_level_is_the_plain_one_and_the_order_of_levels_is_nothing(tables):
    one = ConfusionCounts(tables[0])
    assert posterior(one, by={"only": one}).median == pytest.approx(posterior(one).median, abs=1e-10)
    by = {i: ConfusionCounts(table) for i, table in enumerate(tables)}
    back = dict(reversed(by.items()))
    assert over_levels(by).value == pytest.approx(over_levels(back).value, rel=1e-12)
    assert over_levels(by).interval.low == pytest.approx(over_levels(back).interval.low, rel=1e-12)


@pytest.mark.slow
def test_a_column_that_gives_the_class_away_is_found():
    truth, predicted, site = confounded()
    plain = evaluate(Predictions(truth, predicted))
    found = evaluate(Predictions(truth, predicted, group=site))
    assert plain.estimates["balanced_accuracy"].value == pytest.approx(0.95)
    assert found.over_groups.value == pytest.approx(0.5)
    assert "A505" in {finding.code for finding in found.findings}
    assert "Over the groups as well as the classes: balanced accuracy 50.0%" in found.in_words()


def test_a_class_missing_in_a_level_is_left_out_and_said():
    by = {"x": ConfusionCounts([[8, 2], [0, 0]]), "y": ConfusionCounts([[5, 5], [1, 9]])}
    found = posterior(sum(by.values()), by=by, prior="flat")
    assert found.mean == pytest.approx(((9 / 12 + 6 / 12) / 2 + 10 / 12) / 2, rel=1e-12)
    assert "A506" in {finding.code for finding in found.findings}


def test_classes_count_alike_however_many_levels_they_are_seen_in():
    # class b is seen at one of ten sites only, and never found there
    data = {"truth": ["a"] * 1000 + ["b"] * 100, "predicted": ["a"] * 1100, "site": [*np.repeat(range(10), 100), *[0] * 100]}
    found = evaluate(data, group="site", truth="truth", predicted="predicted")
    assert found.over_groups.value == pytest.approx(0.5)
    assert "A505" not in {finding.code for finding in found.findings}


def test_the_pull_of_the_prior_is_not_put_down_to_the_groups():
    by = {i: ConfusionCounts([[5, 0], [0, 5]]) for i in range(20)}
    assert {finding.code for finding in posterior(sum(by.values()), by=by).findings} == {"A501"}


@pytest.mark.parametrize(
    ("source", "how", "text"),
    [
        ([[1, 1], [1, 1]], {"by": {}}, "at least one level"),
        ([[1, 1], [1, 1]], {"by": {"x": [[1, 1], [1, 1]]}}, "level -> ConfusionCounts"),
        (
            [[1, 1], [1, 1]],
            {"by": {"x": ConfusionCounts([[1, 1], [1, 1]])}, "name": "accuracy"},
            "balances the balanced accuracy",
        ),
        ([[1, 1], [1, 1]], {"by": {"x": ConfusionCounts([[1, 1], [1, 1]])}, "prior": "dirichlet"}, "Beta prior"),
        ([[1, 1], [1, 1]], {"by": {"x": ConfusionCounts([[1, 1], [1, 2]])}}, "they must be the same cases"),
        ([[1, 1], [1, 1]], {"by": {"x": ConfusionCounts([[1, 1], [1, 1]], "ab")}}, "same classes"),
        ([[1, 1], [1, 1]], {"by": [1, 2]}, "a mapping of level"),
        ([[1, 1], [1, 1]], {"weights": (0.5, 0.5), "name": "accuracy"}, "weights= are those of the classes"),
    ],
)
def test_what_cannot_be_balanced_is_refused(source, how, text):
    with pytest.raises(InputError, match=text):
        posterior(source, **how)


@pytest.mark.parametrize(
    ("prior", "flat"), [("flat", True), ("dirichlet", True), ("jeffreys", False), ((2, 1), True), ((0.5, 3), False)]
)
def test_flat_priors(prior, flat):
    assert any(of_prior(ConfusionCounts(np.eye(3, dtype=int)), "balanced_accuracy", prior)) is flat


def test_a_flat_prior_pulls_few_cases_and_many_classes():
    assert not list(of_prior(ConfusionCounts([[40, 5], [6, 50]]), "balanced_accuracy", "flat"))
    assert not list(of_prior(ConfusionCounts([[4, 0], [0, 4]]), "balanced_accuracy", "jeffreys"))
    (few,) = of_prior(ConfusionCounts([[4, 0], [6, 50]]), "balanced_accuracy", "flat")
    assert (few.code, few.value) == ("A501", 4.0)


def test_a_prior_of_cells_is_told_from_a_tenth_of_the_cases_on():
    assert not list(of_cell_prior(10.0, 100.0))
    assert [finding.value for finding in of_cell_prior(10.1, 100.0)] == [10.1]


def test_a_class_that_is_never_predicted_makes_the_posterior_rest_on_its_prior():
    assert not list(of_one_in_k(ConfusionCounts([[40, 5], [6, 50]])))
    (found,) = of_one_in_k(ConfusionCounts([[40, 0], [56, 0]]))
    assert found.code == "A511"
