"""Counts of parts, added up, are the counts of the whole; files keep them to the last digit."""

import io
import zipfile

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge import InputError, counted, evaluate, load_counts
from adjudge._base.show import plain
from adjudge.counts.sampling import MOST_CASES
from adjudge.reports.page import page


def cases(n, rng, *, classes=("a", "b", "c"), weights=False, digits=2):
    p = rng.dirichlet(np.ones(len(classes)), n).round(digits)
    p[:, -1] = (1 - p[:, :-1].sum(axis=1)).round(digits)
    found = {"truth": rng.choice(classes, n), "predicted": rng.choice(classes, n)}
    found |= {f"p_{label}": p[:, i] for i, label in enumerate(classes)}
    found |= {"fold": rng.integers(0, 3, n), "site": rng.choice(["x", "y"], n)}
    return found | ({"weight": rng.integers(1, 5, n) / 2} if weights else {})


def rows(columns, chosen):
    return {name: np.asarray(values)[chosen] for name, values in columns.items()}


def numbers(found):
    """Return what follows from the counts alone, not from single cases."""
    told = {name: plain(getattr(found, name)) for name in ("estimates", "by_class", "by_fold", "by_group", "over_groups")}
    return told | {kind: {str(label): plain(curve.area) for label, curve in each.items()} for kind, each in found.curves.items()}


def close(a, b):
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            close(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            close(one, other)
    elif isinstance(a, float):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-12)
    else:
        assert a == b


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_parts_add_up_to_the_whole(seed, parts, weights):
    """Single cases alone tell how the AUCs of classes go together, and the AUC of two classes among others."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 120))
    columns = cases(n, rng, weights=weights)
    which = rng.integers(0, parts, n)
    which[:parts] = np.arange(parts)
    how = {"group": "site", "classes": ["a", "b", "c"]}
    whole = counted(columns, **how)
    total = sum(counted(rows(columns, which == i), **how) for i in range(parts))
    np.testing.assert_allclose(total.tally.confusion.cells, whole.tally.confusion.cells, rtol=1e-12)
    added, at_once = (numbers(evaluate(each, **more)) for each, more in ((total, {}), (columns, how)))
    for found in (added, at_once):
        found["estimates"]["auc"].pop("interval")
        found["estimates"].pop("auc_hand_till")
    close(added, at_once)


def test_classes_that_only_one_part_has():
    one = counted({"truth": ["b", "a"], "predicted": ["a", "a"], "p_a": [0.6, 0.7], "p_b": [0.4, 0.3]})
    other = counted({"truth": ["c", "a"], "predicted": ["c", "c"]})
    with pytest.raises(InputError, match="no scores"):
        one + other
    bare = counted({"truth": ["b", "a"], "predicted": ["a", "a"]}) + other
    assert bare.classes == ("a", "b", "c")
    np.testing.assert_array_equal(bare.tally.confusion.cells, [[1, 0, 1], [1, 0, 0], [0, 0, 1]])


def test_columns_of_scores_are_matched_by_their_classes():
    rng = np.random.default_rng(5)
    columns = cases(200, rng)
    turned = {name: columns[name] for name in ("truth", "predicted", "p_c", "p_a", "p_b")}
    first, second = np.arange(200) < 90, np.arange(200) >= 90
    total = counted(rows(columns, first), classes=["a", "b", "c"]) + counted(rows(turned, second), classes=["c", "b", "a"])
    whole = evaluate(columns, classes=["a", "b", "c"])
    for name in ("accuracy", "auc", "brier", "log_loss", "ece"):
        assert evaluate(total).estimates[name].value == pytest.approx(whole.estimates[name].value, rel=1e-12)


def test_weighted_and_unweighted_do_not_add_up():
    rng = np.random.default_rng(1)
    with pytest.raises(InputError, match="weight all parts or none"):
        counted(cases(20, rng)) + counted(cases(20, rng, weights=True), weight="weight")


def test_cases_are_drawn_from_all_parts_as_from_one():
    rng = np.random.default_rng(2)
    columns = {name: values for name, values in cases(5 * MOST_CASES, rng).items() if name not in ("fold", "site")}
    half = np.arange(5 * MOST_CASES) < 4 * MOST_CASES
    total = counted(rows(columns, half)) + counted(rows(columns, ~half))
    drawn = total.tally.scores.drawn
    assert drawn.rows.size == MOST_CASES
    of_first = int(np.flatnonzero(np.diff(drawn.rows) < 0)[0]) + 1
    assert abs(of_first / MOST_CASES - 0.8) < 5 * np.sqrt(0.8 * 0.2 / MOST_CASES)


# -- files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path):
    columns = cases(300, np.random.default_rng(3))
    return counted(columns, group="site", fold="fold"), tmp_path / "a.counts"


def test_a_file_keeps_every_digit(kept):
    found, path = kept
    found.save(path)
    again = load_counts(path)
    close(numbers(evaluate(again)), numbers(evaluate(found)))
    assert again.tally.confusion == found.tally.confusion
    assert list(again.tally.by_group) == ["x", "y"]
    assert "Groups and confounds" in page(evaluate(again))


def test_the_same_counts_are_the_same_bytes(kept):
    found, path = kept
    first = found.save(path).read_bytes()
    assert found.save(path).read_bytes() == first
    load_counts(path).save(path)
    assert path.read_bytes() == first


def test_no_case_is_in_a_file(tmp_path):
    """Row names, and scores by row, stay where they are."""
    columns = cases(50, np.random.default_rng(4)) | {"id": [f"patient {i}" for i in range(50)]}
    path = counted(columns).save(tmp_path / "a.counts")
    with zipfile.ZipFile(path) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
        assert not any(name.startswith(("drawn", "cases")) for name in archive.namelist())
    assert b"patient" not in everything


@pytest.mark.parametrize("weights", [False, True])
def test_many_classes_are_kept_sparse(tmp_path, weights):
    rng = np.random.default_rng(6)
    columns = {"truth": rng.integers(0, 1500, 4000), "predicted": rng.integers(0, 1500, 4000)}
    columns |= {"weight": rng.random(4000)} if weights else {}
    found = counted(columns)
    again = load_counts(found.save(tmp_path / "many.counts"))
    assert (again.tally.confusion.cells != found.tally.confusion.cells).nnz == 0
    assert evaluate(again).estimates["accuracy"].value == evaluate(columns).estimates["accuracy"].value


@pytest.mark.parametrize("labels", [[0, 1], [True, False], ["a", "é\u202e"]])
def test_labels_keep_their_type(tmp_path, labels):
    found = counted({"truth": labels * 3, "predicted": labels[:1] * 6})
    again = load_counts(found.save(tmp_path / "a.counts"))
    assert again.classes == found.classes
    assert [type(label) for label in again.classes] == [type(label) for label in found.classes]


def test_a_file_counted_twice_is_refused(tmp_path):
    source = tmp_path / "a.csv"
    pl.DataFrame(cases(30, np.random.default_rng(7))).write_csv(source)
    for name in ("a", "b"):
        counted(source).save(tmp_path / f"{name}.counts")
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
    with pytest.raises(InputError, match="settled when they were counted"):
        evaluate(kept[0], group="site")


def test_numbers_are_not_counted():
    with pytest.raises(InputError, match="Numbers are predicted"):
        counted({"truth": [1.5, 2.25, 3.125], "predicted": [1.25, 2.5, 3.0]})


def test_adjudge_knows_the_names():
    assert adjudge.Counted is type(counted({"truth": [0, 1], "predicted": [0, 1]}))
