from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import InputError, evaluate
from adjudge.predictions.cells import column_of, is_vector, numbers_of, vectors_of

RAGGED = pa.array([[0.2, 0.8], [0.1, 0.2, 0.7]])
UNREADABLE = {
    "list of text": pa.array([["a"], ["b"]]),
    "list of structs": pa.array([[{"a": 1}], [{"a": 2}]]),
    "ragged": RAGGED,
    "fixed-size list of text": pa.array([["a", "b"], ["c", "d"]], pa.list_(pa.string(), 2)),
    "timestamps beyond Python": pa.array([2**62, 1], pa.int64()).cast(pa.timestamp("ms"), safe=False),
    "a number in brackets": pa.array(["[5]", "[6]"]),
    "a note that starts like a vector": pa.array(["[5, 6]", "[note] text"]),
    "broken sparse vectors": pa.array(["(2,[0,1],[0.5,0.5])", "(2,[0,5],[0.5,0.5])"]),
}


@pytest.mark.parametrize("array", UNREADABLE.values(), ids=UNREADABLE)
def test_what_cannot_be_read_is_text_without_values(array):
    column = column_of("x", array)
    assert column.kind == "text"
    assert list(column.values) == [None, None]


def test_an_unreadable_column_does_not_keep_a_table_from_being_judged(tmp_path):
    import pyarrow.parquet as pq

    path = tmp_path / "x.parquet"
    junk = {name.replace(" ", "_"): array.take(pa.array([0, 1] * 10)) for name, array in UNREADABLE.items()}
    pq.write_table(pa.table({"truth": ["a", "b"] * 10, "predicted": ["a", "b"] * 10, **junk}), path)
    assert evaluate(path).estimates["accuracy"].value == 1


def test_bracketed_words_are_ordinary_text():
    assert list(column_of("x", pa.array(["[note] text", "(b)"])).values) == ["[note] text", "(b)"]


@pytest.mark.parametrize(
    "array",
    [
        pa.array([[0.2, 0.8], [1.0, 0.0]]),
        pa.array([[0.2, 0.8], [1.0, 0.0]], pa.list_(pa.float32(), 2)),
        pa.array([[Decimal("0.2"), Decimal("0.8")], [Decimal(1), Decimal(0)]]),
        pa.array(["[0.2,0.8]", "(2,[0],[1.0])"]),
        pa.array(
            [
                {"type": 1, "size": None, "indices": None, "values": [0.2, 0.8]},
                {"type": 0, "size": 2, "indices": [0], "values": [1.0]},
            ]
        ),
    ],
)
def test_numeric_vectors_are_vectors(array):
    assert is_vector(array)
    assert column_of("p", array).kind == "vector"
    np.testing.assert_allclose(vectors_of(array, "p"), [[0.2, 0.8], [1, 0]], rtol=1e-7)


@pytest.mark.parametrize(
    "cell",
    [
        "(2,[0,5],[0.1,0.9])",  # a place beyond the size
        "(2,[0,-1],[0.1,0.9])",
        "(2,[0],[0.1,0.9])",  # two numbers for one place
        "(2,[0,0],[0.1,0.9])",
        "(-2,[0,1],[0.1,0.9])",
        "(2000000,[0],[1.0])",
        f"(1{'0' * 30},[0],[1.0])",
        "(2,[0,1])",
        "oops",
        {"size": 2, "indices": [0, 7], "values": [0.5, 0.5]},
        {"size": 2, "indices": [0, 1], "values": [0.5]},
        {"size": 2, "indices": [0, 1], "values": None},
    ],
)
def test_malformed_vectors_are_refused_with_the_column(cell):
    with pytest.raises(InputError, match=r"column 'probability' .*a vector"):
        vectors_of(pa.array([cell]), "probability")


def test_a_cell_without_a_vector_is_missing():
    found = vectors_of(pa.array(["[0.2,0.8]", None, "", "NA"]), "p")
    assert np.isnan(found).any(axis=1).tolist() == [False, True, True, True]


@pytest.mark.parametrize("kind", [pa.decimal128(5, 2), pa.decimal256(50, 2)])
def test_decimals_are_numbers(kind):
    array = pa.array([Decimal("1.50"), None], kind)
    assert column_of("x", array).kind == "float"
    assert numbers_of(array, "x")[0] == 1.5


WIDTHS = {pa.decimal32: 9, pa.decimal64: 18, pa.decimal128: 38, pa.decimal256: 76}


@given(st.data(), st.sampled_from(list(WIDTHS)))
def test_decimals_are_the_nearest_floats(data, kind):
    precision = data.draw(st.integers(1, WIDTHS[kind]))
    scale = data.draw(st.integers(0, precision))
    unscaled = st.integers(-(10**precision) + 1, 10**precision - 1) | st.sampled_from([0, 1, min(2**53, 10**precision - 1)])
    digits = data.draw(st.lists(st.none() | unscaled, min_size=1, max_size=6))
    values = [None if each is None else Decimal((each < 0, tuple(map(int, str(abs(each)))), -scale)) for each in digits]
    start = data.draw(st.integers(0, len(values)))
    array = pa.array(values, kind(precision, scale)).slice(start)
    wanted = np.array([np.nan if each is None else float(str(each)) for each in values[start:]])
    assert np.array_equal(numbers_of(array, "x"), wanted, equal_nan=True)
    assert np.array_equal(column_of("x", array).values, wanted, equal_nan=True)
    lists = pa.FixedSizeListArray.from_arrays(array, 1)
    assert np.array_equal(vectors_of(lists, "x")[:, 0], wanted, equal_nan=True)


def test_decimals_of_negative_scale_are_numbers():
    digits = pa.array([5, -7, 123456789012345678]).cast(pa.decimal128(20, 0))
    array = pa.Array.from_buffers(pa.decimal128(20, -3), 3, digits.buffers())
    assert numbers_of(array, "x").tolist() == [5e3, -7e3, 123456789012345678e3]


@pytest.mark.parametrize("values", [[0.25, None, 0.5], [1, None, 2], [Decimal("0.46"), None, Decimal("0.5")]])
def test_categories_that_are_numbers_are_numbers_unless_the_name_says_labels(values):
    array = pa.array(values).dictionary_encode()
    assert column_of("score", array).kind == column_of("score", pa.array(values)).kind
    assert column_of("score", array).finite.tolist() == [float(each) for each in values if each is not None]
    assert column_of("truth", array).kind == "category"


ROWS = [[0.25, 0.75], None, [0.5, 0.5]]


@pytest.mark.parametrize("kind", [pa.list_view, pa.large_list_view])
def test_views_of_lists_are_vectors(kind):
    array = pa.array(ROWS, kind(pa.float64()))
    assert np.array_equal(vectors_of(array, "p"), np.array([[0.25, 0.75], [np.nan] * 2, [0.5, 0.5]]), equal_nan=True)
    assert column_of("p", array).kind == "vector"


@pytest.mark.parametrize(
    ("array", "holds"),
    [
        (pa.array([{"a": 0.25}, {"a": 0.5}]), "holds structs; give one number a row, or lists of numbers, all of one length"),
        (pa.array([[("a", 0.25)]] * 2, pa.map_(pa.string(), pa.float64())), "holds maps; give one number a row"),
        (pa.array([["a"], ["b"]]), "holds lists of string; give one number a row"),
        (pa.array([[0.25, 0.75], [0.5]]), r"holds vectors of different lengths: \[1, 2\]. Give one number per class"),
        (pa.nulls(2), "holds no numbers at first; give one number a row"),
    ],
)
def test_what_cannot_be_scores_says_what_it_holds(array, holds, tmp_path):
    pq.write_table(pa.table({"truth": ["a", "b"], "p": array}), tmp_path / "x.parquet")
    for source in (pa.table({"truth": ["a", "b"], "p": array}), tmp_path / "x.parquet"):
        with pytest.raises(InputError, match=f"^column 'p' {holds}"):
            adjudge.read(source, truth="truth", scores="p")


def test_whole_numbers_beyond_2_53_with_gaps_are_numbers():
    assert numbers_of(pa.array([2**53 + 1, None]), "x")[0] == pytest.approx(2.0**53)


def test_what_is_no_number_is_named():
    with pytest.raises(InputError, match=r"'x' .*'oops' where numbers"):
        numbers_of(pa.array(["oops"]), "x")
    with pytest.raises(InputError, match="column 'x' holds timestamp"):
        numbers_of(UNREADABLE["timestamps beyond Python"], "x")
    with pytest.raises(InputError, match="where numbers are needed"):
        numbers_of(pa.array([datetime(2020, 1, 1, tzinfo=UTC)]), "x")


# -- decimals and categories of numbers, from any source, judged as plain numbers are -----------------------------------

N = 200
TRUTH = np.random.default_rng(2).integers(0, 2, N)
SCORE = np.round(np.clip(0.3 * TRUTH + 0.7 * np.random.default_rng(3).random(N), 0, 1), 2)
SCORE[::5] = 0.46  # which Arrow's cast of six decimal places takes too low
EXACT = [Decimal(f"{each:.2f}") for each in SCORE.tolist()]
PLAIN = {"truth": TRUTH, "score": SCORE, "weight": [float(1 + each) for each in EXACT]}
DECIMALS = {
    "score": pa.array(EXACT, pa.decimal128(18, 6)),
    "weight": pa.array([1 + each for each in EXACT], pa.decimal128(18, 6)),
}
CODED = {"score": pa.array(SCORE).dictionary_encode()}
SOURCES = {
    "table": lambda table, _: table,
    "stream": lambda table, _: pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7)),
    "dataset": lambda table, _: ds.dataset(table),
    "pandas": lambda table, _: table.to_pandas(),
    "pandas with Arrow's types": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, _: pl.from_arrow(table),
    "duckdb": lambda table, _: duckdb.from_arrow(table),
    "file": lambda table, path: pq.write_table(table, path) or path,
}


def judged(source, **roles):
    found = evaluate(source, truth="truth", scores="score", threshold=0.46, **roles).to_dict()
    return json.dumps({name: value for name, value in found.items() if name != "origin"})


@pytest.mark.parametrize("kind", SOURCES)
@pytest.mark.parametrize("others", [DECIMALS, CODED, DECIMALS | {"truth": pa.array(TRUTH).cast(pa.decimal128(19, 0))}])
def test_numbers_of_any_type_give_the_same_digits(kind, others, tmp_path):
    expected, source = pa.table(PLAIN), SOURCES[kind](pa.table(PLAIN | others), tmp_path / "x.parquet")
    if kind == "duckdb":  # whose rows have no number
        expected = duckdb.from_arrow(expected)
    assert judged(source, weight="weight") == judged(expected, weight="weight")
    assert adjudge.read(pa.table(PLAIN | others)).roles.to_dict() == adjudge.read(pa.table(PLAIN)).roles.to_dict()


@pytest.mark.parametrize("kind", [pa.decimal32(5, 0), pa.decimal64(12, 2), pa.decimal128(19, 0), pa.decimal256(60, 3)])
def test_whole_decimals_are_the_labels_that_integers_are(kind):
    labels = pa.array([Decimal(int(each)) for each in TRUTH], kind)
    for how in ({}, {"labels_as": "str"}, {"relabel": {"1": "yes", "0": "no"}, "positive": "yes"}):
        found = judged({"truth": labels, "score": SCORE}, **how)
        assert found == judged({"truth": TRUTH, "score": SCORE}, **how)


def test_decimals_count_cases_and_are_predicted_numbers():
    rows = {"truth": [0, 0, 1, 1], "predicted": [0, 1, 0, 1]}
    n = pa.array([Decimal(each) for each in (5, 1, 2, 7)], pa.decimal128(38, 0))
    assert adjudge.read(pa.table({**rows, "n": n})).roles.count == "n"
    assert evaluate(pa.table({**rows, "n": n})).counts.n == 15
    numbers = {"truth": EXACT, "predicted": [each + Decimal("0.1") for each in EXACT]}
    plain = {name: [float(each) for each in values] for name, values in numbers.items()}
    exact = {name: pa.array(values, pa.decimal128(18, 6)) for name, values in numbers.items()}
    assert evaluate(exact).to_dict() == evaluate(plain).to_dict()


def test_fractions_that_were_declared_as_categories_stay_classes():
    labels = pa.array([1.5, 2.5] * 10).dictionary_encode()
    assert evaluate({"truth": labels, "predicted": labels}).counts.n == 20
