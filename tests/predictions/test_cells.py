from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

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
    assert column.values.tolist() == [None, None]


def test_an_unreadable_column_does_not_keep_a_table_from_being_judged(tmp_path):
    import pyarrow.parquet as pq

    path = tmp_path / "x.parquet"
    junk = {name.replace(" ", "_"): array.take(pa.array([0, 1] * 10)) for name, array in UNREADABLE.items()}
    pq.write_table(pa.table({"truth": ["a", "b"] * 10, "predicted": ["a", "b"] * 10, **junk}), path)
    assert evaluate(path).estimates["accuracy"].value == 1


def test_bracketed_words_are_ordinary_text():
    assert column_of("x", pa.array(["[note] text", "(b)"])).values.tolist() == ["[note] text", "(b)"]


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


def test_whole_numbers_beyond_2_53_with_gaps_are_numbers():
    assert numbers_of(pa.array([2**53 + 1, None]), "x")[0] == pytest.approx(2.0**53)


def test_what_is_no_number_is_named():
    with pytest.raises(InputError, match=r"'x' .*'oops' where numbers"):
        numbers_of(pa.array(["oops"]), "x")
    with pytest.raises(InputError, match="column 'x' holds timestamp"):
        numbers_of(UNREADABLE["timestamps beyond Python"], "x")
    with pytest.raises(InputError, match="where numbers are needed"):
        numbers_of(pa.array([datetime(2020, 1, 1, tzinfo=UTC)]), "x")
