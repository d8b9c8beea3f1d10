"""Partitions counted where they lie give the tables of one pass over all rows: whole numbers are equal, sums to rounding."""

from __future__ import annotations

import json
import pickle
import re
from itertools import pairwise

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.counts.made import same_clusters
from tests.engines import ELSEWHERE, frame_of

import adjudge
from adjudge import InputError
from adjudge.counts.counting import count_confusion, tally
from adjudge.counts.numbers import count_numbers
from adjudge.counts.probabilities import SUMS
from adjudge.counts.scores import ScoreCounter, as_tables
from adjudge.predictions.engines import LazySource
from adjudge.predictions.frames import rows_in
from adjudge.predictions.model import watched

N = 900
LABELS = np.array(["ant", "bee", "cow"])


def again(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own


class Cluster(LazySource):
    """A frame cut into partitions, one of them without rows; jobs and answers travel as bytes, as they do between processes."""

    spread = True

    def over_partitions(self, columns, job, add, told=None):
        table = self.frame.select(*columns).collect().to_native()
        n = table.num_rows
        cuts = [0, 7, n // 3, n // 3, n]
        parts = [table.slice(start, stop - start) for start, stop in pairwise(cuts)]
        sent = again(job)  # once, to a worker that has all partitions
        first, *others = again([sent(part.to_batches(max_chunksize=100)) for part in parts])
        for answer in (first, *others) if told is not None else ():
            told(1, len(parts), rows_in(answer))
        return add([first, add(others)])


def spread(engine, columns, **roles):
    """Return predictions whose partitions are counted where they lie."""
    if engine != "here":
        return adjudge.read(frame_of(engine, pa.table(columns)), **roles)
    frame = Cluster("frame", nw.from_native(pa.table(columns)).lazy())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("adjudge.predictions.read.open_source", lambda *_: frame)
        return adjudge.read(columns, **roles)


@pytest.fixture(autouse=True, params=[5000, 3], ids=["every label at once", "labels that turn up later"])
def first_rows(request, monkeypatch):
    """No frame is too small to be counted where it lies; its first rows have every label, or the first of them."""
    monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 0)
    monkeypatch.setattr("adjudge.counts.distributed.EXACT", 0)
    monkeypatch.setattr("adjudge.counts.distributed.HEAD", request.param)
    return request.param


def made(rng, n=N, **other):
    p = rng.dirichlet([1, 1, 1], n)
    truth = np.array([rng.choice(3, p=row) for row in p])
    columns = {f"p_{label}": p[:, i] for i, label in enumerate(LABELS)}
    return {"truth": LABELS[truth], "predicted": LABELS[p.argmax(1)], **columns, **other}


def same_tallies(engine, columns, **roles):
    predictions = spread(engine, columns, **roles)
    found, expected = tally(predictions), tally(adjudge.read(pa.table(columns), **roles))
    assert found.confusion.classes == expected.confusion.classes
    np.testing.assert_array_equal(found.confusion.cells, expected.confusion.cells)
    assert found.confusion.cells.dtype == expected.confusion.cells.dtype
    same_clusters(found.confusion.clusters, expected.confusion.clusters)
    for name in ("rows", "scale", "positive", "gaps", "dropped", "families", "left_out", "unchecked_rows"):
        assert getattr(found, name) == getattr(expected, name), name
    assert found.weight_spread == expected.weight_spread
    for apart in ("by_fold", "by_group"):
        mine, theirs = getattr(found, apart), getattr(expected, apart)
        assert list(mine) == list(theirs)
        for label, counts in theirs.items():
            np.testing.assert_array_equal(mine[label].cells, counts.cells)
    assert (found.scores is None) == (expected.scores is None)
    if expected.scores is not None:
        tables = as_tables(expected.scores)
        assert found.scores.columns == tables.columns
        for mine, theirs in zip(found.scores.tables, tables.tables, strict=True):
            np.testing.assert_array_equal(mine.values, theirs.values)
            np.testing.assert_array_equal(mine.positives, theirs.positives)
            np.testing.assert_array_equal(mine.negatives, theirs.negatives)
            assert mine.bound == theirs.bound
        held = expected.scores
        for at in held.columns if len(held.columns) > 2 else ():
            others = [other for other in held.columns if other != at]
            assert found.scores.pair_areas(at, others) == held.pair_areas(at, others)
    assert (found.probabilities is None) == (expected.probabilities is None)
    for name in SUMS if expected.probabilities is not None else ():
        mine, theirs = (getattr(each.probabilities, name) for each in (found, expected))
        np.testing.assert_array_equal(mine, theirs, err_msg=name)
    return found


@pytest.mark.parametrize("engine", ["here", *ELSEWHERE])
class TestEveryEngine:
    def test_all_roles(self, engine):
        rng = np.random.default_rng(1)
        columns = made(rng, id=np.arange(N), fold=np.arange(N) % 4, site=LABELS[rng.integers(0, 3, N)], weight=rng.random(N))
        same_tallies(engine, columns, group="site", row="id", fold="fold", weight="weight")

    @pytest.mark.parametrize("clusters", [40, 50_000])
    def test_clusters(self, engine, clusters):
        rng, n = np.random.default_rng(7), N if clusters < N else 6000
        columns = made(rng, n, patient=[f"patient {i}" for i in rng.integers(0, clusters, n)], weight=rng.random(n))
        found = same_tallies(engine, columns, cluster="patient", weight="weight").confusion.clusters
        assert found.together == (clusters > N)  # more than 4,096 of them
        same_tallies(engine, columns, cluster="patient", weight="")

    def test_decisions_follow_from_scores_and_missing_rows_go(self, engine):
        columns = made(np.random.default_rng(2))
        del columns["predicted"]
        columns["p_bee"][3] = np.nan
        truth = columns["truth"].astype(object)
        truth[[5, 9]] = None
        same_tallies(engine, {**columns, "truth": truth}, missing="drop", missing_scores="drop")

    def test_whole_numbers_and_one_score(self, engine):
        rng = np.random.default_rng(3)
        score = np.round(rng.random(N), 3)
        truth = (rng.random(N) < score).astype(np.int64)
        assert same_tallies(engine, {"y": truth, "score": score}).positive == 1

    def test_a_label_that_few_partitions_have(self, engine):
        truth = np.where(np.arange(N) < 8, "ant", "bee")
        said = np.where(np.arange(N) == N - 1, "cow", truth)
        same_tallies(engine, {"truth": truth, "predicted": said})

    @pytest.mark.parametrize("roles", [{}, {"weight": "heft"}, {"count": "times", "missing": "drop"}], ids=str)
    def test_numbers_are_summed_where_they_lie(self, engine, roles, tmp_path, monkeypatch):
        rng = np.random.default_rng(8)
        truth = rng.normal(1e5, 3, N)
        columns = {"y": truth, "said": truth + rng.normal(0, 1, N), "heft": rng.random(N), "times": rng.integers(0, 4, N)}
        if "missing" in roles:
            columns["y"][20:400] = np.nan  # a partition has no case
        pq.write_table(pa.table(columns), tmp_path / "a.parquet")
        roles = {"truth": "y", "predicted": "said", **roles}
        expected, spread_out = count_numbers(adjudge.read(tmp_path / "a.parquet", **roles)), spread(engine, columns, **roles)
        monkeypatch.setattr(LazySource, "batches", None)  # nothing is fetched
        heard = []
        found = count_numbers(watched(spread_out, lambda rows, note="": heard.append((rows, note))))
        there = ~np.isnan(columns["y"])
        assert heard[-1][0] == np.count_nonzero(there & (columns["times"] > 0) if "count" in roles else there)
        assert found.to_dict() == expected.to_dict()
        assert found.sums.whole.tolist() == expected.sums.whole.tolist()

    def test_progress_is_told_in_rows_as_partitions_are_counted(self, engine, first_rows):
        heard = []
        columns = made(np.random.default_rng(8))
        columns["predicted"][:3] = columns["truth"][:3] = ["ant", "ant", "bee"]
        tally(watched(spread(engine, columns), lambda rows, note="": heard.append((rows, note))))
        begun = [at for at, each in enumerate(heard) if each == (0, "")]
        assert len(begun) == (1 if first_rows > N else 2)  # passes
        for start, stop in pairwise([*begun, len(heard)]):
            rows, notes = zip(*heard[start:stop], strict=True)
            assert list(rows) == sorted(rows)
            assert rows[-1] == N
            assert re.fullmatch(r"in (\d+ of )?\d+ partitions?", notes[-1])
            assert len(set(rows)) > (1 if engine in ("pyspark", "ray") else 3)  # these may add up where the rows are

    @pytest.mark.slow
    def test_the_same_verdict(self, engine):
        columns = made(np.random.default_rng(4), case=np.arange(N))
        found, expected = adjudge.evaluate(spread(engine, columns)), adjudge.evaluate(pa.table(columns))
        for name, estimate in expected.estimates.items():
            assert found.estimates[name].value == pytest.approx(estimate.value, rel=1e-12), name
        assert found.estimates["auc_hand_till"].value == expected.estimates["auc_hand_till"].value
        again = count_confusion(spread(engine, columns))
        np.testing.assert_array_equal(again.cells, expected.counts.cells)

    @pytest.mark.slow
    @pytest.mark.parametrize("weighted", [False, True])
    def test_the_same_json_but_for_intervals_of_the_auc(self, engine, weighted):
        """Single cases alone tell how the AUCs of classes go together, and an interval's last digit."""
        rng = np.random.default_rng(14)
        columns = made(rng, case=np.arange(N)) | ({"weight": rng.random(N)} if weighted else {})
        roles = {"weight": "weight"} if weighted else {}
        sources = (spread(engine, columns, **roles), adjudge.read(pa.table(columns), **roles))
        found, expected = (adjudge.evaluate(each).to_dict() for each in sources)
        for told in (found, expected):
            for estimate in (told["estimates"]["auc"], *(each["auc"] for each in told["by_class"])):
                assert estimate.pop("interval")["low"] < estimate["value"]
        assert found["estimates"]["auc_hand_till"]["value"] > 0.5
        assert json.dumps(found) == json.dumps(expected)

    def test_exact_areas_are_read_from_the_stream(self, engine, monkeypatch):
        monkeypatch.setattr("adjudge.counts.scores.DISTINCT", 20)
        monkeypatch.setattr("adjudge.counts.scores.BITS", 16)
        columns = made(np.random.default_rng(5))
        if engine == "here":
            assert tally(spread(engine, columns)).scores.bound(0) > 0
        found, expected = tally(spread(engine, columns), exact=True), tally(adjudge.read(pa.table(columns)))
        assert [found.scores.area(i) for i in range(3)] == [expected.scores.area(i) for i in range(3)]


class TestHere:
    @pytest.mark.parametrize(("change", "roles", "why"), [
        ({"said": np.where(np.arange(N) == 500, np.inf, 1.5)}, {}, r"In a partition of frame: column 'said', row 201: inf is not"),
        ({"y": np.where(np.arange(N) % 2, 1.5, np.nan), "said": np.where(np.arange(N) % 2, np.nan, 2.5)}, {"missing": "drop"},
         "no rows left to evaluate"),
        ({"heft": np.zeros(N)}, {"weight": "heft"}, "All weights are 0"),
        ({"times": np.full(N, 2**44)}, {"count": "times"}, r"more than 2\^53|2\^53"),
    ])  # fmt: skip
    def test_numbers_that_are_refused(self, change, roles, why):
        truth = np.random.default_rng(9).normal(size=N)
        predictions = spread("here", {"y": truth, "said": truth + 0.5} | change, truth="y", predicted="said", **roles)
        with pytest.raises(InputError, match=why):
            count_numbers(predictions)

    def test_a_part_of_the_rows(self):
        columns = made(np.random.default_rng(6), set=np.array(["train", "test", "test"])[np.arange(N) % 3])
        found = tally(spread("here", columns))
        expected = tally(adjudge.read(pa.table(columns)))
        assert found.rows == expected.rows == N // 3 * 2
        np.testing.assert_array_equal(found.confusion.cells, expected.confusion.cells)

    def test_whoever_watches_hears_of_rows_and_partitions(self):
        columns = made(np.random.default_rng(6), set=np.array(["train", "test", "test"])[np.arange(N) % 3])
        heard = []
        found = tally(watched(spread("here", columns), lambda rows, note="": heard.append((rows, note))))
        assert found.rows == N // 3 * 2
        rows = np.cumsum(
            [np.count_nonzero(columns["set"][start:stop] == "test") for start, stop in pairwise([0, 7, 300, 300, N])]
        )
        told = [(n, f"in {at} of 4 partitions") for at, n in enumerate(rows.tolist(), start=1)]
        assert heard == [(0, ""), *told] * 2  # labels first, since the first rows may be of another part

    def test_one_pass_where_the_first_rows_have_every_label_and_never_more_than_two(self, monkeypatch, first_rows):
        asked, over = [], Cluster.over_partitions
        monkeypatch.setattr(
            Cluster, "over_partitions", lambda self, columns, *job: asked.append(columns) or over(self, columns, *job)
        )
        columns = made(np.random.default_rng(6), weight=np.ones(N))
        columns["predicted"][:3] = columns["truth"][:3] = ["ant", "ant", "bee"]
        tally(spread("here", columns, weight="weight"))
        assert asked == [["truth", "predicted", "p_ant", "p_bee", "p_cow", "weight"]] * (1 if first_rows > N else 2)

    def test_of_a_part_of_the_rows_the_labels_are_read_first(self, monkeypatch):
        asked, over = [], Cluster.over_partitions
        monkeypatch.setattr(
            Cluster, "over_partitions", lambda self, columns, *job: asked.append(columns) or over(self, columns, *job)
        )
        columns = made(np.random.default_rng(6), set=np.array(["train", "test", "test"])[np.arange(N) % 3])
        tally(spread("here", columns))
        assert asked == [["truth", "predicted", "set"], ["truth", "predicted", "p_ant", "p_bee", "p_cow", "set"]]

    @given(data=st.data())
    @settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_any_labels_in_any_place(self, data):
        """Numbers and texts, folds and groups that turn up in any partition: the tables are those of one pass."""
        kind = data.draw(st.sampled_from([["a", "b", "c", "d"], [0, 1, 2, 10], ["0", "1", "x", "10"], [True, False]]))
        rng = np.random.default_rng(data.draw(st.integers(0, 10_000)))
        late = rng.permutation(len(kind))
        where = np.sort(rng.integers(0, N, len(kind) - 2)) if len(kind) > 2 else np.empty(0, dtype=int)
        met = 2 + np.searchsorted(where, np.arange(N), side="right")  # so many labels are known up to each row
        truth, said = (np.array(kind)[late[(rng.random(N) * met).astype(int)]] for _ in range(2))
        said[0] = truth[0]
        fold, site = (np.minimum(rng.integers(0, 4, N), np.arange(N) // step) for step in (5, 300))
        same_tallies("here", {"truth": truth, "predicted": said, "fold": fold, "site": site}, fold="fold", group="site")

    def test_partitions_of_many_rows_are_not_gathered(self, monkeypatch):
        monkeypatch.setattr("adjudge.counts.counting.GATHERED", 60)
        largest, add = [], ScoreCounter.add
        monkeypatch.setattr(ScoreCounter, "add", lambda self, rows: (add(self, rows), largest.append(self._held))[0])
        monkeypatch.setattr("adjudge.counts.distributed.rows_of", lambda *_: 50)
        columns = made(np.random.default_rng(6))
        found = tally(spread("here", columns))
        assert max(largest) <= 60
        expected = tally(adjudge.read(pa.table(columns)))
        assert [found.scores.area(i) for i in range(3)] == [expected.scores.area(i) for i in range(3)]

    def test_one_score_of_one_class(self):
        found = same_tallies("here", {"truth": ["yes"] * N, "score": np.linspace(0, 1, N)}, positive="yes", scores="score")
        assert found.confusion.classes == ("not yes", "yes")

    def test_rejections_and_missing_labels(self):
        rng = np.random.default_rng(7)
        truth, said = (LABELS[rng.integers(0, 3, N)].astype(object) for _ in range(2))
        truth[:7], said[10:40] = None, "none"
        same_tallies("here", {"truth": truth, "predicted": said}, missing="class", rejected="none")

    def test_cases_without_weight(self):
        columns = made(np.random.default_rng(8), weight=np.where(np.arange(N) < 10, 0.0, 2.0))
        same_tallies("here", columns, weight="weight")
        with pytest.raises(InputError, match="All weights are 0"):
            tally(spread("here", {**columns, "weight": np.zeros(N)}, weight="weight"))

    def test_rows_that_stand_for_several_cases(self):
        rng = np.random.default_rng(10)
        n = rng.integers(0, 9, N)
        n[:7] = 0  # the whole first partition
        columns = {**made(rng, fold=np.arange(N) % 4), "n": n}
        columns["truth"] = np.where((n == 0) & (np.arange(N) % 2 == 0), "dog", columns["truth"])  # of which there is no case
        found = same_tallies("here", columns, count="n")
        assert found.confusion.classes == ("ant", "bee", "cow")
        assert found.rows == n.sum()
        assert found.put_together == np.count_nonzero(n)
        assert found.scores.drawn.sizes.sum() == n.sum()
        labels = {name: columns[name] for name in ("truth", "predicted")}
        with pytest.raises(InputError, match="no rows left to evaluate"):
            tally(spread("here", {**labels, "n": np.zeros(N, dtype=int)}, count="n"))

    @pytest.mark.parametrize(
        ("change", "roles", "said"),
        [
            ({"p_ant": lambda v: np.where(v > 0.9, np.nan, v)}, {"scores": "p_*"}, "missing value.*missing_scores="),
            ({"p_ant": lambda v: v + 2}, {"scores": "p_*", "scores_are": "probabilities"}, "In a partition of frame: .*above 1"),
            ({"truth": lambda v: np.where(v == "cow", None, v)}, {}, r"column 'truth' has \d+ missing values; pass missing="),
            ({"id": lambda v: v // 2}, {"row": "id"}, "names cases more than once: 450 rows"),
            ({}, {"classes": ("ant", "bee")}, "not among the classes 'ant', 'bee'"),
            ({"truth": lambda v: np.where(v == "cow", None, None)}, {}, "no rows|missing"),
        ],
    )
    def test_what_is_wrong(self, change, roles, said):
        columns = made(np.random.default_rng(9), id=np.arange(N))
        columns |= {name: how(columns[name]) for name, how in change.items()}
        if "scores" not in roles:
            columns = {name: values for name, values in columns.items() if not name.startswith("p_")}
        with pytest.raises(InputError, match=said):
            tally(spread("here", columns, **{"truth": "truth", "predicted": "predicted", **roles}))


class TestHeld:
    """What needs all cases at once is refused before a row is fetched, where it would be too much."""

    @pytest.fixture
    def fetched(self, monkeypatch):
        monkeypatch.setattr("adjudge.predictions.model.MOST_HELD", 6 * N - 1)
        monkeypatch.setattr(Cluster, "spread", property(lambda _: True))
        asked, batches = [], Cluster.batches
        monkeypatch.setattr(Cluster, "batches", lambda self, *columns: asked.append(columns) or batches(self, *columns))
        return asked

    @pytest.mark.parametrize(
        "verb",
        [
            lambda a: adjudge.compare(a, a, measure="auc"),
            lambda a: adjudge.compare(a, a, measure="log_loss"),
            adjudge.partition,
            adjudge.recommend,
            lambda a: adjudge.compare_partitions([a, a], resamples=10),
        ],
    )
    def test_refused(self, fetched, verb):
        with pytest.raises(InputError, match=rf"6 values .*{N} rows .*899 rows"):
            verb(spread("here", made(np.random.default_rng(1), case=np.arange(N)), row="case"))
        assert not fetched

    def test_duplicates(self, fetched):
        given = spread("here", made(np.random.default_rng(1), case=np.arange(N) // 2), row="case", duplicates="first")
        with pytest.raises(InputError, match=r"6 values .*900 rows"):
            adjudge.evaluate(given)
        assert not fetched

    def test_decisions_are_fewer_values(self, fetched):
        given = spread("here", made(np.random.default_rng(1), case=np.arange(N)), row="case")
        assert adjudge.count_pairs(given, given).to_dict()
        assert fetched

    @pytest.mark.usefixtures("fetched")
    def test_vectors_count_as_wide_as_they_are(self):
        p = np.random.default_rng(2).dirichlet([1] * 5, N).tolist()
        with pytest.raises(InputError, match=r"6 values .*900 rows"):
            adjudge.partition(spread("here", {"truth": np.arange(N) % 5, "p": p}, scores="p"))

    def test_rows_that_are_here_are_never_refused(self, monkeypatch):
        monkeypatch.setattr("adjudge.predictions.model.MOST_HELD", 1)
        assert adjudge.partition(adjudge.read(nw.from_native(pa.table(made(np.random.default_rng(1)))).lazy()))
