"""Corrections are recommended only where cases that took no part in fitting them say so."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tests.described import mentions

import adjudge
from adjudge import InputError, Predictions
from adjudge.corrections.costs import REJECTED
from adjudge.corrections.labelled import Known, labelled
from adjudge.corrections.multipliers import fit_multipliers
from adjudge.corrections.recipes import Recipe
from adjudge.corrections.rejection import fit_rejection
from adjudge.counts.sampling import MOST_CASES
from adjudge.describe.document import TITLES
from adjudge.judgements.crossfit import Crossed, assign_folds
from adjudge.judgements.recommendation import Recommendations, recommend


def judged(source, **how):
    """Return the evaluation of a report: with corrections tried."""
    return adjudge.report(source, **how).evaluation


def skewed(n=400, seed=0, share=0.12):
    """Return probabilities that take two unequal classes for equal ones."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    q = np.clip(0.5 + 0.3 * (y - 0.5) + 0.2 * rng.normal(size=n), 0.01, 0.99)
    return np.column_stack([1 - q, q]), y


def as_dealt(p, y, group=None):
    """Return the cases in the order in which they are dealt into folds."""
    cases = replace(labelled(p, y), group=group).in_one_order()
    return cases.by_class, cases.y, cases.group


def calibrated(n=400, seed=0):
    rng = np.random.default_rng(seed)
    q = rng.random(n)
    return np.column_stack([1 - q, q]), (rng.random(n) < q).astype(int)


@pytest.mark.slow
def test_what_helps_is_recommended_and_what_does_not_is_left():
    helped, spared = recommend(*skewed()), recommend(*calibrated())
    assert helped.best is not None
    assert helped.best.gain > 0.05
    assert {row.advice for row in spared.rows} <= {"leave it", "worth trying"}
    assert spared.best is None
    assert [row.p_gain for row in helped.rows] == sorted((row.p_gain for row in helped.rows), reverse=True)


@pytest.mark.slow
def test_the_gain_is_that_of_fits_without_the_fold():
    """By hand: fit on the other folds, decide, count."""
    p, y, _ = as_dealt(*skewed())
    found = recommend(p, y, rng=3)
    fold = assign_folds(y, 5, 3)
    right = np.empty(y.size, dtype=bool)
    for part in range(5):
        out = fold == part
        fitted = fit_multipliers(y[~out], p[~out], majority=0)
        right[out] = fitted.predict(p[out]) == y[out]
    before = p.argmax(axis=1) == y
    row = next(row for row in found.rows if row.name == "class multipliers, least squares in [0, 1]")
    assert row.gain == pytest.approx(right.mean() - before.mean())
    b, c = int((right & ~before).sum()), int((before & ~right).sum())
    assert row.p_gain == pytest.approx(stats.beta(b + 1, c + 1).sf(0.5), rel=1e-9)
    whole = fit_multipliers(y, p, majority=0)
    assert row.in_sample == pytest.approx((whole.predict(p) == y).mean() - before.mean())
    assert np.array_equal(row.correction.multipliers, whole.multipliers)


@pytest.mark.parametrize("measure", ["brier", "log_loss"])
def test_losses_gain_where_they_fall(measure):
    p, y = skewed()
    found = recommend(p, y, measure=measure, old=[0.5, 0.5])
    for row in found.rows:
        corrected = row.correction.apply(p)
        own = [v[np.arange(y.size), y] for v in (p, corrected)]
        if measure == "log_loss":
            before, after = (-np.log(v).mean() for v in own)
        else:
            before, after = (((1 - v) ** 2).mean() for v in own)
        assert found.before == pytest.approx(before)
        assert row.in_sample == pytest.approx(before - after)
    assert found.best is not None


@pytest.mark.slow
def test_balanced_accuracy_counts_classes_alike():
    p, y = skewed()
    found = recommend(p, y, measure="balanced_accuracy")
    decided = p.argmax(axis=1) == y
    assert found.before == pytest.approx((decided[y == 0].mean() + decided[y == 1].mean()) / 2)


@pytest.mark.slow
def test_costs_and_rejection():
    p, y = skewed()
    found = recommend(p, y, measure="cost", gamma=3.0)
    assert {row.name for row in found.rows} == {"two thresholds (gamma 3)", "least expected cost (gamma 3)"}
    assert found.best is not None
    costs = [[0, 1], [20, 0]]
    dear = recommend(p, y, measure="cost", costs=costs)
    assert dear.before == pytest.approx(np.array(costs)[y, p.argmax(axis=1)].mean())


@given(st.integers(2, 6), st.integers(10, 80), st.integers(2, 5), st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_folds_deal_every_class_alike(k, n, folds, seed):
    y = np.random.default_rng(seed).integers(0, k, n)
    fold = assign_folds(y, folds, seed)
    sizes = np.bincount(fold, minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    for c in range(k):
        own = np.bincount(fold[y == c], minlength=folds)
        assert own.max() - own.min() <= 1


# -- what was asked for, and nothing else ---------------------------------------------------------------------


def three(n=300, seed=2):
    rng = np.random.default_rng(seed)
    y = rng.choice(3, n, p=[0.6, 0.25, 0.15])
    z = rng.normal(size=(n, 3)) + 1.3 * np.eye(3)[y]
    return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True), y


def names(found):
    return sorted(row.name for row in found.rows)


@pytest.mark.slow
def test_forms_and_priors_are_tried_where_they_were_asked_for():
    p, y = skewed()
    usual = ["class multipliers, fewest errors", "class multipliers, least squares", "class multipliers, least squares in [0, 1]"]
    assert names(recommend(p, y)) == usual
    assert names(recommend(p, y, softmax=True)) == sorted([*usual, "class multipliers, softmax form"])
    assert names(recommend(p, y, old=[0.5, 0.5])) == sorted([*usual, "counted priors"])
    soft = next(row for row in recommend(p, y, softmax=True).rows if "softmax" in row.name)
    assert soft.correction.form == "softmax"
    assert np.array_equal(soft.correction.multipliers, fit_multipliers(y, p, form="softmax").multipliers)


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        ({"gamma": 2.0}, ["a threshold for each class (gamma 2)", "least expected cost (gamma 2)", "one threshold (gamma 2)"]),
        ({"max_rejection": 0.1}, ["one threshold (at most 10% rejected, against as many rejected at random)"]),
        ({"costs": (1 - np.eye(3)).tolist()}, ["least expected cost (costs as given)"]),
        ({"costs": (1 - np.eye(3)).tolist(), "max_rejection": 0}, ["least expected cost (costs as given, at most 0% rejected)"]),
    ],
)
def test_the_label_of_a_rule_says_what_was_asked(how, wanted):
    assert names(recommend(*three(), measure="cost", **how)) == wanted


def test_nothing_to_try_is_refused():
    with pytest.raises(InputError, match="leave nothing to try"):
        recommend(*three(), measure="cost", max_rejection=0)


def cross_fitted(p, y, fold, **how):
    """Return the decisions of rules fitted without the fold: -1 where rejected."""
    codes = np.empty(y.size, dtype=int)
    for part in range(fold.max() + 1):
        out = fold == part
        rule = fit_rejection(y[~out], p[~out], classes=[0, 1], **how)
        codes[out] = [-1 if label is REJECTED else label for label in rule.apply(p[out])]
    return codes


def test_errors_of_two_kinds_and_a_price_of_rejecting_by_hand():
    p, y, _ = as_dealt(*skewed())
    how = {"alpha": 0.25, "reject_cost": 0.2, "positive": 1}
    found = recommend(p, y, measure="cost", **how)
    row = next(row for row in found.rows if row.name.startswith("two thresholds"))
    costs = np.array([[0, 0.25, 0.2], [1, 0, 0.2]])
    codes = cross_fitted(p, y, assign_folds(y, 5, 0), **how)
    saved = costs[y, p.argmax(axis=1)] - costs[y, codes]
    assert found.before == pytest.approx(costs[y, p.argmax(axis=1)].mean())
    assert row.gain == pytest.approx(saved.mean())
    assert row.rejected == pytest.approx((codes < 0).mean())
    assert row.p_gain == pytest.approx(stats.ttest_1samp(saved, 0, alternative="less").pvalue, abs=1e-9)
    low, high = stats.ttest_1samp(saved, 0).confidence_interval(0.95)
    assert (row.interval.low, row.interval.high) == pytest.approx((low, high), rel=1e-9)


@pytest.mark.slow
def test_free_rejection_is_judged_against_rejecting_as_many_at_random():
    """The gain is the covariance of being rejected and of what that saves; a draw of random rejections gives its mean."""
    p, y, _ = as_dealt(*skewed())
    row = recommend(p, y, measure="cost", max_rejection=0.2).rows[0]
    codes = cross_fitted(p, y, assign_folds(y, 5, 0), max_rejection=0.2)
    rejected, wrong, before = codes < 0, (codes >= 0) & (codes != y), p.argmax(axis=1) != y
    assert row.gain == pytest.approx(before.mean() * (1 - rejected.mean()) - wrong.mean())
    rng = np.random.default_rng(5)
    random = [before[rng.permutation(y.size)[rejected.sum() :]].sum() / y.size for _ in range(4_000)]
    assert row.gain == pytest.approx(np.mean(random) - wrong.mean(), abs=4 * np.std(random) / np.sqrt(4_000))


def test_the_spread_of_that_gain_knows_how_many_were_rejected():
    """Against a jackknife over cases, each left out of the decisions as they stand."""
    p, y, _ = as_dealt(*skewed())
    row = recommend(p, y, measure="cost", max_rejection=0.2).rows[0]
    codes = cross_fitted(p, y, assign_folds(y, 5, 0), max_rejection=0.2)
    rejected, wrong, before = codes < 0, (codes >= 0) & (codes != y), p.argmax(axis=1) != y

    def gain(keep):
        return before[keep].mean() * (1 - rejected[keep].mean()) - wrong[keep].mean()

    every = np.arange(y.size)
    left = np.array([gain(every != i) for i in every])
    spread = np.sqrt((y.size - 1) * left.var())
    half = stats.t(y.size - 1).ppf(0.975) * spread
    assert (row.interval.high - row.interval.low) / 2 == pytest.approx(half, rel=0.02)


@pytest.mark.slow
def test_rejecting_for_nothing_is_not_recommended_where_scores_know_nothing():
    rng = np.random.default_rng(11)
    for _ in range(5):
        q, y = rng.random(300), rng.integers(0, 2, 300)
        assert recommend(np.column_stack([1 - q, q]), y, measure="cost", max_rejection=0.3).best is None


# -- the best of several ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_best_of_several_must_be_surer_than_one_alone():
    found = recommend(*skewed())
    alone = replace(found.rows[0], p_gain=0.994, p_together=0.994)
    weaker = replace(found.rows[0], p_gain=0.95, p_together=0.95)
    assert replace(found, rows=(alone,)).best is alone
    several = replace(found, rows=(replace(alone, p_together=0.988), weaker))
    assert several.rows[0].advice == "worth trying"  # as its table and its JSON say
    assert several.to_dict()["rows"][0]["advice"] == "worth trying"
    assert several.best is None
    words = " ".join(several.in_words().split())
    assert "recommended " not in words[words.index("Multipliers") :]
    assert "By itself it would be" in words
    assert mentions(words, "best of 2 tried", "98.8%", "not sure enough")


@pytest.mark.slow
def test_the_number_tried_is_told_beside_the_best():
    found = recommend(*skewed(), softmax=True)
    assert mentions(found.in_words(), "best of 4 tried")
    told = found.to_dict()
    assert (told["tried"], told["best"]) == (4, found.best.name)
    assert [row["p_together"] for row in told["rows"]] == list(found.p_together)
    assert all(one <= row.p_gain for one, row in zip(found.p_together, found.rows, strict=True))


@pytest.mark.slow
def test_all_that_differ_are_held_together():
    """Holm's method is the closed test of Bonferroni's: the worst of all sets a correction is in. The same decisions are one."""
    p, y = three()
    found, fold = recommend(p, y), assign_folds(y, 5, 0)
    decided = {}
    for row in found.rows:
        codes = np.empty(y.size, dtype=int)
        for part in range(5):
            out = fold == part
            codes[out] = row.recipe.fitted(Known(p[~out], y[~out], (0, 1, 2))).predict(p[out])
        decided.setdefault(codes.tobytes(), []).append(row)
    alone = [1 - rows[0].p_gain for rows in decided.values()]
    sets = [set(s) for size in range(1, len(alone) + 1) for s in combinations(range(len(alone)), size)]
    held = [1 - max(min(1, len(s) * min(alone[j] for j in s)) for s in sets if i in s) for i in range(len(alone))]
    assert found.different == len(decided)
    for rows, wanted in zip(decided.values(), held, strict=True):
        assert [row.p_together for row in rows] == pytest.approx([wanted] * len(rows))


@pytest.mark.slow
def test_the_same_decisions_twice_are_one_trial():
    p, y = skewed()  # within 0 and 1 and free least squares are the same here
    found = recommend(p, y)
    assert (found.tried, found.different) == (3, 2)
    assert mentions(found.in_words(), "best of 3 tried (2 ")
    assert [row.p_together for row in found.rows[1:]] == [found.rows[1].p_together] * 2
    assert max(1 - row.p_together for row in found.rows) <= 2 * max(1 - row.p_gain for row in found.rows) + 1e-15


@pytest.mark.slow
def test_choosing_is_judged_in_folds_that_had_no_say():
    p, y, _ = as_dealt(*skewed(seed=4))
    found, fold = recommend(p, y, rng=6), assign_folds(y, 5, 6)
    ways = ({}, {"bounds": None}, {"goal": "errors"})
    gains = np.zeros((len(ways) + 1, y.size))
    for at, how in enumerate(ways):
        for part in range(5):
            out = fold == part
            fitted = fit_multipliers(y[~out], p[~out], majority=0, **how)
            gains[at, out] = (fitted.predict(p[out]) == y[out]) * 1.0 - (p[out].argmax(axis=1) == y[out])
    total = 0.0
    for part in range(5):
        chosen = gains[:, fold != part].sum(axis=1).argmax()
        total += gains[chosen, fold == part].sum()
    assert found.gain_of_choice == pytest.approx(total / y.size)


def test_the_probabilities_shown_are_those_of_fits_without_the_case():
    """The calibration error over 15 equal bins of the highest probability, by hand."""
    p, y, _ = as_dealt(*skewed())
    found, fold = recommend(p, y, measure="brier"), assign_folds(y, 5, 0)
    bounds = {"class multipliers, least squares": None, "class multipliers, least squares in [0, 1]": (0, 1)}[found.best.name]
    after = np.empty_like(p)
    for part in range(5):
        out = fold == part
        after[out] = fit_multipliers(y[~out], p[~out], majority=0, bounds=bounds).apply(p[out])
    assert [curve.of for curve in found.reliability] == ["without", found.best.name]
    for curve, q in zip(found.reliability, (p, after), strict=True):
        top, right = q.max(axis=1), q.argmax(axis=1) == y
        place = np.minimum((top * 15).astype(int), 14)
        error = sum(abs(top[place == b].sum() - right[place == b].sum()) for b in range(15)) / y.size
        assert curve.area == pytest.approx(error)


# -- groups ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(st.integers(2, 5), st.integers(5, 30), st.integers(1, 6), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_groups_stay_together(folds, groups, most, seed):
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(groups), rng.integers(1, most + 1, groups))
    fold = assign_folds(rng.integers(0, 3, group.size), folds, seed, group)
    assert all(np.unique(fold[group == g]).size == 1 for g in range(groups))
    assert set(fold.tolist()) == set(range(folds))


def test_groups_are_dealt_about_alike():
    rng = np.random.default_rng(3)
    group, y = np.repeat(np.arange(200), 5), np.repeat(rng.random(200) < 0.2, 5).astype(int)
    fold = assign_folds(y, 5, 0, group)
    for c in (0, 1):
        own = np.bincount(fold[y == c], minlength=5)
        assert own.max() - own.min() <= 5  # one group


@pytest.mark.slow
def test_a_case_told_three_times_counts_once():
    """Copies in one group: the limits are those of a t test over the groups, not of three times the cases."""
    p, y = skewed(200)
    p, y, group = as_dealt(np.repeat(p, 3, axis=0), np.repeat(y, 3), np.repeat(np.arange(200), 3))
    found = recommend(p, y, groups=[f"patient {g}" for g in group])
    fold = assign_folds(y, 5, 0, group)
    row = next(row for row in found.rows if row.name == "class multipliers, fewest errors")
    each = np.empty(y.size)
    for part in range(5):
        out = fold == part
        fitted = fit_multipliers(y[~out], p[~out], majority=0, goal="errors")
        each[out] = (fitted.predict(p[out]) == y[out]) * 1.0 - (p[out].argmax(axis=1) == y[out])
    once = each[::3]
    assert row.gain == pytest.approx(once.mean())
    low, high = stats.ttest_1samp(once, 0).confidence_interval(0.95)
    assert (row.interval.low, row.interval.high) == pytest.approx((low, high), rel=1e-9)
    assert found.groups == 200
    naive = next(row for row in recommend(p, y).rows if row.name == "class multipliers, fewest errors")
    assert naive.interval.high - naive.interval.low < 0.7 * (high - low)


def test_balanced_accuracy_over_groups_against_a_jackknife():
    rng = np.random.default_rng(9)
    p, y = skewed(600, seed=9)
    p, y, group = as_dealt(p, y, rng.integers(0, 120, 600))
    found = recommend(p, y, measure="balanced_accuracy", groups=group)
    row = next(row for row in found.rows if "fewest errors" in row.name)
    codes = {label: at for at, label in enumerate(dict.fromkeys(group.tolist()))}
    number = np.array([codes[g] for g in group.tolist()])
    fold, each = assign_folds(y, 5, 0, number), np.empty(600)
    for part in range(5):
        out = fold == part
        fitted = fit_multipliers(y[~out], p[~out], majority=0, goal="errors", weight=1 / np.bincount(y[~out])[y[~out]])
        each[out] = (fitted.predict(p[out]) == y[out]) * 1.0 - (p[out].argmax(axis=1) == y[out])

    def gain(keep):
        return (each[keep & (y == 0)].mean() + each[keep & (y == 1)].mean()) / 2

    many = number.max() + 1
    left = np.array([gain(number != g) for g in range(many)])
    half = stats.t(many - 1).ppf(0.975) * np.sqrt((many - 1) * left.var())
    assert row.gain == pytest.approx(gain(np.ones(600, dtype=bool)))
    assert (row.interval.high - row.interval.low) / 2 == pytest.approx(half, rel=0.05)


@pytest.mark.slow
def test_few_groups_are_told():
    p, y = skewed()
    assert "A842" in {f.code for f in recommend(p, y, groups=np.arange(400) % 12).findings}
    assert "A842" not in {f.code for f in recommend(p, y, groups=np.arange(400) % 40).findings}


@pytest.mark.slow
def test_a_row_can_be_fitted_again_to_the_digit():
    p, y, _ = as_dealt(*three(120))
    found = (
        *recommend(p, y, measure="balanced_accuracy", softmax=True, old=[0.4, 0.3, 0.3]).rows,
        *recommend(p, y, measure="cost", gamma=2.0).rows,
    )
    assert len(found) == 8
    for row in found:
        again = row.recipe.fitted(Known(p, y, (0, 1, 2)))
        assert again.to_dict() == row.correction.to_dict(), row.name


@pytest.mark.slow
def test_names_of_classes_and_seeds():
    p, y = skewed()
    one, other = recommend(p, y, rng=1), recommend(p, np.array(["well", "ill"])[y], classes=["well", "ill"], rng=1)
    assert [row.gain for row in one.rows] == [row.gain for row in other.rows]
    assert other.rows[0].correction.classes == ("well", "ill")
    assert recommend(p, y, rng=1).to_dict() == one.to_dict()


@pytest.mark.slow
def test_the_gain_where_fitted_is_never_told_alone():
    told = recommend(*skewed()).to_dict()
    for row in told["rows"]:
        assert {"gain", "interval", "p_gain", "in_sample"} <= set(row)
    assert json.dumps(told, allow_nan=False)
    told = recommend(*skewed()).in_words()
    assert mentions(told, "held-out cases")
    assert mentions(told, "flatters")


@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"measure": "auc"}, "measure must be one of"),
        ({"measure": "cost"}, "together with gamma"),
        ({"gamma": 2.0}, "together with gamma"),
        ({"measure": "cost", "gamma": 2.0, "costs": [[0, 1], [1, 0]]}, "give one of them"),
        ({"measure": "cost", "alpha": 2.0, "positive": 1}, "rejecting every case would be free"),
        ({"measure": "cost", "max_rejection": 20}, "Ten percent is 0.1"),
        ({"positive": 1}, "no costs are given"),
        ({"decided": [0, 1]}, "what was decided in each of 400 cases"),
        ({"decided": [0, 2] * 200}, "decided has '2', but the classes are 0, 1"),
        ({"groups": [None, *range(399)]}, "1 case have no group"),
        ({"groups": ["a", float("nan"), *"bcdefg"] * 50}, "50 cases have no group"),
        ({"groups": np.where(np.arange(400) == 3, np.nan, np.arange(400) % 9)}, "1 case have no group"),
        ({"groups": [1, 2]}, "group of each of 400 cases; got 2 of them"),
        ({"groups": 3}, "groups must name"),
        ({"groups": [0] * 200 + [1] * 200}, "5 folds need as many groups"),
        ({"folds": 1}, "folds must be"),
        ({"folds": 2.5}, "folds must be"),
        ({"level": 2}, "level"),
    ],
)
def test_odd_choices_are_refused(how, match):
    with pytest.raises(InputError, match=match):
        recommend(*skewed(), **how)


@pytest.mark.slow
def test_few_cases_are_told():
    p, _ = skewed(30)
    y = np.arange(30) < 3
    assert {"A840", "A841"} <= {f.code for f in recommend(p, y.astype(int)).findings}


def many_of_one(n=30):
    """Return cases that are all but all of one class, and called the other."""
    y = (np.arange(n) < 3).astype(int)
    q = np.where(y == 1, 0.9, np.where(np.arange(n) % 7 == 0, 0.1, 0.6))
    return np.column_stack([1 - q, q]), y


@pytest.mark.slow
def test_few_cases_recommend_nothing():
    few, enough = recommend(*many_of_one(45)), recommend(*many_of_one(50))
    assert few.p_together[0] >= 0.99
    assert few.rows[0].advice == few.to_dict()["rows"][0]["advice"] == "worth trying"
    assert few.best is None
    assert "too few cases to recommend" in " ".join(few.in_words().split())
    assert enough.best is not None


@pytest.mark.slow
def test_a_class_without_cases_recommends_nothing():
    p, y = many_of_one(100)
    p = np.column_stack([0.99 * p, np.full(100, 0.01)])
    found = recommend(p, y)
    assert "A843" in {finding.code for finding in found.findings}
    assert found.p_together[0] >= 0.99
    assert found.best is None


# -- against what ----------------------------------------------------------------------------------------------


def tied(first):
    """Return two neighbours' votes that need no correction; ties are mostly of the commoner class."""
    p = np.array([[1, 0]] * 100 + [[0.5, 0.5]] * 100 + [[0, 1]] * 200, dtype=float)
    y = np.array(["ill"] * 100 + ["ill"] * 35 + ["well"] * 65 + ["well"] * 200)
    return (p, y, ["ill", "well"]) if first == "ill" else (p[:, ::-1], y, ["well", "ill"])


@pytest.mark.slow
def test_ties_are_no_gain_whatever_the_order_of_the_columns():
    found = [recommend(p, y, classes=classes) for p, y, classes in map(tied, ("ill", "well"))]
    for each in found:
        assert each.before == pytest.approx(365 / 400)
        row = next(row for row in each.rows if row.name == "class multipliers, fewest errors")
        assert row.correction.multipliers.tolist() == [1.0]
        assert (row.gain, row.in_sample, row.p_gain) == (0, 0, 0)
        assert each.best is None


@pytest.mark.slow
def test_gains_are_against_the_decisions_given():
    p, y, _ = as_dealt(*skewed())
    decided = (p[:, 1] > 0.8).astype(int)
    found, labels = recommend(p, y, decided=decided), np.array(["well", "ill"])
    assert found.before == pytest.approx((decided == y).mean())
    fold, right = assign_folds(y, 5, 0), np.empty(y.size)
    for part in range(5):
        out = fold == part
        right[out] = fit_multipliers(y[~out], p[~out], majority=0, goal="errors").predict(p[out]) == y[out]
    row = next(row for row in found.rows if row.name == "class multipliers, fewest errors")
    assert row.gain == pytest.approx((right - (decided == y)).mean())
    named = recommend(p, labels[y], classes=["well", "ill"], decided=labels[decided].tolist())
    assert [row.gain for row in named.rows] == [row.gain for row in found.rows]
    assert mentions(found.in_words(), "Without correction", f"{100 * found.before:.1f}%", "the decisions given")
    assert mentions(recommend(p, y).in_words(), "Without correction", "most probable class")


def test_decisions_that_were_not_made_cost_what_rejecting_costs():
    p, y = skewed()
    rejected = np.abs(p[:, 1] - 0.5) < 0.1
    decided = [REJECTED if none else at for none, at in zip(rejected, p.argmax(axis=1).tolist(), strict=True)]
    found = recommend(p, y, measure="cost", gamma=3.0, decided=decided)
    right = p.argmax(axis=1) == y
    assert found.before == pytest.approx((3 * (~rejected & ~right) - 1.0 * (~rejected & right)).mean())  # less 1 for each case


@pytest.mark.slow
def test_what_changes_nothing_is_no_gain_with_groups_and_without():
    """A multipliers of 1 at the edge of its bounds: calibrated, and classes far apart."""
    y = np.arange(200) % 2
    p = np.column_stack([1 - y, y]) * 0.9 + 0.05
    for groups in (None, np.arange(200) // 4):
        found = recommend(p, y, groups=groups)
        assert [row.p_gain for row in found.rows] == [0.0] * 3
        assert {row.advice for row in found.rows} == {"leave it"}
        assert "no difference" in found.in_words()


def test_limits_of_shares_end_where_shares_do():
    """Of three groups one gains everything and two nothing: Student's limits go beyond 1."""
    y, group = np.arange(120) % 2, np.repeat([0, 1, 2], 40)
    p = np.column_stack([1 - y, y]) * 0.9 + 0.05
    found = recommend(p, y, decided=np.where(group == 0, 1 - y, y), groups=group, folds=3)
    assert stats.ttest_1samp([1, 0, 0], 0).confidence_interval(0.95).high > 1
    for row in found.rows:
        assert row.gain == pytest.approx(1 / 3)
        assert (row.interval.low, row.interval.high, row.missed) == (-1, 1, 1)


@pytest.mark.slow
def test_always_answering_the_majority_is_called_that():
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.2).astype(int)
    q = rng.random(400)  # knows nothing
    found = recommend(np.column_stack([1 - q, q]), np.array(["well", "ill"])[y], classes=["well", "ill"])
    assert found.best.always == ("well", pytest.approx((y == 0).mean()))
    told = " ".join(found.in_words().split())
    assert mentions(told, "always predicting 'well'", f"{100 * (y == 0).mean():.1f}%")
    assert "(always well)" in told
    assert found.to_dict()["rows"][0]["always"][0] == "well"


# -- in the evaluation ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_evaluation_tries_corrections_when_asked():
    p, y = skewed()
    found = judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))
    accuracy, balanced = found.recommendations
    assert isinstance(accuracy, Recommendations)
    assert (accuracy.measure, balanced.measure) == ("accuracy", "balanced_accuracy")
    assert accuracy.best.gain == pytest.approx(recommend(p, y).best.gain)
    page = found.to_html()
    assert TITLES["corrections"] in page
    single = judged(Predictions(y, p.argmax(axis=1), p[:, 1], positive=1))
    assert single.recommendations[0].best.gain == pytest.approx(accuracy.best.gain)


def clustered(seed, groups=20, cases=30):
    """Return cases of patients who are alike, calibrated as far as one can be: there is nothing to mend."""
    rng = np.random.default_rng(seed)
    own = np.clip(rng.normal(0.5, 0.25, groups), 0.02, 0.98)
    y = np.repeat(rng.random(groups) < own, cases).astype(int)
    q = np.clip(np.repeat(own, cases) + rng.normal(0, 0.02, y.size), 0.01, 0.99)
    return np.column_stack([1 - q, q]), y, np.repeat(np.arange(groups), cases)


@pytest.mark.slow
def test_the_page_knows_of_clusters():
    recommended = {True: 0, False: 0}
    for seed in range(6):
        p, y, group = clustered(seed)
        for known in recommended:
            columns = {"truth": y, "p_0": p[:, 0], "p_1": p[:, 1]} | ({"patient": group} if known else {})
            accuracy = judged(columns).recommendations[0]
            assert accuracy.clusters == (20 if known else None)
            recommended[known] += accuracy.best is not None
    wanted = recommend(p, y, groups=group, clustered=True)
    assert [row.gain for row in accuracy.rows] != [row.gain for row in wanted.rows]
    found = judged({"truth": y, "p_0": p[:, 0], "p_1": p[:, 1], "patient": group})
    assert [row.gain for row in found.recommendations[0].rows] == [row.gain for row in wanted.rows]
    assert "600 cases of 20 clusters" in found.to_html()
    assert recommended[True] == 0 < recommended[False]


@pytest.mark.slow
def test_the_page_does_not_guess_at_groups():
    p, y, group = clustered(0)
    columns = {"truth": y, "p_0": p[:, 0], "p_1": p[:, 1]}
    nameless = judged(columns | {"ward": np.where(group == 3, None, group.astype(str))}, group="ward")
    assert nameless.recommendations == ()
    page = nameless.to_html()
    assert "some cases have no group" in page
    assert "Duch and Itert" not in page
    sites = judged(columns | {"site": group % 3}, group="site")
    assert sites.recommendations[0].groups is None
    assert "3 groups are too few" in sites.to_html()


@pytest.mark.slow
def test_the_page_compares_with_the_decisions_given():
    p, y = skewed()
    decided = (p[:, 1] > 0.8).astype(int)
    found = judged(Predictions(y, decided, p, classes=[0, 1]))
    assert found.recommendations[0].before == pytest.approx((decided == y).mean())
    cut = judged({"truth": y, "score": p[:, 1]}, threshold=0.8)
    assert cut.recommendations[0].before == pytest.approx(((p[:, 1] >= 0.8) == y).mean())
    assert "by the decisions given" in cut.to_html()


@pytest.mark.slow
def test_many_cases_are_drawn_from():
    p, y = skewed(MOST_CASES + 500)
    found = judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1]))
    assert found.recommendations[0].cases == MOST_CASES
    assert f"drawn from {MOST_CASES + 500:,}" in found.to_html()


# -- samples that keep rare classes --------------------------------------------------------------------------


def rare(n, share=0.01, seed=0):
    """Return probabilities that are too low for the rare class, and truths."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    z = rng.normal(2.5 * y, 1.0)
    q = 1 / (1 + np.exp(-(np.log(share / (1 - share)) + 0.5 * (2.5 * z - 3.125))))
    return np.column_stack([1 - q, q]), y


@pytest.mark.slow
def test_a_sample_says_what_all_cases_say():
    """Corrections of a rare class from 4,000 of 60,000 cases, against `recommend` on all of them."""
    p, y = rare(60_000)
    accuracy, balanced = judged(Predictions(y, scores=p, classes=[0, 1])).recommendations
    assert accuracy.cases == balanced.cases == MOST_CASES
    whole = recommend(p, y, measure="balanced_accuracy")
    assert balanced.best.name == whole.best.name
    assert balanced.best.interval.low <= whole.best.gain <= balanced.best.interval.high
    assert balanced.before == pytest.approx(whole.before, abs=0.01)
    before, after = balanced.unseen.measures["accuracy"]
    assert before == pytest.approx(np.mean(p.argmax(axis=1) == y), abs=0.002)
    assert after == pytest.approx(whole.unseen.measures["accuracy"][1], abs=0.03)
    assert balanced.unseen.before.n == pytest.approx(60_000)
    assert balanced.unseen.before.support[1] == np.sum(y)


@pytest.mark.slow
def test_weights_are_cases_told_several_times():
    """A correction of weighted cases is that of each case repeated as often, in the same fold."""
    p, y = rare(600, 0.1)
    fold = np.arange(600) % 5
    times = np.where(y == 1, 1, 3)
    at = np.repeat(np.arange(600), times)
    recipes = (Recipe("multipliers", bounds=None, majority=0), Recipe("errors", majority=0))
    for measure in ("accuracy", "balanced_accuracy"):
        weighted = Crossed(Known(p, y, (0, 1), times.astype(float)), measure, None, fold)
        repeated = Crossed(Known(p[at], y[at], (0, 1)), measure, None, fold[at])
        for recipe in recipes:
            one, other = weighted.of(recipe), repeated.of(recipe)
            np.testing.assert_allclose(one.correction.multipliers, other.correction.multipliers, rtol=1e-9)
            assert one.gain == pytest.approx(other.gain, abs=1e-12)
            assert one.in_sample == pytest.approx(other.in_sample, abs=1e-12)
            assert weighted.before(one.correction) == pytest.approx(repeated.before(other.correction), abs=1e-12)


def test_no_change_among_few_of_a_large_class_is_not_none_among_all():
    """20 more of the rare class found and none of 3,000 of the others lost does not bound what 300,000 others lose."""
    y = np.repeat([0, 1], [3000, 200])
    weight = np.where(y == 1, 1.0, 100.0)
    crossed = Crossed(Known(np.full((3200, 2), 0.5), y, (0, 1), weight), "accuracy", None, np.arange(3200) % 5)
    without = (y == 0).astype(float)
    after = without.copy()
    after[3000:3020] = 1.0
    distribution, _ = crossed._distribution(after - without, after, without)
    assert distribution.sf(0.0) < 0.9
    whole = Crossed(Known(np.full((3200, 2), 0.5), y, (0, 1)), "accuracy", None, np.arange(3200) % 5)
    assert whole._distribution(after - without, after, without)[0].sf(0.0) > 0.99


@pytest.mark.slow
def test_gains_of_samples_are_covered():
    """The distribution of a gain in accuracy against the truth, over files whose rare class is kept and whose other is thinned."""
    rng, n, share = np.random.default_rng(5), 20_000, 0.02
    shares = {0: (0.004, 0.003), 1: (0.35, 0.02)}  # only with the correction right, only without, by class
    truth = sum(w * (a - b) for w, (a, b) in zip((1 - share, share), shares.values(), strict=True))
    inside = 0
    for _ in range(200):
        size = rng.binomial(n, share)
        kept = {0: MOST_CASES - size, 1: size}
        y = np.repeat([0, 1], [kept[0], kept[1]])
        drawn = [rng.choice(3, kept[c], p=[*shares[c], 1 - sum(shares[c])]) for c in (0, 1)]
        outcome = np.concatenate(drawn)
        after, without = (outcome != 1).astype(float), (outcome != 0).astype(float)
        weight = np.where(y == 1, 1.0, (n - size) / kept[0])
        crossed = Crossed(Known(np.full((y.size, 2), 0.5), y, (0, 1), weight), "accuracy", None, np.arange(y.size) % 5)
        low, high = crossed._distribution(after - without, after, without)[0].interval(0.95)
        inside += low <= truth <= high
    assert 0.91 <= inside / 200 <= 0.985


@pytest.mark.slow
def test_the_partition_is_of_cases_that_count_alike():
    p, y = rare(30_000, 0.02)
    found = judged(Predictions(y, scores=p, classes=[0, 1]))
    space = found.partition
    assert np.mean(space.truth == 1) == pytest.approx(y.mean(), abs=2 / len(space.truth))
    assert space.correct == pytest.approx(np.mean(p.argmax(axis=1) == y), abs=0.01)


@pytest.mark.slow
def test_nothing_to_mend():
    p, y = skewed(40)
    assert judged(Predictions(y, p.argmax(axis=1), p, classes=[0, 1])).recommendations == ()
    assert judged(Predictions([0, 1] * 40, [0, 1] * 40)).recommendations == ()


# -- does it keep what it promises? --------------------------------------------------------------------------


def _data(seed):
    yield load_breast_cancer(return_X_y=True)
    for share, k in ((0.85, 2), (0.7, 3)):
        weights = [share, *[(1 - share) / (k - 1)] * (k - 1)]
        yield make_classification(
            1500, 12, n_informative=5, n_redundant=5, n_classes=k, weights=weights, flip_y=0.05, class_sep=0.7, random_state=seed
        )


def _learnt(seeds):
    """Yield probabilities of real learners with the truth, and those of fresh cases."""
    learners = (
        GaussianNB(),
        KNeighborsClassifier(7),
        DecisionTreeClassifier(max_depth=5, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
    )
    for seed in range(seeds):
        for X, y in _data(seed):
            for learner in learners:
                X_dev, X_new, y_dev, y_new = train_test_split(X, y, train_size=300, stratify=y, random_state=seed)
                p = cross_val_predict(learner, X_dev, y_dev, method="predict_proba")
                yield p, y_dev, learner.fit(X_dev, y_dev).predict_proba(X_new), y_new


def _distorted(sets):
    """Yield probabilities of two classes that are off by a factor, often a small one, and those of fresh cases."""
    rng = np.random.default_rng(0)
    for _ in range(sets):
        share, off, found = rng.uniform(0.15, 0.5), np.exp(rng.normal(0, 0.8)), []
        for n in (300, 10_000):
            y = (rng.random(n) < share).astype(int)
            odds = off * share / (1 - share) * np.exp(1.5 * rng.normal(loc=1.5 * (y - 0.5)))
            found += [np.column_stack([1 / (1 + odds), odds / (1 + odds)]), y]
        yield found


@pytest.mark.slow
def test_recommended_corrections_seldom_do_harm():
    """On fresh cases at most 5% of what is recommended, and of what is named as best of several, is worse by half a point."""
    worse, chosen = [], []
    for p, y, fresh, new in (*_learnt(1), *_distorted(66)):
        for measure in ("accuracy", "balanced_accuracy"):
            found = recommend(p, y, measure=measure)
            worse += [_harm(row, fresh, new, measure) for row in found.rows if row.advice == "recommended"]
            chosen += [] if found.best is None else [_harm(found.best, fresh, new, measure)]
    assert len(worse) >= 50
    assert np.mean(np.array(worse) > 0.005) <= 0.05
    assert len(chosen) >= 25
    assert np.mean(np.array(chosen) > 0.005) <= 0.05


def _harm(row, p, y, measure):
    """Return how much worse the correction is on fresh cases, ties going the same way with and without it."""
    value = {
        "accuracy": lambda d: (d == y).mean(),
        "balanced_accuracy": lambda d: np.mean([(d[y == c] == c).mean() for c in np.unique(y)]),
    }
    before = np.where(p[:, row.correction.majority] == p.max(axis=1), row.correction.majority, p.argmax(axis=1))
    return value[measure](before) - value[measure](np.asarray(row.correction.predict(p), dtype=int))


def test_recommend_is_public():
    assert adjudge.recommend is adjudge.correct.recommend
