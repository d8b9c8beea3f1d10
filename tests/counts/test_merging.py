"""Counts of parts, added up, are the counts of the whole; files keep them to the last digit."""

import io
import zipfile
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import adjudge
from adjudge import InputError, count, evaluate, load_counts
from adjudge._base.show import plain
from adjudge.counts.numbers import NumberCounts, add_numbers
from adjudge.counts.sampling import MOST_CASES, quotas


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
    whole = count(columns, **how)
    total = sum(count(rows(columns, which == i), **how) for i in range(parts))
    np.testing.assert_allclose(total.tally.confusion.cells, whole.tally.confusion.cells, rtol=1e-12)
    added, at_once = (numbers(evaluate(each, **more)) for each, more in ((total, {}), (columns, how)))
    for found in (added, at_once):
        found["estimates"]["auc"].pop("interval")
        found["estimates"].pop("auc_hand_till")
    close(added, at_once)


def test_classes_that_only_one_part_has():
    one = count({"truth": ["b", "a"], "predicted": ["a", "a"], "p_a": [0.6, 0.7], "p_b": [0.4, 0.3]})
    other = count({"truth": ["c", "a"], "predicted": ["c", "c"]})
    with pytest.raises(InputError, match="no scores"):
        one + other
    bare = count({"truth": ["b", "a"], "predicted": ["a", "a"]}) + other
    assert bare.classes == ("a", "b", "c")
    np.testing.assert_array_equal(bare.tally.confusion.cells, [[1, 0, 1], [1, 0, 0], [0, 0, 1]])


def test_columns_of_scores_are_matched_by_their_classes():
    rng = np.random.default_rng(5)
    columns = cases(200, rng)
    p = np.column_stack([columns[f"p_{label}"] for label in "abc"])
    tied = (p == p.max(axis=1, keepdims=True)).sum(axis=1) > 1  # else such cases go to the class that a file lists first
    columns["predicted"] = np.where(tied, np.array(["a", "b", "c"])[p.argmax(axis=1)], columns["predicted"])
    turned = {name: columns[name] for name in ("truth", "predicted", "p_c", "p_a", "p_b")}
    first, second = np.arange(200) < 90, np.arange(200) >= 90
    total = count(rows(columns, first), classes=["a", "b", "c"]) + count(rows(turned, second), classes=["c", "b", "a"])
    whole = evaluate(columns, classes=["a", "b", "c"])
    for name in ("accuracy", "auc", "brier", "log_loss", "ece"):
        assert evaluate(total).estimates[name].value == pytest.approx(whole.estimates[name].value, rel=1e-12)


def test_weighted_and_unweighted_do_not_add_up():
    rng = np.random.default_rng(1)
    with pytest.raises(InputError, match="weight all parts or none"):
        count(cases(20, rng)) + count(cases(20, rng, weights=True), weight="weight")


def test_cases_are_drawn_from_all_parts_as_from_one():
    rng = np.random.default_rng(2)
    columns = {name: values for name, values in cases(5 * MOST_CASES, rng).items() if name not in ("fold", "site")}
    half = np.arange(5 * MOST_CASES) < 4 * MOST_CASES
    total = count(rows(columns, half)) + count(rows(columns, ~half))
    drawn = total.tally.scores.drawn
    assert drawn.kept.tolist() == quotas(total.tally.confusion.support).tolist()  # as many of each class as of one file
    assert drawn.sizes.tolist() == total.tally.confusion.support.tolist()
    of_first = int(np.flatnonzero(np.diff(drawn.rows) < 0)[0]) + 1
    assert abs(of_first / drawn.rows.size - 0.8) < 5 * np.sqrt(0.8 * 0.2 / MOST_CASES)


def test_parts_together_keep_every_case_of_a_rare_class():
    rng = np.random.default_rng(4)
    truth = np.where(np.arange(3 * MOST_CASES) % 1000 == 5, "rare", "common")
    score = np.round(rng.random(truth.size), 6)
    parts = [
        {"truth": truth[at], "p_rare": score[at], "p_common": 1 - score[at]} for at in np.array_split(np.arange(truth.size), 3)
    ]
    one, two, three = (count(part) for part in parts)
    for total in (one + two + three, one + (two + three), three + one + two):
        drawn = total.tally.scores.drawn
        assert sorted(drawn.kept.tolist()) == [12, MOST_CASES - 12]
        assert np.bincount(drawn.truth, drawn.weight).tolist() == pytest.approx(drawn.sizes.tolist(), rel=1e-12)


# -- files ---------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path):
    columns = cases(300, np.random.default_rng(3))
    return count(columns, group="site", fold="fold"), tmp_path / "a.counts"


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
    with pytest.raises(InputError, match="settled when they were counted"):
        evaluate(kept[0], group="site")


def test_labels_of_parts_do_not_name_the_class_looked_for():
    """In a part without the third class yes and no seem to be all there is."""
    one = count({"truth": ["yes", "no"], "predicted": ["yes", "yes"]})
    other = count({"truth": ["perhaps", "no"], "predicted": ["no", "no"]})
    assert one.tally.positive is not None
    assert (one + other).tally.positive is None
    halves = [count({"truth": [label] * 2, "predicted": [label] * 2}) for label in (0, 1)]
    assert sum(halves).tally.positive == 1
    named = [count({"truth": ["a", "b", label], "predicted": ["a"] * 3}, positive="b") for label in ("a", "c")]
    assert sum(named).classes[sum(named).tally.positive] == "b"


def test_parts_that_look_for_different_classes_are_refused():
    """Also where one of them is what the labels mean."""
    answers = {"truth": ["yes", "no", "no"], "predicted": ["yes", "yes", "no"]}
    yes, no, unsaid = (count(answers, **how) for how in ({"positive": "yes"}, {"positive": "no"}, {}))
    for one, other in ((yes, no), (no, yes)):
        with pytest.raises(InputError, match="Parts look for different classes: 'no', 'yes'"):
            one + other
    for named, label in ((yes, "yes"), (no, "no")):
        assert (named + named).classes[(named + named).tally.positive] == label
    assert (yes + unsaid).tally.positive == yes.tally.positive
    lacking = count({"truth": [1, 1], "predicted": [1, 1]})
    whole = count({"truth": [0, 1], "predicted": [1, 1]}, positive=0)
    assert lacking.tally.positive == 0
    assert (lacking + whole).classes[(lacking + whole).tally.positive] == 0


# -- numbers -------------------------------------------------------------------------------------------------


def measured(n, rng, *, weights=False):
    truth = rng.normal(rng.normal(0, 5), 2, n)
    found = {"truth": truth, "predicted": truth + rng.normal(0, 1, n)}
    return found | ({"weight": rng.integers(1, 5, n) / 2} if weights else {})


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.booleans())
def test_sums_of_numbers_add_up(seed, parts, weights):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 100))
    columns = measured(n, rng, weights=weights)
    which = rng.integers(0, parts, n)
    which[:parts] = np.arange(parts)
    whole, total = evaluate(columns), evaluate(sum(count(rows(columns, which == i)) for i in range(parts)))
    kept = {name: plain(estimate) for name, estimate in whole.estimates.items() if name != "rae"}
    close({name: plain(estimate) for name, estimate in total.estimates.items() if name != "rae"}, kept)
    assert "distances from the mean of all" in total.estimates["rae"].reason
    known = np.ix_([0, 1, 3], [0, 1, 3])
    np.testing.assert_allclose(total.numbers.products[known], whole.numbers.products[known], rtol=1e-9, atol=1e-9)


def test_sums_of_numbers_against_scikit_learn(tmp_path):
    from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

    columns = measured(200, np.random.default_rng(8))
    half = np.arange(200) < 120
    paths = [count(rows(columns, each)).save(tmp_path / f"{i}.counts") for i, each in enumerate((half, ~half))]
    found = evaluate(load_counts(*paths)).estimates
    args = columns["truth"], columns["predicted"]
    assert found["mae"].value == pytest.approx(mean_absolute_error(*args), rel=1e-12)
    assert found["mse"].value == pytest.approx(mean_squared_error(*args), rel=1e-12)
    assert 1 - found["rse"].value == pytest.approx(r2_score(*args), rel=1e-9)


def test_one_file_of_numbers_keeps_every_digit(tmp_path):
    columns = measured(150, np.random.default_rng(9), weights=True)
    found = count(columns)
    path = found.save(tmp_path / "a.counts")
    again = load_counts(path)
    assert plain(evaluate(path).estimates) == plain(evaluate(columns).estimates)
    assert again.to_dict() == found.to_dict()
    assert again.save(tmp_path / "b.counts").read_bytes() == path.read_bytes()
    assert repr(again) == "Counts of 150 rows of arrays, numbers"
    assert "numbers" not in again.classes


def test_parts_with_the_same_mean_lose_nothing():
    columns = {"truth": [1.5, 2.5, 0.5, 3.5], "predicted": [1.0, 2.0, 1.0, 3.0]}
    total = sum(count(rows(columns, each)) for each in ([0, 1], [2, 3]))
    assert evaluate(total).estimates["rae"].value == evaluate(columns).estimates["rae"].value


def test_numbers_that_all_weigh_nothing_are_refused():
    columns = measured(20, np.random.default_rng(13)) | {"weight": np.zeros(20)}
    for judge in (count, evaluate):
        with pytest.raises(InputError, match="All weights are 0: no case counts"):
            judge(columns)


def test_a_part_without_weight_adds_nothing_but_its_cases():
    rng = np.random.default_rng(14)
    parts = [count(measured(n, rng, weights=True)).tally for n in (30, 40)]
    nan = float("nan")
    weightless = NumberCounts(5, 0.0, nan, 0.0, 0.0, nan, nan)
    known, more = add_numbers(parts), add_numbers([parts[0], weightless, parts[1]])
    assert more.n == known.n + 5
    assert (more.mean, more.squared_of_mean) == (known.mean, known.squared_of_mean)
    with pytest.raises(InputError, match="All weights are 0"):
        add_numbers([weightless, weightless])


@pytest.mark.parametrize("offset", [0.0, 1.7e12])
def test_squares_of_parts_survive_a_large_offset(tmp_path, offset):
    """Milliseconds since 1970 differ by little beside their size, and the means of parts are rounded as they are."""
    rng = np.random.default_rng(15)
    truth = offset + rng.normal(0, 1, 999) + np.repeat([0, 3, 9], 333)
    columns = {"truth": truth, "predicted": truth + rng.normal(0, 1, 999)}
    which = np.repeat([0, 1, 2], 333)
    paths = [count(rows(columns, which == i)).save(tmp_path / f"{i}.counts") for i in range(3)]
    whole = [Fraction(value) for value in truth]
    by_steps = load_counts(paths[0]) + (load_counts(paths[1]) + load_counts(paths[2]))
    for total in (load_counts(*paths).tally, by_steps.tally):
        assert abs(Fraction(total.mean) - sum(whole) / 999) <= np.spacing(total.mean)
        spread = sum((value - Fraction(total.mean)) ** 2 for value in whole)
        assert total.squared_of_mean == pytest.approx(float(spread), rel=1e-12)
        assert total.products[3, 3] == pytest.approx(float(spread), rel=1e-12)


def test_numbers_and_classes_do_not_add_up():
    numbers = count(measured(20, np.random.default_rng(10)))
    with pytest.raises(InputError, match="One part predicts numbers, another classes"):
        numbers + count({"truth": ["a", "b"], "predicted": ["a", "b"]})


def test_added_numbers_have_a_page_and_a_picture():
    rng = np.random.default_rng(11)
    total = count(measured(30, rng)) + count(measured(40, rng))
    told = evaluate(total).to_html()
    assert "distances from the mean of all" in told
    assert evaluate(total).in_words()
    assert total.plot() is not None
    assert "Counts of 70 rows" in total._repr_html_()


@pytest.mark.parametrize("name", ["sums.npy", "products.npy"])
def test_damaged_sums_are_refused(tmp_path, name):
    path = count(measured(20, np.random.default_rng(12))).save(tmp_path / "a.counts")
    short = io.BytesIO()
    np.save(short, np.zeros(3))
    repacked(path, lambda each, data: short.getvalue() if each == name else data)
    with pytest.raises(InputError, match="its sums are not those of numbers"):
        load_counts(path)


def test_adjudge_knows_the_names():
    assert adjudge.Counts is type(count({"truth": [0, 1], "predicted": [0, 1]}))
