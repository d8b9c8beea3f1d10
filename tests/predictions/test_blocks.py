"""From rows to class numbers: decisions, rejection, thresholds, gaps and orders, against scikit-learn or by hand."""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as skm
from tests.described import refused

from adjudge import ConfusionCounts, InputError, Predictions, confusion, evaluate, measure
from adjudge.predictions.labels import Gaps
from adjudge.predictions.schema import Schema
from adjudge.predictions.sources import HEAD

YES = ["yes", "no", "yes", "no", "yes", "no"] * 10
P = [0.9, 0.2, 0.6, 0.4, 0.3, 0.1] * 10
SAID = ["yes", "no", "maybe", "maybe", "no", "no"] * 10


def rows(**columns):
    return {"truth": YES, **columns}


@pytest.mark.parametrize("label", ["maybe", "zz", "aa"])
def test_rejection_goes_with_a_block_of_scores(label):
    said = [label if v == "maybe" else v for v in SAID]
    found = evaluate(rows(predicted=said, p_yes=P, p_no=[1 - p for p in P]), rejected=label)
    assert found.counts.classes == ("no", "yes")
    assert found.counts.rejected.tolist() == [10, 10]
    assert found.estimates["log_loss"].value == pytest.approx(skm.log_loss(YES, np.array(P)), abs=1e-12)


@pytest.mark.parametrize("label", ["maybe", "zz", "aa"])
@pytest.mark.parametrize("classes", [None, ["no", "yes"]])
def test_rejection_goes_with_a_single_score(label, classes):
    said = [label if v == "maybe" else v for v in SAID]
    found = Predictions(YES, said, P, positive="yes", rejected=label, classes=classes)
    assert measure(found, "brier") == pytest.approx(skm.brier_score_loss(YES, P, pos_label="yes"), abs=1e-12)
    assert measure(found, "rejection_rate") == pytest.approx(1 / 3)


def test_an_empty_decision_may_mean_rejection(write_csv):
    path = write_csv(rows(predicted=["" if v == "maybe" else v for v in SAID]))
    assert evaluate(path, rejected="").estimates["rejection_rate"].value == pytest.approx(1 / 3)


@pytest.mark.parametrize("kind", ["block", "single"])
def test_a_threshold_decides(kind):
    scores = {"p_yes": P, "p_no": [1 - p for p in P]} if kind == "block" else {"y_score": P}
    found = evaluate(rows(**scores), threshold=0.65, positive="yes")
    expected = skm.confusion_matrix(YES, np.where(np.array(P) >= 0.65, "yes", "no"))
    assert found.counts.cells.tolist() == expected.tolist()


@pytest.mark.parametrize("kind", ["block", "single"])
def test_a_threshold_replaces_decisions_in_the_file(kind):
    scores = {"p_yes": P, "p_no": [1 - p for p in P]} if kind == "block" else {"y_score": P}
    decided, new = np.array(["yes", "no"] * 30), np.where(np.array(P) >= 0.65, "yes", "no")
    evaluation = evaluate(rows(predicted=decided.tolist(), **scores), threshold=0.65, positive="yes")
    assert evaluation.counts.cells.tolist() == skm.confusion_matrix(YES, new).tolist()
    (told,) = [finding for finding in evaluation.findings if finding.code == "A116"]
    assert told.value == np.count_nonzero(decided != new)
    assert f"{told.value} of 60 changed" in str(told.message)
    assert not any(finding.code == "A105" for finding in evaluation.findings)
    assert evaluation.facts.decisions == "given, and replaced by the threshold"


def test_decisions_that_are_missing_or_rejected_are_replaced_too():
    decided = ["yes", None, "?", "no"] * 15
    table = rows(predicted=decided, y_score=P)
    new = np.where(np.array(P) >= 0.65, "yes", "no")
    evaluation = evaluate(table, threshold=0.65, positive="yes", rejected="?", predicted="predicted", scores="y_score")
    (told,) = [finding for finding in evaluation.findings if finding.code == "A116"]
    assert told.value == np.count_nonzero(np.array(decided, dtype=object) != new)
    assert evaluation.counts.n == 60
    assert evaluation.counts.rejected.sum() == 0


def test_rows_that_stand_for_several_cases_change_as_many_decisions():
    table = {"truth": [0, 0, 1, 1], "predicted": [0, 1, 0, 1], "score": [0.2, 0.2, 0.8, 0.8], "n": [5, 7, 11, 13]}
    evaluation = evaluate(table, threshold=0.5, positive=1, count="n")
    assert next(each.value for each in evaluation.findings if each.code == "A116") == 7 + 11


def test_a_confidence_is_turned_to_the_positive_class_before_a_threshold_replaces_decisions():
    table = {"truth": [0, 1, 1, 0], "predicted": [0, 0, 1, 1], "confidence": [0.9, 0.6, 0.7, 0.55]}
    how = {"scores": "confidence", "scores_are": "confidence", "positive": 1}
    evaluation = evaluate(table, threshold=0.3, **how)  # probabilities of class 1: 0.1, 0.4, 0.7, 0.55
    assert evaluation.counts.cells.tolist() == [[1, 1], [0, 2]]
    assert next(each.value for each in evaluation.findings if each.code == "A116") == 1


def test_a_threshold_without_scores_or_among_three_classes_is_refused():
    with pytest.raises(InputError, match=r"A threshold decides by a score, and there is none\. Name its column with scores="):
        evaluate(rows(predicted=["yes", "no"] * 30), threshold=0.5)
    three = {"truth": ["a", "b", "c"] * 10, "p_a": [0.5] * 30, "p_b": [0.25] * 30, "p_c": [0.25] * 30}
    with pytest.raises(InputError, match="between two classes"):
        evaluate(three, threshold=0.5)
    with refused("threshold", "finite number"):
        Predictions(YES, scores=P, threshold=math.nan)


SCALES = {
    "probabilities": lambda p: np.column_stack([1 - p, p]),
    "percentages": lambda p: 100 * np.column_stack([1 - p, p]),
    "logits": lambda p: np.column_stack([np.zeros_like(p), np.log(p / (1 - p))]),
    "votes": lambda p: np.round(100 * np.column_stack([1 - p, p])),
}


@pytest.mark.parametrize("scale", SCALES)
def test_the_worst_scores_are_the_worst_on_every_scale(scale):
    truth, scores = np.array([0, 1, 0, 1]), SCALES[scale](np.array([0.2, 0.7, 0.4, 0.6]))
    scores[1] = np.nan
    found = evaluate(Predictions(truth, scores=scores, classes=[0, 1], scores_are=scale, missing_scores="worst"))
    assert found.estimates["log_loss"].value == math.inf
    assert found.estimates["auc"].value == pytest.approx(0.5)


def test_a_missing_confidence_is_wrong_whatever_was_decided():
    found = Predictions(
        [0, 1, 0, 1], [0, 0, 0, 1], [0.8, np.nan, np.nan, 0.9], positive=1, scores_are="confidence", missing_scores="worst"
    )
    assert measure(found, "auc") == pytest.approx(skm.roc_auc_score([0, 1, 0, 1], [0.2, 0.0, 1.0, 0.9]))


def test_several_columns_are_no_confidence_and_scales_must_be_known():
    with pytest.raises(InputError, match="one number a row"):
        measure(Predictions([0, 1], scores={0: [0.8, 0.1], 1: [0.2, 0.9]}, scores_are="confidence"), "auc")
    with refused("scores_are", "scores_are must be one of"):
        Predictions([0, 1], scores=[0.2, 0.9], scores_are="probability")


def test_a_confidence_among_three_classes_is_left_out_and_said():
    columns = {"truth": ["a", "b", "c"] * 20, "prediction_label": ["a", "b", "b"] * 20, "prediction_score": [0.9, 0.6, 0.55] * 20}
    found = evaluate(columns)
    assert found.estimates["accuracy"].value == pytest.approx(2 / 3)
    assert "auc" not in found.estimates
    assert "A107" in {f.code for f in found.findings}


def test_choices_made_too_late_are_refused():
    made = Predictions(YES, scores=P, positive="yes")
    with pytest.raises(InputError, match="already"):
        evaluate(made, threshold=0.3)


def test_duplicates_of_arrays_are_made_one():
    found = evaluate(Predictions(["a", "b", "b"], ["a", "b", "a"], row=[1, 2, 2], duplicates="first"))
    assert found.counts.n == 2


@pytest.mark.parametrize("source", ["cells", "arrays"])
def test_labels_as_text_leave_missing_ones_missing(source, write_csv):
    if source == "cells":
        made = write_csv({"truth": ["1", "NA", "2", ""] * 10, "predicted": ["1", "1", "2", "2"] * 10})
    else:
        made = {"truth": np.array([1.0, np.nan, 2.0, np.nan] * 10), "predicted": [1, 1, 2, 2] * 10}
    with refused("missing", "20 missing values"):
        evaluate(made, labels_as="str", truth="truth", predicted="predicted")


def test_series_with_other_indices_are_refused_wherever_they_come():
    a, b = pd.Series(["x", "y"]), pd.Series(["x", "y"], index=[1, 0])
    with pytest.raises(InputError, match="different indices"):
        evaluate({"truth": a, "predicted": b})
    with pytest.raises(InputError, match="different indices"):
        Predictions(pd.Series([0, 1]), scores=pd.Series([0.1, 0.9], index=[1, 0]))


KIND = pd.CategoricalDtype(["low", "mid", "high", "none"], ordered=True)
LEVELS = ["high", "low", "mid"] * 20
SCORES = {"p_high": [0.8, 0.1, 0.1] * 20, "p_low": [0.1, 0.8, 0.1] * 20, "p_mid": [0.1, 0.1, 0.8] * 20}


@pytest.mark.slow
def test_the_declared_order_survives_scores():
    found = evaluate(pd.DataFrame({"truth": pd.Series(LEVELS, dtype=KIND), **SCORES}))
    assert found.counts.classes == ("low", "mid", "high", "none")
    assert found.estimates["accuracy"].value == 1


@pytest.mark.slow
def test_the_declared_order_survives_laziness():
    frame = pl.LazyFrame({"truth": pl.Series(LEVELS, dtype=pl.Enum(["low", "mid", "high"])), **SCORES})
    assert evaluate(frame).counts.classes == ("low", "mid", "high")


@pytest.mark.parametrize(
    ("labels", "classes", "expected"),
    [
        (["true", "false"], ["false", "true"], (False, True)),
        (["1.0", "2.0"], ["2.0", "1.0"], (2, 1)),
        (["1", "2"], ["2", "1"], (2, 1)),
    ],
)
def test_listed_classes_meet_cells_by_what_they_mean(labels, classes, expected, write_csv):
    path = write_csv({"truth": labels * 20, "predicted": labels * 20})
    found = evaluate(path, classes=classes, positive=classes[0])
    assert found.counts.classes == expected
    assert found.positive == expected[0]


@pytest.mark.parametrize("labels", [["True", "False"], ["2024-01-01", "2024-01-02"], ["01", "02"]])
def test_any_labels_go_with_a_single_score(labels, write_csv):
    path = write_csv({"truth": labels * 20, "y_score": [0.9, 0.2] * 20})
    assert evaluate(path, positive=labels[0]).estimates["auc"].value == 1


def test_an_unknown_positive_class_is_named():
    with pytest.raises(InputError, match=r"'zzz' .*not among the classes"):
        evaluate(rows(y_score=P), positive="zzz")
    with pytest.raises(InputError, match="cannot be both"):
        evaluate(rows(y_score=P), positive="maybe", rejected="maybe")


def test_ece_does_not_depend_on_the_order_of_the_classes():
    p = np.array([[0.6, 0.1, 0.3], [0.65, 0.05, 0.3]])
    names = np.array(["a", "b", "c"])
    values = {
        measure(Predictions(["a", "c"], scores=p[:, order], classes=names[list(order)].tolist()), "ece")
        for order in ([0, 1, 2], [1, 2, 0], [2, 1, 0], [2, 0, 1])
    }
    assert max(values) - min(values) < 1e-12


def test_weights_that_sum_to_one_are_still_many_cases():
    found = evaluate(Predictions([0, 1] * 100, [0, 1] * 100, weight=[1 / 200] * 200))
    assert "A203" not in {f.code for f in found.findings}


def test_weights_too_large_to_square_are_refused():
    with pytest.raises(InputError, match=r"1e\+200 .*number .*1e\+100"):
        evaluate(Predictions([0, 1], [0, 1], weight=[1e200, 1]))


def test_predictions_can_be_copied_and_pickled():
    made = Predictions(["a", "b"], ["a", "b"])
    for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):  # noqa: S301 - our own bytes
        assert measure(other, "accuracy") == 1


def test_missing_labels_as_a_class_must_be_listed_with_the_others():
    with pytest.raises(InputError, match=r"add \(missing\) to classes="):
        evaluate(Predictions(["a", None], ["a", "b"], classes=["a", "b"], missing="class"))


def test_odd_inputs_are_refused_in_one_sentence():
    frame = pl.LazyFrame({"truth": ["a"], "predicted": ["b"]}).with_columns(pl.col("truth").cast(pl.Int64))
    spans = pd.Series(pd.interval_range(0, 2))
    for make in (
        lambda: confusion((v for v in "ab"), ["a", "b"]),
        lambda: confusion(3, 3),
        lambda: evaluate(frame),
        lambda: evaluate(Predictions(spans, spans)),
        lambda: evaluate(rows(y_score=P), scores=5),
    ):
        with pytest.raises(InputError) as caught:
            make()
        assert "\n" not in str(caught.value)


def test_the_verdict_of_a_flat_posterior_is_strict_json():
    found = evaluate(ConfusionCounts([[1, 0], [0, 0]]))
    json.dumps(found.to_dict(), allow_nan=False)
    json.dumps(evaluate(Predictions(["a"], ["b"])).to_dict(), allow_nan=False)


# -- before the first row is counted ---------------------------------------------------------------------------


def beforehand(*given_, **how):
    return Schema(Predictions(*given_, **how), Gaps())


@given(st.lists(st.tuples(st.integers(-3, 12), st.integers(-3, 12)), min_size=1, max_size=12))
def test_first_classes_are_sorted_and_counted_by_the_truth_alone(rows):
    truth, said = ([pair[i] for pair in rows] for i in (0, 1))
    found = beforehand(truth, said).first_classes
    assert list(found) == sorted({*truth, *said})
    assert found == {label: Counter(truth)[label] for label in found}


def test_classes_stand_as_they_were_listed_or_declared_and_no_decision_is_none():
    listed = beforehand(["b", "a"], ["b", "none"], classes=["c", "b", "a", "none"], rejected="none")
    assert listed.first_classes == {"c": 0, "b": 1, "a": 1}
    levels = pd.CategoricalDtype(["high", "low", "middle"])
    declared = beforehand(pd.Series(["low", "high"], dtype=levels), pd.Series(["low", "low"], dtype=levels), rejected="middle")
    assert declared.declared == ("high", "low")
    assert declared.first_classes == {"high": 1, "low": 1}


def test_no_more_than_the_first_rows_are_looked_at():
    truth = np.r_[np.zeros(HEAD, int), 1, 1]
    assert beforehand(truth, truth).first_classes == {0: HEAD}


@given(st.permutations(["a", "b", "c", "d"]), st.permutations(["a", "b", "c", "d"]))
def test_class_i_of_the_scores_has_code_i_and_classes_are_shown_as_listed(columns, listed):
    by_class = {label: [0.1 * at, 0.2] for at, label in enumerate(columns)}
    for how, shown in (({"classes": listed}, listed), ({}, columns)):
        known = beforehand(["a", "b"], None, by_class, scores_are="scores", **how)
        book, order = known.book()
        assert [book.labels[code] for code in order] == list(shown)
        assert [book.labels[code] for code in range(4)] == list(known.scores.classes)
        assert known.scores.columns == tuple(f"score of {label}" for label in known.scores.classes)
        assert book.closed == bool(how)


@pytest.mark.parametrize(
    ("truth", "how", "wanted"),
    [
        ([0, 1, 1], {}, 1),
        (["no", "yes", "no"], {}, "yes"),
        (["well", "ill", "ill"], {"positive": "well"}, "well"),
        ([0, 1, 1], {"positive": "0"}, 0),  # as a command line writes it
        ([0, 0, 0], {}, 1),  # the class that no case of the first rows is of
        ([False, False, False], {}, True),
        (["well", "ill", "ill"], {"scores_are": "confidence"}, "well"),  # it speaks of both alike
    ],
)
def test_one_score_speaks_of_the_positive_class(truth, how, wanted):
    scores = beforehand(truth, truth, [0.2, 0.7, 0.9], **how).scores
    assert (scores.form, scores.classes, scores.columns) == ("single", (wanted,), ("scores",))


def test_one_score_of_classes_that_do_not_say_which_is_asked_about():
    with refused("positive", "'scores'", "positive: 'ill' (2), 'well' (1)"):
        _ = beforehand(["well", "ill", "ill"], None, [0.2, 0.7, 0.9]).scores


def test_a_confidence_of_one_in_three_classes_is_left_out_by_name():
    known = beforehand(["a", "b", "c"], ["a", "b", "b"], [0.6, 0.7, 0.8], scores_are="confidence")
    assert known.left_out is None  # nobody has asked yet
    assert known.scores.form == "none"
    assert known.left_out == "scores"


@pytest.mark.parametrize(
    ("given_", "how", "told"),
    [
        (([0, 1], [0, 1]), {"rejected": 1, "positive": "1"}, "'1' cannot be both the positive class and 'no decision'"),
        (([0, 1], [0, 1], {0: [0.1, 0.9], 1: [0.9, 0.1]}), {"scores_are": "confidence"}, "A confidence is one number a row"),
    ],
)
def test_what_contradicts_itself_is_refused_before_a_row_is_read(given_, how, told):
    with pytest.raises(InputError, match=told):
        beforehand(*given_, **how)


def test_a_vector_has_as_many_classes_as_numbers_a_row():
    known = beforehand(["b", "a"], None, np.array([[0.2, 0.8], [0.5, 0.5]]), classes=["b", "a"])
    assert (known.scores.form, known.scores.classes) == ("vector", ("b", "a"))
    assert known.book()[1] == [0, 1]
