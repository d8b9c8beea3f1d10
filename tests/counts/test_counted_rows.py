"""Rows that stand for several cases: the numbers are those of the rows written out as often as their counts say."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.described import facts, refused

import adjudge
from adjudge import Predictions
from adjudge._base.errors import InputError
from adjudge.counts.counting import count_confusion, tally
from adjudge.counts.probabilities import SUMS
from adjudge.counts.sampling import MOST_CASES

EDGES = [0.0, -0.0, 1.0, 0.5, 1e-300, 1 / 3, 1 - 1e-16]


@st.composite
def tables(draw, *, most=12):
    """Rows of two classes with a score, a fold, a group and a count; rows may be equal, and counts 0."""
    size = draw(st.integers(2, 14))
    several = st.lists(st.integers(0, 2), min_size=size, max_size=size)
    rows = {
        "truth": draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)),
        "predicted": draw(st.lists(st.integers(0, 1), min_size=size, max_size=size)),
        "score": draw(st.lists(st.sampled_from(EDGES) | st.floats(0, 1, allow_subnormal=False), min_size=size, max_size=size)),
        "fold": draw(several),
        "group": draw(several),
        "n": draw(st.lists(st.integers(0, most), min_size=size, max_size=size).filter(any)),
    }
    return {name: np.array(values) for name, values in rows.items()}


@pytest.fixture(autouse=True, scope="module")
def without_runs():
    """Rows written out are equal ones that follow each other, of which a finding would tell."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("adjudge.counts.suspected.RUNS_IN", 0)
        yield


def written_out(table):
    rows = np.repeat(np.arange(table["n"].size), table["n"])
    return {name: values[rows] for name, values in table.items() if name != "n"}


def of(table, **asked):
    names = {"truth": "truth", "predicted": "predicted", "score": "scores", "fold": "fold", "group": "group", "n": "count"}
    return Predictions(**{names[name]: values for name, values in table.items()}, positive=1, classes=[0, 1], **asked)


def differences(a, b, path=""):
    """Yield where two results differ: texts and whole numbers exactly, other numbers to 1e-12."""
    if isinstance(a, dict) and isinstance(b, dict):
        for name in a.keys() | b.keys():
            yield from differences(a.get(name), b.get(name), f"{path}/{name}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for at, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from differences(one, other, f"{path}/{at}")
    elif isinstance(a, float) and isinstance(b, float):
        if not math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-12):
            yield path, a, b
    elif a != b or type(a) is not type(b):
        yield path, a, b


def answers(predictions):
    told = adjudge.evaluate(predictions).to_dict()
    told["findings"] = [finding for finding in told["findings"] if finding["code"] != "A114"]
    told["origin"]["roles"].pop("count", None)
    return told


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(tables())
def test_an_evaluation_is_that_of_the_rows_written_out(table):
    assert list(differences(answers(of(table)), answers(of(written_out(table))))) == []


FEW = {"truth": [0, 1, 1, 0, 1], "predicted": [0, 1, 0, 1, 1], "score": [0.0, 1.0, -0.0, 0.6, 1 / 3], "n": [3, 0, 1, 7, 2]}


def test_every_table_and_sum_of_a_few_rows():
    table = {name: np.array(values) for name, values in FEW.items()}
    check_tables({**table, "fold": np.array([0, 1, 0, 1, 1]), "group": np.array([0, 0, 2, 1, 1])})


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(tables())
def test_every_table_and_sum_is_that_of_the_rows_written_out(table):
    check_tables(table)


def check_tables(table):
    one, other = tally(of(table)), tally(of(written_out(table)))
    assert one.confusion == other.confusion
    assert one.confusion.cells.dtype == np.int64
    assert one.rows == other.rows == table["n"].sum()
    assert (one.by_fold, one.by_group) == (other.by_fold, other.by_group)
    for at in (0, 1):
        a, b = one.scores.table(at), other.scores.table(at)
        assert (a.values.tolist(), a.positives.tolist(), a.negatives.tolist()) == (
            b.values.tolist(), b.positives.tolist(), b.negatives.tolist(),
        )  # fmt: skip
        assert a.positives.dtype.kind == "i"
    for name in SUMS:
        np.testing.assert_array_equal(getattr(one.probabilities, name), getattr(other.probabilities, name), err_msg=name)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(tables())
def test_the_scores_of_scikit_learn_weighted_by_counts(table):
    from sklearn.metrics import accuracy_score, average_precision_score, brier_score_loss, roc_auc_score

    found, own = adjudge.evaluate(of(table)).estimates, {"sample_weight": table["n"]}
    assert found["accuracy"].value == pytest.approx(accuracy_score(table["truth"], table["predicted"], **own), rel=1e-12)
    assert found["brier"].value == pytest.approx(brier_score_loss(table["truth"], table["score"], **own), rel=1e-9, abs=1e-15)
    if len(set(written_out(table)["truth"])) > 1:
        assert found["auc"].value == pytest.approx(roc_auc_score(table["truth"], table["score"], **own), rel=1e-12)
        ap = average_precision_score(table["truth"], table["score"], **own)
        assert found["average_precision"].value == pytest.approx(ap, rel=1e-9)


def three(rng, size=40, most=30):
    """Return rows of three classes with probabilities of all."""
    p = np.round(rng.dirichlet(np.ones(3), size), 3)
    p[:, 2] = 1 - p[:, 0] - p[:, 1]
    return rng.integers(0, 3, size), p.argmax(axis=1), np.abs(p), rng.integers(1, most, size)


@pytest.mark.slow
def test_three_classes_are_those_of_the_rows_written_out():
    truth, predicted, p, n = three(np.random.default_rng(3))
    rows = np.repeat(np.arange(n.size), n)
    one = Predictions(truth, predicted, p, classes=[0, 1, 2], count=n)
    other = Predictions(truth[rows], predicted[rows], p[rows], classes=[0, 1, 2])
    assert list(differences(answers(one), answers(other))) == []
    hand_till = [adjudge.measure(each, "auc", average="hand-till") for each in (one, other)]
    assert hand_till[0] == pytest.approx(hand_till[1], rel=1e-12)


def test_a_million_million_cases_take_no_room():
    table = {"truth": np.array([0, 0, 1, 1]), "predicted": np.array([0, 1, 0, 1]), "score": np.array([0.1, 0.6, 0.4, 0.9])}
    n = np.array([700_000_000_000, 10**9, 1, 298_999_999_999])
    told = adjudge.evaluate({**table, "n": n}, count="n", truth="truth", predicted="predicted", scores="score")
    assert told.counts.cells.tolist() == [[700_000_000_000, 10**9], [1, 298_999_999_999]]
    assert told.origin.rows == 10**12
    assert told.estimates["accuracy"].value == (10**12 - 10**9 - 1) / 10**12
    pairs = 701 * 10**9 * 299 * 10**9
    won = 298_999_999_999 * 701 * 10**9 + 700_000_000_000
    assert told.estimates["auc"].value == won / pairs


def test_the_cases_drawn_are_of_the_rows_as_often_as_they_count():
    truth, n = np.array([0, 0, 1, 1]), np.array([3 * 10**9, 10**9, 5, 0])
    scores = tally(Predictions(truth, truth, np.array([0.1, 0.4, 0.7, 0.9]), count=n)).scores
    some, again = scores.some, scores.some
    assert np.array_equal(some.rows, again.rows)
    assert some.sizes.tolist() == [4 * 10**9, 5]
    assert some.kept.tolist() == [MOST_CASES - 5, 5]
    share = np.mean(some.scores[some.truth == 0, 0] < 0.2)
    assert share == pytest.approx(0.75, abs=0.03)  # four standard errors
    assert np.all(np.diff(some.rows) > 0)
    assert np.array_equal(
        np.searchsorted(np.cumsum(n), some.rows, side="right"), np.searchsorted([0.2, 0.5, 0.8], some.scores[:, 0])
    )


def test_bins_of_a_file_too_large_to_hold_stay_whole(tmp_path, monkeypatch):
    rng = np.random.default_rng(4)
    score, n = np.concatenate((np.zeros(50), rng.random(3950))), rng.integers(0, 10**9, 4000)
    truth = (rng.random(4000) < score).astype(int)
    pq.write_table(pl.DataFrame({"truth": truth, "score": score, "n": n}).to_arrow(), tmp_path / "a.parquet")
    with monkeypatch.context() as smaller:
        for name, value in (("EXACT", 1000), ("DISTINCT", 100), ("BITS", 16)):
            smaller.setattr(f"adjudge.counts.scores.{name}", value)
        smaller.setattr("adjudge.counts.counting.EXACT", 1000)
        predictions = adjudge.read(tmp_path / "a.parquet", count="n")
        found = tally(predictions).scores
        with refused("exact", "ranked in bins only"):
            tally(predictions, exact=True)
    whole = tally(adjudge.read({"truth": truth, "score": score, "n": n}, count="n")).scores
    table, every = found.table(1), whole.table(1)
    assert table.bits == 16
    assert table.positives.dtype.kind == table.negatives.dtype.kind == "i"
    assert (table.positives.sum(), table.negatives.sum()) == (n[truth == 1].sum(), n[truth == 0].sum())
    assert abs(found.area(1) - whole.area(1)) <= found.bound(1)
    ends = np.searchsorted(every.values, table.values, side="right")
    for mine, all_ in ((table.positives, every.positives), (table.negatives, every.negatives)):
        assert np.array_equal(np.cumsum(mine), np.cumsum(all_)[ends - 1])


def test_few_cases_are_all_there_in_their_order():
    table = {"truth": np.array([1, 0, 1]), "predicted": np.array([1, 0, 0]), "score": np.array([0.9, 0.2, 0.4])}
    table["n"] = np.array([2, 3, 1])
    one, other = (tally(of(each)).scores.some for each in (table, written_out(table)))
    for name in ("rows", "scores", "truth", "sizes", "decided"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.slow
def test_corrections_and_partitions_are_those_of_the_rows_written_out():
    truth, predicted, p, n = three(np.random.default_rng(5))
    rows = np.repeat(np.arange(n.size), n)
    columns = {"truth": truth, "predicted": predicted, **{f"p_{at}": p[:, at] for at in range(3)}}
    one, other = {**columns, "n": n}, {name: values[rows] for name, values in columns.items()}
    for kind in ("multipliers", "reject"):
        asked = {} if kind == "multipliers" else {"max_rejection": 0.1}
        fits = [adjudge.correct.fit(each, kind, **asked, **how).to_dict() for each, how in ((one, {"count": "n"}), (other, {}))]
        assert list(differences(*fits)) == []
    told = [adjudge.recommend(each, **asked).to_dict() for each, asked in ((one, {"count": "n"}), (other, {}))]
    assert list(differences(*told)) == []
    spaces = [adjudge.partition(adjudge.read(each, **asked)) for each, asked in ((one, {"count": "n"}), (other, {}))]
    assert np.array_equal(spaces[0].memberships, spaces[1].memberships)


def test_numbers_are_those_of_the_rows_written_out():
    truth, predicted, n = np.array([1.5, 2.5, 9.0, np.nan]), np.array([1.0, 2.0, 7.5, 1.0]), np.array([3, 4, 1, 0])
    one = adjudge.evaluate({"truth": truth, "predicted": predicted, "n": n}, count="n")
    rows = np.repeat(np.arange(4), n)
    other = adjudge.evaluate({"truth": truth[rows], "predicted": predicted[rows]})
    assert list(differences(one.to_dict()["estimates"], other.to_dict()["estimates"])) == []
    assert one.numbers.n == other.numbers.n == 8


def test_counts_that_are_kept_say_the_same(tmp_path):
    table = {"truth": np.array([1, 0, 1]), "predicted": np.array([1, 0, 0]), "n": np.array([20, 30, 10])}
    counts = adjudge.count(of(table))
    path = counts.save(tmp_path / "a.counts")
    again = adjudge.load_counts(path)
    assert again.tally.confusion == counts.tally.confusion
    assert again.rows == 60
    assert again.roles.count == "count"
    assert facts(again.found[0].message) == ["3", "60", "'count'"]
    assert (again + adjudge.count(written_out(table))).tally.confusion.n == 120


# -- files, frames and engines -------------------------------------------------------------------------------

CELLS = "truth,predicted,n\na,a,50\na,b,7\nb,a,3\nb,b,40\n"


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame", "arrow", "lazy", "duckdb"])
def test_every_kind_of_source(kind, tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text(CELLS)
    frame = pl.read_csv(path)
    if kind in ("parquet", "duckdb"):
        path = tmp_path / "cells.parquet"
        pq.write_table(frame.to_arrow(), path)
    source = {"frame": frame, "arrow": frame.to_arrow(), "lazy": frame.lazy()}.get(kind, path)
    told = adjudge.evaluate(source, count="n", **({"engine": "duckdb"} if kind == "duckdb" else {}))
    assert told.counts.cells.tolist() == [[50, 7], [3, 40]]


def test_a_count_is_found_where_no_two_rows_are_equal_otherwise(tmp_path):
    path = tmp_path / "cells.csv"
    path.write_text(CELLS)
    predictions = adjudge.read(path)
    assert predictions.roles.count == "n"
    assert predictions.roles.evidence["count"].endswith(" [count=]")
    assert adjudge.evaluate(path).origin.rows == 100
    assert adjudge.evaluate(path, count="").origin.rows == 4


def test_rounded_scores_leave_a_count_to_be_found():
    score = np.repeat(np.round(np.linspace(0.05, 0.95, 15), 2), 2)
    table = {"truth": np.tile([0, 1], 15), "score": score, "n": np.arange(1, 31)}
    assert adjudge.read(table).roles.count == "n"


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"truth": [0, 1, 1, 0], "predicted": [0, 1, 1, 0]}, "rows are equal otherwise, as single cases may be"),
        ({"truth": [0, 1, 0, 1], "score": [0.123456, 0.7, 0.2, 0.9]}, "scores of single cases, too, differ in every row"),
    ],
)
def test_a_column_that_may_say_something_else_is_left_out(more, why):
    roles = adjudge.read({**more, "n": [3, 1, 4, 1]}).roles
    assert roles.count is None
    assert why in roles.evidence["left out"]


@pytest.mark.parametrize("other", [{"id": [1, 2, 3, 4]}, {"weight": [1.5, 1.0, 1.0, 2.0]}])
def test_a_count_is_not_looked_for_beside_identities_or_weights(other):
    table = {"truth": list("aabb"), "predicted": list("abab"), "n": [3, 1, 4, 1]}
    assert adjudge.read({**table, **other}).roles.count is None
    assert adjudge.read({**table, **other}, count="n").roles.count == "n"


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "told"),
    [
        ([1, -2, 3], r"column 'count', row 2: the count -2 is no whole number from 0 to 2\^53\. Correct it"),
        ([1.0, 2.0, 2.5], r"row 3: the count 2\.5 is no whole number"),
        ([1.0, np.nan, 2.0], r"row 2: the count is missing\. Correct it; numbers that weigh cases go to weight=\."),
        ([1.0, np.inf, 2.0], r"row 2: the count inf is no whole number"),
        ([1, 2**53 + 2, 2], r"row 2: the count 9007199254740994 is no whole number from 0 to 2\^53"),
        (["1", "x", "2"], r"column 'count', row 2: the count 'x' is no whole number"),
        ([2**53, 1, 1], r"More than 2\^53 cases"),
        ([0, 0, 0], r"no rows left to evaluate of 3: column 'count' counts no case\."),
    ],
)
def test_counts_that_count_nothing_are_refused(n, told):
    predictions = Predictions(["a", "b", "a"], ["a", "b", "b"], count=np.array(n))
    with pytest.raises(InputError, match=told):
        tally(predictions)
    with pytest.raises(InputError, match=told):
        count_confusion(predictions)


@pytest.mark.parametrize("role", ["row", "weight"])
def test_a_count_beside_identities_or_weights_is_refused(role):
    with pytest.raises(InputError, match=rf"count= and {role}= do not"):
        Predictions(["a", "b"], ["a", "b"], count=[1, 2], **{role: [1, 2]})
    with pytest.raises(InputError, match=rf"count= and {role}= do not"):
        adjudge.read({"truth": ["a", "b"], "predicted": ["a", "b"], "n": [1, 2], "x": [1, 2]}, count="n", **{role: "x"})


def test_rows_that_stand_for_several_cases_cannot_be_paired():
    one = Predictions(["a", "b"], ["a", "b"], count=[5, 6])
    with pytest.raises(InputError, match=r"cannot be paired.*count_pairs"):
        adjudge.compare(one, one, by_position=True)
    with pytest.raises(InputError, match="cannot be paired"):
        adjudge.count_pairs(one, one, by_position=True)


def test_rows_of_different_cases_are_compared():
    one, other = (Predictions(list("aabb"), list("abab"), count=n) for n in ([50, 10, 10, 50], [30, 30, 30, 30]))
    assert adjudge.compare(one, other, paired=False).verdict == "better"


@pytest.mark.slow
def test_more_cases_than_can_be_taken_one_by_one_are_refused():
    many = {"truth": [0, 1], "p_0": [0.9, 0.2], "p_1": [0.1, 0.8], "n": [10**9, 10**9]}
    told = r"stand for more than 2,097,152 cases \(column 'n'\), too many to take one by one"
    with pytest.raises(InputError, match=told):
        adjudge.recommend(many, count="n")
    with pytest.raises(InputError, match=told):
        adjudge.partition(adjudge.read(many, count="n"))


def test_a_row_that_stands_for_no_case_is_as_good_as_absent():
    one = Predictions(["a", "c", None, "b"], ["a", "z", "a", "b"], count=[2, 0, 0, 3])
    assert tally(one).confusion.classes == ("a", "b")
