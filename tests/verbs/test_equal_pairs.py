"""How often a comparison calls one of two equally good classifiers better: at most 5% on either side, also with few positives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.verbs.equal_pairs import (
    CELLS,
    SIZES,
    area_rate,
    drawn_rates,
    joint_of,
    latent,
    loss_rates,
    patterns,
    share_rates,
    swap_tails,
    together,
    two_ways,
    unpaired_area_rate,
    unpaired_rate,
)

import adjudge.estimates.differences
import adjudge.estimates.posterior
from adjudge import Predictions, compare
from adjudge.estimates import differences
from adjudge.estimates.differences import paired_difference
from adjudge.estimates.score_differences import score_difference
from adjudge.judgements.comparison import three_numbers
from adjudge.judgements.decision import verdict_error
from adjudge.metrics.catalogue import find

SEED = 713
TIMES = 300
"""Pairs of each of the 36 settings."""
ALLOWED, WORST = 0.10, 0.12
"""Verdicts among equal pairs: on average over the settings, and in each of them."""


@pytest.fixture
def _fewer_draws(monkeypatch):
    """Draw a tenth as often: a probability near .95 is then known to .005."""
    monkeypatch.setattr(adjudge.estimates.differences, "DRAWS", 2_000)
    monkeypatch.setattr(adjudge.estimates.posterior, "DRAWS", 2_000)


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer_draws")
def test_equal_pairs_seldom_get_a_verdict():
    """Exchangeable pairs; what `verdict_error` quotes is made here."""
    rates: dict[str, list[float]] = {}
    for cell in CELLS:
        m, _, skill, _ = cell
        a, b = latent(cell, TIMES, SEED)
        tables = patterns(m, a > skill / 2, b > skill / 2)
        found = {"auc": area_rate(m, a, b), **drawn_rates(tables), **share_rates(tables, SEED), **loss_rates(cell, a, b)}
        for measure, rate in found.items():
            rates.setdefault(measure, []).append(rate)
    made = {measure: (round(float(np.mean(rate)), 3), round(float(np.max(rate)), 3)) for measure, rate in rates.items()}
    told = {measure: verdict_error(measure) for measure in rates}
    assert all(mean <= ALLOWED and worst <= WORST for mean, worst in made.values()), made
    assert all(made[measure] == pytest.approx((each.mean, each.max), abs=0.01) for measure, each in told.items()), made


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer_draws")
def test_pairs_that_are_equal_in_two_ways_seldom_get_a_verdict():
    """Not exchangeable: the same F1 or MCC by another threshold, the same AUC by another spread."""
    rates = {"f1": [], "mcc": [], "auc": []}
    for cell in CELLS[::4] + CELLS[3::4]:  # each skill and each agreement with every size
        m, n, skill, _ = cell
        a, b = latent(cell, TIMES // 2, SEED + 1)
        for measure in ("f1", "mcc"):
            low, high = two_ways(measure, m, n, skill)
            rates[measure].append(drawn_rates(patterns(m, a > low, b > high), (measure,))[measure])
        rates["auc"].append(area_rate(m, *latent(cell, TIMES // 2, SEED + 2, wider=2.0)))
    made = {measure: (round(float(np.mean(rate)), 3), round(float(np.max(rate)), 3)) for measure, rate in rates.items()}
    assert all(mean <= ALLOWED and worst <= WORST for mean, worst in made.values()), made


@pytest.mark.slow
@pytest.mark.usefixtures("_fewer_draws")
def test_equals_judged_on_different_cases_seldom_get_a_verdict(monkeypatch):
    """Samples that share no case, of AUC and of MCC, which was worst; with a fixed or a random number of positives."""
    monkeypatch.setattr(adjudge.estimates.differences, "DRAWS", 2_000)
    skills = (0.5, 1.5)
    areas = [unpaired_area_rate(m, *latent((m, n, skill, 0.0), 150, 7)) for m, n in SIZES for skill in skills]
    grid = [(m, n, skill, random) for m, n in SIZES[:3] for skill in skills for random in (False, True)]
    mccs = [unpaired_rate("mcc", m, n, skill, 100, random=random) for m, n, skill, random in grid]
    for rates in (areas, mccs):
        assert np.mean(rates) <= ALLOWED, rates
        assert np.max(rates) <= WORST, rates


@pytest.mark.slow
def test_what_is_simulated_is_what_compare_says():
    """The same numbers by the public verb, one measure of each kind."""
    cell = (6, 100, 1.5, 0.2)
    a, b = latent(cell, 1, SEED)
    truth, rows = (np.arange(100) < 6).astype(int), np.arange(100)
    p = [1 / (1 + np.exp(-(1.5 * (each[0] - 0.75) + np.log(6 / 94)))) for each in (a, b)]
    said = [(each[0] > 0.75).astype(int) for each in (a, b)]
    both = [Predictions(truth, s, q, row=rows, positive=1) for s, q in zip(said, p, strict=True)]
    counts = patterns(6, a > 0.75, b > 0.75)[0]
    distributions = {
        "f1": paired_difference(joint_of(counts), find("f1"), 0, 1, positive=1).distribution,
        "mcc": paired_difference(joint_of(counts), find("mcc"), 0, 1, positive=1).distribution,
        "auc": score_difference(together(6, a[0], b[0]), find("auc"), 0, 1).distribution,
    }
    for measure, distribution in distributions.items():
        found = compare(*both, measure=measure)
        assert (found.worse, found.same, found.better) == pytest.approx(
            three_numbers(distribution, 0.01, higher_is_better=True), abs=1e-9
        )
    assert swap_tails(("f1", "mcc"), counts) == pytest.approx(
        differences.swap_tails(joint_of(counts), [find("f1"), find("mcc")], 1), abs=1e-9
    )
    losses = [(each - truth) ** 2 for each in p]
    found, theirs = compare(*both, measure="brier", margin=0.0), stats.ttest_rel(*losses)
    assert 2 * min(found.better, found.worse) == pytest.approx(theirs.pvalue, rel=1e-6)
