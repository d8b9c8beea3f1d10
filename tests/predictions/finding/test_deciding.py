"""Columns of truth and decision that look swapped, and scores whose names hold their class."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.metrics import average_precision_score, roc_auc_score
from tests.described import mentions

from adjudge import InputError, evaluate, read
from adjudge.cli import main
from adjudge.predictions.names import class_in_name

N = 200

RNG = np.random.default_rng(11)

TRUTH = RNG.integers(0, 2, N)

SCORE = np.clip(0.5 + (TRUTH - 0.5) * 0.4 + RNG.normal(0, 0.25, N), 0.01, 0.99).round(3)

DECIDED = (SCORE > 0.5).astype(int)

NAMES = np.array(["benign", "malignant"])

LOGIT = np.log(SCORE / (1 - SCORE)) + 0.001

ONE, BLOCK = {"score": SCORE}, {"p_0": 1 - SCORE, "p_1": SCORE}


def run(*arguments):
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("scores", [ONE, BLOCK], ids=["one", "block"])
@pytest.mark.parametrize("names", [("truth", "predicted"), ("y_true", "y_pred"), ("label", "prediction")])
def test_columns_that_look_swapped_are_refused_with_both_pairs_of_flags(write_csv, scores, names):
    true, said = names
    table = {true: DECIDED, said: TRUTH, **scores}
    code, _, err = run("evaluate", write_csv(table))
    assert code == 2
    assert mentions(err, f"'{true}'", "100.0%")
    assert mentions(err, f"--truth {said} --predicted {true}", f"--truth {true} --predicted {said}")
    with pytest.raises(InputError, match="look swapped"):
        evaluate(table)


@pytest.mark.slow
@pytest.mark.parametrize("scores", [ONE, BLOCK], ids=["one", "block"])
def test_columns_that_the_user_named_are_taken_with_a_finding_among_the_worries(write_csv, scores):
    table = {"truth": DECIDED, "predicted": TRUTH, **scores}
    found = evaluate(table, truth="truth", predicted="predicted")
    (finding,) = [f for f in found.findings if f.code == "A109"]
    assert 'truth="predicted", predicted="truth"' in finding.advice
    code, out, _ = run("evaluate", write_csv(table), "--truth", "truth", "--predicted", "predicted")
    assert code == 0
    assert mentions(out, "What to worry about", "'truth'", "100.0%")
    right = evaluate(table, truth="predicted", predicted="truth")
    assert not [f for f in right.findings if f.code == "A109"]
    assert right.estimates["auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORE))


@pytest.mark.parametrize(
    "table",
    [
        {"truth": TRUTH, "predicted": DECIDED, **ONE},
        {"truth": DECIDED, "predicted": DECIDED, **BLOCK},  # a model that makes no error
        {"truth": DECIDED, "predicted": (SCORE > 0.3).astype(int), **ONE},  # nor this one, but for its threshold
        {"truth": DECIDED, "predicted": (SCORE > 0.3).astype(int), **BLOCK},
        {"truth": DECIDED[:9], "predicted": TRUTH[:9], "score": SCORE[:9]},  # may be luck
    ],
)
def test_what_may_be_right_is_not_doubted(table):
    assert not [f for f in evaluate(table).findings if f.code == "A109"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["proba_malignant", "p_malignant", "malignant_probability", "score_malignant", "P(malignant)", "Malignant prob"]
)
def test_a_score_named_by_a_class_is_that_class_s_and_makes_it_the_positive_one(write_csv, name):
    table = {"truth": NAMES[TRUTH], name: SCORE}
    for found in (evaluate(table), evaluate(write_csv(table))):
        assert found.positive == "malignant"
        assert found.estimates["auc"].of == found.estimates["average_precision"].of == found.thresholds.of == "malignant"
        assert found.estimates["auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORE))
        assert found.estimates["average_precision"].value == pytest.approx(average_precision_score(TRUTH, SCORE))
        evidence = found.origin.roles.evidence["scores"]
        assert mentions(evidence, "class 'malignant'", "its name")
    assert mentions(run("evaluate", write_csv(table))[1], "class 'malignant'", "its name")


@pytest.mark.slow
def test_the_user_s_positive_class_comes_first_and_then_what_labels_mean():
    other = evaluate({"truth": NAMES[TRUTH], "p_benign": 1 - SCORE}, positive="malignant")
    assert (other.positive, other.estimates["auc"].of) == ("malignant", "malignant")
    assert other.estimates["auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORE))
    zero = evaluate({"truth": TRUTH, "prob_0": 1 - SCORE})
    assert zero.positive == 1
    assert zero.estimates["auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORE))
    assert zero.estimates["accuracy"].value == np.mean(DECIDED == TRUTH)


def test_raw_scores_named_by_a_class_are_found():
    found = read({"truth": NAMES[TRUTH], "predicted": NAMES[DECIDED], "score_malignant": LOGIT})
    assert found.roles.scores == (("malignant", "score_malignant"),)
    assert found.roles.scale == "scores"


@pytest.mark.parametrize("name", ["score", "ill_days", "p_ill_well", "illness_prob", "days_ill"])
def test_other_names_say_no_class(name):
    assert class_in_name(name, {"ill": "ill", "well": "well"}) is None


def test_classes_that_case_alone_tells_apart_are_not_guessed():
    assert class_in_name("p_a", {"a": "a", "A": "A"}) is None
    assert class_in_name("prob_1", {"0": 0, "1": 1}) == 1


def test_a_file_without_a_truth_is_refused_with_its_columns(write_csv):
    code, _, err = run("evaluate", write_csv({"a": [1], "b": [2]}))
    assert code == 2
    assert err == "adjudge: No column looks like the truth; the columns are 'a', 'b'. Name it with --truth.\n"


@pytest.mark.parametrize("score", [0.2, 0.5, 0.8])
def test_a_score_that_is_the_same_in_every_row_says_nothing_of_truth_and_decision(write_csv, score):
    truth = ["b" if i % 7 == 0 else "a" for i in range(100)]
    found = evaluate(write_csv({"truth": truth, "predicted": ["a"] * 100, "p_b": [score] * 100}))
    assert found.estimates["accuracy"].value == truth.count("a") / 100
    assert found.origin.roles.truth == "truth"
