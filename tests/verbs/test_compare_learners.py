"""Two learners over one plan: worse, the same, or better."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import adjudge
from adjudge import InputError, Predictions, compare, compare_learners

CANCER = load_breast_cancer(return_X_y=True)


def quickly(*args, **how):
    return compare_learners(*args, *CANCER, progress=False, **how)


@pytest.mark.slow
def test_learners_are_compared_by_the_correlated_t_over_one_plan():
    found = quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="3x5-fold", random_state=1)
    plan = adjudge.plan("3x5-fold", *CANCER, random_state=1)
    each = [
        adjudge.estimate(learner, *CANCER, by=plan, random_state=1, progress=False).estimates["accuracy"].folds
        for learner in (LinearDiscriminantAnalysis(), GaussianNB())
    ]
    d = each[0] - each[1]
    theirs = adjudge.correlated_t(d, test_share=plan.test_share, margin=0.01)
    assert found.difference == pytest.approx(d.mean())
    assert (found.worse, found.same, found.better) == pytest.approx((theirs.worse, theirs.same, theirs.better), abs=1e-12)
    tested = adjudge.nadeau_bengio(d, test_share=plan.test_share)
    assert found.p_value == pytest.approx(tested.p_value)
    assert (found.interval.low, found.interval.high) == pytest.approx((tested.interval.low, tested.interval.high))


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["balanced_accuracy", "mcc", "auc", "log_loss", "f1"])
def test_learners_by_other_measures(measure):
    found = quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="10-fold", measure=measure)
    assert found.measure == measure
    assert found.better + found.same > 0.9


@pytest.mark.slow
def test_the_other_tests_and_their_plans():
    a, b = LinearDiscriminantAnalysis(), GaussianNB()
    for method in ("5x2cv-t", "5x2cv-f"):
        found = quickly(a, b, by="5x2-fold", method=method)
        assert 0 < found.p_value < 1
        assert found.type_i_error.mean > 0.06
    with pytest.raises(InputError, match="5x2-fold"):
        quickly(a, b, by="10-fold", method="5x2cv-t")
    held = quickly(a, b, by="holdout")
    assert held.p_value == pytest.approx(adjudge.mcnemar(*(round(v) for v in held.outcomes[1:3])).p_mid)
    assert held.type_i_error.mean == pytest.approx(0.038)
    exact = quickly(a, b, by="holdout", method="mcnemar")
    assert exact.p_value == pytest.approx(adjudge.mcnemar(*(round(v) for v in exact.outcomes[1:3])).p_exact)
    assert quickly(a, b, by="10-fold", method="paired-t").type_i_error.max == pytest.approx(0.153)
    assert quickly(a, b, by="holdout", measure="mcc").p_value is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "match"),
    [
        ({"by": "10x10-fold", "method": "paired-t"}, "in 57% of all comparisons and up to 66%"),
        ({"by": "subsampling-30", "method": "paired-t"}, "in 34% of all comparisons and up to 43%"),
        ({"by": "bootstrap-5"}, "overlapping cases"),
        ({"by": "holdout", "method": "correlated-t"}, "has none to compare"),
        ({"by": "2x2-fold", "method": "mcnemar"}, "judged once"),
        ({"method": "voodoo"}, "method must be one of"),
        ({"by": "3-fold", "measure": "mae"}, "mae"),
        ({"by": "3-fold", "checkpoint": "somewhere"}, "own checkpoint"),
    ],
)
def test_ways_that_mislead_are_refused(how, match):
    X, y = (part[::4] for part in CANCER)
    with pytest.raises(InputError, match=match):
        compare_learners(GaussianNB(), DummyClassifier(), X, y, progress=False, **how)


def test_estimates_by_other_plans_do_not_compare():
    one, other = (adjudge.estimate(GaussianNB(), *CANCER, by="3-fold", random_state=s, progress=False) for s in (0, 1))
    with pytest.raises(InputError, match="by one plan"):
        compare(one, other)
    again = adjudge.estimate(DummyClassifier(), *CANCER, by=one.plan, random_state=0, progress=False)
    found = compare(one, again, names=["bayes", "dummy"])
    assert found.verdict == "better"
    assert found.names == ("bayes", "dummy")
    with pytest.raises(InputError, match="two estimates"):
        compare(one, Predictions([0, 1, 1], [0, 1, 0]))


def test_learners_of_numbers():
    X, y = load_diabetes(return_X_y=True)
    found = compare_learners(LinearRegression(), Ridge(50), X, y, by="5-fold", progress=False)
    assert found.measure == "mae"
    assert found.verdict == "better"
    assert not found.higher_is_better


class Unlucky(GaussianNB):
    """Fails on about half of all folds, always the same ones."""

    def fit(self, X, y):
        if int(X[:, 0].sum() * 1000) % 2:
            msg = "no luck"
            raise RuntimeError(msg)
        return super().fit(X, y)


@pytest.mark.slow
def test_folds_without_an_answer_are_left_out_and_counted():
    found = quickly(Unlucky(), GaussianNB(), by="3x10-fold")
    lost = [f for f in found.findings if f.code == "A708"]
    assert lost
    assert found.difference == 0
    assert found.same == 1


def test_folds_that_all_agree_do_not_make_a_difference_certain():
    X, y = np.zeros((20, 1)), np.array([0] * 12 + [1] * 8)
    learners = (DummyClassifier(strategy="constant", constant=c) for c in (0, 1))
    found = compare_learners(*learners, X, y, by="stratified-2-fold", progress=False)
    assert found.verdict == "undecided"
    assert "A712" in [f.code for f in found.findings]


def test_estimates_of_other_targets_do_not_compare():
    X, y = (part[::4] for part in CANCER)
    plan = adjudge.plan("5-fold", X, y, random_state=0)
    other = np.random.default_rng(0).permutation(y)
    runs = [adjudge.estimate(GaussianNB(), X, target, by=plan, random_state=0, progress=False) for target in (y, other)]
    with pytest.raises(InputError, match="different targets"):
        compare(*runs)


@pytest.mark.slow
def test_plans_nobody_measured_are_told():
    assert "A709" in [f.code for f in quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="3-fold").findings]
    assert "A709" not in [f.code for f in quickly(LinearDiscriminantAnalysis(), GaussianNB(), by="10-fold").findings]
