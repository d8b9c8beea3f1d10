"""The confusion table: counted from labels of every type, added up, asked for its parts, refused."""

from __future__ import annotations

import unicodedata
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array
from tests.described import mentions, refused

from adjudge import ConfusionCounts, InputError, Predictions, WeightedCounts, confusion, measure
from adjudge._base.arrays import BLOCK
from adjudge.counts.confusion import DENSE

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
TEXTS = ("a", "A", "b", "b ", "", "0", "1", "a\0b", "שלום", "مرحبا", "é", unicodedata.normalize("NFD", "é"), "日本", "x" * 300)


def as_dict(counts):
    """Return the cells that occur by their labels."""
    table = counts.cells.tocoo() if hasattr(counts.cells, "tocoo") else coo_array(counts.cells)
    names = [*counts.classes, "(rejected)"]
    values = zip(*table.coords, table.data, strict=True)
    return {(names[i], names[j]): n.item() for i, j, n in values if n}


def by_hand(truth, predicted):
    return dict(Counter(zip(truth, predicted, strict=True)))


def drawn(values, **size):
    return st.lists(st.tuples(values, values), **({"min_size": 1, "max_size": 60} | size)).map(
        lambda rows: tuple(zip(*rows, strict=True))
    )


# -- labels of every type ------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", INTEGERS)
def test_whole_numbers_of_any_type_are_counted_by_value(name):
    low, high = int(np.iinfo(name).min), int(np.iinfo(name).max)

    @given(drawn(st.integers(low, high)))
    @settings(max_examples=40)
    @example(((low, high, 5), (low, 5, high)))
    def holds(rows):
        counts = confusion(*(np.array(labels, dtype=name) for labels in rows))
        assert as_dict(counts) == by_hand(*rows)
        assert list(counts.classes) == sorted({*rows[0], *rows[1]})

    holds()


@pytest.mark.parametrize(
    "types", [("int64", "uint8"), ("int64", "int8"), ("int16", "uint32"), ("uint64", "int32"), (">i4", "<i8")]
)
def test_truth_and_decision_may_differ_in_type(types):
    rows = [(-1, 1), (1, 1), (0, 0), (1, 0)] if types[1][0] == "u" and types[0][0] == "i" else [(1, 1), (0, 1), (2, 2)]
    truth, predicted = zip(*rows, strict=True)
    counts = confusion(np.array(truth, dtype=types[0]), np.array(predicted, dtype=types[1]))
    assert as_dict(counts) == by_hand(truth, predicted)


@pytest.mark.parametrize("labels", [(2**64 - 1, 0), (2**64 - 1, 2**64 - 2)])
def test_the_largest_unsigned_numbers_are_labels(labels):
    values = np.array(labels * 3, dtype=np.uint64)
    assert as_dict(confusion(values, values)) == dict.fromkeys(((v, v) for v in labels), 3)


@pytest.mark.slow
@given(drawn(st.booleans()))
def test_truth_values_equal_the_numbers_zero_and_one(rows):
    truth, predicted = (np.array(v) for v in rows)
    expected = by_hand(*rows)
    for other in (predicted, predicted.astype(np.int8), predicted.astype(float), predicted.tolist()):
        assert as_dict(confusion(truth, other)) == expected


@pytest.mark.slow
@given(drawn(st.integers(-(10**6), 10**6)))
def test_floats_that_are_whole_are_whole_numbers(rows):
    for dtype in (np.float32, np.float64):
        truth, predicted = (np.array(v, dtype=dtype) for v in rows)
        assert as_dict(confusion(truth, predicted)) == by_hand(*rows)
    assert as_dict(confusion(np.array(rows[0], dtype=float), list(rows[1]))) == by_hand(*rows)


def texts():
    return st.one_of(st.sampled_from(TEXTS), st.text(st.characters(exclude_categories=["Cs"]), max_size=4))


def containers(values):
    """Return text in everything that holds text."""
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return {
        "list": list(values),
        "object array": objects,
        "pandas": pd.Series(values),
        "pandas object": pd.Series(objects, dtype=object),
        "pandas category": pd.Series(values, dtype="category"),
        "polars": pl.Series(values, dtype=pl.String),
        "polars categorical": pl.Series(values, dtype=pl.Categorical),
        "polars enum": pl.Series(values, dtype=pl.Enum(sorted(set(values)))),
        "arrow": pa.array(values, pa.string()),
        "large arrow": pa.array(values, pa.large_string()),
        "arrow dictionary": pa.array(values, pa.string()).dictionary_encode(),
        "arrow chunks": pa.chunked_array([pa.array(values[:1], pa.string()), pa.array(values[1:], pa.string())]),
    }


@pytest.mark.slow
@given(drawn(texts(), max_size=25))
@settings(max_examples=50)
def test_text_is_counted_the_same_in_whatever_holds_it(rows):
    expected = by_hand(*rows)
    truths, decisions = containers(rows[0]), containers(rows[1])
    for name, truth in truths.items():
        assert as_dict(confusion(truth, decisions[name])) == expected, name


@pytest.mark.slow
@given(drawn(texts(), max_size=25))
def test_text_of_fixed_width_is_counted_as_numpy_shows_it(rows):
    truth, predicted = (np.array(v) for v in rows)  # NumPy drops NULs at the end
    assert as_dict(confusion(truth, predicted)) == by_hand(truth.tolist(), predicted.tolist())


def test_two_forms_of_one_letter_are_two_labels():
    composed, split = "é", unicodedata.normalize("NFD", "é")
    assert confusion([composed, split], [composed, split]).k == 2


def test_labels_are_sorted_unless_an_order_was_declared():
    assert confusion(["b", "a", "C"], ["b", "a", "C"]).classes == ("C", "a", "b")
    assert confusion([10, 9], [10, 9]).classes == (9, 10)


@pytest.mark.parametrize("is_ordered", [True, False])
def test_declared_categories_keep_their_order_and_unused_levels(is_ordered):
    levels = ["low", "high", "never"]
    made = [pd.Categorical(v, categories=levels, ordered=is_ordered) for v in (["high", "low"], ["high", "high"])]
    for truth, predicted in (made, [pd.Series(v) for v in made]):
        counts = confusion(truth, predicted)
        assert counts.classes == tuple(levels)
        assert counts.cells.tolist() == [[0, 1, 0], [0, 1, 0], [0, 0, 0]]


def test_a_polars_enum_declares_its_order_and_a_categorical_does_not():
    levels = ["low", "high", "never"]
    values = ["high", "low", "high"]
    assert confusion(*[pl.Series(values, dtype=pl.Enum(levels))] * 2).classes == tuple(levels)
    assert confusion(*[pl.Series(values, dtype=pl.Categorical)] * 2).classes == ("high", "low")


def test_categories_are_matched_by_name_and_not_by_code():
    truth = pd.Series(pd.Categorical(["a", "b", "c"], categories=["a", "b", "c"]))
    predicted = pd.Series(pd.Categorical(["a", "b", "c"], categories=["c", "b", "a"]))
    assert as_dict(confusion(truth, predicted)) == {("a", "a"): 1, ("b", "b"): 1, ("c", "c"): 1}


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 127, 128, 255, 256, 300, 32768, 46341, 65536, 100_000])
def test_any_number_of_classes_is_counted_whatever_holds_the_codes(k):
    rng = np.random.default_rng(k)
    truth, predicted = rng.integers(0, k, (2, 2000))
    truth[0] = predicted[1] = k - 1
    packed, n = np.unique(truth * k + predicted, return_counts=True)
    expected = {(int(p) // k, int(p) % k): int(c) for p, c in zip(packed, n, strict=True)}
    assert as_dict(confusion(truth, predicted)) == expected
    names = [f"c{i}" for i in range(k)]
    counts = confusion(*(pd.Series(pd.Categorical.from_codes(v, categories=names)) for v in (truth, predicted)))
    assert counts.k == k
    assert as_dict(counts) == {(f"c{i}", f"c{j}"): c for (i, j), c in expected.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("k", "codes"),
    [(127, "int8"), (128, "int8"), (255, "uint8"), (256, "uint8"), (300, "int16"),
     (32768, "int16"), (65535, "uint16"), (65536, "uint16"), (65536, "int32")],
)  # fmt: skip
def test_codes_may_fill_their_type(k, codes):
    rng = np.random.default_rng(k)
    truth, predicted = rng.integers(0, k, (2, 500))
    truth[0] = predicted[1] = k - 1
    names = pa.array([f"c{i}" for i in range(k)])
    counts = confusion(*(pa.DictionaryArray.from_arrays(pa.array(v.astype(codes)), names) for v in (truth, predicted)))
    assert as_dict(counts) == by_hand([f"c{i}" for i in truth], [f"c{i}" for i in predicted])


@pytest.mark.parametrize("where", ["truth", "predicted", "both"])
@pytest.mark.parametrize("late", [7, -7, 5000, 10**12, 2**62, -(2**63)])
def test_a_label_first_seen_after_the_first_block_is_counted(where, late):
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(0, 3, (2, BLOCK + 50))
    if where != "predicted":
        truth[-1] = late
    if where != "truth":
        predicted[-1] = late
    counts = confusion(truth, predicted)
    assert as_dict(counts) == by_hand(truth.tolist(), predicted.tolist())
    assert list(counts.classes) == sorted({0, 1, 2, late})


def test_listed_classes_give_the_order_and_may_lack_cases():
    counts = confusion(["a", "b"], ["b", "b"], classes=["z", "b", "a"])
    assert counts.classes == ("z", "b", "a")
    assert counts.cells.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]


def test_rejected_cases_have_a_column_of_their_own():
    counts = confusion([0, 0, 1, 1], [0, -9, 1, -9], rejected=-9)
    assert counts.cells.tolist() == [[1, 0, 1], [0, 1, 1]]
    assert (counts.classes, counts.rejected.tolist(), counts.n) == ((0, 1), [1, 1], 4)
    assert confusion([0, 1], [0, 1], rejected=-9).cells.tolist() == [[1, 0, 0], [0, 1, 0]]


def test_rejection_goes_with_listed_classes():
    assert confusion(["a", "b"], ["a", "?"], classes=["a", "b"], rejected="?").cells.tolist() == [[1, 0, 0], [0, 0, 1]]


# -- the table itself ------------------------------------------------------------------------------------------------------


@st.composite
def tables(draw, names="abcd"):
    k = draw(st.integers(1, 4))
    extra = draw(st.booleans())
    cells = draw(st.lists(st.lists(st.integers(0, 50), min_size=k + extra, max_size=k + extra), min_size=k, max_size=k))
    return ConfusionCounts(cells, draw(st.permutations(names))[:k])


@pytest.mark.slow
@given(tables(), tables(), tables())
def test_tables_add_up_by_class_name_in_any_order(a, b, c):
    expected = Counter(as_dict(a)) + Counter(as_dict(b)) + Counter(as_dict(c))
    for total in (a + b + c, c + (b + a), a + (b + c), sum([b, c, a])):
        assert as_dict(total) == dict(expected)
        assert total.has_rejected == (a.has_rejected or b.has_rejected or c.has_rejected)
        assert total.n == a.n + b.n + c.n


def test_a_sum_keeps_the_order_of_the_first():
    total = ConfusionCounts([[1]], ["b"]) + ConfusionCounts([[2, 0], [0, 3]], ["a", "b"])
    assert total == ConfusionCounts([[4, 0], [0, 2]], ["b", "a"])


@given(tables())
def test_margins_are_the_sums_of_the_cells(counts):
    k, cells = counts.k, counts.cells
    assert counts.support.tolist() == [sum(row) for row in cells.tolist()]
    assert counts.predicted.tolist() == [sum(row[j] for row in cells.tolist()) for j in range(k)]
    assert counts.rejected.tolist() == [sum(row[k:]) for row in cells.tolist()]
    assert counts.correct.tolist() == [cells[i, i] for i in range(k)]
    assert counts.n == sum(map(sum, cells.tolist()))
    assert isinstance(counts.n, int)


@pytest.mark.slow
@given(tables())
def test_one_class_against_the_rest_merges_the_rest(counts):
    for at, label in enumerate(counts.classes):
        two = counts.binary(label)
        merged = np.zeros((2, 2 + counts.has_rejected), dtype=int)
        for i, row in enumerate(counts.cells.tolist()):
            for j, n in enumerate(row):
                merged[int(i != at), 2 if j == counts.k else int(j != at)] += n
        assert two.cells.tolist() == merged.tolist()
        assert two.classes[0] == label


def test_the_rest_of_two_classes_is_the_other():
    assert ConfusionCounts([[1, 2], [3, 4]], ["a", "b"]).binary("b") == ConfusionCounts([[4, 3], [2, 1]], ["b", "a"])
    assert ConfusionCounts(np.eye(3, dtype=int), ["a", "b", "c"]).binary("b").classes == ("b", "not b")


@pytest.mark.slow
def test_many_classes_are_kept_sparse_and_measure_the_same():
    rng = np.random.default_rng(0)
    k = 2000
    truth = rng.integers(0, k, 20_000)
    predicted = np.where(rng.random(20_000) < 0.7, truth, rng.integers(0, k, 20_000))
    counts = confusion(truth, predicted)
    assert counts.k > DENSE
    assert not isinstance(counts.cells, np.ndarray)
    full = np.zeros((k, k), dtype=np.int64)
    np.add.at(full, (truth, predicted), 1)
    full = full[np.ix_(counts.classes, counts.classes)]
    dense = ConfusionCounts(full, counts.classes)
    for name in ("accuracy", "balanced_accuracy", "mcc", "kappa", "g_mean"):
        assert measure(counts, name) == pytest.approx(measure(dense, name), rel=1e-13)
    assert measure(counts, "accuracy") == np.mean(truth == predicted)
    assert counts.binary(7) == dense.binary(7)
    assert as_dict(counts + counts) == {key: 2 * n for key, n in as_dict(counts).items()}
    assert measure(counts, "f1", average="weighted") == pytest.approx(measure(dense, "f1", average="weighted"), rel=1e-13)


def test_sparse_tables_hold_rejections_and_weights():
    k = DENSE + 1
    truth = np.arange(3 * k) % k
    predicted = np.where(np.arange(3 * k) < k, -1, truth)
    counts = confusion(truth, predicted, rejected=-1, weight=np.full(3 * k, 0.5))
    assert counts.rejected.tolist() == [0.5] * k
    assert counts.support.tolist() == [1.5] * k
    assert counts.effective_n == pytest.approx(3 * k)
    assert measure(counts, "accuracy") == pytest.approx(2 / 3)
    assert (counts + counts).rejected.tolist() == [1.0] * k


def test_a_cell_named_twice_in_a_sparse_table_is_the_sum():
    counts = ConfusionCounts(coo_array(([1, 2, 3], ([0, 0, 1], [0, 0, 1])), shape=(2, 2)), ["a", "b"])
    assert counts == ConfusionCounts(coo_array([[3, 0], [0, 3]]), ["a", "b"])
    assert (counts + ConfusionCounts([[1]], ["c"])).n == 7


def test_tables_do_not_change():
    cells = np.eye(2, dtype=int)
    counts, sparse = ConfusionCounts(cells), ConfusionCounts(coo_array(cells))
    cells[0, 0] = 99
    assert counts.cells[0, 0] == 1
    weighted = confusion([0, 1], [0, 1], weight=[1, 2])
    for array in (counts.cells, sparse.cells.data, *sparse.cells.coords, weighted.cells, weighted.squares):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5
    with pytest.raises(AttributeError):
        counts.classes = ()
    with pytest.raises(TypeError):
        hash(counts)


def test_a_table_reads_well_at_the_prompt():
    shown = repr(ConfusionCounts([[1000, 0, 2], [0, 1, 3]], ["a", "b\x1b"]))
    assert mentions(shown, "1,006 cases", "2 classes", "rejected", "'a', 'b\\x1b'")


# -- weights -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(drawn(st.integers(0, 3)), st.data())
def test_a_weight_of_two_everywhere_doubles_the_cells_and_changes_no_measure(rows, data):
    truth, predicted = rows
    once, twice = confusion(truth, predicted), confusion(truth, predicted, weight=[2] * len(truth))
    assert isinstance(twice, WeightedCounts)
    assert as_dict(twice) == {key: 2.0 * n for key, n in as_dict(once).items()}
    for name in ("accuracy", "balanced_accuracy", "mcc", "kappa", "g_mean"):
        assert measure(twice, name) == pytest.approx(measure(once, name), rel=1e-12, abs=1e-14, nan_ok=True)
    assert twice.effective_n == pytest.approx(len(truth))


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40))
def test_a_whole_weight_is_that_many_cases(rows):
    truth, predicted, weight = zip(*rows, strict=True)
    weighted = confusion(truth, predicted, weight=weight)
    repeated = Counter()
    for t, p, w in rows:
        repeated[t, p] += w
    assert as_dict(weighted) == {key: float(n) for key, n in repeated.items() if n}
    total, squares = sum(weight), sum(w * w for w in weight)
    assert weighted.effective_n == (pytest.approx(total**2 / squares) if total else 0)


def test_weighted_tables_add_their_squares():
    a = confusion([0, 1], [0, 1], weight=[1, 3])
    b = confusion([1, 2], [1, 1], weight=[2, 4])
    total = a + b
    assert total.squares.tolist() == [[1, 0, 0], [0, 13, 0], [0, 16, 0]]
    assert total.effective_n == pytest.approx(100 / 30)
    assert total.effective_support.tolist() == pytest.approx([1, 25 / 13, 1])
    with pytest.raises(InputError, match="weight both or neither"):
        a + confusion([0], [0])
    with pytest.raises(InputError, match="weight both or neither"):
        confusion([0], [0]) + a


@pytest.mark.parametrize(("weight", "told"), [(-1, "-1"), (float("nan"), "nan"), (float("inf"), "inf")])
def test_a_weight_that_is_none_is_refused_with_its_row(weight, told):
    values = np.ones(BLOCK + 10)
    values[BLOCK + 4] = weight
    with pytest.raises(InputError, match=rf"row 65,541: .*weight {told} .*0"):
        confusion(np.zeros(BLOCK + 10, int), np.zeros(BLOCK + 10, int), weight=values)


# -- refusals ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([[1, 2, 3, 4], [1, 2, 3, 4]], r"K x K, or K x \(K \+ 1\).*got shape \(2, 4\)"),
        ([1, 2], r"got shape \(2,\)"),
        (np.zeros((0, 0), int), r"got shape \(0, 0\)"),
        ([[1, 2], [3]], "rows differ in length"),
        ([[1, -2], [3, 4]], "cannot be negative; got -2"),
        ([[1, 0.5], [3, 4]], "must be whole numbers"),
        ([[np.nan, 1], [3, 4]], "must be whole numbers"),
        ([["a", 1], [3, 4]], "must be whole numbers"),
        ([[2**53, 1], [0, 0]], r"More than 2\^53 cases"),
        (np.full((2, 2), 2**62), r"More than 2\^53 cases"),
    ],
)
def test_what_is_no_table_is_refused(cells, message):
    with pytest.raises(InputError, match=message):
        ConfusionCounts(cells)


def test_the_largest_table_is_allowed():
    assert ConfusionCounts([[2**53 - 1, 0], [0, 1]]).n == 2**53


def test_classes_must_fit_the_table():
    with pytest.raises(InputError, match=r"2 rows, .*1 classes"):
        ConfusionCounts([[1, 0], [0, 1]], ["a"])
    with pytest.raises(InputError, match="class 'a' is named twice"):
        ConfusionCounts([[1, 0], [0, 1]], ["a", "a"])


@pytest.mark.parametrize(
    ("truth", "predicted", "message"),
    [
        ([1, 2, 3], [1, 2], "y_true has 3 cases and y_pred 2"),
        ([], [], "There are no cases"),
        (["1"], [1], "holds numbers and column 'truth' holds text"),
        (["a", None], ["a", "a"], r"column 'truth' has 1 missing value \(row 2\)"),
        ([1.0, float("nan")], [1.0, 1.0], r"column 'truth' has 1 missing value \(row 2\)"),
        ([0.5, 1.0], [1.0, 1.0], "holds 0.5 among its labels"),
        ([1e17, 1.0], [1.0, 1.0], r"beyond 2\^53"),
        ([1, "a"], [1, "a"], r"mixes types: int \(row 1: 1\), str \(row 2: 'a'\)"),
    ],
)
def test_what_cannot_be_counted_is_refused(truth, predicted, message):
    with pytest.raises(InputError, match=message):
        confusion(truth, predicted)


def test_series_whose_rows_are_named_differently_are_refused():
    truth = pd.Series(["a", "b"], index=[0, 1])
    with pytest.raises(InputError, match=r"different indices. Align them"):
        confusion(truth, pd.Series(["a", "b"], index=[1, 0]))
    assert confusion(truth, pd.Series(["a", "b"], index=[0, 1])).n == 2


def test_a_label_outside_the_listed_classes_is_refused():
    with refused("classes", "'c'", "not among", "'a', 'b'"):
        confusion(["a", "c"], ["a", "a"], classes=["a", "b"])


def test_the_label_of_rejection_cannot_be_a_truth():
    with refused("rejected", "was to mean 'no decision'"):
        confusion(["a", "?"], ["a", "?"], rejected="?")


def test_predictions_are_counted_as_confusion_counts_them():
    truth, predicted = ["x", "y", "y"], ["x", "x", "y"]
    assert measure(Predictions(truth, predicted), "accuracy") == measure(confusion(truth, predicted), "accuracy") == 2 / 3


def test_a_table_of_one_class_against_the_rest_knows_its_positive_class():
    counts = ConfusionCounts([[40, 5, 1], [8, 2, 0], [3, 3, 9]], ["a", "b", "c"])
    assert measure(counts.binary("b"), "sensitivity") == measure(counts, "sensitivity", positive="b") == 0.2
    assert measure(ConfusionCounts([[40, 5], [8, 2]], ["a", "b"], positive="a"), "precision") == 40 / 48


def test_a_positive_class_must_be_a_class():
    with pytest.raises(InputError, match=r"'z' .*not among the classes"):
        ConfusionCounts([[1, 0], [0, 1]], ["a", "b"], positive="z")


def test_the_first_class_that_is_named_again_is_told():
    with pytest.raises(InputError, match="class 'b' is named twice"):
        ConfusionCounts(np.ones((4, 4), dtype=int), classes=("a", "b", "b", "a"))
