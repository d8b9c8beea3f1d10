"""Files of ours that somebody has changed, checksums repaired or not: refused in one sentence, or read as what they say.

A file that is read gives the numbers of the original, or is written again as what it was read as. Any other error, and any
warning, fails a test; so does a file that takes long or much memory.
"""

from __future__ import annotations

import hashlib
import json
import resource
import sys
import time
import zipfile
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from tests.corrections.test_file import MADE
from tests.counts.test_stored import KINDS, unpacked
from tests.counts.test_stored_clusters import HOW, patients
from tests.crafted import array_changed, bytes_changed, text_changed, tree_changed
from tests.resampling.learners import Nearest, digest, folds

from adjudge import InputError, compare, count, evaluate, load_correction, load_counts, save_correction
from adjudge.cli import main
from adjudge.counts.result import PairCounts
from adjudge.resampling.isolation import store
from adjudge.resampling.learner import serial
from adjudge.resampling.plan import Plan

MOST_SECONDS, MOST_BYTES = 2.0, 500 << 20

pytestmark = pytest.mark.slow


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def read(load, path):
    """Return what a file is read as, or None where it is refused as it should be."""
    start, before = time.process_time(), peak()
    try:
        return load(path)
    except InputError as error:
        said = str(error)
        assert said
        assert said.isprintable(), said
        assert len(said) < 1000, said
        return None
    finally:
        assert time.process_time() - start < MOST_SECONDS
        assert peak() - before < MOST_BYTES


def consistent(load, save, path, good):
    """Return whether a file is the good one (True), another that comes back as it was read (False), or refused (None)."""
    back = read(load, path)
    if back is None:
        return None
    again = path.with_name("again" + path.suffix)
    save(back, again)
    written = again.read_bytes()
    if written == good:
        return True
    save(load(again), again)
    assert again.read_bytes() == written
    return False


# -- files of counts --------------------------------------------------------------------------------------------

COUNTS = KINDS | {
    "clusters": lambda _: count(patients(80, 9, 3, weights=False), **HOW),
    "weighted clusters": lambda _: count(patients(80, 9, 2, weights=True), **HOW, weight="w"),
    "many classes": lambda rng: count({"truth": rng.integers(0, 1500, 3000), "predicted": rng.integers(0, 1500, 3000)}),
}


def packed(path, content, *, method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)


def saved(counts, path):
    return counts.save(path)


def judged(counts):
    try:
        return compare(counts) if isinstance(counts, PairCounts) else evaluate(counts)
    except InputError:
        return None


@pytest.mark.parametrize("kind", COUNTS)
def test_counts_with_other_values(tmp_path, kind):
    """The checksums of a zip are those of the changed entries."""
    rng, path, outcomes = np.random.default_rng(30), tmp_path / "a.counts", []
    good = COUNTS[kind](rng).save(path).read_bytes()
    content = unpacked(path)
    header = json.loads(content["header.json"])
    arrays = [name for name in content if name.endswith(".npy")]
    for _ in range(400):
        changed = dict(content)
        for _ in range(rng.choice([1, 1, 2])):
            name = arrays[rng.integers(len(arrays))]
            changed |= {name: array_changed(content[name], rng)} if rng.random() < 0.5 else {}
        deed = rng.random()
        if changed == content:
            made = text_changed(header, rng) if deed < 0.2 else json.dumps(tree_changed(header, rng)).encode()
            changed["header.json"] = made
        elif deed < 0.1:
            del changed[arrays[rng.integers(len(arrays))]]
        packed(path, changed)
        outcomes.append(consistent(load_counts, saved, path, good))
        if outcomes[-1] is False and outcomes.count(False) <= 20:
            judged(load_counts(path))
    assert outcomes.count(None) > 200


@pytest.mark.parametrize("kind", COUNTS)
def test_counts_with_other_bytes_have_the_same_numbers_or_none(tmp_path, kind):
    rng, path = np.random.default_rng(31), tmp_path / "a.counts"
    good = COUNTS[kind](rng).save(path).read_bytes()
    for _ in range(200):
        path.write_bytes(bytes_changed(good, rng))
        assert consistent(load_counts, saved, path, good) is not False


# -- corrections and plans ----------------------------------------------------------------------------------------


def mutants(good, many, rng, mended=lambda told, _: told):
    """Yield a file of JSON with other bytes, as another text, and with other values, of which some are `mended`."""
    whole = json.loads(good)
    for _ in range(many):
        deed = rng.random()
        if deed < 0.4:
            yield bytes_changed(good, rng) if deed < 0.2 else text_changed(whole, rng)
        else:
            yield json.dumps(mended(tree_changed(whole, rng), deed)).encode()


def written(path, data):
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", MADE)
def test_corrections_with_other_values(tmp_path, name):
    rng, path = np.random.default_rng(32), tmp_path / "a.json"
    good = save_correction(MADE[name], path).read_bytes()
    made = mutants(good, 180, rng)
    assert [consistent(load_correction, save_correction, written(path, each), good) for each in made].count(None) > 60


PLANS = {
    "folds": Plan("2-fold", 6, [[3, 4, 5], [0, 1, 2]], [[0, 1, 2], [3, 4, 5]], seed=3),
    "repeated folds": Plan("2x2", 4, [[2, 3], [0, 1], [1, 3], [0, 2]], [[0, 1], [2, 3], [0, 2], [1, 3]], (0, 0, 1, 1), 7),
    "bootstrap": Plan("bootstrap", 5, [[0, 0, 1, 2, 2], [4, 4, 4, 3, 1]], [[3, 4], [0, 2]], seed=1),
    "holdout": Plan("holdout", 9, [[0, 1, 2, 3]], [[7, 8]]),
}


def fitting(told):
    """Return a plan with the fingerprint of what it holds, where this can be had."""
    units = [*told["test"], *(told["train"] or ())]
    head = ["adjudge plan 1", told["name"], told["rows"], told["seed"], told["repeat"], told["train"] is None]
    digest = hashlib.sha256(json.dumps(head).encode())
    for part in units:
        digest.update(f"{len(part)}:".encode() + np.array(part, dtype="<i8").tobytes())
    return told | {"fingerprint": digest.hexdigest()}


@pytest.mark.parametrize("name", PLANS)
def test_plans_with_other_values(tmp_path, name):
    def mended(told, deed):
        with suppress(TypeError, ValueError, KeyError, OverflowError):  # what has no fingerprint keeps the one it had
            return fitting(told) if deed < 0.9 else told
        return told

    rng, path = np.random.default_rng(33), tmp_path / "a.json"
    good = PLANS[name].save(path).read_bytes()
    made = mutants(good, 600, rng, mended)
    assert [consistent(Plan.load, Plan.save, written(path, each), good) for each in made].count(None) > 200


# -- checkpoints ------------------------------------------------------------------------------------------------


def hashed(record):
    """Return a record as it is written, with the hash of itself."""
    own = {name: value for name, value in record.items() if name != "sha256"}
    own["sha256"] = hashlib.sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()
    return json.dumps(own, indent=1).encode() + b"\n"


def table_changed(data, rng):
    """Return a table with a column changed, exchanged, cut or of another type."""
    table = pq.read_table(pa.BufferReader(data))
    at, deed = int(rng.integers(table.num_columns)), rng.integers(9)
    name, column = table.column_names[at], table.column(at)
    if deed == 0:
        table = table.drop_columns([name])
    elif deed == 1:
        table = table.slice(0, int(rng.integers(table.num_rows)))
    elif deed == 2:
        table = pa.concat_tables([table] * 2)
    elif deed == 3:
        table = table.take(pa.array(rng.permutation(table.num_rows)))
    elif deed == 4:
        table = table.rename_columns({name: ["x", "p_", "truth", "../x"][rng.integers(4)]})
    elif deed == 5:
        table = table.set_column(at, name, pa.array([str(value) + "x" for value in column.to_pylist()]))
    elif deed == 6:
        table = table.set_column(at, name, pa.nulls(table.num_rows, column.type))
    elif deed == 7:
        table = table.set_column(at, name, table.column(int(rng.integers(table.num_columns))))
    else:
        value = [np.nan, np.inf, -1.0, 2.0, 1e308][rng.integers(5)]
        table = table.set_column(at, name, pa.array(np.full(table.num_rows, value)))
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return bytes(sink.getvalue())


def quickly(path, data):
    path.write_bytes(data)


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A job and the folder of its finished checkpoint, which needs no disk here."""
    monkeypatch.setattr(store, "durably", quickly)
    job = folds(Nearest(), 3)
    list(store.Kept(tmp_path / "run", serial)(job, job.units))
    return job, tmp_path / "run"


def test_checkpoints_with_other_bytes_or_values(kept):
    """What was changed is done again, or the folder is refused; no number is another one."""
    (job, folder), rng, outcomes = kept, np.random.default_rng(35), []
    right = digest(serial(job, job.units))
    good = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"}
    records = [path for path in good if path.suffix == ".json"]
    tables = [path for path in good if path.suffix == ".parquet"]
    for _ in range(700):
        deed, path = rng.random(), [*good][rng.integers(len(good))]
        if deed < 0.3:
            changed = {path: bytes_changed(good[path], rng)}
        elif deed < 0.7:
            path = records[rng.integers(len(records))]
            whole = json.loads(good[path])
            if rng.random() < 0.2:
                changed = {path: text_changed(whole, rng)}
            else:
                made = tree_changed(whole, rng)
                changed = {path: hashed(made) if isinstance(made, dict) else b"[]"}
        else:
            path = tables[rng.integers(len(tables))]
            data = table_changed(good[path], rng) if rng.random() < 0.7 else bytes_changed(good[path], rng)
            record = folder / "_kept" / f"{path.stem}.json"
            part = "rest" if path.parent.name == "_seen" else "unseen"
            said = json.loads(good[record])
            said["files"][part] = hashlib.sha256(data).hexdigest()
            changed = {path: data, record: hashed(said)}
        for each, data in changed.items():
            each.write_bytes(data)
        answers = read(lambda where: list(store.Kept(where, serial)(job, job.units)), folder)
        outcomes.append(None if answers is None else digest(answers) == right)
        if outcomes[-1] is False:  # the probabilities of a unit are others, and are probabilities
            assert deed >= 0.7
            assert all(answer.table.num_rows for answer in answers)
        for each, data in good.items():
            each.write_bytes(data)
    assert outcomes.count(None) > 10
    assert outcomes.count(False) < 70, outcomes.count(False)


# -- bombs ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "method"), [("header.json", zipfile.ZIP_DEFLATED), ("sums.npy", zipfile.ZIP_LZMA)])
def test_counts_that_inflate_to_far_more_than_their_size(tmp_path, name, method):
    path = KINDS["numbers"](np.random.default_rng(34)).save(tmp_path / "a.counts")
    packed(path, unpacked(path) | {name: b" " * (200 << 20)}, method=method)
    assert path.stat().st_size < 1 << 20
    assert read(load_counts, path) is None


BOMBS = {
    "deep": b"[" * 1_000_000,
    "deep and closed": b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000,
    "many lists": b"[" + b"[]," * 11_000_000 + b"[]]",
    "brackets in texts": b'{"a": "' + b"[" * 30_000_000 + b'"}',
    "quotation marks": b'"' * 10_000_001,
    "backslashes": b'"' + b"\\" * 10_000_000,
    "a long number": b"9" * 10_000_000,
}


@pytest.mark.parametrize("name", BOMBS)
@pytest.mark.parametrize("load", [load_correction, Plan.load, load_counts])
def test_json_that_takes_all_memory_or_time(tmp_path, name, load):
    path = tmp_path / "a.json"
    path.write_bytes(BOMBS[name])
    if load is load_counts:
        packed(path, {"header.json": BOMBS[name]})
    assert read(load, path) is None


def test_a_plan_of_more_rows_than_there_is_memory_for(tmp_path):
    told = {"format": "adjudge plan 1", "name": "p", "rows": 10**12, "seed": None, "repeat": [0, 0]}
    told |= {"test": [[0], [1]], "train": [[1, 2], [2, 3]]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(fitting(told)), encoding="utf-8")
    assert read(Plan.load, path).kind == "subsampling"
    path.write_text(json.dumps(fitting(told | {"rows": 10**18})), encoding="utf-8")
    assert read(Plan.load, path) is None


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "a.counts"],
        ["correct", "apply", "a.json", "b.csv", "-o", "c.csv"],
        ["estimate", "--data", "b.csv", "--target", "y", "--learner", "sklearn.naive_bayes:GaussianNB", "--by", "a.json"],
    ],
)
def test_the_command_line_refuses_with_one_line(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    packed("a.counts", {"header.json": BOMBS["deep"]})
    (tmp_path / "a.json").write_bytes(BOMBS["deep"])
    (tmp_path / "b.csv").write_text("x,y,truth,predicted\n" + "1,a,a,b\n2,b,b,b\n" * 9, encoding="utf-8")
    found = CliRunner().invoke(main, words)
    assert found.exit_code == 2
    assert "nested more than" in found.output
    assert found.output.count("\n") == 1
