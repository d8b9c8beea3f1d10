"""Files of counts that someone or something has changed are judged as they stand, or refused in one sentence; nothing else."""

import io
import json
import struct
import zipfile
import zlib

import numpy as np
import pytest
from click.testing import CliRunner
from tests.memory import peak_of

from adjudge import InputError, compare, count, count_pairs, evaluate, load_counts
from adjudge.cli import main
from adjudge.counts.result import PairCounts

DAMAGED = "no file of counts, or it is damaged"
TIMES = 60


def classes(rng, n=60, *, weights=False):
    p = rng.dirichlet(np.ones(3), n).round(2)
    p[:, -1] = (1 - p[:, :-1].sum(axis=1)).round(2)
    found = {"truth": rng.choice([*"abc"], n), "predicted": rng.choice([*"abc"], n)}
    found |= {f"p_{label}": p[:, i] for i, label in enumerate("abc")} | {"fold": rng.integers(0, 3, n)}
    return count(found | ({"weight": rng.integers(1, 5, n) / 2} if weights else {}), fold="fold")


def sides(rng, n=60, *, weights=False):
    shared = {"truth": rng.choice([*"abc"], n), "row": np.arange(n)} | ({"w": rng.integers(1, 5, n) / 2} if weights else {})
    how = {"weight": "w"} if weights else {}
    return count_pairs(*(shared | {"predicted": rng.choice([*"abc"], n)} for _ in range(2)), row="row", **how)


def measured(rng, n=40):
    truth = rng.normal(3, 2, n)
    return count({"truth": truth, "predicted": truth + rng.normal(0, 1, n)})


KINDS = {
    "classes": classes,
    "weighted classes": lambda rng: classes(rng, weights=True),
    "pairs": sides,
    "weighted pairs": lambda rng: sides(rng, weights=True),
    "numbers": measured,
}


def unpacked(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def npy(values):
    held = io.BytesIO()
    np.save(held, values, allow_pickle=True)
    return held.getvalue()


def places(found, at=()):
    """Return the way to every value of a header, those that hold others too."""
    inner = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(found, list) else ()
    return [way for key, value in inner for way in ((*at, key), *places(value, (*at, key)))]


VALUES = (None, True, -1, 0, 1, 2, 10**30, 0.5, -0.5, 1e308, float("nan"), float("inf"), "", "x", [], [1], ["x"], {}, {"x": 1})


def header_changed(data, rng):
    header = json.loads(data)
    way = places(header)[rng.integers(len(places(header)))]
    inner = header
    for key in way[:-1]:
        inner = inner[key]
    if rng.random() < 0.1:
        del inner[way[-1]]
    else:
        inner[way[-1]] = VALUES[rng.integers(len(VALUES))]
    return json.dumps(header).encode()


def with_one(values, value):
    changed = values.copy()
    if changed.size:
        changed.flat[0] = value
    return changed


CHANGES = (
    lambda values: -values,
    lambda values: values + 1,
    lambda values: values[..., :-1],
    lambda values: values.reshape(-1),
    lambda values: values[..., None],
    lambda values: values * 0,
    lambda values: values.astype(np.float64) * np.nan,
    lambda values: values.astype(str),
    lambda values: values.astype(object),
    lambda values: values.astype(np.int8),
    lambda values: values.astype(np.complex128),
    lambda values: values.astype("<M8[s]"),
    lambda values: values.astype(np.float64) + 1e308,
    lambda values: with_one(values, 2**62),
    lambda values: with_one(values.astype(np.float64), np.inf),
    lambda values: with_one(values, 0),
    lambda values: values[..., ::-1],
)


def array_changed(data, rng):
    values, change = np.load(io.BytesIO(data)), CHANGES[rng.integers(len(CHANGES))]
    try:
        with np.errstate(all="ignore"):
            return npy(change(values))
    except (TypeError, ValueError, IndexError):  # truth values have no negative, and single ones no end
        return b""


def judged(path):
    found = load_counts(path)
    return compare(found) if isinstance(found, PairCounts) else evaluate(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_changed_files_are_judged_or_refused(tmp_path, kind):
    """Any other error, and any warning, fails the test."""
    rng = np.random.default_rng(20)
    path = KINDS[kind](rng).save(tmp_path / "a.counts")
    good, refused = unpacked(path), 0
    for _ in range(TIMES):
        name = [*good][rng.integers(len(good))] if rng.random() < 0.5 else "header.json"
        change = header_changed if name == "header.json" else array_changed
        packed(path, good | {name: change(good[name], rng)})
        try:
            judged(path)
        except InputError:
            refused += 1
    assert TIMES / 2 < refused < TIMES


def changed(path, kind, way, value):
    """Write good counts with one field of the header changed."""
    content = unpacked(KINDS[kind](np.random.default_rng(21)).save(path))
    header = inner = json.loads(content["header.json"])
    for key in way[:-1]:
        inner = inner[key]
    assert inner[way[-1]] != value
    inner[way[-1]] = value
    packed(path, content | {"header.json": json.dumps(header).encode()})
    return path


FIELDS = {
    "rows that are not as many": ("pairs", ("facts", "rows"), 61),
    "more cases than rows": ("pairs", ("facts", "cases"), 61),
    "no case": ("weighted pairs", ("facts", "cases"), 0),
    "half a row": ("weighted pairs", ("facts", "rows"), 60.5),
    "fewer than no partner": ("pairs", ("facts", "unshared", 0), -1),
    "a place there is not": ("pairs", ("facts", "positive"), -1),
    "a fingerprint that is none": ("pairs", ("facts", "fingerprints"), [1]),
    "a text of fingerprints": ("classes", ("about", "fingerprints"), "abc"),
    "two sets of one name": ("pairs", ("names",), ["a", "a"]),
    "a label of another type": ("pairs", ("classes", 0), ["text", 1]),
    "no repetition": ("classes", ("about", "repeats"), 0),
    "repetitions without end": ("classes", ("about", "repeats"), float("inf")),
    "a threshold of text": ("classes", ("about", "threshold"), "0.5"),
    "gaps by the half": ("classes", ("tally", "gaps"), {"truth": 0.5}),
    "gaps of nothing": ("classes", ("tally", "gaps"), []),
    "a class looked for in vain": ("classes", ("tally", "positive"), 3),
    "rows of nobody": ("classes", ("tally", "rows"), 59),
    "true rows": ("weighted classes", ("tally", "rows"), True),
    "an unknown scale": ("classes", ("tally", "scale"), "grades"),
    "scores of no class": ("classes", ("scores", "columns"), [0, 1, 3]),
    "scores of a class too few": ("classes", ("scores", "columns"), [0, 1]),
    "scores of other classes": ("classes", ("scores", "k"), 4),
    "scores finer than there are": ("classes", ("scores", "bits", 0), 65),
    "classes finer than their scores": ("classes", ("scores", "by_class", 0, 0), 65),
    "classes of one column too few": ("classes", ("scores", "by_class"), []),
    "classes of no rounding": ("classes", ("scores", "by_class", 1, 2), 1),
    "numbers of no case": ("numbers", ("n",), 0),
    "numbers of half a case": ("numbers", ("n",), 39.5),
    "another kind of file": ("numbers", ("kind",), "adjudge correction"),
    "a format that is none": ("numbers", ("format",), "1"),
}


@pytest.mark.parametrize("field", FIELDS)
def test_headers_that_cannot_be_are_refused(tmp_path, field):
    path = changed(tmp_path / "a.counts", *FIELDS[field])
    with pytest.raises(InputError, match=DAMAGED):
        load_counts(path)


ARRAYS = {
    "scores that descend": ("classes", "scores.steps.npy", lambda values: values * 0),
    "scores that are not as many": ("classes", "scores.sizes.npy", lambda values: values + 1),
    "scores of fewer than none": ("classes", "scores.positives.npy", lambda values: values - 1),
    "scores of other cases": ("classes", "scores.positives.npy", lambda values: values + 1),
    "scores counted without end": ("weighted classes", "scores.negatives.npy", lambda values: values * np.inf),
    "classes of other cases": ("classes", "classes.counts.npy", lambda values: values + 1),
    "classes exchanged": ("classes", "classes.numbers.npy", lambda values: (values + 1) % 3),
    "classes that there are not": ("classes", "classes.numbers.npy", lambda values: values + 5),
    "classes in no row": ("weighted classes", "classes.times.npy", lambda values: values * 0),
    "classes in rows too few": ("classes", "classes.times.npy", lambda values: values[:-1]),
    "weights by class of other cases": ("weighted classes", "classes.counts.npy", lambda values: values * 1.1),
    "losses of another shape": ("classes", "sums.class_sums.npy", lambda values: values[:, :2]),
    "bins of another shape": ("classes", "sums.top_sums.npy", lambda values: values[:, :-1]),
    "losses of other cases": ("classes", "sums.weight_sums.npy", lambda values: values + np.uint8(1)),
    "losses that are no bytes": ("classes", "sums.case_sums.npy", lambda values: -values.astype(np.int64)),
    "losses beyond all floats": (
        "classes",
        "sums.case_sums.npy",
        lambda values: np.full((len(values), 300), 255, dtype=np.uint8),
    ),
    "cells below nothing": ("classes", "confusion.cells.npy", lambda values: -values),
    "a fold larger than all": ("weighted classes", "fold0.cells.npy", lambda values: values + 99),
    "sums of no weight": ("numbers", "sums.npy", lambda values: values * (np.arange(18) > 0)[:, None].astype(np.uint8)),
    "losses that are no numbers": ("numbers", "beyond.npy", lambda values: values + np.nan),
    "losses below nothing": ("numbers", "below.npy", lambda values: values | (np.arange(18) == 4)),
    "sides of more cases than there are": (
        "numbers",
        "sums.npy",
        lambda values: np.where((np.arange(18) == 8)[:, None], 255, values).astype(np.uint8),
    ),
    "extremes that are none": ("numbers", "extremes.npy", lambda values: values + np.inf),
    "infinite sums that are finite": ("numbers", "beyond.npy", lambda values: values + 0.5),
    "squared weights of nothing": ("weighted pairs", "squares.npy", lambda values: values * 0),
    "weights without squares": ("pairs", "n.npy", lambda values: values / 1),
}


@pytest.mark.filterwarnings("ignore:invalid value encountered in multiply:RuntimeWarning")
@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_cannot_be_are_refused(tmp_path, name):
    kind, array, change = ARRAYS[name]
    path = tmp_path / "a.counts"
    content = unpacked(KINDS[kind](np.random.default_rng(22)).save(path))
    packed(path, content | {array: npy(change(np.load(io.BytesIO(content[array]))))})
    with pytest.raises(InputError, match=DAMAGED):
        load_counts(path)


# -- bytes ---------------------------------------------------------------------------------------------------


def field_set(at, value):
    """Return a change of the same field of both headers of a zip's first entry: its own, and that in the directory."""

    def change(data):
        whole = bytearray(data)
        directory = data.index(b"PK\x01\x02")
        struct.pack_into("<H", whole, at, value)
        struct.pack_into("<H", whole, directory + at + 2, value)
        return bytes(whole)

    return change


def stream_spoilt(data):
    whole = bytearray(data)
    start = 30 + sum(struct.unpack_from("<HH", data, 26))
    whole[start] |= 0b110  # a kind of deflated block that there is not
    with pytest.raises(zlib.error):
        zlib.decompressobj(-15).decompress(bytes(whole[start:]))
    return bytes(whole)


SPOILT = {
    "a stream that cannot be inflated": stream_spoilt,
    "a way of packing that nobody knows": field_set(8, 77),
    "entries under a password": field_set(6, 1),
}


@pytest.mark.parametrize("what", SPOILT)
def test_spoilt_bytes_are_refused(tmp_path, what):
    path = measured(np.random.default_rng(23)).save(tmp_path / "a.counts")
    path.write_bytes(SPOILT[what](path.read_bytes()))
    with pytest.raises(InputError, match=DAMAGED):
        load_counts(path)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"kind": 1' + "0" * 5000 + "}", "[]", "7"])
def test_headers_that_no_one_writes_are_refused(tmp_path, text):
    path = tmp_path / "a.counts"
    packed(path, {"header.json": text.encode()})
    with pytest.raises(InputError, match=DAMAGED):
        load_counts(path)


def promising(shape):
    held = io.BytesIO()
    np.lib.format.write_array_header_1_0(held, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return held.getvalue() + bytes(72)


@pytest.mark.parametrize("shape", [(1 << 27,), (1 << 40,), (1 << 40, 1 << 40), (10**30,)])
def test_arrays_that_promise_more_than_they_hold_are_refused_at_once(tmp_path, shape):
    path = tmp_path / "a.counts"
    content = unpacked(measured(np.random.default_rng(24)).save(path))
    packed(path, content | {"sums.npy": promising(shape)})
    with pytest.raises(InputError, match=f"{DAMAGED}.*promises other bytes"):
        load_counts(path)


@pytest.mark.parametrize("value", [-1, [], 1e400])
def test_the_command_line_says_so_in_one_sentence(tmp_path, value):
    path = changed(tmp_path / "a.counts", "pairs", ("facts", "cases"), value)
    found = CliRunner().invoke(main, ["compare", str(path)])
    assert found.exit_code == 2
    assert "or it is damaged" in found.output
    assert "Traceback" not in found.output


def zeros(path, name):
    """Return a file with an array of 800 MB in place of one, or beside all."""
    content = unpacked(path)
    held = io.BytesIO()
    np.lib.format.write_array_header_1_0(held, {"descr": "<i8", "fortran_order": False, "shape": (10_000, 10_000)})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for each, data in content.items():
            if each != name:
                archive.writestr(each, data)
        with archive.open(name, "w") as file:
            file.write(held.getvalue())
            for _ in range(100):
                file.write(bytes(8_000_000))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["confusion.cells.npy", "nothing.npy"])
def test_a_table_is_no_larger_than_its_classes(tmp_path, name):
    """And an array that no counts have is refused as it lies there."""
    path = zeros(classes(np.random.default_rng(25)).save(tmp_path / "a.counts"), name)
    assert path.stat().st_size < 10_000_000
    _, held = peak_of(f"""
from adjudge import InputError, load_counts
try:
    load_counts({str(path)!r})
except InputError as error:
    assert "damaged (an array has more numbers" in str(error) or "damaged (it holds an array" in str(error)
else:
    raise AssertionError
""")
    assert held < 300
