"""One measure of a table or of predictions, and its interval."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
import sklearn.metrics as skm
from scipy.stats import binomtest

from adjudge import ConfusionCounts, InputError, Predictions, evaluate, interval, measure
from adjudge.verbs.measure import counts_of

TRUTH = np.repeat([0, 0, 1, 1], [40, 5, 8, 12])
DECIDED = np.repeat([0, 1, 0, 1], [40, 5, 8, 12])
TABLE = ConfusionCounts([[40, 5], [8, 12]])


def test_a_confusion_table_has_no_loss():
    with pytest.raises(InputError, match="needs probabilities"):
        interval(evaluate(Predictions([0, 1], [0, 1])).counts, "brier")


def test_measure_tells_why_there_is_no_relative_loss():
    value = measure(Predictions([0.5, 0.5], [0.5, 1.5]), "rae")
    assert math.isnan(value)
    assert value.reason == "the truth does not vary"


def test_a_table_and_what_it_counts_have_the_same_measure():
    sources = (
        TABLE,
        TABLE.cells.tolist(),
        np.asarray(TABLE.cells),
        Predictions(TRUTH, DECIDED),
        {"truth": TRUTH, "predicted": DECIDED},
    )
    for source in sources:
        assert counts_of(source).cells.tolist() == [[40, 5], [8, 12]]
        assert measure(source, "accuracy") == skm.accuracy_score(TRUTH, DECIDED)
        assert measure(source, "mcc") == pytest.approx(skm.matthews_corrcoef(TRUTH, DECIDED))
        assert measure(source, "Recall", positive=0) == skm.recall_score(TRUTH, DECIDED, pos_label=0)
        assert measure(source, "fbeta", positive=1, beta=2) == pytest.approx(skm.fbeta_score(TRUTH, DECIDED, beta=2))
        assert measure(source, "f1", average="macro") == pytest.approx(skm.f1_score(TRUTH, DECIDED, average="macro"))


def test_the_class_that_predictions_name_is_spoken_of_unless_another_is_asked_for():
    named = Predictions(TRUTH, DECIDED, positive=0)
    assert measure(named, "precision") == 40 / 48
    assert measure(named, "precision", positive=1) == 12 / 17
    assert measure(named, "precision", average="macro") == pytest.approx((40 / 48 + 12 / 17) / 2)
    assert interval(named, "precision") == interval(TABLE, "precision", positive=0)


def test_scores_of_several_classes_are_averaged_unless_one_is_asked_for():
    rng = np.random.default_rng(0)
    truth, p = np.arange(60) % 3, rng.dirichlet(np.ones(3), 60)
    several = Predictions(truth, scores=p, classes=[0, 1, 2])
    each = [skm.roc_auc_score(truth == k, p[:, k]) for k in range(3)]
    assert measure(several, "auc") == pytest.approx(np.mean(each))
    assert measure(several, "auc", positive=1) == pytest.approx(each[1])
    one = skm.brier_score_loss((truth == 1).astype(int), p[:, 1])
    assert measure(several, "brier", positive=1) == pytest.approx(one)


@pytest.mark.parametrize(
    ("source", "name", "how", "told"),
    [
        (TABLE, "brier", {}, "brier needs probabilities, which a confusion table does not hold; pass Predictions."),
        (TABLE, "auc", {}, "auc needs scores, which a confusion table does not hold; pass Predictions."),
        (TABLE, "fbeta", {"positive": 1, "beta": -1}, "beta must be a finite number above 0, got -1."),
        (TABLE, "fbeta", {"positive": 1, "beta": math.inf}, "beta must be a finite number above 0, got inf."),
        (TABLE, "sensitivity", {"positive": 2}, "2 is not among the classes"),
        (TABLE, "accurracy", {}, "There is no measure 'accurracy'. Did you mean accuracy"),
        (
            Predictions(["b", "a"], scores=[0.9, 0.2], positive="b"),
            "auc",
            {"average": "micro"},
            "average must be 'macro', 'weighted' or 'hand-till' for auc, got 'micro'.",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused_as_it_came(source, name, how, told):
    with pytest.raises(InputError) as refused:
        measure(source, name, **how)
    assert str(refused.value).startswith(told)


def test_an_interval_is_that_of_scipy():
    found = interval(Predictions(TRUTH, DECIDED), "accuracy", level=0.9, method="clopper-pearson")
    theirs = binomtest(52, 65).proportion_ci(0.9, "exact")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert (found.method, found.level) == ("clopper-pearson", 0.9)
    with pytest.raises(InputError, match=r"got 95\. 95% is 0\.95"):
        interval(TABLE, "accuracy", level=95)


def test_a_measure_of_a_table_loads_nothing_that_reads_files():
    told = "import sys, adjudge; adjudge.measure([[40, 5], [8, 2]], 'mcc'); print('adjudge.predictions.read' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize("beta", ["2", True, 0, -1, math.inf, math.nan, None])
def test_what_is_no_weight_of_recall_is_refused_everywhere(beta):
    for verb in (measure, interval):
        with pytest.raises(InputError, match=r"^beta .*above 0"):
            verb(TABLE, "fbeta", positive=1, beta=beta)
