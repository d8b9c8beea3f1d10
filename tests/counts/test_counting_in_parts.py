"""Large files counted in parts: by any number of processes the same digits, and the answer of one pass."""

from __future__ import annotations

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score
from tests.counts.made import same_clusters

import adjudge
from adjudge import InputError
from adjudge.counts import counting, workers
from adjudge.counts.counting import count_confusion, tally
from adjudge.counts.probabilities import SUMS
from adjudge.metrics.on_scores import hand_till, hand_till_bound
from adjudge.predictions import duplicates, file_sources, parquet_source
from adjudge.predictions.model import watched
from adjudge.predictions.sources import hash_while_read, in_parts


@pytest.fixture
def small(monkeypatch):
    """Take files of a few thousand rows for large ones."""
    for module, part in ((file_sources, 1 << 13), (parquet_source, 300)):
        monkeypatch.setattr(module, "PART", part)
        monkeypatch.setattr(module, "LARGE", 1)
    monkeypatch.setattr(counting, "EXACT", 100)


@pytest.fixture
def asked(monkeypatch):
    """Return the numbers of workers that were asked for."""
    seen = []
    done = workers.done
    monkeypatch.setattr(
        counting, "done", lambda job, parts, n, *a, **how: seen.append((len(parts), n)) or done(job, parts, n, *a, **how)
    )
    return seen


def cases(n=3000, seed=0, **columns):
    rng = np.random.default_rng(seed)
    truth = rng.choice(["no", "yes"], n, p=[0.7, 0.3])
    score = np.round(1 / (1 + np.exp(-rng.normal(np.where(truth == "yes", 1, -1), 1.5))), 3)
    return pa.table({"truth": truth, "p_no": 1 - score, "p_yes": score} | columns)


def written(path, table, groups=250):
    if path.suffix == ".parquet":
        pq.write_table(table, path, row_group_size=groups)
    else:
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(quoting_style="needed"))
    return path


def in_one_pass(path, monkeypatch, **roles):
    with monkeypatch.context() as one:
        for module in (file_sources, parquet_source):
            one.setattr(module, "LARGE", 1 << 62)
        one.setattr(counting.ScoreCounter, "__init__", _folding(counting.ScoreCounter.__init__))
        return tally(adjudge.read(path, **roles), ranking=True)


def _folding(made):
    def init(self, limit=None, *args, **kwargs):
        made(self, 100, *args, **kwargs)

    return init


def same(a, b, *, drawn=True):
    """Hold two tallies together, field by field and bit by bit."""
    assert a.confusion == b.confusion
    same_clusters(a.confusion.clusters, b.confusion.clusters)
    for name in (
        "rows",
        "scale",
        "positive",
        "families",
        "gaps",
        "dropped",
        "weight_spread",
        "left_out",
        "put_together",
        "replaced",
    ):
        assert getattr(a, name) == getattr(b, name), name
    for parts in ("by_fold", "by_group"):
        assert list(getattr(a, parts).items()) == list(getattr(b, parts).items())
    assert (a.scores is None) == (b.scores is None)
    if a.scores is not None:
        assert a.scores.columns == b.scores.columns
        for one, two in zip(a.scores.tables, b.scores.tables, strict=True):
            assert one.bits == two.bits
            for left, right in zip(one.columns, two.columns, strict=True):
                np.testing.assert_array_equal(left, right)
            assert (one.by_class is None) == (two.by_class is None) == (len(a.scores.columns) <= 2)
            if one.by_class is not None:
                for name in ("bits", "keys", "counts", "rests"):
                    np.testing.assert_array_equal(getattr(one.by_class, name), getattr(two.by_class, name))
        if drawn and a.scores.drawn is not None:
            for name in ("rows", "scores", "truth", "sizes", "group", "decided"):
                np.testing.assert_array_equal(getattr(a.scores.drawn, name), getattr(b.scores.drawn, name))
    if a.probabilities is not None:
        assert a.probabilities.bits == b.probabilities.bits
        for name in SUMS:
            np.testing.assert_array_equal(getattr(a.probabilities, name), getattr(b.probabilities, name))


@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
@pytest.mark.usefixtures("small")
def test_parts_give_what_one_pass_gives(name, tmp_path, monkeypatch, asked):
    rng = np.random.default_rng(1)
    columns = {"fold": rng.integers(0, 4, 3000), "hospital": rng.choice(["b", "a", "c"], 3000)}
    path = written(tmp_path / name, cases(**columns, patient=rng.integers(0, 300, 3000)))
    roles = {"fold": "fold", "group": "hospital", "cluster": "patient"}
    found = tally(adjudge.read(path, n_jobs=1, **roles), ranking=True)
    assert asked[0][0] > 3
    same(found, in_one_pass(path, monkeypatch, **roles), drawn=False)
    assert found.scores.drawn.kept.tolist() == [np.count_nonzero(cases()["truth"].to_numpy() == each) for each in ("no", "yes")]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
@pytest.mark.usefixtures("small")
def test_any_number_of_processes_gives_the_same_digits(name, tmp_path, asked):
    rng = np.random.default_rng(2)
    more = {"weight": rng.random(6000), "group": rng.choice(["b", "a", "c"], 6000), "patient": rng.integers(0, 300, 6000)}
    path = written(tmp_path / name, cases(6000, **more))
    how = {"weight": "weight", "group": "group", "cluster": "patient"}
    found = [tally(adjudge.read(path, n_jobs=n, **how), ranking=True) for n in (1, 3)]
    assert [n for _, n in asked] == [1, 3]
    for each in found[1:]:
        same(found[0], each)


@pytest.mark.usefixtures("small")
def test_more_cases_than_are_kept_are_drawn_alike_whoever_counts_them(tmp_path, monkeypatch):
    path = written(tmp_path / "x.parquet", cases(12_000), groups=400)
    read = adjudge.read(path, n_jobs=1)
    parts = in_parts(read.source)
    whole = tally(read, ranking=True).scores.drawn
    assert whole.truth.size <= 4000 < whole.sizes.sum()
    same(tally(read, ranking=True), in_one_pass(path, monkeypatch))  # row groups tell how many rows there are before them
    for order in (range(len(parts)), range(len(parts) - 1, -1, -1)):  # two workers, of whom one has the odd ones
        encoder = counting.Encoder(read, ranking=True)
        counters = counting._Counters(encoder, parts=True)
        answers, rests = {}, []
        for worker in (0, 1):
            job = counting._PartJob(
                counting._Counters(counting.Encoder(read, ranking=True), parts=True), scores=True, threads=False, remembered=0
            )
            mine = sorted(number for at, number in enumerate(order) if at % 2 == worker)
            answers |= {number: (worker, job.part(number, parts[number])) for number in mine}
            rests.append(job.rest())
        counters.include([answers[number] for number in range(len(parts))], rests)
        counters.encoder.check()
        same(tally(read, ranking=True), counters.tally())


@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
@pytest.mark.usefixtures("small")
def test_labels_of_one_part_alone_get_their_place(name, tmp_path, monkeypatch, asked):
    truth = np.array(["b", "c"] * 1500, dtype=object)
    truth[2500:2510] = "a"  # first seen in one of the last parts
    said = truth.copy()
    said[::7] = "b"
    path = written(tmp_path / name, pa.table({"truth": truth, "predicted": said}))
    found = tally(adjudge.read(path, n_jobs=1), ranking=True)
    assert asked
    assert found.confusion.classes == ("a", "b", "c")
    same(found, in_one_pass(path, monkeypatch))
    assert count_confusion(adjudge.read(path, n_jobs=1)) == found.confusion


@pytest.mark.usefixtures("small")
def test_numbers_and_names_mixed_in_different_parts_are_text(tmp_path, monkeypatch, asked):
    truth = np.array(["1.0", "2"] * 2000, dtype=object)
    truth[3900:] = "new"
    path = written(tmp_path / "x.csv", pa.table({"truth": truth, "predicted": truth}))
    found = tally(adjudge.read(path, n_jobs=1), ranking=True)
    assert asked
    assert found.confusion.classes == ("1.0", "2", "new")
    same(found, in_one_pass(path, monkeypatch))


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_any_labels_and_any_cuts(tmp_path_factory, data):
    labels = data.draw(st.lists(st.sampled_from(["1", "01", "x", "X", "yes", "-3", "a,b", 'say "so"', " "]), min_size=2))
    n = data.draw(st.integers(300, 900))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    which = np.minimum(rng.integers(0, len(labels), n), np.arange(n) * len(labels) // n)
    truth = np.array(labels, dtype=object)[which]
    said = np.where(rng.random(n) < 0.7, truth, truth[::-1])
    path = written(tmp_path_factory.mktemp("any") / "x.csv", pa.table({"truth": truth, "predicted": said}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_sources, "PART", data.draw(st.sampled_from([200, 333, 1000])))
        patch.setattr(file_sources, "LARGE", 1)
        found, one = [], []
        for answers, large in ((found, 1), (one, 1 << 62)):
            patch.setattr(file_sources, "LARGE", large)
            try:
                answers.append(tally(adjudge.read(path, truth="truth", predicted="predicted", n_jobs=1), ranking=True))
            except InputError as error:
                answers.append(str(error))
    if isinstance(one[0], str):
        assert found == one
    else:
        same(found[0], one[0])


def test_records_of_several_lines_are_read_in_one_piece(tmp_path, small, asked):
    note = np.array(['plain "quoted", and more', "two\nlines"], dtype=object)[(np.arange(3000) % 50 == 49).astype(int)]
    path = written(tmp_path / "x.csv", cases(3000, note=note))
    found = tally(adjudge.read(path, n_jobs=1), ranking=True)
    assert found.rows == 3000
    quoted = written(tmp_path / "q.csv", cases(3000, note=np.array(['plain "quoted", and more'] * 3000)))
    same(found, tally(adjudge.read(quoted, n_jobs=1), ranking=True), drawn=False)
    assert len(asked) == 2


@pytest.mark.parametrize(("column", "row", "value", "reading"), [
    ("truth", 2711, "", {}),
    ("p_yes", 2888, "7", {}),
    ("p_no", 2999, "", {}),
    ("truth", 1500, "maybe", {"classes": ["no", "yes"]}),
])  # fmt: skip
@pytest.mark.usefixtures("small")
def test_what_is_wrong_in_a_part_is_told_as_of_the_file(column, row, value, reading, tmp_path, monkeypatch):
    table = cases(3000)
    texts = {name: np.array([str(each) for each in table[name].to_pylist()], dtype=object) for name in table.column_names}
    texts[column][row] = value
    path = written(tmp_path / "x.csv", pa.table(texts))
    told = []
    for large in (1, 1 << 62):
        monkeypatch.setattr(file_sources, "LARGE", large)
        with pytest.raises(InputError) as error:
            tally(adjudge.read(path, n_jobs=1, truth="truth", scores="p_*", **reading), ranking=True)
        told.append(str(error.value))
    assert told[0] == told[1]


@pytest.mark.usefixtures("small")
def test_rows_that_are_dropped_and_a_part_of_none_but_those(tmp_path, monkeypatch, asked):
    table = cases(3000)
    truth = table["truth"].to_pylist()
    truth[500:1100] = [None] * 600
    path = written(tmp_path / "x.parquet", table.set_column(0, "truth", pa.array(truth)))
    found = tally(adjudge.read(path, n_jobs=1, missing="drop"), ranking=True)
    assert (found.dropped, found.gaps, found.rows) == (600, {"truth": 600}, 2400)
    assert asked
    same(found, in_one_pass(path, monkeypatch, missing="drop"), drawn=False)


@pytest.mark.usefixtures("small")
def test_files_of_a_folder_are_parts_zipped_ones_whole(tmp_path, monkeypatch, asked):
    for year in (2024, 2025):
        for half in "ab":
            file = tmp_path / f"all/year={year}/{half}.csv.gz"
            file.parent.mkdir(parents=True, exist_ok=True)
            plain = written(tmp_path / "plain.csv", cases(1500, seed=year))
            file.write_bytes(gzip.compress(plain.read_bytes()))
    found = tally(adjudge.read(tmp_path / "all", n_jobs=1, group="year"), ranking=True)
    assert asked[0][0] == 4
    assert list(found.by_group) == [2024, 2025]
    same(found, in_one_pass(tmp_path / "all", monkeypatch, group="year"), drawn=False)


@pytest.mark.usefixtures("small")
def test_a_second_file_with_other_types_is_read_as_the_first(tmp_path, monkeypatch):
    table = cases(3000)
    (tmp_path / "all").mkdir()
    for name, kind in (("a", pa.float64()), ("b", pa.float32())):
        own = table.set_column(2, "p_yes", table["p_yes"].cast(kind))
        written(tmp_path / "all" / f"{name}.parquet", own)
    found = tally(adjudge.read(tmp_path / "all", n_jobs=1), ranking=True)
    same(found, in_one_pass(tmp_path / "all", monkeypatch), drawn=False)


@pytest.mark.usefixtures("small")
def test_test_rows_beside_training_rows(tmp_path, monkeypatch, asked):
    path = written(tmp_path / "x.parquet", cases(3000, split=np.where(np.arange(3000) < 1700, "train", "test")))
    found = tally(adjudge.read(path, n_jobs=1), ranking=True)
    assert found.rows == 1300
    assert asked
    same(found, in_one_pass(path, monkeypatch), drawn=False)


@pytest.mark.usefixtures("small")
def test_the_fingerprint_and_the_rows_told_are_those_of_the_file(tmp_path):
    import hashlib

    path, told = written(tmp_path / "x.csv", cases(3000)), []
    predictions = adjudge.read(path, n_jobs=1)
    hash_while_read(predictions.source)
    tally(watched(predictions, told.append), ranking=True)
    assert (told[0], told[-1]) == (0, 3000)
    assert told == sorted(told)
    assert len(set(told)) > 4
    assert predictions.source.hashed._beside is not None
    assert predictions.source.fingerprint() == hashlib.sha256(path.read_bytes()).hexdigest()


def test_small_files_and_one_worker_start_no_process(tmp_path, monkeypatch, asked):
    monkeypatch.setattr(workers, "_started", lambda: pytest.fail("started a process"))
    path = written(tmp_path / "x.csv", cases(3000))
    tally(adjudge.read(path, n_jobs=2), ranking=True)
    assert not asked
    for module, part in ((file_sources, 1 << 13), (parquet_source, 300)):
        monkeypatch.setattr(module, "PART", part)
        monkeypatch.setattr(module, "LARGE", 1)
    monkeypatch.setattr(counting, "EXACT", 100)
    tally(adjudge.read(path, n_jobs=1), ranking=True)
    assert asked[0][1] == 1


@pytest.mark.usefixtures("small")
def test_the_exact_area_is_counted_in_one_piece(tmp_path, asked):
    path = written(tmp_path / "x.parquet", cases(3000))
    tally(adjudge.read(path), ranking=True, exact=True)
    assert not asked


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True])
def test_a_number_of_processes_is_a_whole_number(n_jobs):
    with pytest.raises(InputError, match=r"^n_jobs .*whole number") as error:
        adjudge.read({"truth": [0, 1], "predicted": [0, 1]}, n_jobs=n_jobs)
    assert error.value.parameter == "n_jobs"


class TestIdentities:
    """A column that names cases: parts are counted apart, and what comes back in another part is found."""

    def told(self, path, **how):
        with pytest.raises(InputError) as error:
            tally(adjudge.read(path, row="id", **how), ranking=True)
        return str(error.value)

    @pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
    @pytest.mark.parametrize("ids", [np.arange(3000), np.array([f"case {i}" for i in range(3000)])], ids=["numbers", "texts"])
    @pytest.mark.usefixtures("small")
    def test_files_with_a_row_identity_are_counted_in_parts(self, name, ids, tmp_path, monkeypatch, asked):
        path = written(tmp_path / name, cases(id=ids))
        whole = tally(adjudge.read(path, row="id", n_jobs=1), ranking=True)
        assert asked[0][0] > 3
        assert not whole.unchecked_rows
        same(whole, in_one_pass(path, monkeypatch, row="id"), drawn=False)

    @pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
    @pytest.mark.parametrize("twin", [2, 2999])
    @pytest.mark.usefixtures("small")
    def test_a_case_that_comes_back_is_refused_with_its_row(self, name, twin, tmp_path):
        ids = np.arange(3000)
        ids[twin] = 0
        assert f"(rows {twin + 1:,})" in self.told(written(tmp_path / name, cases(id=ids)), n_jobs=1)

    @pytest.mark.slow
    @pytest.mark.usefixtures("small")
    def test_processes_agree_on_who_comes_back(self, tmp_path, asked):
        ids = np.array([f"case {i}" for i in range(3000)])
        ids[[7, 2500]] = "x"
        path = written(tmp_path / "x.csv", cases(id=ids))
        assert "(rows 2,501)" in self.told(path, n_jobs=2)
        assert asked[0][1] == 2

    @pytest.mark.usefixtures("small")
    def test_a_case_may_come_back_in_another_fold_only(self, tmp_path, asked):
        """Folds turn up late, so that workers give them other numbers than all rows do."""
        ids, fold = np.tile(np.arange(1500), 2), np.repeat(["b", "a"], 1500)
        path = written(tmp_path / "x.parquet", cases(id=ids, fold=fold))
        assert tally(adjudge.read(path, row="id", fold="fold", n_jobs=1), ranking=True).rows == 3000
        assert asked[0][0] > 3
        fold[2999] = "b"
        again = written(tmp_path / "y.parquet", cases(id=ids, fold=fold))
        assert "(rows 3,000)" in self.told(again, fold="fold", n_jobs=1)

    @pytest.mark.slow
    @pytest.mark.usefixtures("small")
    def test_folds_have_their_numbers_in_all_parts(self, tmp_path):
        ids, fold = np.tile(np.arange(1500), 2), np.repeat(["b", "a"], 1500)
        path = written(tmp_path / "x.parquet", cases(id=ids, fold=fold))
        assert tally(adjudge.read(path, row="id", fold="fold", n_jobs=3), ranking=True).rows == 3000

    @pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
    @pytest.mark.usefixtures("small")
    def test_of_more_rows_than_are_remembered_the_first_are_checked(self, name, tmp_path, monkeypatch):
        for module in (counting, duplicates):
            monkeypatch.setattr(module, "CHECKED", 1000)
        ids = np.arange(3000)
        ids[2999] = 0
        assert tally(adjudge.read(written(tmp_path / name, cases(id=ids)), row="id", n_jobs=1), ranking=True).unchecked_rows
        ids[300] = 0
        assert "(rows 301" in self.told(written(tmp_path / name, cases(id=ids)), n_jobs=1)


@pytest.mark.parametrize("distinct", [1 << 21, 300])
@pytest.mark.usefixtures("small")
def test_pairs_of_classes_are_counted_in_parts(distinct, tmp_path, monkeypatch, asked):
    """Oracle: scikit-learn, which holds all scores."""
    monkeypatch.setattr("adjudge.counts.scores.DISTINCT", distinct)
    rng = np.random.default_rng(9)
    p = rng.dirichlet(np.ones(3), 3000)
    truth = (p.cumsum(axis=1) > rng.random((3000, 1))).argmax(axis=1)
    table = pa.table({"truth": np.array(["a", "b", "c"])[truth]} | {f"p_{label}": p[:, i] for i, label in enumerate("abc")})
    path = written(tmp_path / "x.parquet", table)
    found = tally(adjudge.read(path, n_jobs=1), ranking=True)
    assert asked[0][0] > 3
    same(found, in_one_pass(path, monkeypatch), drawn=False)
    own = roc_auc_score(truth, p, multi_class="ovo", average="macro")
    assert found.scores.pairs_binned == (distinct == 300)
    assert abs(hand_till(found) - own) <= hand_till_bound(found) + 1e-15


@pytest.mark.usefixtures("small")
def test_parts_count_the_decisions_that_a_threshold_changes(tmp_path, monkeypatch, asked):
    table = cases()
    decided = np.random.default_rng(5).choice(["no", "yes"], 3000)
    path = written(tmp_path / "x.parquet", table.append_column("predicted", pa.array(decided)))
    roles = {"threshold": 0.3, "positive": "yes"}
    found = tally(adjudge.read(path, n_jobs=1, **roles), ranking=True)
    assert asked
    assert found.replaced == np.count_nonzero((decided == "yes") != (np.asarray(table["p_yes"]) >= 0.3))
    same(found, in_one_pass(path, monkeypatch, **roles))


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_suspected_columns_and_runs_of_equal_rows_are_those_of_one_pass(tmp_path, small, asked, monkeypatch, ending):
    rng = np.random.default_rng(8)
    at = np.repeat(np.arange(2000), 3)
    truth, score = rng.integers(0, 2, 2000)[at], rng.random(2000)[at]
    rows = pa.table({"truth": truth, "p": score, "account_id": rng.integers(0, 5000, at.size), "text_id": (at % 77).astype(str)})
    path = written(tmp_path / f"a{ending}", rows)
    seen = tally(adjudge.read(path, n_jobs=2), suspecting=True).suspected
    assert asked
    assert asked[0][0] > 3
    for module in (file_sources, parquet_source):
        monkeypatch.setattr(module, "LARGE", 1 << 62)
    whole = tally(adjudge.read(path), suspecting=True).suspected
    assert sorted(map(str, (each.column for each in seen))) == ["None", "account_id", "text_id"]
    for column in ("account_id", "text_id"):
        one, other = (next(each for each in every if each.column == column) for every in (seen, whole))
        assert one.keys.tolist() == other.keys.tolist()
        assert one.cases.tolist() == other.cases.tolist()
        assert one.correct.tolist() == other.correct.tolist()
    runs = next(each for each in seen if each.column is None)
    assert 0 < runs.cases.sum() < at.size  # runs are looked for in the first part
