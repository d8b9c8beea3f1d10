"""The inputs that other tools get silently wrong, one test a row; the numbers are those of the list of traps."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from datetime import UTC, datetime
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from tests.described import mentions, refused
from tests.memory import peak_of

import adjudge
from adjudge import ConfusionCounts, InputError, Predictions, Undefined, confusion, evaluate, interval, measure, posterior
from adjudge.cli import main
from adjudge.metrics.on_counts import ON_COUNTS

TWO = {"y_true": ["a", "b", "a", "b"] * 10, "y_pred": ["a", "b", "b", "b"] * 10}
LABELS = """
import sys, numpy as np
from adjudge import Predictions, evaluate
truth = np.array(["x" * int(sys.argv[1]), "b"], dtype=object)[np.arange(1000) % 2]
found = evaluate(Predictions(truth, truth))
print(found.counts.n, len(found.in_words()), len(found.to_html()))
"""


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def codes(evaluation) -> set[str]:
    return {finding.code for finding in evaluation.findings}


def test_trap_01_no_rows_is_one_sentence_and_exit_2(write_csv):
    path = write_csv({"y_true": [], "y_pred": []})
    code, out, err = run("evaluate", path)
    assert (code, out) == (2, "")
    assert mentions(err, "predictions.csv", "no rows")
    assert len(err.strip().splitlines()) == 1


def test_trap_02_one_row_has_a_value_an_interval_and_a_note():
    found = evaluate({"y_true": [1], "y_pred": [1], "y_score": [0.9]})
    accuracy = found.estimates["accuracy"]
    assert accuracy.value == 1.0
    assert accuracy.interval.low < 0.1
    assert accuracy.interval.high == 1.0
    assert "both classes" in found.estimates["auc"].reason
    assert any("1 row" in str(finding) for finding in found.findings)


def test_trap_03_different_lengths_are_named_with_their_counts():
    with pytest.raises(InputError, match=r"y_true has 3 .*y_pred 2"):
        confusion(["a", "b", "a"], ["a", "b"])
    with pytest.raises(InputError, match=r"'y_true' has 3.*'y_pred' has 2"):
        evaluate({"y_true": ["a", "b", "a"], "y_pred": ["a", "b"]}, truth="y_true", predicted="y_pred")


def test_trap_04_auc_of_one_class_is_undefined_with_a_reason_and_null_in_json():
    found = evaluate(Predictions([1, 1, 1], scores=[0.2, 0.3, 0.4], classes=[0, 1]))
    value = found.estimates["auc"].value
    assert isinstance(value, Undefined)
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))["estimates"]["auc"]["value"]
    assert told == {"value": None, "reason": value.reason}


@pytest.mark.parametrize("name", ["informedness", "mcc", "kappa"])
def test_trap_05_06_chance_corrected_measures_of_one_class_are_undefined(name):
    value = measure(confusion(["a", "a", "a"], ["a", "a", "b"]), name)
    assert math.isnan(value)
    assert "'a'" in value.reason


def test_trap_07_one_set_of_classes_for_balanced_accuracy_and_macro_f1():
    counts = confusion(["a", "a", "b", "b"], ["a", "c", "b", "b"])
    assert counts.classes == ("a", "b", "c")
    assert measure(counts, "balanced_accuracy") == 0.75
    f1_a, f1_b = Fraction(2, 3), Fraction(1)
    assert measure(counts, "f1", average="macro") == pytest.approx(float((f1_a + f1_b) / 2), abs=1e-15)
    finding = next(f for f in evaluate(counts).findings if f.code == "A202")
    assert "'c'" in finding.message
    assert "2 other classes" in finding.advice


def test_trap_08_a_class_never_assigned_has_no_precision_and_an_f1_of_0():
    counts = confusion(["a", "b", "b", "c"], ["a", "a", "a", "c"])
    assert isinstance(measure(counts, "precision", positive="b"), Undefined)
    assert measure(counts, "f1", positive="b") == 0.0
    assert "A204" in codes(evaluate(counts))


MISSING = [
    pytest.param({"y_true": ["a", None, "b", "a"], "y_pred": ["a", "a", "b", "a"]}, id="09-none"),
    pytest.param({"y_true": np.array([1.0, np.nan, 0.0, 1.0]), "y_pred": [1, 1, 0, 1]}, id="10-nan"),
    pytest.param(
        {"y_true": np.array(["a", np.nan, "b", "a"], dtype=object), "y_pred": ["a", "a", "b", "a"]}, id="11-nan-in-text"
    ),
    pytest.param(
        pd.DataFrame({"y_true": pd.array(["a", pd.NA, "b", "a"], dtype="string"), "y_pred": ["a", "a", "b", "a"]}),
        id="12-pandas-na",
    ),
    pytest.param(pl.DataFrame({"y_true": ["a", None, "b", "a"], "y_pred": ["a", "a", "b", "a"]}), id="12-polars-null"),
]


@pytest.mark.slow
@pytest.mark.parametrize("source", MISSING)
def test_trap_09_to_12_missing_labels_have_one_text(source):
    with refused("missing", "'y_true'", "1 missing value (row 2)", 'missing="drop"', 'missing="class"'):
        evaluate(source)
    assert evaluate(source, missing="drop").counts.n == 3
    assert evaluate(source, missing="class").counts.n == 4


def test_trap_09_rows_are_listed_and_counted(write_csv):
    truth = ["a", "b"] * 25
    for row in (2, 17, 40, 41):
        truth[row - 1] = ""
    code, _, err = run("report", write_csv({"y_true": truth, "y_pred": ["a", "b"] * 25}))
    assert code == 2
    assert mentions(err, "'y_true'", "4 missing values (rows 2, 17, 40 ...)", "--missing drop", "--missing class")


def test_trap_13_numbers_and_their_texts_are_not_silently_the_same():
    frame = {"y_true": [0, 1, 1], "y_pred": ["0", "1", "0"]}
    with pytest.raises(InputError, match=r"labels_as=.str"):
        evaluate(frame, truth="y_true", predicted="y_pred")
    assert evaluate(frame, truth="y_true", predicted="y_pred", labels_as="str").counts.correct.sum() == 2


def test_trap_14_mixed_types_are_named_with_a_row_of_each():
    with pytest.raises(InputError, match=r"int .*1: 1\), str .*'1'\), bool .*3: True\)"):
        confusion([1, "1", True], [1, 1, 1])
    with pytest.raises(InputError, match=r"int .*1: 1\), str .*2: '1'\)"):
        confusion(np.array([1, "1", 1], dtype=object), np.array([1, 1, 1], dtype=object))


@pytest.mark.parametrize(
    ("truth", "predicted"),
    [pytest.param([True, False, True], [1, 0, 0], id="15-bool-int"), pytest.param([1.0, 0.0, 1.0], [1, 0, 0], id="16-float-int")],
)
def test_trap_15_16_equal_values_of_different_types_are_one_class_and_that_is_said(truth, predicted):
    found = evaluate(Predictions(truth, predicted))
    assert found.counts.correct.sum() == 2
    assert "A102" in codes(found)


def test_trap_17_fractions_as_decisions_look_like_scores(write_csv):
    path = write_csv({"y_true": [0, 1] * 20, "y_pred": [0.25, 0.75] * 20})
    code, _, err = run("evaluate", path, "--predicted", "y_pred")
    assert code == 2
    assert "looks like scores" in err
    assert "--scores y_pred" in err


def test_trap_18_19_declared_order_and_unused_levels_are_kept():
    kind = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    truth = pd.Series(["high", "low", "high"], dtype=kind)
    found = evaluate(Predictions(truth, truth))
    assert found.counts.classes == ("low", "mid", "high")
    assert found.counts.support.tolist() == [1, 0, 2]
    assert "A202" in codes(found)


@pytest.mark.parametrize(
    "pair",
    [
        pytest.param(("b ", "b"), id="20-space"),
        pytest.param(("\u00e9", "e\u0301"), id="21-unicode"),
        pytest.param(("B", "b"), id="20-case"),
    ],
)
def test_trap_20_21_labels_that_look_alike_are_said(pair):
    found = evaluate(Predictions([pair[0], "c", "c"], [pair[1], "c", "c"]))
    assert found.counts.k == 3
    assert "A101" in codes(found)


def moments(kind: str) -> list:
    days = [datetime(2026, 1, day, 12, tzinfo=None if kind == "text" else UTC) for day in (1, 2, 2, 1)]
    return [each.isoformat(" ") if kind == "text" else each.date() if kind == "date" else each for each in days]


@pytest.mark.parametrize("kind", ["datetime", "date", "text"])
def test_labels_that_are_moments_are_said_in_the_headline(kind):
    found = evaluate({"y_true": moments(kind) * 20, "y_pred": moments(kind)[::-1] * 20})
    assert found.findings[0].code == "A118"
    assert "The labels are dates or times" in found.in_words().partition("Next steps")[0]
    mixed = evaluate({"y_true": ["2026-01-01", "b"], "y_pred": ["b", "2026-01-01"]})
    assert "A118" not in codes(mixed)


def test_trap_22_a_nul_is_part_of_a_label_and_never_reaches_the_terminal():
    found = evaluate({"y_true": ["a\0", "a", "a"], "y_pred": ["a", "a", "a"]}, truth="y_true", predicted="y_pred")
    assert set(found.counts.classes) == {"a", "a\0"}
    assert found.counts.correct.sum() == 2
    assert "a\\x00" in found.in_words()
    assert "\0" not in found.in_words()


@pytest.mark.slow
def test_trap_23_a_label_of_a_million_characters_costs_its_own_size_once():
    (n, words, page), long = peak_of(LABELS, 1_000_000)
    _, short = peak_of(LABELS, 1)
    assert n == "1000"
    assert long - short < 200
    assert int(words) < 20_000
    assert int(page) < 200_000


def test_trap_24_float_labels_beyond_exact_integers_are_refused():
    ids = np.array([2.0**53, 2.0**53 + 2])
    with pytest.raises(InputError, match=r"2\^53"):
        confusion(ids, ids)


def test_trap_25_the_largest_unsigned_label_is_not_minus_one():
    counts = confusion(np.array([2**64 - 1, 5], dtype=np.uint64), np.array([-1, 5], dtype=np.int64))
    assert counts.correct.sum() == 1
    assert set(counts.classes) == {2**64 - 1, -1, 5}


def test_trap_26_f1_of_text_classes_asks_for_the_positive_one():
    counts = confusion(["yea", "nay", "nay"], ["yea", "nay", "yea"])
    with pytest.raises(InputError, match=r"'nay' \(2\), 'yea' \(1\).*positive"):
        measure(counts, "f1")


def test_trap_27_labels_1_and_2_have_no_positive_class_by_themselves():
    with pytest.raises(InputError, match=r"1 \(1\), 2 \(2\)"):
        measure(confusion([1, 2, 2], [1, 2, 1]), "sensitivity")
    assert measure(confusion([1, 2, 2], [1, 2, 1]), "sensitivity", positive=2) == 0.5


@pytest.mark.slow
def test_trap_28_missing_scores_are_counted_and_the_remedies_named(write_csv):
    path = write_csv({"y_true": [0, 1] * 20, "y_score": ["0.1", ""] + ["0.2", "0.8"] * 19})
    code, _, err = run("evaluate", path)
    assert code == 2
    assert mentions(err, "'y_score'", "1 missing value (row 2)", "--missing-scores drop", "--missing-scores worst")
    assert evaluate(path, missing_scores="drop").counts.n == 39
    worst = evaluate(path, missing_scores="worst")
    assert worst.counts.n == 40
    assert worst.estimates["auc"].value == pytest.approx(19 / 20)


def test_trap_29_infinite_scores_rank_but_are_no_probabilities():
    found = Predictions([0, 1, 0, 1], [0, 1, 0, 1], [-np.inf, np.inf, 0.0, 0.0])
    assert measure(found, "auc") == pytest.approx(0.875)
    assert isinstance(measure(found, "log_loss"), Undefined)


def test_trap_30_tied_scores_give_one_half_and_a_note():
    found = evaluate(Predictions([0, 1, 0, 1], scores=[0.5, 0.5, 0.5, 0.5]))
    assert found.estimates["auc"].value == 0.5
    assert "A304" in codes(found)


def test_trap_31_scores_are_compared_as_they_are_stored():
    near = np.array([0.1, 0.1 + 1e-9])
    assert adjudge.roc([0, 1], near.astype(np.float32)).area == 0.5
    assert adjudge.roc([0, 1], near).area == 1.0
    assert measure(Predictions([0, 1], scores=near.astype(np.float32)), "auc") == 0.5


@pytest.mark.slow
def test_trap_32_rows_that_do_not_sum_to_one_are_refused_and_near_ones_divided():
    truth, classes = [0, 1, 2], [0, 1, 2]
    bad = np.array([[0.5, 0.2, 0.2], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    with pytest.raises(InputError, match=r"row 1: .*sum to 0\.9"):
        evaluate(Predictions(truth, scores=bad, classes=classes))
    near = np.array([[0.7001, 0.2, 0.1003], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    found = evaluate(Predictions(truth, scores=near, classes=classes))
    assert "A302" in codes(found)
    exact = near / near.sum(axis=1, keepdims=True)
    assert found.estimates["log_loss"].value == pytest.approx(-np.log(exact[range(3), truth]).mean(), abs=1e-14)


@pytest.mark.parametrize("value", [-0.25, 1.25])
def test_trap_33_a_probability_outside_0_and_1_is_named_with_its_row(value):
    p = np.array([[0.5, 0.5], [value, 1 - value]])
    with pytest.raises(InputError, match=r"row 2: the probability"):
        evaluate(Predictions([0, 1], scores=p, classes=[0, 1]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_trap_34_probability_0_for_the_truth_is_an_infinite_log_loss(dtype):
    p = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], dtype=dtype)
    found = evaluate(Predictions([0, 1, 1], scores=p, classes=[0, 1]))
    assert found.estimates["log_loss"].value == math.inf
    finding = next(f for f in found.findings if f.code == "A301")
    assert finding.value == 1
    assert found.to_dict()["estimates"]["log_loss"]["value"] == "inf"


def test_trap_35_scores_are_matched_by_name_and_unnamed_ones_refused():
    truth = ["b", "a", "c"] * 10
    right = {"truth": truth, "p_c": [0.0, 0.1, 0.8] * 10, "p_a": [0.1, 0.8, 0.1] * 10, "p_b": [0.9, 0.1, 0.1] * 10}
    assert evaluate(right).estimates["accuracy"].value == 1.0
    with pytest.raises(InputError, match=r"classes="):
        Predictions(truth, scores=np.full((30, 3), 1 / 3))


def test_trap_36_a_class_without_a_score_column_counts_as_probability_0():
    scores = {"a": [0.6, 0.3, 0.5], "b": [0.4, 0.7, 0.5]}
    found = evaluate(Predictions(["a", "b", "c"], scores=scores))
    assert "A303" in codes(found)
    assert found.estimates["log_loss"].value == math.inf


@pytest.mark.parametrize(
    ("weight", "text"),
    [
        pytest.param([0, 0, 0], "weights are 0", id="37-zero"),
        pytest.param([1, -1, 1], r"row 2: the weight -1", id="38-negative"),
        pytest.param([1, np.nan, 1], r"row 2: the weight nan", id="39-nan"),
        pytest.param([1, 1, np.inf], r"row 3: the weight inf", id="39-inf"),
    ],
)
def test_trap_37_to_39_useless_weights_are_refused(weight, text):
    with pytest.raises(InputError, match=text):
        evaluate(Predictions([0, 1, 1], [0, 1, 0], weight=weight))


def test_trap_40_no_weight_on_a_class_makes_it_undefined():
    found = evaluate(Predictions([0, 1, 1], [0, 1, 0], weight=[1, 0, 0], positive=1))
    assert "no case" in found.estimates["sensitivity"].reason


@pytest.mark.slow
def test_trap_41_a_spread_of_weights_beyond_floating_point_is_said_and_ess_printed():
    found = evaluate(Predictions([0, 1, 1], [0, 1, 0], weight=[1e16, 1, 1]))
    assert {"A401", "A402"} <= codes(found)
    assert "A402" not in codes(evaluate(Predictions([0, 1, 1], [0, 1, 0], weight=[1, 2, 3])))


def test_trap_42_large_counts_do_not_overflow():
    n = 10**9
    counts = ConfusionCounts([[3 * n, n], [n, 5 * n]])
    tp, fn, fp, tn = (Fraction(v) for v in (5 * n, n, n, 3 * n))
    root = math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    assert measure(counts, "mcc") == pytest.approx(float(tp * tn - fp * fn) / root, rel=1e-15)


@pytest.mark.parametrize("k", [2, 127, 128, 255, 256, 300, 32768, 46341, 65536, 100_000])
def test_trap_43_pairs_of_class_codes_never_overflow(k):
    truth = np.array([k - 1, k - 1, 0, k // 2])
    predicted = np.array([k - 1, 0, k - 1, k // 2])
    for dtype in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64):
        if k - 1 <= np.iinfo(dtype).max:
            counts = confusion(truth.astype(dtype), predicted.astype(dtype))
            assert counts.n == 4
            assert counts.correct.sum() == 2


def test_trap_44_a_missing_category_is_not_the_last_class():
    truth = pd.Series(pd.Categorical(["a", None, "b"], categories=["a", "b"]))
    with pytest.raises(InputError, match=r"1 missing value \(row 2\)"):
        evaluate(Predictions(truth, ["a", "b", "b"]))
    assert evaluate(Predictions(truth, ["a", "b", "b"], missing="drop")).counts.support.tolist() == [1, 1]


@pytest.mark.slow
def test_trap_45_a_hundred_thousand_classes_stay_sparse():
    k = 100_000
    truth = np.arange(k)
    predicted = np.where(truth % 10 == 0, (truth + 1) % k, truth)
    counts = confusion(truth, predicted)
    assert not isinstance(counts.cells, np.ndarray)
    assert measure(counts, "accuracy") == 0.9
    assert measure(counts, "balanced_accuracy") == pytest.approx(0.9)
    assert math.isfinite(measure(counts, "mcc"))
    assert len(evaluate(counts).by_class) == 50


def test_trap_46_macro_auc_is_over_the_classes_present():
    p = np.array([[0.7, 0.2, 0.1], [0.2, 0.7, 0.1], [0.4, 0.5, 0.1], [0.3, 0.6, 0.1]])
    found = evaluate(Predictions([0, 1, 0, 1], scores=p, classes=[0, 1, 2]))
    rows = {row.label: row.auc for row in found.by_class}
    assert "no case" in rows[2].reason
    assert found.estimates["auc"].value == pytest.approx((rows[0].value + rows[1].value) / 2)


def test_trap_47_series_with_different_indices_are_refused():
    truth, predicted = pd.Series(["a", "b", "c"]), pd.Series(["a", "b", "c"], index=[2, 1, 0])
    with pytest.raises(InputError, match="different indices"):
        confusion(truth, predicted)
    with pytest.raises(InputError, match="different indices"):
        Predictions(truth, predicted)


@pytest.mark.slow
def test_trap_48_repeated_identities_are_refused_or_made_one(write_csv):
    path = write_csv(
        {
            "id": [1, 2, 2, 3],
            "y_true": ["a", "b", "b", "a"],
            "y_pred": ["a", "b", "a", "a"],
            "p_a": [0.9, 0.2, 0.7, 0.6],
            "p_b": [0.1, 0.8, 0.3, 0.4],
        }
    )
    code, _, err = run("evaluate", path)
    assert code == 2
    assert "'id'" in err
    assert "--duplicates first" in err
    first, mean = (evaluate(path, duplicates=how) for how in ("first", "mean"))
    assert first.counts.n == mean.counts.n == 3
    assert first.counts.correct.sum() == mean.counts.correct.sum() == 3
    own = -np.log([0.9, 0.55, 0.6]).mean()
    assert mean.estimates["log_loss"].value == pytest.approx(own, abs=1e-12)


def test_trap_48_the_same_case_may_come_back_in_another_fold():
    twice = {"id": [1, 2, 1, 2], "fold": [1, 1, 2, 2], "y_true": ["a", "b", "a", "b"], "y_pred": ["a", "b", "a", "a"]}
    found = evaluate(twice)
    assert found.origin.rows == 4
    assert found.counts.n == pytest.approx(2)


def test_trap_49_the_error_rate_of_a_billion_cases_keeps_its_digits():
    n = 10**9
    found = posterior([[n, 0], [3, 0]], "error", prior="flat").interval()
    with mpmath.workdps(40):
        for limit, q in ((found.low, "0.025"), (found.high, "0.975")):
            at = mpmath.betainc(4, n + 1, 0, mpmath.mpf(limit), regularized=True)
            assert float(abs(at - mpmath.mpf(q))) < 1e-12


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
def test_trap_51_a_bootstrap_of_only_right_decisions_falls_back_and_says_so(method):
    found = interval(ConfusionCounts([[30, 0], [0, 20]]), "accuracy", method=method)
    assert found.low < 0.97 < found.high == 1
    assert found.method == "midp"
    assert [finding.code for finding in found.findings] == ["A507"]


def test_trap_52_wald_is_no_default_and_its_zero_width_is_no_certainty():
    perfect = ConfusionCounts([[30, 0], [0, 20]])
    defaults = {m.name: interval(perfect, m.name, positive=0) for m in ON_COUNTS if m.name != "rejection_rate"}
    assert all(found.method != "wald" and found.low < found.high for found in defaults.values())
    (finding,) = interval(perfect, "accuracy", method="wald").findings
    assert finding.code == "A504"
    assert "no certainty" in finding.message


@pytest.mark.slow
def test_trap_55_a_flat_prior_over_many_classes_is_warned_of_and_no_default():
    table = ConfusionCounts(np.eye(5, dtype=int) * 19 + 1)
    assert interval(table, "balanced_accuracy").method == "mover-jeffreys"
    assert {f.code for f in posterior(table, prior="flat").findings} == {"A501"}
    assert not posterior(table).findings
    assert "A501" in codes(evaluate(table, prior="flat"))
    assert "A501" not in codes(evaluate(table))


def test_trap_50_counts_beyond_exact_integers_are_refused():
    with pytest.raises(InputError, match=r"2\^53"):
        ConfusionCounts([[2**53 + 1, 0], [0, 1]])


@pytest.mark.slow
def test_trap_53_sums_do_not_stop_at_16_777_216():
    n = (1 << 24) + 10
    truth = np.zeros(n, dtype=np.int8)
    truth[0] = 1
    counts = confusion(truth, truth)
    assert counts.n == n
    weighted = confusion(truth, truth, weight=np.ones(n, dtype=np.float32))
    assert weighted.n == n


def test_trap_54_average_precision_without_positives_is_undefined():
    value = measure(Predictions([0, 0, 0], scores=[0.1, 0.2, 0.3], classes=[0, 1]), "average_precision")
    assert isinstance(value, Undefined)


@pytest.mark.slow
def test_k_times_i_plus_j_is_cast_before_it_is_multiplied():
    script = "import numpy as np, adjudge; t = np.full(70000, 120, dtype=np.int8); print(adjudge.confusion(t, t).n)"
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "70000"


@pytest.mark.slow
def test_rows_of_training_that_are_judged_on_request_are_named():
    table = {"y": list("ab") * 20, "pred": list("ab") * 20, "split": ["train"] * 20 + ["test"] * 20}
    together = evaluate(table, split="")
    (told,) = (finding for finding in together.findings if finding.code == "A108")
    assert together.counts.n == 40
    assert "as asked" in told.message
    assert evaluate(table).counts.n == 20
    plain = {name: column for name, column in table.items() if name != "split"}
    assert "A108" not in codes(evaluate(plain, split=""))


def test_counting_says_which_rows_it_counted(tmp_path):
    path = tmp_path / "p.csv"
    pl.DataFrame({"y": list("ab") * 20, "pred": list("ab") * 20, "split": ["train"] * 20 + ["test"] * 20}).write_csv(path)
    code, told, _ = run("count", path, "-o", tmp_path / "p.counts")
    assert code == 0
    assert mentions(told, "A108", "40 rows", "20 test rows")


def test_a_label_that_means_no_decision_is_known_by_its_name():
    table = {"y": list("ab") * 20, "pred": ["reject", "b"] * 10 + list("ab") * 10}
    (told,) = (finding for finding in evaluate(table).findings if finding.code == "A202")
    assert 'rejected="reject"' in told.advice
    other = {"y": list("ab") * 20, "pred": ["c", "b"] * 10 + list("ab") * 10}
    assert not any("rejected=" in finding.advice for finding in evaluate(other).findings)


def test_percentages_are_named_where_nothing_else_can_be_the_score():
    table = {"y": [0, 1] * 30, "p_1": [10, 90, 50] * 20}
    with pytest.raises(InputError, match='scores="p_1"'):
        evaluate(table)


def test_votes_have_thresholds_between_0_and_1():
    votes = {"y": list("ab") * 20, "pred": list("ab") * 20, "votes_a": [70, 30] * 20, "votes_b": [30, 70] * 20}
    every = adjudge.thresholds(votes, positive="a")
    assert every.at(0.6).found == 20
    with pytest.raises(InputError, match="between 0 and 1"):
        every.at(60)


def test_calling_nobody_is_no_advice():
    rng = np.random.default_rng(0)
    truth = rng.random(400) < 0.5
    scores = np.clip(0.5 - 0.3 * (truth - 0.5) + rng.normal(0, 0.15, 400), 0, 1)  # the wrong way round
    found = evaluate({"y": truth.astype(int), "score": scores}, threshold=0.7)
    assert found.rare is not None
    assert found.rare.instead is None


@pytest.mark.parametrize("name", ["sensitivity", "precision", "f1", "jaccard"])
def test_a_mean_over_one_class_has_the_interval_of_the_class(name):
    counts = ConfusionCounts([[0, 0], [5, 45]], ("no", "yes"))
    mean, own = interval(counts, name, average="macro"), interval(counts, name, positive="yes")
    assert (mean.low, mean.high, mean.method) == (own.low, own.high, own.method)
    balanced, recall = interval(counts, "balanced_accuracy"), interval(counts, "sensitivity", positive="yes")
    assert (balanced.low, balanced.high) == (recall.low, recall.high)


@pytest.mark.slow
def test_means_of_many_classes_have_intervals_and_others_a_reason():
    rng = np.random.default_rng(1)
    cells = rng.poisson(0.05, (120, 120)) + np.diag(rng.poisson(20, 120) + 1)
    found = evaluate(ConfusionCounts(cells))
    assert found.estimates["sensitivity"].interval is not None
    assert found.estimates["mcc"].interval is None
    assert "with so many classes" in found.in_words()
