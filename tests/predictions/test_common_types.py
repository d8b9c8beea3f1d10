"""One type for each column of several files: the same in any order, and it changes no value."""

from __future__ import annotations

import functools
import json
import pickle
from decimal import Decimal
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import InputError
from adjudge.predictions.common_types import common_type, recast, shared_columns

NUMBERS = [pa.int8(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint64(), pa.float32(), pa.float64(), pa.decimal128(9, 2)]
TYPES = [
    pa.null(),
    *NUMBERS,
    pa.decimal128(38, 0),
    pa.decimal128(5, 1),
    pa.decimal256(70, 60),
    pa.bool_(),
    pa.string(),
    pa.large_string(),
]
TYPES += [pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.large_string()), pa.date32()]
TYPES += [pa.list_(pa.float32()), pa.large_list(pa.float64()), pa.list_(pa.float64(), 3), pa.list_(pa.int8())]


def common(kinds):
    return functools.reduce(lambda one, other: None if one is None else common_type(one, other), kinds)


@given(st.lists(st.sampled_from(TYPES), min_size=1, max_size=4))
def test_the_order_of_files_does_not_matter(kinds):
    assert len({str(common(order)) for order in permutations(kinds)}) == 1


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (pa.int64(), pa.float64(), pa.float64()),
        (pa.int8(), pa.float32(), pa.float64()),
        (pa.float32(), pa.float64(), pa.float64()),
        (pa.float16(), pa.float32(), pa.float32()),
        (pa.uint64(), pa.int8(), pa.decimal128(20, 0)),
        (pa.int8(), pa.int32(), pa.int64()),
        (pa.null(), pa.list_(pa.float64()), pa.list_(pa.float64())),
        (pa.decimal128(9, 2), pa.int64(), pa.decimal128(22, 2)),
        (pa.decimal128(9, 2), pa.float32(), pa.float64()),
        (pa.string(), pa.string_view(), pa.large_string()),
        (pa.dictionary(pa.int8(), pa.string()), pa.string(), pa.string()),
        (pa.list_(pa.float32()), pa.list_(pa.float64(), 3), pa.large_list(pa.float64())),
        (pa.int64(), pa.string(), None),
        (pa.int64(), pa.bool_(), None),
        (pa.list_(pa.float64()), pa.float64(), None),
    ],
)
def test_types_that_go_together(one, other, both):
    assert common_type(one, other) == common_type(other, one) == both


INTS, TEXTS, EXACT = (
    pa.array([1, None], pa.int32()),
    pa.array(["a", None]),
    pa.array([Decimal("0.46"), None], pa.decimal128(18, 6)),
)


@pytest.mark.parametrize(
    ("values", "kind", "wanted"),
    [
        (pa.nulls(2), pa.float64(), [None, None]),
        (pa.nulls(2), pa.dictionary(pa.int32(), pa.string()), [None, None]),
        (INTS, pa.float64(), [1.0, None]),
        (INTS, pa.decimal128(38, 0), [Decimal(1), None]),
        (pa.array([(1 << 53) + 1]), pa.float64(), None),
        (pa.array([0.5], pa.float32()), pa.float64(), [0.5]),
        (TEXTS, pa.dictionary(pa.int32(), pa.large_string()), ["a", None]),
        (TEXTS.dictionary_encode(), pa.dictionary(pa.int32(), pa.string(), ordered=True), ["a", None]),
        (TEXTS.cast(pa.string_view()), pa.dictionary(pa.int32(), pa.large_string()), ["a", None]),
        (pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2)), pa.large_list(pa.float64()), [[1.0, 2.0], None]),
        (pa.array([[Decimal("0.46")], None], pa.list_(pa.decimal128(18, 6))), pa.large_list(pa.float64()), [[0.46], None]),
    ],
)
def test_values_stay_what_they_are(values, kind, wanted):
    found = recast(values, kind)
    assert (None if found is None else found.to_pylist()) == wanted
    assert found is None or found.type == kind


def test_decimals_beside_fractions_are_the_nearest():
    found = recast(EXACT, pa.float64()).to_pylist()
    assert found[0] == 0.46  # Arrow's cast gives 0.45999999999999996
    assert np.isnan(found[1])


def test_refusals_name_both_files_and_both_types():
    found = shared_columns(
        [("a", pa.schema({"x": pa.null(), "y": pa.int8()})), ("b", pa.schema({"x": pa.int8(), "z": pa.int8()}))]
    )
    assert (found.types, list(found.partial)) == ({"x": pa.int8()}, ["y", "z"])
    assert found.partial["y"] == "b: no column 'y', which a has."
    assert found.partial["z"] == "a: no column 'z', which b has."
    kinds = [pa.null(), pa.int8(), pa.float64(), pa.string()]
    (told,) = shared_columns((str(at), pa.schema({"x": kind})) for at, kind in enumerate(kinds)).partial.values()
    assert told == "3: column 'x' is string, but in 1 it is int8; write all files with the same types."


# -- the same rows give the same answer whichever file has which type ---------------------------------------------------

N = 120
RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 2, N)
SCORE = np.where(np.arange(N) < N // 2, TRUTH, np.round(RNG.random(N), 2))
VECTORS = np.stack([1 - SCORE, SCORE], axis=1)


def answer(source, without=(), **roles):
    found = adjudge.evaluate(source, **roles).to_dict()
    return json.dumps({name: value for name, value in found.items() if name not in ("origin", *without)})


def folder(root, *tables, write=pq.write_table, ending="parquet"):
    root.mkdir()
    for at, table in enumerate(tables):
        write(table, root / f"{at}.{ending}")
    return root


def halves(column, values, one, other, **beside):
    """Return the rows in two tables, the column in a type of its own in each."""
    first, last = slice(None, N // 2), slice(N // 2, None)
    tables = []
    for cut, kind in ((first, one), (last, other)):
        array = pa.array(values[cut].tolist()).cast(kind) if kind is not None else pa.array(values[cut].tolist())
        tables.append(pa.table({name: pa.array(each[cut]) for name, each in beside.items()} | {column: array}))
    return tables


ROLES = {"truth": "truth", "scores": "score"}


@pytest.mark.parametrize(
    "kinds", list(permutations([pa.int64(), pa.float64(), pa.int8(), pa.float32(), pa.decimal128(38, 0)], 2))
)
def test_truths(kinds, tmp_path):
    tables = halves("truth", TRUTH, *kinds, score=SCORE)
    assert answer(folder(tmp_path / "x", *tables), **ROLES) == answer({"truth": TRUTH, "score": SCORE}, **ROLES)


@pytest.mark.parametrize("kind", [pa.int64(), pa.float32(), pa.decimal128(19, 0)])
def test_scores(kind, tmp_path):
    one, two = halves("score", SCORE, kind, pa.float64(), truth=TRUTH)
    expected = answer({"truth": TRUTH, "score": SCORE}, **ROLES)
    assert answer(folder(tmp_path / "x", one, two), **ROLES) == expected
    turned = {"truth": np.roll(TRUTH, N // 2), "score": np.roll(SCORE, N // 2)}
    assert answer(folder(tmp_path / "y", two, one), **ROLES) == answer(turned, **ROLES)


@pytest.mark.parametrize(
    "kinds", [(None, pa.large_list(pa.float64())), (None, pa.list_(pa.float64(), 2)), (pa.list_(pa.float32()), None)]
)
def test_lists(kinds, tmp_path):
    expected = answer(pa.table({"truth": TRUTH, "score": pa.array(VECTORS.tolist())}), **ROLES)
    assert answer(folder(tmp_path / "x", *halves("score", VECTORS, *kinds, truth=TRUTH)), **ROLES) == expected


@pytest.mark.parametrize("empty", [0, 1])
def test_a_file_without_a_value(empty, tmp_path):
    tables = [pa.table({"truth": TRUTH, "score": pa.nulls(N) if at == empty else pa.array(SCORE)}) for at in (0, 1)]
    how = ROLES | {"missing_scores": "drop"}
    assert adjudge.evaluate(folder(tmp_path / "x", *tables), **how).counts.n == N


@pytest.mark.parametrize("order", list(permutations(["none", "text", "categories", "view"])))
def test_labels(order, tmp_path):
    labels = pa.array(np.array(["no", "yes"])[TRUTH])
    made = {"none": pa.nulls(N), "text": labels, "categories": labels.dictionary_encode(), "view": labels.cast(pa.string_view())}
    place = folder(tmp_path / "x", *(pa.table({"truth": made[kind], "score": SCORE}) for kind in order))
    source = adjudge.read(place, missing="drop", **ROLES).source
    assert source.declared("truth") is None
    found = [
        each
        for part in source.sliced()
        for block in pickle.loads(pickle.dumps(part)).batches(["truth"], [])  # noqa: S301 - our own
        for each in block["truth"].to_pylist()
    ]
    assert found == [each for kind in order for each in made[kind].to_pylist()]
    assert adjudge.evaluate(place, missing="drop", **ROLES).counts.classes == ("no", "yes")


# -- columns that some files lack ---------------------------------------------------------------------------------------

WRITERS = {"parquet": pq.write_table, "csv": pacsv.write_csv}


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("at", [0, 1])
def test_a_column_without_a_role_may_be_absent(ending, at, tmp_path):
    tables = [pa.table({"truth": TRUTH, "score": SCORE})] * 2
    tables[at] = tables[at].append_column("extra", pa.array(range(N)))
    place = folder(tmp_path / "x", *tables, write=WRITERS[ending], ending=ending)
    roles = adjudge.read(place).roles
    assert (roles.truth, [name for _, name in roles.scores]) == ("truth", ["score"])
    assert "'extra' (not in all files" in str(roles.evidence["left out"])
    expected = pa.table({"truth": np.tile(TRUTH, 2), "score": np.tile(SCORE, 2)})
    assert answer(place, without=("roles",), **ROLES) == answer(expected, without=("roles",), **ROLES)
    for role in ({"weight": "extra"}, {"scores": "ext*"}, {"split": "extra=1"}, {"scores": {1: "extra"}}):
        with pytest.raises(InputError, match=rf"^{1 - at}\.{ending}: no column 'extra', which {at}\.{ending} has\.$"):
            adjudge.read(place, **({"truth": "truth"} | role))


@pytest.mark.parametrize("ending", WRITERS)
def test_without_it_no_role_is_found_says_so(ending, tmp_path):
    tables = pa.table({"truth": TRUTH, "score": SCORE}), pa.table({"truth": TRUTH})
    place = folder(tmp_path / "x", *tables, write=WRITERS[ending], ending=ending)
    with pytest.raises(
        InputError, match=rf"no column looks like.*not looked at: 1\.{ending}: no column 'score', which 0\.{ending} has"
    ):
        adjudge.read(place)


def test_nothing_is_dropped_from_a_corrected_file(tmp_path):
    from adjudge.corrections.streaming import apply_to_file

    rows = {"truth": ["a", "b"], "p_a": [0.75, 0.5], "p_b": [0.25, 0.5]}
    rule = adjudge.fit_multipliers(adjudge.read(rows))
    place = folder(tmp_path / "x", pa.table(rows), pa.table({**rows, "note": ["x", "y"]}))
    with pytest.raises(InputError, match="no column 'note', which"):
        apply_to_file(rule, place, tmp_path / "y.parquet")
