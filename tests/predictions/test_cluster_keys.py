"""The numbers of clusters: the same for a name in every type of column, file and process, and different for different names."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, evaluate
from adjudge.predictions.cluster_keys import cluster_keys, of_missing
from adjudge.predictions.native import arrow_of

NAMES = [12, 7, 12, 0, -3, 10**17 + 1, 10**17 + 2]


def keys(values, kind=None) -> list[int]:
    array = values if isinstance(values, pa.Array) else pa.array(values, kind)
    return cluster_keys(array, "c")[0].tolist()


@pytest.mark.parametrize(
    "array",
    [
        pa.array(NAMES, pa.int64()),
        pa.array(map(str, NAMES)),
        pa.array(map(str, NAMES), pa.large_string()),
        pa.array([str(name).encode() for name in NAMES]),
        pa.array(map(str, NAMES)).dictionary_encode(),
        pa.array(NAMES, pa.int64()).dictionary_encode(),
        pa.array([Decimal(name) for name in NAMES], pa.decimal128(30, 2)),
        arrow_of("c", pd.Categorical(list(map(str, NAMES)))),
        arrow_of("c", np.array(NAMES)),
        arrow_of("c", list(map(str, NAMES))),
        arrow_of("c", np.array(NAMES, dtype=object)),
    ],
    ids=str,
)
def test_a_name_has_the_same_number_in_every_type(array):
    assert keys(array) == keys(NAMES, pa.int64())
    assert len(set(keys(array))) == 6


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int32(), pa.uint64(), pa.float16(), pa.float32(), pa.float64()])
def test_small_whole_numbers_are_alike_in_all_widths_and_in_floats(kind):
    values = [0, 1, 12, 100]
    array = pa.array(np.array(values, dtype=np.float16)) if kind == pa.float16() else pa.array(values, kind)
    assert keys(array) == keys(list(map(str, values)))


def test_large_numbers_are_told_apart_to_the_last_digit():
    large = [2**53, 2**53 + 1, 10**18 - 1, 10**18, 10**18 + 1, 2**63 - 1]
    assert len(set(keys(large))) == len(large)
    assert keys(large) == keys(list(map(str, large)))
    assert keys([2**64 - 1], pa.uint64()) == keys([str(2**64 - 1)])


def test_what_looks_like_another_name_is_another():
    assert len(set(keys(["7", "07", "7.0", " 7", "+7", "seven", "", "-0", "0"]))) == 9
    assert keys([7.5]) == keys(["7.5"])
    assert keys([True, False]) == keys(["True", "False"])
    assert keys([-0.0, 0.0]) == keys([0, 0])
    assert keys([date(2026, 1, 2)]) == keys(["2026-01-02"])


def test_the_numbers_of_whole_numbers_are_those_of_the_published_generator():
    # SplitMix64 of seed 1234567 begins with this (Vigna, https://prng.di.unimi.it/splitmix64.c)
    assert np.array(keys([1234567]), dtype=np.int64).view(np.uint64).tolist() == [6457827717110365317]


def test_no_two_of_many_names_share_a_number_and_first_bits_are_spread():
    names = [*range(50_000), *(f"patient {i}" for i in range(50_000))]
    numbers = np.array(keys([str(name) for name in names]), dtype=np.int64)
    assert np.unique(numbers).size == 100_000
    counted = np.bincount((numbers.view(np.uint64) >> np.uint64(56)).astype(int), minlength=256)
    assert ((counted - 100_000 / 256) ** 2 / (100_000 / 256)).sum() < 350  # chi-square of 255 degrees: 330 is p = 0.001


@given(st.lists(st.one_of(st.none(), st.text(max_size=5)), min_size=1, max_size=30), st.integers(0, 29))
def test_a_number_depends_on_the_name_alone(names, cut):
    array = pa.array(names, pa.string())
    whole = cluster_keys(array, "c")
    parts = [cluster_keys(array.slice(0, cut), "c"), cluster_keys(array.slice(cut), "c")]
    there = ~whole[2]
    assert np.concatenate([part[2] for part in parts]).tolist() == whole[2].tolist()
    assert np.concatenate([part[0] for part in parts])[there].tolist() == whole[0][there].tolist()
    assert all(str(whole[1][key]) == name for key, name, gone in zip(whole[0].tolist(), names, whole[2], strict=True) if not gone)


@pytest.mark.parametrize(
    "array",
    [
        pa.array(["a", None, "b"]),
        pa.array(["a", "NA", "b"]),
        pa.array(["a", None, "b"]).dictionary_encode(),
        pa.array([1, None, 2]),
        pa.array([1.0, float("nan"), 2.0]),
        pa.array([1.0, None, 2.0]),
        pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"])),
        pa.array([b"a", None, b"b"]),
    ],
    ids=str,
)
def test_rows_without_a_name_are_marked(array):
    assert cluster_keys(array, "c")[2].tolist() == [False, True, False]


def test_nothing_but_missing_names_and_no_rows_at_all():
    assert cluster_keys(pa.nulls(3), "c")[2].all()
    assert cluster_keys(pa.array([None, None], pa.string()), "c")[2].all()
    assert cluster_keys(pa.array([], pa.string()), "c")[0].size == 0


def test_missing_names_may_be_one_of_their_own():
    numbers, names, gone = cluster_keys(pa.array(["a", None, "(missing)", None]), "c")
    moved, more = of_missing(numbers, gone, names, "(missing)")
    assert moved[1] == moved[3] == moved[2] != moved[0]
    assert more[moved[1]] == "(missing)"


def test_several_values_a_row_are_refused():
    with pytest.raises(InputError, match="column 'c' holds several values a row, which name no cluster; name another cluster="):
        cluster_keys(pa.array([[1, 2], [3]]), "c")


def test_another_process_gives_the_same_numbers():
    code = "import pyarrow as pa; from adjudge.predictions.cluster_keys import cluster_keys; "
    code += "print(cluster_keys(pa.array(['a', '12']), 'c')[0].tolist())"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert told == str(keys(["a", "12"]))


def test_clusters_are_the_same_from_text_numbers_and_categories(write_csv):
    rng = np.random.default_rng(0)
    truth, predicted, at = rng.integers(0, 2, 400), rng.integers(0, 2, 400), rng.integers(0, 40, 400)
    each = [at, at.astype(float), at.astype(str), pd.Categorical(at), pd.Categorical(at.astype(str))]
    sets = [pd.DataFrame({"truth": truth, "predicted": predicted, "patient": patient}) for patient in each]
    tables = [evaluate(one).counts.clusters for one in [*sets, write_csv(sets[0].to_dict("list"))]]
    for other in tables[1:]:
        assert other.keys.tolist() == tables[0].keys.tolist()
        assert other.cases.tolist() == tables[0].cases.tolist()
        assert (
            other.sums(other.truth == other.predicted).tolist() == tables[0].sums(tables[0].truth == tables[0].predicted).tolist()
        )
