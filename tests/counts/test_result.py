"""Counts kept as files: every digit, the same bytes, no case; what is damaged is refused."""

import io
import zipfile

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.counts.made import cases, close, numbers
from tests.described import mentions, refused

import adjudge
from adjudge import InputError, PairCounts, compare, count, count_pairs, evaluate, load_counts, rank
from adjudge.metrics.catalogue import ALL

DECISIONS = sorted(measure.name for measure in ALL if measure.needs == "decisions")
OTHERS = sorted(measure.name for measure in ALL if measure.needs in ("scores", "probabilities", "numbers"))


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
    repacked(path, lambda name, data: data.replace(b'"format": 6', b'"format": 9') if name == "header.json" else data)
    with pytest.raises(InputError, match="format 9"):
        load_counts(path)


def test_a_zip_that_promises_too_much_is_refused(kept, monkeypatch):
    found, path = kept
    found.save(path)
    monkeypatch.setattr("adjudge.counts.stored._LARGEST", 1000)
    with pytest.raises(InputError, match="would unpack to"):
        load_counts(path)


def test_columns_cannot_be_asked_for_of_counts(kept):
    with refused("group", "settled", "counted"):
        evaluate(kept[0], group="site")


def test_adjudge_knows_the_names():
    assert adjudge.Counts is type(count({"truth": [0, 1], "predicted": [0, 1]}))


# -- several classifiers on the same cases ---------------------------------------------------------------------


def answers(n, rng, *, classes=("yes", "no", "perhaps"), sets=2, weights=False, rejects=False):
    """Return so many sets of answers on the same cases, right about two times in three."""
    truth, case = rng.choice(classes, n), rng.permutation(10 * n)[:n]
    said = [np.where(rng.random(n) < 0.5, truth, rng.choice([*classes, *(["?"] if rejects else [])], n)) for _ in range(sets)]
    shared = {"truth": truth, "row": case} | ({"w": rng.integers(0, 5, n) / 2 + 0.5} if weights else {})
    return [shared | {"predicted": each} for each in said]


def chosen(columns, rows):
    return {name: np.asarray(values)[rows] for name, values in columns.items()}


def parts_of(sets, which, **how):
    return [count_pairs(*(chosen(each, which == i) for each in sets), **how) for i in np.unique(which)]


def same(added, whole):
    assert added.keys() == whole.keys()
    for name, value in whole.items():
        if name in ("column", "disagreed"):  # cases by their names, which counts do not keep
            continue
        if isinstance(value, dict):
            same(added[name], value)
        elif isinstance(value, list) and name not in ("names", "findings"):
            assert len(added[name]) == len(value)
            same(dict(enumerate(added[name])), dict(enumerate(value)))
        elif isinstance(value, float):
            assert added[name] == pytest.approx(value, rel=1e-9, abs=1e-12), name
        else:
            assert added[name] == value, name


def told(*sources, **how):
    """Return the numbers of a comparison, or why there is none."""
    try:
        return compare(*sources, **how).to_dict()
    except InputError as error:
        return str(error)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@example(seed=1542, parts=4, measure="accuracy", weights=False, rejects=False)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.sampled_from(DECISIONS), st.booleans(), st.booleans())
def test_parts_give_the_verdict_of_the_rows(seed, parts, measure, weights, rejects):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 200))
    sets = answers(n, rng, weights=weights, rejects=rejects)
    how = {"truth": "truth", "predicted": "predicted", "row": "row"}  # a part of one row may not show which is which
    how |= ({"weight": "w"} if weights else {}) | ({"rejected": "?"} if rejects else {})
    which = rng.integers(0, parts, n)
    total = sum(parts_of(sets, which, **how))
    whole, added = told(*sets, measure=measure, **how), told(total, measure=measure)
    assert type(whole) is type(added)
    if isinstance(whole, str):
        assert added == whole
    else:
        same(added, whole)


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["accuracy", "balanced_accuracy", "mcc"])
def test_a_file_gives_the_verdict_of_the_rows(tmp_path, measure):
    rng = np.random.default_rng(1)
    sets = answers(300, rng)
    paths = [part.save(tmp_path / f"{i}.counts") for i, part in enumerate(parts_of(sets, rng.integers(0, 3, 300)))]
    whole = compare(*sets, measure=measure)
    same(compare(load_counts(*paths), measure=measure).to_dict(), whole.to_dict())
    load_counts(*paths).save(tmp_path / "all.counts")
    same(compare(tmp_path / "all.counts", measure=measure).to_dict(), whole.to_dict())


@pytest.mark.slow
def test_many_sets_are_ranked_from_counts(tmp_path):
    rng = np.random.default_rng(2)
    sets = answers(200, rng, sets=4)
    total = sum(parts_of(sets, rng.integers(0, 2, 200)))
    path = total.save(tmp_path / "four.counts")
    for measure in ("accuracy", "kappa"):
        whole = rank(sets, measure=measure).to_dict()
        for source in (total, path):
            same(rank(source, measure=measure).to_dict(), whole)
            same(compare(source, measure=measure).to_dict(), whole)  # more than two are ranked


@pytest.mark.slow
def test_cases_that_come_back_count_once():
    rng = np.random.default_rng(3)
    sets = [chosen(each, np.tile(np.arange(60), 3)) | {"fold": np.repeat([0, 1, 2], 60)} for each in answers(60, rng)]
    for each in sets:
        each["predicted"] = rng.permutation(each["predicted"])
    uneven = np.tile(np.arange(60) >= 20, 3)
    total = sum(parts_of(sets, uneven, row="row", fold="fold"))
    assert (total.cases, total.rows) == (60, 180)
    whole = compare(*sets, row="row", fold="fold")
    same(compare(total).to_dict(), whole.to_dict())
    assert {finding.code for finding in whole.findings} >= {"A703"}


@pytest.mark.slow
def test_rows_without_a_partner_are_told_in_sum():
    rng = np.random.default_rng(4)
    a, b = answers(80, rng)
    cut = [chosen(a, np.arange(80) < 75), chosen(b, np.arange(80) >= 10)]
    half = [count_pairs(*(chosen(each, each["row"] % 2 == odd) for each in cut)) for odd in (0, 1)]
    same(compare(sum(half)).to_dict(), compare(*cut).to_dict())


@pytest.mark.slow
def test_positions_pair_where_that_was_asked():
    rng = np.random.default_rng(5)
    sets = [{name: each[name] for name in ("truth", "predicted")} for each in answers(50, rng)]
    found = count_pairs(*sets, by_position=True)
    same(compare(found).to_dict(), compare(*sets, by_position=True).to_dict())
    with pytest.raises(InputError, match="no column identifies"):
        count_pairs(*sets)


@pytest.mark.slow
def test_the_class_looked_for_may_be_named_later():
    sets = answers(90, np.random.default_rng(6))
    found = count_pairs(*sets)
    for label in ("yes", "perhaps"):
        later = compare(found, measure="sensitivity", positive=label)
        assert later.of == label
        same(later.to_dict(), compare(*sets, measure="sensitivity", positive=label).to_dict())


@pytest.mark.slow
def test_parts_that_name_the_sets_in_another_order_are_turned():
    rng = np.random.default_rng(7)
    sets = answers(100, rng)
    which = rng.integers(0, 2, 100)
    one, other = ([chosen(each, which == i) for each in sets] for i in (0, 1))
    total = count_pairs(*one, names=("a", "b")) + count_pairs(*other[::-1], names=("b", "a"))
    assert total.names == ("a", "b")
    same(compare(total).to_dict(), compare(*sets, names=("a", "b")).to_dict())


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.fixture
def pairs():
    return count_pairs(*answers(60, np.random.default_rng(8)))


@pytest.mark.parametrize("measure", OTHERS)
def test_measures_that_need_more_than_decisions_are_refused(pairs, measure):
    with pytest.raises(InputError, match=r"needs (scores|probabilities)|does not fit"):
        compare(pairs, measure=measure)


def test_wrong_mixtures_are_refused(pairs, tmp_path):
    rng = np.random.default_rng(9)
    others = {
        "weight all parts or none": count_pairs(*answers(60, rng, weights=True), weight="w"),
        "none in common": count_pairs(*answers(60, rng, classes=("cat", "dog"))),
        "same classifiers": count_pairs(*answers(60, rng), names=("a", "c")),
    }
    for why, other in others.items():
        with pytest.raises(InputError, match=why):
            pairs + other
    one = [count_pairs(*answers(60, rng, classes=classes)) for classes in ((1, 2), ("1", "2"))]
    with refused("labels_as", "text in one", "number in another"):
        one[0] + one[1]
    paths = pairs.save(tmp_path / "ab.counts"), count(answers(60, rng)[0]).save(tmp_path / "a.counts")
    with pytest.raises(InputError, match="they do not add up"):
        load_counts(*paths)
    with pytest.raises(TypeError):
        pairs + 1


@pytest.mark.slow
def test_what_is_not_paired_is_not_compared(pairs):
    a, _ = answers(60, np.random.default_rng(10))
    with pytest.raises(InputError, match="keep no cases to compare"):
        compare(count(a))
    with pytest.raises(InputError, match="give them alone"):
        compare(pairs, pairs)
    with pytest.raises(InputError, match="keep no cases to compare"):
        compare(a, pairs)
    with pytest.raises(InputError, match="takes two sets"):
        compare(a)
    with pytest.raises(InputError, match=r"^truth=: that was settled"):
        compare(pairs, paired=True, truth="y")
    with pytest.raises(InputError, match="paired=False is of different cases"):
        compare(pairs, paired=False)
    same(compare(pairs, paired=True).to_dict(), compare(pairs).to_dict())
    with pytest.raises(InputError, match="compare them"):
        evaluate(pairs)
    with pytest.raises(InputError, match="Numbers are predicted"):
        count_pairs(*({"truth": [1.5, 2.25], "predicted": [1.25, 2.5], "row": [1, 2]} for _ in range(2)))


def test_parts_that_look_for_different_classes_are_refused():
    rng = np.random.default_rng(14)
    one, other = (count_pairs(*answers(30, rng, classes=("no", "yes")), positive=label) for label in ("yes", "no"))
    with pytest.raises(InputError, match=r"different classes: 'no', 'yes'"):
        one + other
    assert (one + one).positive == 1
    assert (other + other).positive == 0


@pytest.mark.parametrize("sets", [2, 12])
def test_cases_that_all_weigh_nothing_are_refused(sets):
    """With many sets the patterns are found by sorting, with two by filling a table."""
    weightless = [each | {"w": np.zeros(40)} for each in answers(40, np.random.default_rng(15), sets=sets)]
    with pytest.raises(InputError, match=r"All weights are 0"):
        count_pairs(*weightless, weight="w")
    for measure in ("accuracy", "mcc"):
        with pytest.raises(InputError, match=r"All weights are 0"):
            compare(*weightless[:2], weight="w", measure=measure)


def test_numbers_that_all_weigh_nothing_are_refused():
    rng = np.random.default_rng(16)
    truth = rng.normal(0, 1, 20)
    a, b = ({"truth": truth, "predicted": rng.normal(0, 1, 20), "row": np.arange(20), "w": np.zeros(20)} for _ in range(2))
    with pytest.raises(InputError, match=r"All weights are 0"):
        compare(a, b, weight="w")


def test_a_file_of_pairs_counted_twice_is_refused(tmp_path):
    for name, each in zip("ab", answers(40, np.random.default_rng(11)), strict=True):
        pl.DataFrame(each).write_csv(tmp_path / f"{name}.csv")
    found = count_pairs(tmp_path / "a.csv", tmp_path / "b.csv", row="row")
    with pytest.raises(InputError, match="same predictions were counted"):
        found + found
    assert count_pairs(tmp_path / "a.csv", tmp_path / "a.csv", row="row").cases == 40


# -- files ---------------------------------------------------------------------------------------------------


def test_no_case_is_in_a_file_of_pairs(tmp_path):
    sets = [each | {"row": [f"patient {i}" for i in range(50)]} for each in answers(50, np.random.default_rng(12))]
    path = count_pairs(*sets).save(tmp_path / "ab.counts")
    with zipfile.ZipFile(path) as archive:
        everything = b"".join(archive.read(name) for name in archive.namelist())
    assert b"patient" not in everything
    assert path.read_bytes() == load_counts(path).save(tmp_path / "again.counts").read_bytes()


def arrays(change, **how):
    def changed(data):
        held = io.BytesIO()
        np.save(held, change(np.load(io.BytesIO(data))), **how)
        return held.getvalue()

    return changed


DAMAGES = {
    "a class there is none of": ("truth.npy", arrays(lambda truth: truth + 9)),
    "a decision there is none of": ("predicted.npy", arrays(lambda predicted: predicted + 1)),
    "less than nothing": ("n.npy", arrays(lambda n: -n)),
    "too few": ("n.npy", arrays(lambda n: n[:-1])),
    "text": ("n.npy", arrays(lambda n: n.astype(str))),
    "pickled": ("n.npy", arrays(lambda n: n.astype(object), allow_pickle=True)),
    "another kind": ("header.json", lambda data: data.replace(b'"of": "pairs"', b'"of": "cases"')),
    "a name too many": ("header.json", lambda data: data.replace(b'"names": [', b'"names": ["c", ')),
    "no facts": ("header.json", lambda data: data.replace(b'"facts"', b'"fakes"')),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(pairs, tmp_path, damage):
    path = pairs.save(tmp_path / "ab.counts")
    damaged, change = DAMAGES[damage]
    repacked(path, lambda name, data: change(data) if name == damaged else data)
    with pytest.raises(InputError, match=r"file of counts, .*damaged"):
        load_counts(path)


def test_labels_and_counts_keep_their_types(tmp_path):
    found = count_pairs(*answers(40, np.random.default_rng(13), classes=(0, 1)))
    again = load_counts(found.save(tmp_path / "ab.counts"))
    assert isinstance(again, PairCounts)
    assert adjudge.PairCounts is PairCounts
    assert (again.classes, again.patterns.n.dtype) == (found.classes, found.patterns.n.dtype)
    assert again.to_dict() == found.to_dict()
    assert mentions(repr(again), "40 cases", "a and b", "classes 0, 1,")


def test_how_many_decisions_a_threshold_replaced_is_kept_and_adds_up(tmp_path):
    rng = np.random.default_rng(4)
    changed = 0
    for at in range(2):
        truth, decided, score = rng.integers(0, 2, 50), rng.integers(0, 2, 50), rng.random(50).round(2)
        changed += int(np.count_nonzero(decided != (score >= 0.3)))
        table = {"truth": truth, "predicted": decided, "score": score}
        adjudge.count(table, threshold=0.3, positive=1).save(tmp_path / f"{at}.counts")
    evaluation = adjudge.evaluate(adjudge.load_counts(*sorted(tmp_path.glob("*.counts"))))
    (told,) = [finding for finding in evaluation.findings if finding.code == "A116"]
    assert told.value == changed
    assert f"{changed} of 100 changed" in str(told.message)
