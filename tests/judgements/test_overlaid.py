"""Curves of several sets for one class: those of scikit-learn, and which class is drawn."""

import numpy as np
import pytest
from sklearn import metrics as sk
from tests.compared_sets import classifier, numbers, probabilities, three_classes, truth_of, two_classes

import adjudge
from adjudge.judgements.overlaid import MOST_POINTS


def test_curves_are_those_of_scikit_learn():
    curves = adjudge.compare(*two_classes(), names=["a", "b"]).overlaid.curves
    truth, p = truth_of(300, 2), probabilities(truth_of(300, 2), 2, 1.0, 2)[:, 1]
    fpr, tpr, _ = sk.roc_curve(truth, p, drop_intermediate=False)
    assert np.allclose(curves["roc"]["b"].x, fpr)
    assert np.allclose(curves["roc"]["b"].y, tpr)
    assert curves["roc"]["b"].area == pytest.approx(sk.roc_auc_score(truth, p))
    assert curves["precision-recall"]["b"].area == pytest.approx(sk.average_precision_score(truth, p))


def test_the_positive_class_is_drawn_or_that_with_most_errors():
    two = adjudge.compare(*two_classes()).overlaid
    assert (two.of, two.why, two.share) == (1, "the positive class", truth_of(300, 2).mean())
    truth = truth_of(300, 3)
    said = [probabilities(truth, 3, skill, seed).argmax(axis=1) for skill, seed in ((1.5, 1), (1.1, 2))]
    wrong = [sum(np.count_nonzero((truth == c) & (each != c)) for each in said) for c in range(3)]
    several = adjudge.compare(*three_classes()).overlaid
    assert (several.of, several.why, several.of_class) == (int(np.argmax(wrong)), "the class with most errors", False)
    one = adjudge.compare(*(classifier(truth, skill, i, positive=2) for i, skill in enumerate((1.5, 1.1)))).overlaid
    assert (one.of, one.of_class) == (2, True)


def test_without_scores_of_two_sets_there_is_nothing_to_lay_over_each_other():
    truth = truth_of(100, 2)
    bare = adjudge.Predictions(truth, 1 - truth, positive=1, row=np.arange(100))
    assert adjudge.compare(classifier(truth, 1.0, 1, 2), bare).overlaid is None
    assert adjudge.compare(*numbers()).overlaid is None


def test_scores_that_only_rank_have_no_reliability():
    truth = truth_of(200, 2)
    each = (9 * probabilities(truth, 2, skill, 1)[:, 1] for skill in (1.5, 1.0))
    sets = [adjudge.Predictions(truth, scores=p, positive=1, row=np.arange(200)) for p in each]
    assert set(adjudge.compare(*sets, measure="auc").overlaid.curves) == {"roc", "precision-recall"}


def test_long_curves_are_kept_by_some_of_their_points():
    truth = truth_of(6000, 2)
    curves = adjudge.compare(classifier(truth, 1.5, 1, 2), classifier(truth, 1.0, 2, 2)).overlaid.curves
    assert max(curve.x.size for curve in curves["roc"].values()) <= MOST_POINTS
    assert all((curve.x[0], curve.y[-1]) == (0.0, 1.0) for curve in curves["roc"].values())
