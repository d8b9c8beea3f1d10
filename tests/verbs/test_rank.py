"""Many sets or learners, from best to worst."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import adjudge
from adjudge import InputError, Predictions, rank
from adjudge.estimates.best_of import corrected_best, corrected_best_fold, joint_folds


@pytest.fixture(autouse=True)
def _fewer_draws(monkeypatch):
    """Measures of scores without a formula are drawn a fifth as often."""
    monkeypatch.setattr("adjudge.estimates.redrawn.DRAWS", 200)


def candidates(rates, n=200, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    said = [np.where(rng.random(n) < rate, truth, 1 - truth) for rate in rates]
    return {f"m{i}": Predictions(truth, each, row=np.arange(n)) for i, each in enumerate(said)}


def scored(strengths, n=150, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    found = {}
    for i, strength in enumerate(strengths):
        z = rng.normal(size=(n, 3))
        z[np.arange(n), truth] += strength
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        found[f"m{i}"] = Predictions(truth, p.argmax(axis=1), p, classes=[0, 1, 2], row=np.arange(n))
    return found


@pytest.mark.slow
def test_from_best_to_worst_with_groups():
    found = rank(candidates((0.6, 0.9, 0.89, 0.75)))
    assert [row.name for row in found.rows][2:] == ["m3", "m0"]
    assert {row.name for row in found.rows[:2]} == {"m1", "m2"}
    assert found.groups[0] == tuple(row.name for row in found.rows[:2])
    assert [row.rank for row in found.rows] == [1, 2, 3, 4]
    assert sum(row.p_best for row in found.rows) == pytest.approx(1)
    assert found.rows[-1].p_best < 0.001
    assert len(found.comparisons) == len(found.p_values) == 6
    assert all(c.difference >= 0 for c in found.comparisons.values())


@pytest.mark.slow
def test_pairs_are_those_of_compare_and_their_p_values_are_holms():
    many = candidates((0.8, 0.85, 0.7))
    found = rank(many)
    for (one, other), compared in found.comparisons.items():
        alone = adjudge.compare(many[one], many[other])
        assert compared.better == pytest.approx(alone.better)
        assert found.p_values[one, other] >= alone.p_value
    smallest = min(found.comparisons.values(), key=lambda c: c.p_value)
    assert found.p_values[smallest.names] == pytest.approx(min(1, 3 * smallest.p_value))


@pytest.mark.slow
def test_verdicts_are_adjusted_by_holm():
    many = candidates((0.8, 0.86, 0.7, 0.82))
    found = rank(many, assurance=0.9)
    doubts = {pair: 1 - max(c.worse, c.same, c.better) for pair, c in found.comparisons.items()}
    order, running = sorted(doubts, key=doubts.get), 0.0
    for i, pair in enumerate(order):
        running = max(running, min(1.0, (len(order) - i) * doubts[pair]))
        compared = found.comparisons[pair]
        assert compared.adjusted_doubt == pytest.approx(running)
        assert (compared.verdict == "undecided") == (running > 0.05)
        assert (compared.more_cases is None) == (compared.verdict != "undecided")
        assert compared.pairs == 6
        assert compared.assurance == 0.9
    alone = {pair: adjudge.compare(many[pair[0]], many[pair[1]]).verdict for pair in order}
    assert any(alone[pair] != found.comparisons[pair].verdict for pair in order)
    told = {tuple(c["names"]): c["verdict"] for c in found.to_dict()["comparisons"]}
    assert told == {pair: c.verdict for pair, c in found.comparisons.items()}


@pytest.mark.slow
def test_no_one_of_a_group_is_called_better():
    found = rank(candidates((0.6, 0.9, 0.89, 0.75, 0.8)))
    for group in found.groups:
        for pair in combinations(group, 2):
            assert found.comparisons[pair].verdict in ("undecided", "equivalent")


@pytest.mark.slow
def test_two_candidates_have_the_verdict_of_compare():
    many = candidates((0.8, 0.86))
    (found,) = rank(many).comparisons.values()
    alone = adjudge.compare(*(many[name] for name in found.names))
    assert (found.verdict, found.more_cases, found.pairs) == (alone.verdict, alone.more_cases, 1)


@pytest.mark.slow
def test_limits_hold_for_all_together():
    many = candidates((0.8, 0.85, 0.7))
    found = rank(many, level=0.9)
    for row in found.rows:
        alone = adjudge.interval(many[row.name], "accuracy", level=1 - 0.1 / 3)
        assert (row.interval.low, row.interval.high) == pytest.approx((alone.low, alone.high))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["mcc", "balanced_accuracy", "f1", "auc", "log_loss", "brier", "average_precision", "ece"])
def test_every_kind_of_measure_ranks(measure):
    found = rank(scored((2.5, 0.4, 1.2)), measure=measure)
    if measure != "ece":
        assert [row.name for row in found.rows] == ["m0", "m2", "m1"]
        assert found.best.p_best > 0.99
    assert sum(row.p_best for row in found.rows) == pytest.approx(1)
    assert json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_the_probability_of_being_best_against_independent_draws():
    """Candidates that err independently: the best of independent Betas, up to the small prior mass."""
    many = candidates((0.7, 0.75, 0.72), n=4000)
    found = {row.name: row for row in rank(many).rows}
    rng = np.random.default_rng(0)
    draws = np.stack(
        [stats.beta(found[name].value * 4000 + 1, 4001 - found[name].value * 4000).rvs(100_000, rng) for name in many]
    )
    shares = np.bincount(draws.argmax(axis=0), minlength=3) / 100_000
    for share, name in zip(shares, many, strict=True):
        assert found[name].p_best == pytest.approx(share, abs=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "n"), [(10, 100), (3, 100), (20, 50)])
def test_the_winner_of_equals_is_not_believed(k, n):
    """Of equally good candidates the best value is luck: on average the corrected one is the truth."""
    observed, corrected = [], []
    for seed in range(40):
        found = rank_optimism(candidates([0.8] * k, n=n, seed=seed))
        observed.append(found[0])
        corrected.append(found[1])
    error = np.std(corrected, ddof=1) / np.sqrt(40)
    assert np.mean(observed) > 0.82
    assert abs(np.mean(corrected) - 0.8) < 0.012 + 2 * error


def rank_optimism(many):
    from adjudge.counts.joint import count_joint
    from adjudge.verbs.compared_sets import prepared

    cases, measure = prepared(list(many.values()), list(many), "accuracy", by_position=False, roles={})
    joint = count_joint(cases)
    best = max((joint.right[:, i] * joint.n).sum() / joint.n.sum() for i in range(len(many)))
    return best, corrected_best(joint, measure, positive=None, rng=0)


@pytest.mark.slow
def test_a_winner_beyond_doubt_owes_nothing_to_luck():
    found = rank(candidates((0.95, 0.6, 0.55)))
    assert found.optimism.size == 0
    assert found.optimism.corrected == found.best.value
    assert not [f for f in found.findings if f.code in ("A710", "A711")]


@pytest.mark.slow
def test_luck_is_said():
    found = rank(candidates([0.8] * 7, n=60))
    assert found.optimism.size > 0
    assert found.optimism.corrected < found.best.value
    assert {"A710", "A711"} <= {f.code for f in found.findings}


@pytest.mark.slow
def test_optimism_of_losses_points_the_other_way():
    found = rank(scored([1.0] * 6, n=60), measure="log_loss")
    assert found.optimism.corrected >= found.best.value


@pytest.mark.slow
def test_equal_sets_share_everything():
    one = candidates((0.8,))["m0"]
    found = rank({"x": one, "y": one, "z": one})
    assert [row.name for row in found.rows] == ["x", "y", "z"]
    assert found.groups == (("x", "y", "z"),)
    assert set(found.p_values.values()) == {1.0}


def test_numbers_rank_by_their_losses():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=80) * 10 + 0.25
    found = rank({f"s{s}": Predictions(truth, truth + rng.normal(0, s, 80), row=np.arange(80)) for s in (1, 3, 9)})
    assert [row.name for row in found.rows] == ["s1", "s3", "s9"]
    assert found.measure == "mae"
    assert not found.higher_is_better


@pytest.mark.slow
def test_the_same_seed_gives_the_same_digits():
    many = candidates((0.8, 0.82, 0.79))
    assert rank(many, rng=5).to_dict() == rank(many, rng=5).to_dict()


# -- learners ------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_learners_rank_by_one_plan():
    X, y = load_breast_cancer(return_X_y=True)
    found = rank(
        {"lda": LinearDiscriminantAnalysis(), "none": DummyClassifier(), "bayes": GaussianNB()},
        X,
        y,
        by="2x5-fold",
        progress=False,
    )
    assert [row.name for row in found.rows] == ["lda", "bayes", "none"]
    assert found.groups[-1] == ("none",)
    again = adjudge.compare_learners(LinearDiscriminantAnalysis(), GaussianNB(), X, y, by="2x5-fold", progress=False)
    assert found.comparisons["lda", "bayes"].better == pytest.approx(again.better)
    runs = [adjudge.estimate(m, X, y, by="2x5-fold", random_state=0, progress=False) for m in (GaussianNB(), DummyClassifier())]
    assert rank(runs).best.name == "GaussianNB"
    with pytest.raises(InputError, match="one split has none"):
        rank([GaussianNB(), DummyClassifier()], X, y, by="holdout", progress=False)


def test_learners_of_numbers_rank():
    X, y = load_diabetes(return_X_y=True)
    found = rank([Ridge(50), LinearRegression()], X, y, by="5-fold", progress=False)
    assert [row.name for row in found.rows] == ["LinearRegression", "Ridge"]


def test_draws_over_folds_have_the_corrected_spread():
    values = np.random.default_rng(0).normal(size=(30, 3))
    draws = joint_folds(values, 0.2, rng=1)
    assert draws.mean(axis=0) == pytest.approx(values.mean(axis=0), abs=0.02)
    expected = np.cov(values, rowvar=False) * 0.2 * 29 / 27
    assert np.cov(draws, rowvar=False) == pytest.approx(expected, abs=0.01)


@pytest.mark.slow
def test_folds_that_choose_do_not_judge():
    """With values that are pure noise the corrected best is the mean of all, not the best."""
    rng = np.random.default_rng(0)
    found = [corrected_best_fold(rng.normal(0.7, 0.05, (20, 8)), (0,) * 20, higher_is_better=True, rng=s) for s in range(200)]
    assert np.mean(found) == pytest.approx(0.7, abs=4 * np.std(found) / np.sqrt(200) + 0.003)


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("many", "match"),
    [
        ([], "at least two"),
        (list(candidates((0.8,)).values()), "at least two"),
        ("a.csv", "list or a mapping"),
        ([GaussianNB(), GaussianNB()], "is a learner"),
    ],
)
def test_what_cannot_be_ranked_is_refused(many, match):
    with pytest.raises(InputError, match=match):
        rank(many)


def test_a_candidate_without_a_value_is_named():
    truth = [0, 1, 0, 1]
    many = {"one": Predictions(truth, truth, row=range(4)), "same": Predictions(truth, [1, 1, 1, 1], row=range(4))}
    with pytest.raises(InputError, match="same has no finite value"):
        rank(many, measure="mcc")


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["average_precision", "ece"])
def test_copies_are_not_told_apart(measure):
    one, other = scored((1.5, 0.5)).values()
    found = rank({"one": one, "copy": one, "other": other}, measure=measure)
    assert found.p_values["one", "copy"] == 1
    assert min(found.p_values.values()) > 0


@pytest.mark.slow
def test_names_may_be_given_beside_a_list():
    one, other = candidates((0.9, 0.6)).values()
    assert [row.name for row in rank([one, other], names=["good", "bad"]).rows] == ["good", "bad"]
