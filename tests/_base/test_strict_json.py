"""JSON of files that anyone may have written: what is too large, too deep, repeated or no number is refused before it costs much."""

import json

import numpy as np
import pytest

from adjudge import InputError
from adjudge._base import strict_json
from adjudge._base.strict_json import DEEPEST, parsed_json, read_json


def test_what_is_sound_comes_back():
    assert parsed_json(b'{"a": [1, 2.5, null, "[[[[\\"]]"], "b": {"c": true}}') == {
        "a": [1, 2.5, None, '[[[["]]'],
        "b": {"c": True},
    }
    assert parsed_json(b"[" * DEEPEST + b"]" * DEEPEST) is not None
    assert parsed_json(b'["' + b"[" * 1000 + b'"]') == ["[" * 1000]
    assert parsed_json(b"[Infinity]", endless=True) == [float("inf")]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b"[1,]", "it is not JSON"),
        (b"9" * 5000, "it is not JSON"),
        (b'{"a": 1, "a": 1}', "the same thing twice"),
        (b"[NaN]", "NaN, which is no number"),
        (b"[" * (DEEPEST + 1), "nested more than 64 deep"),
        (b"[" * 70 + b"]" * 70, "nested more than 64 deep"),
        (b'{"a\\"[": ' * 65 + b"1" + b"}" * 65, "nested more than 64 deep"),
        (b"[" + b"0," * 50 + b"0]", "more than 50 values"),
    ],
)
def test_what_is_not_is_refused(data, why):
    with pytest.raises(InputError, match=why):
        parsed_json(data, most=50 if b"0,0," in data else 10_000)


def test_long_lists_of_whole_numbers_come_as_arrays():
    short, long = [*range(9)], [*range(30, 90)]
    told = {"a": [long, short, long[::-1]], "b": long, "c": [-1, *long], "d": [0.5, *long], "e": ["x", *long]}
    back = parsed_json(json.dumps(told).encode(), in_lists=1000)
    assert [type(each) for each in (*back["a"], back["b"])] == [np.ndarray, list, np.ndarray, np.ndarray]
    assert not back["b"].flags.writeable
    assert json.loads(json.dumps(back, default=np.ndarray.tolist)) == told
    assert parsed_json(json.dumps([2**70] * 9).encode(), in_lists=1000) == [2**70] * 9


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"[" + b"1," * 40 + b"]", "it is not JSON"),
        (b"[" + b"01," * 40 + b"1]", "it is not JSON"),
        (b"[" + b"1 1," * 40 + b"1]", "it is not JSON"),
        (b'["[' + b"1," * 40 + b'1]"]', "texts hold lists"),
        (b"[NaN, [" + b"1," * 40 + b"1]]", "NaN, which is no number"),
        (b"[" + b"1," * 100 + b"1]", "more than 99 values"),
        (b"[" + b"1.5," * 50 + b"1.5]", "more than 40 values"),
    ],
)
def test_long_lists_are_as_strict(data, why):
    with pytest.raises(InputError, match=why):
        parsed_json(data, most=40, in_lists=99)


def test_depth_is_known_over_stretches(monkeypatch):
    monkeypatch.setattr(strict_json, "_STRETCH", 7)
    assert parsed_json(b"[" + b"[[]]," * 90 + b"[]]") is not None
    with pytest.raises(InputError, match="nested"):
        parsed_json(b"[" * 65 + b"]" * 65)


def test_files_have_a_largest_size_and_are_plain(tmp_path):
    (tmp_path / "a.json").write_bytes(b"[1, 2]")
    assert read_json(tmp_path / "a.json", largest=6) == [1, 2]
    with pytest.raises(InputError, match="more than 5 bytes"):
        read_json(tmp_path / "a.json", largest=5)
    with pytest.raises(InputError, match="no plain file"):
        read_json(tmp_path, largest=5)
