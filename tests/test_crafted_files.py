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
import pytest
from tests.corrections.test_file import MADE
from tests.counts.test_stored import KINDS, unpacked
from tests.counts.test_stored_clusters import HOW, patients
from tests.crafted import array_changed, bytes_changed, text_changed, tree_changed

from adjudge import InputError, compare, count, evaluate, load_correction, load_counts, save_correction
from adjudge.counts.result import PairCounts
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


@pytest.mark.parametrize("name", MADE)
def test_corrections_with_other_values(tmp_path, name):
    rng, path, outcomes = np.random.default_rng(32), tmp_path / "a.json", []
    good = save_correction(MADE[name], path).read_bytes()
    whole = json.loads(good)
    for _ in range(180):
        deed = rng.random()
        if deed < 0.2:
            path.write_bytes(bytes_changed(good, rng))
        elif deed < 0.4:
            path.write_bytes(text_changed(whole, rng))
        else:
            path.write_text(json.dumps(tree_changed(whole, rng)), encoding="utf-8")
        outcomes.append(consistent(load_correction, save_correction, path, good))
    assert outcomes.count(None) > 60


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
    rng, path, outcomes = np.random.default_rng(33), tmp_path / "a.json", []
    good = PLANS[name].save(path).read_bytes()
    whole = json.loads(good)
    for _ in range(600):
        deed = rng.random()
        if deed < 0.2:
            path.write_bytes(bytes_changed(good, rng))
        elif deed < 0.4:
            path.write_bytes(text_changed(whole, rng))
        else:
            told = tree_changed(whole, rng)
            with suppress(TypeError, ValueError, KeyError, OverflowError):  # what has no fingerprint keeps the one it had
                told = fitting(told) if deed < 0.9 else told
            path.write_text(json.dumps(told), encoding="utf-8")
        outcomes.append(consistent(Plan.load, Plan.save, path, good))
    assert outcomes.count(None) > 200


# -- bombs ------------------------------------------------------------------------------------------------------


def deflated(path, name, size, *, method=zipfile.ZIP_DEFLATED):
    """Write a file of counts with one entry of so many zeros."""
    content = unpacked(KINDS["numbers"](np.random.default_rng(34)).save(path))
    packed(path, content | {name: b" " * size}, method=method)
    return path
