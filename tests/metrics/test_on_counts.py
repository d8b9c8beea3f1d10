"""Measures of a confusion table against scikit-learn, caret, exact fractions and their own distributions."""

from __future__ import annotations

import json
import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn import metrics as skm
from tests.described import refused
from tests.sparing import some

import adjudge
from adjudge import ConfusionCounts, InputError, Undefined, confusion, measure, measures

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
ORACLES = Path(__file__).parents[1] / "oracles"
CASES = json.loads((ORACLES / "cases.json").read_text())
CARET = json.loads((ORACLES / "caret_confusion.json").read_text())["cases"]
TABLES_PER_K = 200
SHARES = ("sensitivity", "specificity", "precision", "npv", "fpr", "fnr", "f1", "fbeta", "jaccard")
WHOLE = ("accuracy", "error", "balanced_accuracy", "mcc", "kappa", "informedness", "g_mean", "rejection_rate")
NAMES = {
    "accuracy": (), "error": (), "balanced_accuracy": (), "sensitivity": ("recall", "tpr"), "specificity": ("tnr",),
    "precision": ("ppv",), "npv": (), "fpr": (), "fnr": (), "f1": (), "fbeta": (), "mcc": (), "kappa": (), "informedness": (),
    "g_mean": (), "jaccard": (), "rejection_rate": (), "auc": (), "average_precision": (), "brier": (), "log_loss": (),
    "ece": (), "mae": (), "mse": (), "rae": (), "rse": (),
}  # fmt: skip


def cases_of(quantity):
    found = [case for case in CASES if case["quantity"] == quantity]
    return pytest.mark.parametrize("case", found, ids=[case["id"] for case in found])


# -- exact formulas, written from the definitions and sharing nothing with adjudge ------------------------------------


def exact_share(cells, name, at, beta=1):
    """Return a one-against-rest share as a Fraction, or None for 0/0; a last extra column is "no decision"."""
    k = len(cells)
    tp = cells[at][at]
    fn = sum(cells[at][j] for j in range(k) if j != at)
    fp = sum(cells[i][at] for i in range(k) if i != at)
    tn = sum(cells[i][j] for i in range(k) for j in range(k) if at not in (i, j))
    p = sum(cells[at])
    n = sum(map(sum, cells)) - p
    b = Fraction(beta) ** 2
    top, bottom = {
        "sensitivity": (tp, p),
        "specificity": (tn, n),
        "precision": (tp, tp + fp),
        "npv": (tn, tn + fn),
        "fpr": (fp, n),
        "fnr": (fn, p),
        "f1": (2 * tp, tp + fp + p),
        "fbeta": ((1 + b) * tp, b * p + tp + fp),
        "jaccard": (tp, fp + p),
    }[name]
    return Fraction(top) / bottom if bottom else None


def exact_whole(cells, name):  # noqa: PLR0911 - one line per definition
    """Return a measure of the whole table as a float from exact fractions, or None where it has no value."""
    k, n = len(cells), sum(map(sum, cells))
    if not n:
        return None
    correct = Fraction(sum(cells[i][i] for i in range(k)), n)
    rejected = Fraction(sum(sum(row[k:]) for row in cells), n)
    recalls = [Fraction(cells[i][i], sum(cells[i])) for i in range(k) if sum(cells[i])]
    true = [Fraction(sum(row), n) for row in cells]
    said = [Fraction(sum(row[j] for row in cells), n) for j in range(len(cells[0]))]
    chance = sum(t * s for t, s in zip(true, said, strict=False))
    if name in ("accuracy", "error", "rejection_rate"):
        return float({"accuracy": correct, "error": 1 - correct - rejected, "rejection_rate": rejected}[name])
    if name == "balanced_accuracy":
        return float(sum(recalls) / len(recalls))
    if name == "g_mean":
        return float(math.prod(recalls)) ** (1 / len(recalls))
    if len(recalls) < 2:
        return None
    if name == "informedness":
        return float((sum(recalls) - 1) / (len(recalls) - 1))
    if name == "kappa":
        return float((correct - chance) / (1 - chance))
    spread = (1 - sum(t * t for t in true)) * (1 - sum(s * s for s in said))
    return math.copysign(math.sqrt((correct - chance) ** 2 / spread), correct - chance) if spread else None


def agrees(ours, exact, rel=1e-12):
    if exact is None:
        return isinstance(ours, Undefined) and math.isnan(ours) and bool(ours.reason)
    return math.isclose(ours, exact, rel_tol=rel, abs_tol=1e-13)


cell = st.one_of(st.just(0), st.integers(0, 5), st.integers(0, 2000))


@st.composite
def tables(draw, k=None, rejected=None, cells=cell):
    k = draw(st.integers(2, 5)) if k is None else k
    extra = draw(st.booleans()) if rejected is None else rejected
    row = st.lists(cells, min_size=k + extra, max_size=k + extra)
    return draw(st.lists(row, min_size=k, max_size=k))


@st.composite
def two_by_two(draw):
    return draw(tables(k=2, rejected=False))


# -- scikit-learn ------------------------------------------------------------------------------------------------------


def random_table(rng, k):
    """Return a random table, now and then with a class nobody has or nobody is assigned to."""
    n = int(rng.integers(20, 501))
    shares = rng.dirichlet(np.full(k * k, rng.choice([0.1, 0.5, 2.0]))).reshape(k, k) + rng.choice([0, 0.3]) * np.eye(k)
    if rng.random() < 0.15:
        shares[rng.integers(k)] = 0
    if rng.random() < 0.15:
        shares[:, rng.integers(k)] = 0
    return rng.multinomial(n, (shares / shares.sum()).ravel()).reshape(k, k)


def as_cases(table, first=0):
    """Return a table as labels and weights: one case per cell that is not empty."""
    truth, said = np.nonzero(table)
    return truth + first, said + first, table[truth, said]


def per_class_of_sklearn(tables, k):
    """Return scikit-learn's values of every class of every table, 0/0 as NaN.

    The tables are laid side by side as one table with k classes for each: one call instead of thousands.
    """
    y, f, w = (np.concatenate(part) for part in zip(*(as_cases(t, i * k) for i, t in enumerate(tables)), strict=True))
    common = {"labels": np.arange(len(tables) * k), "sample_weight": w, "average": None}
    precision, recall, f1, _ = skm.precision_recall_fscore_support(y, f, zero_division=np.nan, **common)
    f2 = skm.fbeta_score(y, f, beta=2, zero_division=np.nan, **common)
    jaccard = skm.jaccard_score(y, f, zero_division=0, **common)
    jaccard[np.isnan(f1)] = np.nan  # its zero_division takes no NaN; both have the same denominator 0
    named = {"precision": precision, "recall": recall, "f1": f1, "fbeta": f2, "jaccard": jaccard}
    return {name: values.reshape(len(tables), k) for name, values in named.items()}


@pytest.mark.slow
@pytest.mark.parametrize("k", some(range(2, 7), 5))
def test_agrees_with_sklearn_on_a_thousand_tables(k):
    rng = np.random.default_rng(20_000 + k)
    tables = [random_table(rng, k) for _ in range(TABLES_PER_K)]
    theirs = per_class_of_sklearn(tables, k)
    for i, table in enumerate(tables):
        counts = ConfusionCounts(table)
        check_whole_table(counts, *as_cases(table))
        for name, values in theirs.items():
            check_per_class(counts, name, values[i])
    assert any(np.isnan(values).any() for values in theirs.values())  # the tables do reach the undefined corners


def check_whole_table(counts, y, f, w):
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True, assume_finite=True):
        warnings.simplefilter("ignore")  # "y_pred contains classes not in y_true" is one of the cases looked at
        assert measure(counts, "accuracy") == pytest.approx(skm.accuracy_score(y, f, sample_weight=w), abs=1e-12)
        balanced = skm.balanced_accuracy_score(y, f, sample_weight=w)
        assert measure(counts, "balanced_accuracy") == pytest.approx(balanced, abs=1e-12)
        mcc, kappa = skm.matthews_corrcoef(y, f, sample_weight=w), skm.cohen_kappa_score(y, f, sample_weight=w)
    check_agreement_beyond_chance(counts, {"mcc": mcc, "kappa": kappa})


def check_agreement_beyond_chance(counts, theirs):
    """Our kappa and MCC have no value with one true class, MCC none with one decision; scikit-learn answers 0 or NaN."""
    one_truth, one_decision = (np.count_nonzero(margin) < 2 for margin in (counts.support, counts.predicted))
    for name, undefined in (("mcc", one_truth or one_decision), ("kappa", one_truth)):
        ours = measure(counts, name)
        if undefined:
            assert isinstance(ours, Undefined)
            assert ours.reason
        else:
            assert ours == pytest.approx(theirs[name], abs=1e-12)


def check_per_class(counts, name, expected):
    knobs = {"beta": 2.0} if name == "fbeta" else {}
    each = np.array([measure(counts, name, positive=label, **knobs) for label in counts.classes])
    np.testing.assert_allclose(each, expected, rtol=0, atol=1e-12)
    seen = counts.support > 0
    for average, weights in (("macro", None), ("weighted", counts.support[seen])):
        ours = measure(counts, name, average=average, **knobs)
        if np.isnan(expected[seen]).any():  # scikit-learn would average over the rest
            assert isinstance(ours, Undefined)
            assert "never predicted" in ours.reason
        else:
            assert ours == pytest.approx(np.average(expected[seen], weights=weights), abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("k", range(2, 7))
def test_averages_agree_with_sklearn(k):
    rng = np.random.default_rng(30_000 + k)
    for _ in range(12):
        table = random_table(rng, k)
        counts, (y, f, w) = ConfusionCounts(table), as_cases(table)
        seen = np.flatnonzero(counts.support)  # macro is over the classes that have a case
        for name, score, knobs in (
            ("precision", skm.precision_score, {}), ("recall", skm.recall_score, {}), ("f1", skm.f1_score, {}),
            ("fbeta", skm.fbeta_score, {"beta": 2.0}), ("jaccard", skm.jaccard_score, {}),
        ):  # fmt: skip
            for average, labels in (("macro", seen), ("weighted", seen), ("micro", np.arange(k))):
                ours = measure(counts, name, average=average, **knobs)
                if not isinstance(ours, Undefined):
                    theirs = score(y, f, labels=labels, average=average, sample_weight=w, zero_division=0, **knobs)
                    assert ours == pytest.approx(theirs, abs=1e-12)


# -- caret and the stored cases ------------------------------------------------------------------------------------------

OF_CARET = {
    "Sensitivity": "sensitivity",
    "Specificity": "specificity",
    "Pos Pred Value": "precision",
    "Neg Pred Value": "npv",
    "Precision": "precision",
    "Recall": "recall",
    "F1": "f1",
    "Balanced Accuracy": "balanced_accuracy",
}


@pytest.mark.parametrize("case", CARET.values(), ids=CARET)
def test_agrees_with_caret(case):
    counts = ConfusionCounts(np.transpose(case["table_rows_prediction_cols_reference"]), case["levels"])  # caret's rows predict
    assert measure(counts, "accuracy") == pytest.approx(case["overall"]["Accuracy"], rel=1e-13)
    assert measure(counts, "kappa") == pytest.approx(case["overall"]["Kappa"], rel=1e-13, abs=1e-15)
    assert adjudge.evaluate(counts).baseline[1] == pytest.approx(case["overall"]["AccuracyNull"], rel=1e-13)
    by_class = case["byClass"] if isinstance(case["byClass"], list) else [case["byClass"] | {"class": case["positive"]}]
    for row in by_class:
        for theirs, ours in OF_CARET.items():
            value = measure(counts, ours, positive=row["class"])
            if row[theirs] is not None:
                assert value == pytest.approx(row[theirs], rel=1e-13)
            elif theirs == "F1":  # caret takes it from precision, which is 0/0; 2TP / (2TP + FP + FN) is 0
                assert value == 0
            else:
                assert isinstance(value, Undefined)


@pytest.mark.parametrize("case", [c for c in CARET.values() if isinstance(c.get("pred"), list)])
def test_counting_carets_labels_gives_carets_table(case):
    counts = confusion(case["ref"], case["pred"], classes=case["levels"])
    assert counts.cells.T.tolist() == case["table_rows_prediction_cols_reference"]


def test_kappa_of_one_class_has_no_value():
    # The formula reads 0/0 and 0/10: with one true class all agreement is by chance, so neither says anything.
    for cells in ([[5, 0], [0, 0]], [[3, 2], [0, 0]]):
        value = measure(ConfusionCounts(cells, ["a", "b"]), "kappa")
        assert isinstance(value, Undefined)
        assert value.reason.endswith("of class 'a'")


@cases_of("binary_metrics")
def test_binary_measures_agree_with_the_stored_cases(case):
    of = case["inputs"]
    counts = ConfusionCounts([[of["tp"], of["fn"]], [of["fp"], of["tn"]]], ["yes", "no"])
    for name, expected in case["expected"].items():
        value = measure(counts, name)
        if expected is None:
            assert isinstance(value, Undefined)
        else:
            assert value == pytest.approx(float(expected), rel=1e-13, abs=1e-14)


@cases_of("naive_accuracy")
def test_accuracies_agree_with_the_stored_cases(case):
    of = case["inputs"]
    counts = ConfusionCounts([[of["tp"], of["fn"]], [of["fp"], of["tn"]]])
    for name in ("accuracy", "balanced_accuracy"):
        assert measure(counts, name) == pytest.approx(float(case["expected"][name]), rel=1e-13)


@cases_of("no_information_rate")
def test_kappa_is_accuracy_beyond_the_no_information_rate(case):
    gamma = float(case["expected"]["gamma"])  # the error of decisions that ignore the case
    (t0, _), (p0, _) = case["inputs"]["true_counts"], case["inputs"]["predicted_counts"]
    n = sum(case["inputs"]["true_counts"])
    for hit in range(max(0, t0 + p0 - n), min(t0, p0) + 1):
        counts = ConfusionCounts([[hit, t0 - hit], [p0 - hit, n - t0 - p0 + hit]])
        accuracy = (n - t0 - p0 + 2 * hit) / n
        assert measure(counts, "kappa") == pytest.approx((accuracy - (1 - gamma)) / gamma, abs=1e-14)


# -- distributions --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(tables())
@settings(max_examples=25)
def test_every_measure_equals_its_formula_in_fractions(cells):
    counts = ConfusionCounts(cells)
    for name in WHOLE:
        assert agrees(measure(counts, name), exact_whole(cells, name)), name
    for at in range(counts.k):
        for name in SHARES:
            assert agrees(measure(counts, name, positive=at, beta=2.0), exact_share(cells, name, at, beta=2)), (name, at)


@pytest.mark.slow
@given(tables(cells=st.one_of(st.just(0), st.integers(10**9, 10**14), st.integers(1, 9))))
@settings(max_examples=25)
def test_huge_counts_neither_overflow_nor_lose_digits(cells):
    counts = ConfusionCounts(cells)
    assert counts.n == sum(map(sum, cells))
    for name in WHOLE:
        assert agrees(measure(counts, name), exact_whole(cells, name)), name
    for name in SHARES:
        assert agrees(measure(counts, name, positive=0), exact_share(cells, name, 0)), name


def test_the_largest_table_allowed_has_every_measure():
    cells = [[2 * 10**15, 10**15], [10**9, 2 * 10**15]]
    counts = ConfusionCounts(cells, ["yes", "no"])
    for name in WHOLE:
        assert agrees(measure(counts, name), exact_whole(cells, name)), name
    for name in SHARES:
        assert agrees(measure(counts, name), exact_share(cells, name, 0)), name


@pytest.mark.slow
@given(two_by_two())
def test_accuracy_is_the_mean_of_the_rates_weighted_by_the_classes(cells):
    counts = ConfusionCounts(cells, ["yes", "no"])
    pos, neg = counts.support
    assume(pos and neg)
    mixed = (measure(counts, "sensitivity") * pos + measure(counts, "specificity") * neg) / (pos + neg)
    assert measure(counts, "accuracy") == pytest.approx(mixed, abs=1e-14)


@pytest.mark.slow
@given(tables(), st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_the_order_of_the_classes_does_not_matter(cells, random):
    k = len(cells)
    order = random.sample(range(k), k)
    columns = [*order, *range(k, len(cells[0]))]
    counts, turned = ConfusionCounts(cells), ConfusionCounts([[cells[i][j] for j in columns] for i in order], order)
    for name in WHOLE:
        assert measure(turned, name) == pytest.approx(measure(counts, name), rel=1e-13, abs=1e-14, nan_ok=True)
    for name in SHARES:
        for at in range(k):
            assert measure(turned, name, positive=at) == pytest.approx(measure(counts, name, positive=at), nan_ok=True, rel=1e-15)
        for average in ("macro", "micro", "weighted"):
            ours, theirs = (measure(c, name, average=average) for c in (turned, counts))
            assert ours == pytest.approx(theirs, rel=1e-13, abs=1e-14, nan_ok=True)


@pytest.mark.slow
@given(tables(rejected=False))
def test_transposing_swaps_precision_and_recall(cells):
    counts, turned = ConfusionCounts(cells), ConfusionCounts(np.transpose(cells))
    for at in range(counts.k):
        assert measure(turned, "precision", positive=at) == pytest.approx(measure(counts, "recall", positive=at), nan_ok=True)
        for name in ("f1", "jaccard"):
            assert measure(turned, name, positive=at) == pytest.approx(measure(counts, name, positive=at), nan_ok=True)
    assert measure(turned, "mcc") == pytest.approx(measure(counts, "mcc"), nan_ok=True)


def everything(counts):
    """Yield every measure of a table in every way it can be asked for."""
    for found in measures():
        if found.needs != "decisions":
            continue
        for average in ("macro", "micro", "weighted"):
            yield found, measure(counts, found.name, average=average)
        for label in counts.classes:
            yield found, measure(counts, found.name, positive=label)
        if found.name in WHOLE:
            yield found, measure(counts, found.name)


def check_in_range(counts):
    for found, value in everything(counts):
        assert isinstance(value, Undefined) or found.low <= value <= found.high, (found.name, value)


@pytest.mark.slow
@given(tables())
@settings(max_examples=25)
def test_every_value_lies_in_the_declared_range(cells):
    check_in_range(ConfusionCounts(cells))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2), st.floats(0, 1)), min_size=1, max_size=20))
@settings(max_examples=25)
@example([(0, 1, 3e-105)])
@example([(0, 0, 0.6341950391714403), (0, 0, 0.49215936024511187), (0, 1, 1.0), (1, 0, 1.0)])
def test_every_value_of_weighted_cases_lies_in_the_declared_range(rows):
    truth, said, weight = zip(*rows, strict=True)
    check_in_range(confusion(truth, said, weight=weight, rejected=-1))


@pytest.mark.slow
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(-1, 3), st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.1])), min_size=1, max_size=20
    )
)
@settings(max_examples=25)
def test_a_measure_of_weighted_cases_is_undefined_exactly_when_that_of_plain_ones_is(rows):
    truth, said, weight = zip(*rows, strict=True)
    plain, weighted = confusion(truth, said, rejected=-1), confusion(truth, said, weight=weight, rejected=-1)
    for (found, a), (_, b) in zip(everything(plain), everything(weighted), strict=True):
        assert isinstance(a, Undefined) == isinstance(b, Undefined), (found.name, a, b)


@pytest.mark.slow
@given(tables(rejected=False))
def test_without_rejection_micro_f1_is_accuracy(cells):
    counts = ConfusionCounts(cells)
    assert measure(counts, "f1", average="micro") == pytest.approx(measure(counts, "accuracy"), rel=1e-15, nan_ok=True)


@pytest.mark.slow
@given(tables(), st.integers(2, 1000))
@settings(max_examples=25)
def test_counting_every_case_c_times_changes_nothing(cells, c):
    once, often = ConfusionCounts(cells), ConfusionCounts(np.multiply(cells, c))
    for (found, a), (_, b) in zip(everything(once), everything(often), strict=True):
        assert a == pytest.approx(b, rel=1e-12, abs=1e-14, nan_ok=True), found.name


@pytest.mark.slow
@given(tables(rejected=True))
def test_right_wrong_and_rejected_share_the_cases(cells):
    counts = ConfusionCounts(cells)
    assume(counts.n)
    assert sum(measure(counts, name) for name in ("accuracy", "error", "rejection_rate")) == pytest.approx(1, abs=1e-15)
    for at, row in enumerate(cells):
        if sum(row):  # a rejected case is a case of its class, though neither hit nor miss
            assert measure(counts, "sensitivity", positive=at) == row[at] / sum(row)
            wrong = (sum(row[:-1]) - row[at]) / sum(row)
            assert measure(counts, "fnr", positive=at) == pytest.approx(wrong, abs=1e-15)


def test_rejections_are_no_errors():
    counts = ConfusionCounts([[6, 1, 3], [2, 8, 0]], ["yes", "no"])  # rejected cases are no errors
    assert measure(counts, "error") == 3 / 20
    assert measure(counts, "rejection_rate") == 3 / 20
    assert measure(counts, "sensitivity") == 6 / 10
    assert measure(counts, "precision") == 6 / 8


# -- names, defaults and refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "aliases"), NAMES.items())
def test_every_name_of_the_contract_and_its_aliases_are_found(name, aliases):
    table = {m.name: m for m in measures()}
    assert name in table
    for alias in (*aliases, *table[name].aliases):
        assert adjudge.metrics.catalogue.find(alias) is table[name]
    assert adjudge.metrics.catalogue.find(name.replace("_", " ").title()) is table[name]


def test_the_table_of_measures_says_what_each_is():
    for found, row in zip(measures(), measures().to_dict(), strict=True):
        assert row["formula"]
        assert found.range[0] < found.range[1]
        assert row["direction"] in ("higher is better", "lower is better", "0 is best")
        assert row["needs"] in ("decisions", "scores", "probabilities", "numbers")
    assert "balanced_accuracy" in repr(measures())


@pytest.mark.parametrize("name", SHARES)
def test_a_share_of_two_names_asks_which_is_positive(name):
    with refused("positive", "'cat' (1,234), 'dog' (5)", "positive="):
        measure(ConfusionCounts([[1000, 234], [2, 3]], ["cat", "dog"]), name)


def test_a_share_of_three_classes_offers_averages():
    with refused("positive", "positive=", "average='macro', 'micro' or 'weighted'"):
        measure(ConfusionCounts(np.eye(3, dtype=int)), "f1")


@pytest.mark.parametrize(("classes", "positive"), [((0, 1), 1), ((-1, 1), 1), (("no", "yes"), "yes"), ((True, False), True)])
def test_labels_that_say_so_are_positive(classes, positive):
    counts = ConfusionCounts([[5, 2], [1, 9]], classes)
    assert measure(counts, "f1") == measure(counts, "f1", positive=positive)


def test_an_undefined_measure_is_nan_with_the_reason():
    value = measure(ConfusionCounts([[0, 5], [0, 20]], ["yes", "no"]), "precision")
    assert math.isnan(value)
    assert value.reason == "class 'yes' was never predicted"
    assert repr(value) == f"nan (undefined: {value.reason})"


@pytest.mark.parametrize("name", WHOLE)
def test_an_empty_table_has_no_value(name):
    assert measure(ConfusionCounts([[0, 0], [0, 0]]), name).reason == "there is no case"


def test_classes_without_a_case_take_no_part_in_averages():
    counts = ConfusionCounts([[8, 2, 0], [1, 9, 0], [0, 0, 0]])
    assert measure(counts, "recall", average="macro") == pytest.approx(0.85)
    assert measure(counts, "balanced_accuracy") == pytest.approx(0.85)


def test_an_unknown_measure_is_refused_with_its_neighbours():
    with pytest.raises(InputError, match=r"no measure 'acuracy'.* accuracy"):
        measure(ConfusionCounts([[1, 0], [0, 1]]), "acuracy")


@pytest.mark.parametrize("beta", [0, -1, float("nan")])
def test_a_beta_that_is_no_weight_is_refused(beta):
    with pytest.raises(InputError, match=r"^beta .*above 0"):
        measure(ConfusionCounts([[1, 0], [0, 1]]), "fbeta", beta=beta)


@pytest.mark.parametrize("name", ["auc", "brier", "log_loss", "mae"])
def test_a_table_is_not_asked_for_what_it_does_not_hold(name):
    with pytest.raises(InputError, match=r"confusion table does not.*Predictions"):
        measure(ConfusionCounts([[1, 0], [0, 1]]), name)


def test_an_unknown_average_is_refused():
    with pytest.raises(InputError, match=r"^average .*'macro', 'micro', 'weighted'.*'mean'"):
        measure(ConfusionCounts([[1, 0], [0, 1]]), "f1", average="mean")


def test_an_unknown_positive_class_is_refused():
    with pytest.raises(InputError, match=r"'fox' .*not among .*'cat', 'dog'"):
        measure(ConfusionCounts([[1, 0], [0, 1]], ["cat", "dog"]), "f1", positive="fox")
