"""Rows of every engine are read as those of a file are: the same numbers to the last digit."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sklearn.metrics import brier_score_loss, confusion_matrix, log_loss, roc_auc_score
from tests.engines import ENGINES, HERE, frame_of
from tests.sparing import some

import adjudge
from adjudge import InputError
from adjudge.cli import main
from adjudge.counts.counting import count_confusion, tally
from adjudge.predictions import engines, frames
from adjudge.predictions.duplicates import answers_per_case
from adjudge.predictions.engines import LazySource
from adjudge.predictions.sources import ColumnsSource

N = 600
LABELS = np.array(["ant", "bee", "cow"])


def made(rng, n=N, **other):
    p = rng.dirichlet([1, 1, 1], n)
    truth = np.array([rng.choice(3, p=row) for row in p])
    columns = {f"p_{label}": p[:, i] for i, label in enumerate(LABELS)}
    return {"truth": LABELS[truth], "predicted": LABELS[p.argmax(1)], **columns, **other}


def same(engine, columns, **roles):
    """Check that the rows in an engine are judged as those at hand are, to the last digit."""
    table = pa.table(columns)
    lazy = adjudge.read(frame_of(engine, table), **roles)
    assert not isinstance(lazy.source, ColumnsSource)
    found, expected = (adjudge.evaluate(each).to_dict() for each in (lazy, adjudge.read(table, **roles)))
    assert json.dumps(found) == json.dumps(expected)
    return found


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    score = np.round(1 / (1 + np.exp(-rng.normal(truth * 2 - 1, 1.5))), 4)
    return pa.table({"truth": truth, "score": score, "site": np.array(["n", "s"])[rng.integers(0, 2, 400)]})


@pytest.fixture
def places(table, tmp_path):
    """The same rows as one file, as a folder, and as text."""
    pq.write_table(table, tmp_path / "one.parquet")
    (tmp_path / "parts").mkdir()
    for i in range(4):
        pq.write_table(table.slice(100 * i, 100), tmp_path / "parts" / f"{i}.parquet")
    pc.write_csv(table, tmp_path / "one.csv")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("place", ["one.parquet", "parts", "parts/*.parquet", "parts/[0-3].parquet"])
def test_the_same_verdict(engine, place, places, table):
    found = adjudge.evaluate(places / place, engine=engine, group="site")
    expected = adjudge.evaluate(table, group="site")
    assert found.counts.cells.tolist() == expected.counts.cells.tolist()
    for name, estimate in expected.estimates.items():
        assert found.estimates[name].value == estimate.value, name


def test_few_rows_are_kept_and_many_are_streamed_again(table, monkeypatch):
    lazy, asked = adjudge.read(pl.DataFrame(table).lazy()).source, []
    streamed = frames.streamed
    monkeypatch.setattr(frames, "streamed", lambda query, rows: asked.append(rows) or streamed(query, rows))
    first, again = (list(lazy.batches(["truth"], ["score"])) for _ in range(2))
    assert len(asked) == 1
    assert first == again
    monkeypatch.setattr(engines, "MOST_FETCHED", 399)
    many = LazySource("frame", lazy.frame)
    assert [list(many.batches(["truth"], ["score"])) for _ in range(2)] == [first, first]
    assert len(asked) == 3


@pytest.mark.slow
def test_blocks_are_cut_as_those_of_a_file_are(tmp_path):
    n = 300_000
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1], n)
    columns = {"truth": LABELS[(p.cumsum(1) > rng.random((n, 1))).argmax(1)], **{f"p_{x}": p[:, i] for i, x in enumerate(LABELS)}}
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({**columns, "unused": p[:, 0]}), path, row_group_size=70_001)
    own = adjudge.read(path)
    expected = tally(own, exact=True)
    for engine in ("polars", "duckdb"):
        lazy = adjudge.read(path, engine=engine)
        sizes = [[len(block["truth"]) for block in each.source.batches(["truth"], list(columns)[1:])] for each in (lazy, own)]
        assert sizes[0] == sizes[1]
        found = tally(lazy, exact=True)
        for name in ("log", "squared", "top", "by_class", "losses"):
            np.testing.assert_array_equal(getattr(found.probabilities, name), getattr(expected.probabilities, name))
        assert [found.scores.area(i) for i in range(3)] == [expected.scores.area(i) for i in range(3)]


@pytest.mark.slow
def test_the_command_line(places):
    ran = CliRunner().invoke(main, ["evaluate", str(places / "parts"), "--engine", "duckdb", "--json"])
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.output)["estimates"]["accuracy"]["value"] == pytest.approx(
        adjudge.evaluate(places / "one.parquet").estimates["accuracy"].value
    )
    refused = CliRunner().invoke(main, ["evaluate", str(places / "none.parquet"), "--engine", "duckdb"])
    assert refused.exit_code == 2
    assert "No file" in refused.output


def test_what_cannot_be_scanned(places, table, monkeypatch):
    with pytest.raises(InputError, match=r"^engine .*polars, duckdb"):
        adjudge.read(places / "one.parquet", engine="excel")
    with pytest.raises(InputError, match="is there already"):
        adjudge.read(table, engine="polars")
    with pytest.raises(InputError, match="engines read Parquet files only"):
        adjudge.read(places / "one.csv", engine="polars")
    with pytest.raises(InputError, match="The frame cannot be read"):
        adjudge.read(pl.scan_parquet(places / "none.parquet"))
    (places / "broken.parquet").write_bytes(b"PAR1 no")
    for engine in ("duckdb", "polars"):
        with pytest.raises(InputError, match=rf"broken.parquet: {engine} cannot read it"):
            adjudge.read(places / "broken.parquet", engine=engine)

    def absent(*_, **__):
        raise ModuleNotFoundError

    monkeypatch.setattr("narwhals.stable.v2.scan_parquet", absent)
    with pytest.raises(InputError, match="duckdb is not installed"):
        adjudge.read(places / "one.parquet", engine="duckdb")


def test_remote_addresses_keep_their_two_slashes():
    from adjudge.predictions.engines import _REMOTE

    assert _REMOTE.sub(r"\1://", "s3:/bucket/x.parquet") == "s3://bucket/x.parquet"
    assert _REMOTE.sub(r"\1://", "s3://bucket/x.parquet") == "s3://bucket/x.parquet"
    assert _REMOTE.sub(r"\1://", "/data/x.parquet") == "/data/x.parquet"


# -- every engine ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
class TestEveryEngine:
    @pytest.mark.slow
    def test_all_roles(self, engine):
        rng = np.random.default_rng(1)
        columns = made(rng, id=np.arange(N), fold=np.arange(N) % 4, site=LABELS[rng.integers(0, 3, N)], weight=rng.random(N))
        same(engine, columns, group="site")

    @pytest.mark.slow
    def test_decisions_follow_from_scores_and_missing_rows_go(self, engine):
        columns = made(np.random.default_rng(2))
        del columns["predicted"]
        for label in LABELS:
            columns[f"p_{label}"] = np.round(columns[f"p_{label}"], 1)  # ties
        columns["p_cow"] = 1 - columns["p_ant"] - columns["p_bee"]
        columns["p_bee"][3] = np.nan
        truth = columns["truth"].astype(object)
        truth[[5, 9]] = None
        same(engine, {**columns, "truth": truth}, missing="drop", missing_scores="drop")

    @pytest.mark.slow
    def test_whole_numbers_and_one_score(self, engine):
        rng = np.random.default_rng(3)
        score = np.round(rng.random(N), 3)
        same(engine, {"y": (rng.random(N) < score).astype(np.int64), "score": score})

    def test_pairs(self, engine):
        rng = np.random.default_rng(15)
        a, b = sets(rng)
        keep = rng.permutation(N)[: N - 50]
        b = {name: values[keep] for name, values in b.items()}
        expected = adjudge.count_pairs(pa.table(a), pa.table(b), row="case")
        found = adjudge.count_pairs(*(frame_of(engine, pa.table(each)) for each in (a, b)), row="case")
        assert found.to_dict() == expected.to_dict()

    def test_numbers(self, engine):
        rng = np.random.default_rng(19)
        truth = rng.normal(size=N) * 3
        columns = {"truth": truth, "predicted": truth + rng.normal(size=N), "weight": rng.random(N)}
        same(engine, columns, truth="truth", predicted="predicted", weight="weight")

    @pytest.mark.slow
    def test_corrections(self, engine):
        table = pa.table(made(np.random.default_rng(27)))
        frame, own = (adjudge.read(each) for each in (frame_of(engine, table), table))
        assert adjudge.fit_multipliers(frame).multipliers.tolist() == adjudge.fit_multipliers(own).multipliers.tolist()
        found, expected = (adjudge.estimate_priors(each, old=[0.5, 0.3, 0.2]).priors for each in (frame, own))
        assert found.tolist() == expected.tolist()
        assert adjudge.risk_coverage(frame).area == adjudge.risk_coverage(own).area
        assert adjudge.reliability(frame).area == adjudge.reliability(own).area

    @pytest.mark.slow
    def test_what_needs_single_cases(self, engine):
        columns = made(np.random.default_rng(28), case=np.arange(N))
        other = made(np.random.default_rng(29)) | {"truth": columns["truth"], "case": columns["case"]}
        frames, own = (
            [make(pa.table(each)) for each in (columns, other)] for make in (lambda t: frame_of(engine, t), lambda t: t)
        )
        for measure in ("auc", "log_loss"):
            found, expected = (adjudge.compare(*both, row="case", measure=measure).to_dict() for both in (frames, own))
            assert json.dumps(found) == json.dumps(expected)
        read = ([adjudge.read(each, row="case") for each in both] for both in (frames, own))
        found, expected = (adjudge.compare_partitions(both, resamples=100).to_dict() for both in read)
        assert found == expected
        found, expected = (adjudge.evaluate(each[0], exact=True).to_dict() for each in (frames, own))
        assert json.dumps(found) == json.dumps(expected)


def sets(rng, n=N):
    truth = LABELS[rng.integers(0, 3, n)]
    said = [np.where(rng.random(n) < share, truth, LABELS[rng.integers(0, 3, n)]) for share in (0.7, 0.5)]
    return [{"case": np.arange(n), "truth": truth, "predicted": each} for each in said]


@pytest.mark.parametrize("engine", some(HERE))
class TestReading:
    @pytest.mark.slow
    @pytest.mark.parametrize("scale", some(["percentages", "votes", "logits", "confidence", "scores"], 2))
    def test_scales(self, engine, scale):
        rng = np.random.default_rng(5)
        columns, roles = made(rng), {"scores": "p_*", "scores_are": scale}
        names = [f"p_{label}" for label in LABELS]
        if scale == "confidence":
            keep = np.isin(columns["truth"], LABELS[:2]) & np.isin(columns["predicted"], LABELS[:2])
            columns = {name: columns[name][keep] for name in ("truth", "predicted")}
            columns["sure"], roles["scores"] = 0.5 + np.round(rng.random(keep.sum()), 3) / 2, "sure"
        elif scale in ("votes", "percentages"):
            raw = np.array([rng.multinomial(100, [columns[name][i] for name in names]) for i in range(N)]).astype(float)
            columns |= {name: raw[:, i] for i, name in enumerate(names)}
        elif scale == "logits":
            columns |= {name: np.log(columns[name]) for name in names}
        else:
            columns |= {name: columns[name] * 7 - 3 for name in names}
        same(engine, columns, **roles)

    @pytest.mark.slow
    def test_missing_scores_count_as_wrong_as_can_be(self, engine):
        columns = made(np.random.default_rng(6))
        columns["p_ant"][:20] = np.nan
        same(engine, columns, missing_scores="worst")

    @pytest.mark.slow
    def test_missing_labels_as_a_class_and_rejections(self, engine):
        rng = np.random.default_rng(7)
        truth, said = (LABELS[rng.integers(0, 3, N)].astype(object) for _ in range(2))
        truth[:7], said[10:40] = None, "none"
        same(engine, {"truth": truth, "predicted": said}, missing="class", rejected="none")

    @pytest.mark.slow
    def test_numbers_as_labels(self, engine):
        rng = np.random.default_rng(8)
        for kind in (np.int8, np.float64, bool):
            truth, said = (rng.integers(0, 2, N).astype(kind) for _ in range(2))
            same(engine, {"truth": truth, "predicted": said})

    @pytest.mark.slow
    def test_a_threshold(self, engine):
        rng = np.random.default_rng(9)
        score = np.round(rng.normal(size=N), 2)
        truth = LABELS[(rng.normal(size=N) + score > 0).astype(int)]
        same(engine, {"truth": truth, "score": score}, scores="score", scores_are="scores", threshold=0.25, positive="bee")

    @pytest.mark.slow
    def test_a_threshold_on_narrow_scores(self, engine):
        scores = np.array([0.2, 0.7] * 10, dtype=np.float32)
        roles = {"scores": "score", "scores_are": "probabilities", "threshold": 0.7, "positive": 1}
        found = same(engine, {"truth": np.array([0, 1] * 10), "score": scores}, **roles)
        assert found["estimates"]["accuracy"]["value"] == 1

    @pytest.mark.slow
    def test_missing_numbers_as_a_class_of_their_own(self, engine):
        rng = np.random.default_rng(21)
        p = rng.dirichlet([1, 1, 1], N)
        truth = rng.integers(0, 3, N).astype(float)
        truth[4] = np.nan
        columns = {"truth": truth, **{f"p_{i}": p[:, i] for i in range(3)}}
        same(engine, columns, missing="class", truth="truth", scores="p_*")

    @pytest.mark.slow
    def test_vectors(self, engine):
        if engine == "pandas":
            pytest.skip("pandas has no vectors")
        p = np.random.default_rng(22).dirichlet([1, 1, 1], N).tolist()
        same(engine, {"truth": np.arange(N) % 3, "p": p}, scores="p")
        p[3], p[8] = [None, 0.5, 0.5], [0.5, 0.5, None]
        same(engine, {"truth": np.arange(N) % 3, "p": p}, scores="p", missing_scores="drop")

    def test_decisions_only(self, engine):
        columns = made(np.random.default_rng(10))
        found = count_confusion(adjudge.read(frame_of(engine, pa.table(columns))))
        np.testing.assert_array_equal(found.cells, confusion_matrix(columns["truth"], columns["predicted"]))

    @pytest.mark.slow
    def test_a_case_in_several_folds(self, engine):
        columns = made(np.random.default_rng(11), id=np.arange(N) % (N // 3), fold=np.arange(N) // (N // 3))
        assert answers_per_case(adjudge.read(frame_of(engine, pa.table(columns)), row="id", fold="fold")) == 3
        same(engine, columns, row="id", fold="fold")

    @pytest.mark.slow
    def test_a_part_of_the_rows(self, engine):
        columns = made(np.random.default_rng(12), set=np.array(["train", "test", "test"])[np.arange(N) % 3])
        assert same(engine, columns)["origin"]["rows"] == N // 3 * 2


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_numbers_that_are_not_numbers_in_a_file(engine, kind, tmp_path):
    """DuckDB took NaN in a Parquet file for a number where statistics of the file said that there was none."""
    rng = np.random.default_rng(13)
    score = rng.normal(size=2000).astype(kind)
    score[rng.integers(0, 2000, 300)] = np.nan
    score[:6] = [0.0, -0.0, np.inf, -np.inf, np.nan, -0.0]
    scores = pa.array(score, mask=rng.random(2000) < 0.1)
    truth = np.where(rng.normal(size=2000) + np.nan_to_num(score, posinf=3, neginf=-3) > 0, "yes", "no")
    path = tmp_path / "scores.parquet"
    pq.write_table(pa.table({"truth": truth, "score": scores, "n": np.arange(2000)}), path)
    roles = {"truth": "truth", "scores": "score", "scores_are": "scores", "positive": "yes", "missing_scores": "drop"}
    found, expected = (adjudge.evaluate(path, engine=by, **roles).to_dict() for by in (engine, None))
    assert found["estimates"] == expected["estimates"]
    known = np.asarray(scores.is_valid()) & ~np.isnan(score)
    auc = roc_auc_score(truth[known] == "yes", np.clip(score[known].astype(float), -1e9, 1e9))
    assert found["estimates"]["auc"]["value"] == pytest.approx(auc, rel=1e-12)


class TestStreams:
    @pytest.mark.slow
    def test_a_dataset_and_what_can_be_read_once(self, places, table):
        expected = json.dumps(adjudge.evaluate(table, group="site").to_dict())
        dataset = ds.dataset(places / "parts")
        assert isinstance(adjudge.read(dataset).source, LazySource)
        for rows in (dataset, ds.dataset(places / "parts").scanner().to_reader(), table.to_reader()):
            assert json.dumps(adjudge.evaluate(rows, group="site").to_dict()) == expected

    @pytest.mark.parametrize(
        "able", [["to_pyarrow_batches"], ["fetch_record_batch"], ["to_arrow_reader", "fetch_record_batch"], []]
    )
    def test_an_engine_is_known_by_what_it_can_do(self, table, able):
        class Native:
            def __arrow_c_stream__(self, schema=None):
                return table.__arrow_c_stream__(schema)

            def __getattr__(self, name):
                if name not in able:
                    raise AttributeError(name)
                return lambda rows=None, chunk_size=None: table.to_reader(rows or chunk_size)

        query = SimpleNamespace(to_native=Native, collect_schema=lambda: pl.DataFrame(table).schema)
        assert pa.Table.from_batches(frames.streamed(query, 70)) == table

    def test_texts_in_views(self, table):
        batch = table.to_batches()[0]
        viewed = pa.RecordBatch.from_pydict({"site": batch.column("site").cast(pa.string_view()), "score": batch.column("score")})
        assert frames.plain(viewed).column("site").to_pylist() == batch.column("site").to_pylist()

    @pytest.mark.parametrize("engine", ["polars", "duckdb"])
    def test_categories(self, engine):
        rng = np.random.default_rng(14)
        said = [LABELS[rng.integers(0, 3, N)] for _ in range(2)]
        columns = dict(zip(("truth", "predicted"), (pa.array(each).dictionary_encode() for each in said), strict=True))
        found = count_confusion(adjudge.read(frame_of(engine, pa.table(columns))))
        np.testing.assert_array_equal(found.cells, confusion_matrix(*said))

    def test_enums_keep_their_order(self):
        kind = pl.Enum(["cow", "ant", "bee"])
        frame = pl.DataFrame({"truth": LABELS.tolist() * 5, "predicted": LABELS.tolist() * 5}).cast(kind)
        assert count_confusion(adjudge.read(frame.lazy())).classes == ("cow", "ant", "bee")


class TestPeers:
    @pytest.mark.slow
    def test_scikit_learn(self):
        columns = made(np.random.default_rng(12))
        p = np.column_stack([columns[f"p_{label}"] for label in LABELS])
        found = adjudge.evaluate(frame_of("duckdb", pa.table(columns)))
        expected = {"log_loss": log_loss(columns["truth"], p), "brier": brier_score_loss(columns["truth"], p)}
        expected["auc"] = roc_auc_score(columns["truth"], p, multi_class="ovr")
        assert {name: found.estimates[name].value for name in expected} == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "roles", "said"),
    [
        ({"p_ant": lambda v: v + 2}, {"scores": "p_*", "scores_are": "probabilities"}, "above 1"),
        ({"p_ant": lambda v: v - 2}, {"scores": "p_*", "scores_are": "probabilities"}, "below 0"),
        ({"p_ant": lambda v: v / 2}, {"scores": "p_*", "scores_are": "probabilities"}, "sum to"),
        ({"p_ant": lambda v: np.where(v > 0.9, np.nan, v)}, {"scores": "p_*"}, "missing value.*missing_scores="),
        ({"truth": lambda v: np.where(v == "cow", None, v)}, {}, "missing value.*missing=.drop"),
        ({"weight": lambda v: v - 0.5}, {"weight": "weight"}, "not a number of at least 0"),
        ({"id": lambda v: v // 2}, {"row": "id"}, "names cases more than once: 300 rows"),
        ({}, {"classes": ["ant", "bee"]}, "not among the classes 'ant', 'bee'"),
        ({"weight": lambda v: v * 1e200}, {"weight": "weight"}, r"at most 1e\+100"),
        ({"weight": lambda v: v.astype(str)}, {"weight": "weight"}, "where numbers are needed"),
    ],
)
def test_what_is_wrong_is_said_as_of_a_file(change, roles, said):
    rng = np.random.default_rng(14)
    columns = made(rng, weight=rng.random(N), id=np.arange(N))
    columns |= {name: how(columns[name]) for name, how in change.items()}
    if "scores" not in roles:
        columns = {name: values for name, values in columns.items() if not name.startswith("p_")}
    messages = []
    for source in (frame_of("polars", pa.table(columns)), pa.table(columns)):
        with pytest.raises(InputError, match=said) as raised:
            adjudge.evaluate(adjudge.read(source, **roles))
        messages.append(str(raised.value))
    assert messages[0] == messages[1]


class TestComparing:
    @pytest.mark.slow
    def test_compare_and_rank(self):
        plain = [pa.table(each) for each in sets(np.random.default_rng(16))]
        frames = [frame_of("polars", each) for each in plain]
        assert adjudge.compare(*frames, row="case").to_dict() == adjudge.compare(*plain, row="case").to_dict()
        assert adjudge.rank(frames, row="case").to_dict() == adjudge.rank(plain, row="case").to_dict()

    @pytest.mark.slow
    def test_frames_of_several_engines(self):
        a, b = (pa.table(each) for each in sets(np.random.default_rng(20)))
        expected = adjudge.compare(a, b, row="case").to_dict()
        assert adjudge.compare(frame_of("polars", a), frame_of("duckdb", b), row="case").to_dict() == expected
        assert adjudge.compare(frame_of("duckdb", a), b, row="case").to_dict() == expected

    @pytest.mark.parametrize(("engine", "ordered"), [("polars", True), ("duckdb", False)])
    def test_position_pairs_only_rows_that_have_an_order(self, engine, ordered):
        columns = made(np.random.default_rng(9))
        both = [pa.table(columns), pa.table(columns | {"predicted": columns["truth"]})]
        lazy = [frame_of(engine, each.select(["truth", "predicted"])) for each in both]
        if ordered:
            own = adjudge.compare(*(each.select(["truth", "predicted"]) for each in both), by_position=True)
            assert adjudge.compare(*lazy, by_position=True).to_dict()["difference"] == own.to_dict()["difference"]
        else:
            with pytest.raises(InputError, match=r"Rows .*no order.*row="):
                adjudge.compare(*lazy, by_position=True)

    def test_cases_that_come_back_in_folds_without_a_name(self):
        a, b = sets(np.random.default_rng(24))
        fold = (np.arange(N) // 200).astype(object)
        fold[fold == 2] = None
        a |= {"case": np.arange(N) % 200, "fold": pa.array(fold, pa.int64())}
        b |= {"case": np.arange(N) % 200 * 1.0, "fold": pa.array(fold).cast(pa.float64())}
        roles = {"row": "case", "fold": "fold"}
        expected = adjudge.count_pairs(pa.table(a), pa.table(b), **roles)
        found = adjudge.count_pairs(*(frame_of("duckdb", pa.table(each)) for each in (a, b)), **roles)
        assert found.to_dict() == expected.to_dict()

    @pytest.mark.slow
    def test_rows_made_one(self):
        a, b = ({**each, "case": np.arange(N) // 2} for each in sets(np.random.default_rng(26)))
        roles = {"row": "case", "duplicates": "first"}
        frames = [frame_of("polars", pa.table(each)) for each in (a, b)]
        assert adjudge.compare(*frames, **roles).to_dict() == adjudge.compare(pa.table(a), pa.table(b), **roles).to_dict()


def test_duckdb_reads_folders_of_folders(tmp_path):
    rng = np.random.default_rng(5)
    for year in (2025, 2026):
        for site in ("north", "south"):
            truth = rng.integers(0, 2, 40)
            place = tmp_path / "lake" / f"year={year}" / f"site={site}"
            place.mkdir(parents=True)
            pq.write_table(
                pa.table({"truth": truth, "score": np.round(0.3 * truth + 0.7 * rng.random(40), 3)}), place / "a.parquet"
            )
    found = []
    for engine in ([], ["--engine", "duckdb"]):
        roles = ["--truth", "truth", "--scores", "score", "--group", "site", "--fold", "year"]
        ran = CliRunner().invoke(main, ["evaluate", str(tmp_path / "lake"), *roles, *engine, "--json"])
        assert ran.exit_code == 0, ran.output
        found.append(ran.stdout)
    own, theirs = found
    assert re.sub(r'"fingerprint": "[0-9a-f]{64}"', '"fingerprint": null', own) == theirs  # a query is not a file


def test_duckdb_takes_no_column_from_folders_above(tmp_path):
    place = tmp_path / "run=3" / "parts"
    (place / "below").mkdir(parents=True)
    for name in ("a", "below/b"):
        pq.write_table(pa.table({"truth": [0, 1], "predicted": [0, 1]}), place / f"{name}.parquet")
    source = adjudge.read(place, engine="duckdb").source
    assert (source.names, source.rows) == (("truth", "predicted"), 4)
