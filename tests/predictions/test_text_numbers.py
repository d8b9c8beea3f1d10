"""Numbers of texts follow from their bytes alone, whatever array they are in, and are as random ones."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.predictions.cluster_keys import cluster_keys
from adjudge.predictions.text_numbers import mixed, text_numbers

TEXTS = st.lists(st.text(max_size=40), min_size=1, max_size=20)
M = (1 << 64) - 1


def slowly(value):
    """SplitMix64 in Python's integers."""
    value = (value + 0x9E3779B97F4A7C15) & M
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & M
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & M
    return value ^ (value >> 31)


def one_by_one(text):
    data = text.encode()
    one, other = (slowly(len(data) ^ seed) for seed in (0x243F6A8885A308D3, 0x13198A2E03707344))
    for begin in range(0, len(data), 8):
        word = int.from_bytes(data[begin : begin + 8], "little")
        one, other = slowly(one ^ word), slowly((other + word * 0xD6E8FEB86659FD93) & M)
    return slowly(one ^ ((other << 32 | other >> 32) & M))


@given(TEXTS, st.integers(0, 3))
def test_loops_over_bytes_give_the_same(texts, skipped):
    wanted = [one_by_one(text) for text in texts]
    own = pa.array(["ä"] * skipped + texts)
    for array in (own, own.cast(pa.large_string()), own.cast(pa.binary())):
        assert text_numbers(array.slice(skipped)).tolist() == wanted


def test_mixing_is_splitmix64():
    """The first outputs of SplitMix64 from the seed 1234567, as published with xoshiro (Vigna)."""
    seeds = (np.arange(3, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) + np.uint64(1234567)
    assert mixed(seeds).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_numbers_are_as_random_ones():
    """Of names that differ in a digit or two: all differ, and each bit is set in half of them."""
    numbers = text_numbers(pa.array([f"P{i:07d}" for i in range(100_000)] + [f"patient number {i}" for i in range(100_000)]))
    assert np.unique(numbers).size == 200_000
    share = np.array([((numbers >> np.uint64(bit)) & np.uint64(1)).mean() for bit in range(64)])
    assert np.abs(share - 0.5).max() < 5 * 0.5 / np.sqrt(200_000)
    cells = np.bincount((numbers >> np.uint64(52)).astype(np.int64), minlength=4096)
    assert ((cells - cells.mean()) ** 2).sum() / cells.mean() == pytest.approx(4095, abs=5 * np.sqrt(2 * 4095))


def test_texts_missing_and_empty():
    assert text_numbers(pa.array([], pa.string())).size == 0
    assert len(set(text_numbers(pa.array(["", "\0", "\0\0", "a", "a\0"])).tolist())) == 5
    numbers = text_numbers(pa.array(["b", None, "a" * 3000]))
    assert [numbers[0], numbers[2]] == [text_numbers(pa.array([each]))[0] for each in ("b", "a" * 3000)]


@pytest.mark.parametrize(
    "names",
    [
        ["a", "b b", "ü"],
        ["12", "-7", "0", "012", "1.5", "+3"],
        ["9007199254740991", "12345"],
        ["1000000000000000000000"],
        ["x\n", "12\n"],
    ],
)
def test_clusters_have_the_same_numbers_in_columns_of_any_type(names):
    plain = cluster_keys(pa.array(names), "c")[0]
    for array in (pa.array(names).dictionary_encode(), pa.array(names, pa.large_string()), pa.array(names, pa.string_view())):
        assert cluster_keys(array, "c")[0].tolist() == plain.tolist()
    whole = (
        [int(name) for name in names if str(int(name)) == name]
        if all(len(n) < 19 and n.lstrip("-").isdigit() for n in names)
        else []
    )
    assert cluster_keys(pa.array(whole, pa.int64()), "c")[0].tolist() == [plain[names.index(str(n))] for n in whole]


def test_texts_that_stand_for_nothing_have_no_cluster():
    _, names, gone = cluster_keys(pa.array(["a", None, "", "NA", "b", "NAN"]), "c")
    assert gone.tolist() == [False, True, True, True, False, False]
    assert {"a", "b", "NAN"} <= set(names.values())
