"""Two learners over several data sets: the numbers, the verdict, and what is refused."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.conftest import ORACLES

from adjudge._base.errors import InputError
from adjudge.judgements.over_sets import compare_over_sets
from adjudge.stats.difference_tests import wilcoxon_p
from adjudge.stats.hierarchical import hierarchical_posterior

BAYCOMP = json.loads((ORACLES / "baycomp_sets.json").read_text(encoding="utf-8"))["cases"]
MEANS = {"glass": 0.031, "iris": 0.012, "sonar": -0.004, "vowel": 0.027, "wine": 0.055, "yeast": 0.009, "zoo": 0.041}


def folds_of(centres, *, spread=0.03, folds=10, seed=0):
    rng = np.random.default_rng(seed)
    return {f"set {at}": rng.normal(centre, spread, folds) for at, centre in enumerate(centres)}


def codes(found):
    return [finding.code for finding in found.findings]


def three(told):
    return told.worse, told.same, told.better


def test_single_differences():
    found = compare_over_sets(MEANS)
    assert found.names == tuple(MEANS)
    assert found.n_sets == 7
    assert found.means.tolist() == list(MEANS.values())
    assert not found.means.flags.writeable
    assert found.wilcoxon_p == pytest.approx(stats.wilcoxon(found.means, method="exact").pvalue)
    assert found.hierarchical is None
    assert len(found.methods) == 3


@pytest.mark.parametrize("case", BAYCOMP, ids=lambda case: case["name"])
def test_three_numbers_are_those_of_baycomp(case):
    named = {f"set {at}": value for at, value in enumerate(case["differences"])}
    found = compare_over_sets(named, margin=case["rope"])
    assert three(found.sign) == pytest.approx(case["sign"], abs=0.01)
    assert three(found.signed_rank) == pytest.approx(case["signed_rank"], abs=0.01)
    assert 0 < found.signed_rank.error <= 0.5 / math.sqrt(50_000)


@pytest.mark.slow
def test_folds_are_judged_by_the_corrected_error_of_their_mean():
    given_folds = folds_of([0.02, 0.05, 0.0, 0.04, 0.03])
    found = compare_over_sets(given_folds, test_share=0.1, level=0.9)
    each = np.array(list(given_folds.values()))
    # Nadeau and Bengio (2003): 1/J + n_test / n_train
    scales = each.std(axis=1, ddof=1) * math.sqrt(1 / 10 + 1 / 9)
    prior = max(each.mean(axis=1).std(ddof=1), math.sqrt((scales**2).mean()))
    wanted = hierarchical_posterior(each.mean(axis=1), scales, np.full(5, 9.0), prior_scale=prior)
    told = found.hierarchical
    assert three(told) == pytest.approx(wanted.following(margin=0.01), abs=1e-9)
    assert told.mu.value == pytest.approx(wanted.mu, abs=1e-9)
    assert (told.mu.interval.low, told.mu.interval.high) == pytest.approx(wanted.mu_limits(0.9), abs=1e-9)
    assert (told.spread.interval.low, told.spread.interval.high) == pytest.approx(wanted.tau_limits(0.9), abs=1e-8)
    assert list(told.shrunken) == list(given_folds)
    rows = [[one.value, one.interval.low, one.interval.high] for one in told.shrunken.values()]
    assert np.array(rows) == pytest.approx(wanted.shrunken(level=0.9), abs=1e-8)
    assert found.means == pytest.approx(each.mean(axis=1))


def test_the_verdict_is_what_is_probable_enough():
    better = compare_over_sets({f"{k}": 0.05 + k / 1000 for k in range(9)})
    assert better.verdict == "better"
    assert better.summary == f"a is better on the typical data set, with probability {better.signed_rank.better:.3f}."
    assert compare_over_sets({f"{k}": -0.05 - k / 1000 for k in range(9)}).verdict == "worse"
    same = compare_over_sets({f"{k}": k / 10000 for k in range(9)})
    assert same.verdict == "equivalent"
    assert "practically the same" in same.summary
    open_ = compare_over_sets({"x": 0.05, "y": -0.05, "z": 0.0})
    assert open_.verdict == "undecided"
    assert f"better {open_.signed_rank.better:.3f}" in open_.summary
    assert open_.summary in repr(open_)


@pytest.mark.slow
def test_with_folds_the_next_data_set_decides():
    centres = np.repeat([0.3, -0.1], [11, 3])
    found = compare_over_sets(folds_of(centres), test_share=0.1)
    assert found.signed_rank.better > 0.95 > found.hierarchical.better
    assert found.verdict == "undecided"
    assert "on the next data set" in found.summary
    assert "hierarchical" in repr(found)


def test_the_same_seed_gives_the_same_digits():
    one, again, other = (compare_over_sets(MEANS, rng=seed).signed_rank for seed in (3, 3, 4))
    assert one == again != other


@pytest.mark.slow
def test_plain_data_for_json():
    found = compare_over_sets(folds_of([0.02, 0.05, 0.0]), test_share=0.1)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["verdict"] == found.verdict
    assert told["summary"] == found.summary
    assert told["hierarchical"]["mu"]["interval"]["low"] < told["hierarchical"]["mu"]["value"]
    assert set(told["hierarchical"]["shrunken"]) == set(found.names)


@pytest.mark.slow
@settings(max_examples=2)
@given(st.integers(0, 1000))
def test_mirrored_shuffled_and_in_percent(seed):
    rng = np.random.default_rng(seed)
    sets = folds_of(rng.normal(0.01, 0.03, 4), folds=5, seed=seed)
    found = compare_over_sets(sets, test_share=0.2)
    mirrored = compare_over_sets({name: -each for name, each in sets.items()}, test_share=0.2)
    turned = compare_over_sets(dict(reversed(sets.items())), test_share=0.2)
    percent = compare_over_sets({name: 100 * each for name, each in sets.items()}, margin=1, test_share=0.2)
    assert mirrored.wilcoxon_p == found.wilcoxon_p == turned.wilcoxon_p == percent.wilcoxon_p
    for name in ("sign", "signed_rank", "hierarchical"):
        wanted = three(getattr(found, name))
        assert three(getattr(turned, name)) == pytest.approx(wanted, abs=1e-8)
        assert three(getattr(percent, name)) == pytest.approx(wanted, abs=1e-8)
        assert three(getattr(mirrored, name)) == pytest.approx(wanted[::-1], abs=1e-8)
        assert sum(wanted) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(("sets", "said"), [(2, True), (5, True), (6, False), (9, False)])
def test_few_data_sets_cannot_reach_a_small_p(sets, said):
    found = compare_over_sets({str(k): k + 1.0 for k in range(sets)})
    assert ("A720" in codes(found)) is said
    assert (found.wilcoxon_p > 0.05) is said


def test_zeros_do_not_count_towards_a_small_p():
    found = compare_over_sets({str(k): max(0, k - 4) / 100 for k in range(9)})
    assert found.findings[0].code == "A720"
    assert found.findings[0].value == 4
    assert found.wilcoxon_p == found.findings[0].message.count("0.125") * 0.125


@pytest.mark.slow
def test_folds_that_all_agree_are_spread_over_the_margin():
    sets = folds_of([0.02, 0.05, 0.0, 0.04, 0.03]) | {"still": [0.1] * 10}
    found = compare_over_sets(sets, test_share=0.1, margin=0.02)
    assert "A721" in codes(found)
    each = np.array(list(sets.values()))
    # the variance of a uniform distribution over the margin, as the paper's authors draw such folds from one
    variances = np.append(each[:5].var(axis=1, ddof=1), stats.uniform(-0.02, 0.04).var())
    scales, means = np.sqrt(variances * (1 / 10 + 1 / 9)), each.mean(axis=1)
    prior = max(means.std(ddof=1), math.sqrt((scales**2).mean()))
    wanted = hierarchical_posterior(means, scales, np.full(6, 9.0), prior_scale=prior).shrunken()[-1]
    own = found.hierarchical.shrunken["still"]
    assert [own.value, own.interval.low, own.interval.high] == pytest.approx(wanted, abs=1e-8)
    without = compare_over_sets(sets, test_share=0.1, margin=0)
    assert "best known other one" in str(next(f for f in without.findings if f.code == "A721"))


@pytest.mark.slow
def test_nothing_known_of_any_spread():
    found = compare_over_sets({name: [0.0] * 5 for name in "abcdef"}, test_share=0.2, margin=0)
    assert found.hierarchical is None
    assert "A722" in codes(found)
    assert found.sign.same == 1
    roped = compare_over_sets({name: [0.0] * 5 for name in "abcdef"}, test_share=0.2)
    assert roped.hierarchical.same > 0.9
    assert roped.hierarchical.worse == pytest.approx(roped.hierarchical.better, abs=1e-9)


@pytest.mark.slow
def test_few_data_sets_lean_on_the_prior():
    assert "A723" in codes(compare_over_sets(folds_of([0.02] * 4), test_share=0.1))
    assert "A723" not in codes(compare_over_sets(folds_of([0.02] * 5), test_share=0.1))
    assert "A723" not in codes(compare_over_sets({"x": 0.1, "y": 0.2}))


def test_beyond_chance_but_too_small_to_matter():
    found = compare_over_sets({str(k): 0.001 + k / 10000 for k in range(9)})
    assert found.wilcoxon_p < 0.05
    assert codes(found) == ["A724"]


@pytest.mark.slow
def test_better_here_and_worse_there():
    found = compare_over_sets(folds_of([0.4, -0.4, 0.0, 0.1, 0.3], spread=0.01), test_share=0.1)
    told = next(finding for finding in found.findings if finding.code == "A725")
    assert "'set 1'" in told.message
    assert told.value == 4
    assert "A725" not in codes(compare_over_sets(folds_of([0.4, 0.3, 0.35, 0.4, 0.3], spread=0.01), test_share=0.1))


@pytest.mark.parametrize(
    ("differences", "how", "said"),
    [
        ([0.1, 0.2], {}, "by name of the data set.*got list"),
        ({}, {}, "at least two of them.*got 0"),
        ({"x": 0.1}, {}, "at least two of them.*got 1"),
        ({1: 0.1, "1": 0.2}, {}, "two names look alike"),
        ({"x": 0.1, "y": math.nan}, {}, "'y' has a difference that is missing or infinite"),
        ({"x": [0.1, math.inf], "y": [0.1, 0.2]}, {"test_share": 0.1}, "'x' has a difference that is missing or infinite"),
        ({"x": 0.1, "y": "0.2"}, {}, "'y' needs one number, or one for each of at least two folds; got '0.2'"),
        ({"x": 0.1, "y": None}, {}, "missing or infinite"),
        ({"x": 0.1, "y": True}, {}, "'y' needs one number"),
        ({"x": [0.1], "y": [0.2, 0.1]}, {"test_share": 0.1}, "'x' needs one number, or one for each of at least two folds"),
        ({"x": [], "y": [0.2, 0.1]}, {"test_share": 0.1}, "'x' needs one number"),
        ({"x": [[0.1, 0.2]], "y": [0.2, 0.1]}, {"test_share": 0.1}, "'x' needs one number"),
        ({"x": [[0.1], [0.1, 0.2]], "y": [0.2, 0.1]}, {"test_share": 0.1}, "'x' needs one number"),
        ({"x": 0.1, "y": [0.1, 0.2]}, {"test_share": 0.1}, "'x' has one number and 'y' one per fold"),
        ({"x": [0.1, 0.3], "y": [0.1, 0.2]}, {}, "need test_share, .*test_share=0.1 for ten folds"),
        ({"x": 0.1, "y": 0.2}, {"test_share": 0.1}, "test_share speaks of folds"),
        ({"x": [0.1, 0.3], "y": [0.1, 0.2]}, {"test_share": 10}, "test_share must lie strictly between 0 and 1, got 10"),
        ({"x": [0.1, 0.1], "y": [0.1, 0.1]}, {"test_share": 10}, "test_share must lie strictly between 0 and 1, got 10"),
        ({"x": [0.1, 0.3], "y": [0.1, 0.2]}, {"test_share": "0.1"}, "test_share must be a number"),
        ({"x": 0.1, "y": 0.2}, {"margin": -0.1}, "margin is the largest difference that does not matter.*got -0.1"),
        ({"x": 0.1, "y": 0.2}, {"margin": math.nan}, "margin is the largest"),
        ({"x": 0.1, "y": 0.2}, {"margin": "wide"}, "margin is the largest"),
        ({"x": 0.1, "y": 0.2}, {"level": 95}, "level must be a number strictly between 0 and 1"),
        ({"x": 0.1, "y": 0.2}, {"rng": "seed"}, "rng must be a seed"),
        ({"x": 0.1, "y": 0.2}, {"rng": -1}, "rng must be a seed"),
    ],
)
def test_refused_with_advice(differences, how, said):
    with pytest.raises(InputError, match=said):
        compare_over_sets(differences, **how)


def test_names_are_shown_safely():
    found = compare_over_sets({"a\x1b[2J": 0.1, "b": 0.2})
    assert found.names == ("a\\x1b[2J", "b")


@pytest.mark.slow
def test_equal_learners_are_seldom_told_apart():
    """Learners that are equal on average over data sets: p at most .05 in about 5%, and no verdict for either."""
    drawn = np.random.default_rng(8).normal(0, 0.03, (2000, 12))
    p_values = [wilcoxon_p(each) for each in drawn]
    judged = [compare_over_sets({str(k): v for k, v in enumerate(each)}) for each in drawn[:120]]
    assert [found.wilcoxon_p for found in judged] == p_values[:120]
    # the test is exact: 5% or the next share below that twelve signs allow
    assert stats.binomtest(sum(p <= 0.05 for p in p_values), 2000, 0.05, alternative="greater").pvalue > 1e-3
    assert np.mean([found.verdict in ("better", "worse") for found in judged]) < 0.1


def test_each_probability_names_its_question():
    """Many data sets of which three in five are better: the mean and the likeliest outcome are sure, the next one is not."""
    centres = np.tile([0.05, 0.04, 0.03, -0.01, -0.02], 8)
    found = compare_over_sets(folds_of(centres, spread=0.01), test_share=0.1)
    model = found.hierarchical
    assert model.better < 0.75
    assert model.likeliest.better > 0.99
    assert model.typical.better > 0.9
    for each in (model, model.typical, model.likeliest):
        assert sum(three(each)) == pytest.approx(1)
    questions = [each.question for each in found.answers]
    assert len(set(questions)) == 5
    told = found.to_dict()
    assert told["hierarchical"]["question"] == "on the next data set"
    assert "typical data set" in told["hierarchical"]["typical"]["question"]
    assert "likeliest" in told["hierarchical"]["likeliest"]["question"]
    assert "typical data set" in told["signed_rank"]["question"]
    words = " ".join(found.in_words().split())
    assert "On the typical data set, by the mean difference over data sets, a is better with probability" in words
    assert "most probable outcome on the next data set is that a is better with probability > 0.99" in words
    assert "HNB" in found.to_html()
    assert [each.question for each in compare_over_sets(MEANS).answers] == questions[:2]
