"""Tables of scores come back from a file as they were, by class as well, and take few bytes."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from tests.counts.made import cases, rows

import adjudge
from adjudge import InputError
from adjudge.counts import scores as module
from adjudge.counts.scores import as_tables


def counted(rng, n=400, *, digits=3, weights=False, **how):
    columns = cases(n, rng, digits=digits, weights=weights)
    return columns, adjudge.count(columns, classes=["a", "b", "c"], **how)


def same(found, wanted):
    for mine, theirs in zip(found.tables, wanted.tables, strict=True):
        assert (mine.bits, mine.by_class.bits) == (theirs.bits, theirs.by_class.bits)
        for left, right in zip(mine.columns, theirs.columns, strict=True):
            np.testing.assert_array_equal(left, right)
        for name in ("keys", "counts", "rests"):
            np.testing.assert_array_equal(getattr(mine.by_class, name), getattr(theirs.by_class, name))
            assert np.asarray(getattr(mine.by_class, name)).dtype == np.asarray(getattr(theirs.by_class, name)).dtype


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("room", [1 << 21, 300])
def test_tables_by_class_come_back(weights, room, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "DISTINCT", room)
    monkeypatch.setattr(module, "BY_CLASS", 4 * room)
    monkeypatch.setattr(module, "BITS", 15)
    columns, counts = counted(np.random.default_rng(1), weights=weights)
    wanted = as_tables(counts.tally.scores)
    assert wanted.pairs_binned == (room == 300)
    path = counts.save(tmp_path / "a.counts")
    read = adjudge.load_counts(path)
    same(read.tally.scores, wanted)
    assert read.save(tmp_path / "b.counts").read_bytes() == path.read_bytes()
    value = adjudge.evaluate(read).estimates["auc_hand_till"].value
    p = np.column_stack([columns[f"p_{label}"] for label in "abc"])
    if weights:
        again = np.repeat(np.arange(len(p)), (2 * columns["weight"]).astype(int))
        columns, p = rows(columns, again), p[again]
    own = roc_auc_score(columns["truth"], p, multi_class="ovo", average="macro")
    told = {finding.code: finding for finding in adjudge.evaluate(read).findings}
    if room == 300:
        assert "over pairs of classes by" in str(told["A305"].message)
        assert 0 < abs(value - own) < 0.05
    else:
        assert value == pytest.approx(own, rel=1e-12)
        assert "A305" not in told


@pytest.mark.parametrize("weights", [False, True])
def test_parts_that_were_kept_add_up_to_the_whole(weights, tmp_path):
    columns, whole = counted(np.random.default_rng(2), weights=weights)
    parts = [np.arange(400) % 3 == i for i in range(3)]
    turned = {name: columns[name] for name in ("p_c", "truth", "predicted", "p_a", "p_b", *(["weight"] if weights else []))}
    kept = []
    for i, part in enumerate(parts):
        how = {"classes": ["a", "b", "c"]} if i else {"classes": ["c", "b", "a"]}
        kept.append(adjudge.count(rows(turned if i else columns, part), **how).save(tmp_path / f"{i}.counts"))
    for order in (kept, kept[::-1], [kept[1], kept[0], kept[2]]):
        total = sum(map(adjudge.load_counts, order))  # the first part says in which order classes are shown
        held = adjudge.evaluate(columns, classes=list(total.classes))
        assert adjudge.evaluate(total).estimates["auc_hand_till"].value == held.estimates["auc_hand_till"].value
    assert adjudge.evaluate(whole).estimates["auc_hand_till"].value == pytest.approx(held.estimates["auc_hand_till"].value)


def test_counts_by_class_take_few_bytes(tmp_path):
    _, counts = counted(np.random.default_rng(3), 20_000, digits=12)
    path = counts.save(tmp_path / "a.counts")
    with zipfile.ZipFile(path) as archive:
        packed = {entry.filename: entry.compress_size for entry in archive.infolist()}
    of_classes = sum(size for name, size in packed.items() if name.startswith("classes."))
    assert of_classes < 0.1 * sum(packed.values())


def test_files_without_counts_by_class_are_of_an_earlier_format(tmp_path):
    _, counts = counted(np.random.default_rng(4))
    path = counts.save(tmp_path / "a.counts")
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(content["header.json"]) | {"format": 2}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (content | {"header.json": json.dumps(header).encode()}).items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match=r"has format 2 of counts; this version reads 6\. Count the predictions again\."):
        adjudge.load_counts(path)


def test_what_rounding_left_by_class_is_checked(tmp_path):
    rng = np.random.default_rng(5)
    columns = cases(300, rng, digits=1) | {"weight": rng.random(300)}
    path = adjudge.count(columns, classes=["a", "b", "c"]).save(tmp_path / "a.counts")
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    assert "classes.rest0.npy" in content
    held = io.BytesIO()
    np.save(held, np.load(io.BytesIO(content["classes.rest0.npy"])) + 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (content | {"classes.rest0.npy": held.getvalue()}).items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="what rounding left is more than that"):
        adjudge.load_counts(path)
