"""Counts kept as files: every digit, the same bytes, no case; what is damaged is refused."""

import io
import zipfile

import numpy as np
import polars as pl
import pytest
from tests.counts.made import cases, close, numbers

import adjudge
from adjudge import InputError, count, evaluate, load_counts


@pytest.fixture
def kept(tmp_path):
    columns = cases(300, np.random.default_rng(3))
    return count(columns, group="site", fold="fold"), tmp_path / "a.counts"


@pytest.mark.slow
def test_a_file_keeps_every_digit(kept):
    found, path = kept
    found.save(path)
    again = load_counts(path)
    close(numbers(evaluate(again)), numbers(evaluate(found)))
    assert again.tally.confusion == found.tally.confusion
    assert list(again.tally.by_group) == ["x", "y"]
    assert "Groups and confounds" in evaluate(again).to_html()


def test_the_same_counts_are_the_same_bytes(kept):
    found, path = kept
    first = found.save(path).read_bytes()
    assert found.save(path).read_bytes() == first
    load_counts(path).save(path)
    assert path.read_bytes() == first


def test_no_case_is_in_a_file(tmp_path):
    """Row names, and scores by row, stay where they are."""
    columns = cases(50, np.random.default_rng(4)) | {"id": [f"patient {i}" for i in range(50)]}
    path = count(columns).save(tmp_path / "a.counts")
    with zipfile.ZipFile(path) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
        assert not any(name.startswith(("drawn", "cases")) for name in archive.namelist())
    assert b"patient" not in everything


@pytest.mark.slow
@pytest.mark.parametrize("weights", [False, True])
def test_many_classes_are_kept_sparse(tmp_path, weights):
    rng = np.random.default_rng(6)
    columns = {"truth": rng.integers(0, 1500, 4000), "predicted": rng.integers(0, 1500, 4000)}
    columns |= {"weight": rng.random(4000)} if weights else {}
    found = count(columns)
    again = load_counts(found.save(tmp_path / "many.counts"))
    assert (again.tally.confusion.cells != found.tally.confusion.cells).nnz == 0
    assert evaluate(again).estimates["accuracy"].value == evaluate(columns).estimates["accuracy"].value


@pytest.mark.parametrize("labels", [[0, 1], [True, False], ["a", "é\u202e"]])
def test_labels_keep_their_type(tmp_path, labels):
    found = count({"truth": labels * 3, "predicted": labels[:1] * 6})
    again = load_counts(found.save(tmp_path / "a.counts"))
    assert again.classes == found.classes
    assert [type(label) for label in again.classes] == [type(label) for label in found.classes]


def test_a_file_counted_twice_is_refused(tmp_path):
    source = tmp_path / "a.csv"
    pl.DataFrame(cases(30, np.random.default_rng(7))).write_csv(source)
    for name in ("a", "b"):
        count(source).save(tmp_path / f"{name}.counts")
    with pytest.raises(InputError, match="same predictions were counted"):
        load_counts(tmp_path / "a.counts", tmp_path / "b.counts")


def test_what_is_no_file_of_counts_is_refused(tmp_path, kept):
    found, path = kept
    found.save(path)
    for name, content in {"text.counts": b"hello", "empty.counts": b"", "cut.counts": path.read_bytes()[:200]}.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="no file of counts"):
            load_counts(tmp_path / name)
    with pytest.raises(InputError, match="There is no file"):
        load_counts(tmp_path / "none.counts")


def repacked(path, change):
    held = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(held, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    path.write_bytes(held.getvalue())


def test_pickled_arrays_are_never_read(kept):
    found, path = kept
    found.save(path)
    evil = io.BytesIO()
    np.save(evil, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    repacked(path, lambda name, data: evil.getvalue() if name == "confusion.cells.npy" else data)
    with pytest.raises(InputError, match="no file of counts"):
        load_counts(path)


def test_another_format_is_named(kept):
    found, path = kept
    found.save(path)
    repacked(path, lambda name, data: data.replace(b'"format": 1', b'"format": 9') if name == "header.json" else data)
    with pytest.raises(InputError, match="format 9"):
        load_counts(path)


def test_a_zip_that_promises_too_much_is_refused(kept, monkeypatch):
    found, path = kept
    found.save(path)
    monkeypatch.setattr("adjudge.counts.stored._LARGEST", 1000)
    with pytest.raises(InputError, match="would unpack to"):
        load_counts(path)


def test_columns_cannot_be_asked_for_of_counts(kept):
    with pytest.raises(InputError, match="settled when the predictions were counted"):
        evaluate(kept[0], group="site")


def test_adjudge_knows_the_names():
    assert adjudge.Counts is type(count({"truth": [0, 1], "predicted": [0, 1]}))
