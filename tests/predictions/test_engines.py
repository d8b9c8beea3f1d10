"""Files that an engine reads, and frames that stay where they are."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import adjudge
from adjudge import InputError
from adjudge.cli import main
from adjudge.predictions.engines import LazySource


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


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
@pytest.mark.parametrize("place", ["one.parquet", "parts", "parts/*.parquet", "parts/[0-3].parquet"])
def test_the_same_verdict(engine, place, places, table):
    found = adjudge.evaluate(places / place, engine=engine, group="site")
    expected = adjudge.evaluate(table, group="site")
    assert found.counts.cells.tolist() == expected.counts.cells.tolist()
    for name, estimate in expected.estimates.items():
        assert found.estimates[name].value == pytest.approx(estimate.value, rel=1e-12), name


def test_few_rows_are_fetched_and_many_are_not(table, monkeypatch):
    few = adjudge.read(pl.DataFrame(table).lazy())
    assert isinstance(few.source, LazySource)
    assert not few.source.large
    monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 399)
    assert few.source.large
    monkeypatch.setattr(LazySource, "batches", lambda *_: pytest.fail("rows were fetched"))
    assert adjudge.evaluate(few).estimates["accuracy"].value == adjudge.evaluate(table).estimates["accuracy"].value


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
    with pytest.raises(InputError, match="engine must be one of polars, duckdb"):
        adjudge.read(places / "one.parquet", engine="excel")
    with pytest.raises(InputError, match="is there already"):
        adjudge.read(table, engine="polars")
    with pytest.raises(InputError, match="an engine reads Parquet here"):
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


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_vectors_of_scores(engine, monkeypatch):
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1, 1, 1], 90)
    rows = {"truth": rng.integers(0, 3, 90), "probability": p.tolist()}
    monkeypatch.setattr("adjudge.predictions.engines.MOST_FETCHED", 0)
    frame = pl.DataFrame(rows).lazy()
    if engine == "duckdb":
        from tests.engines import frame_of

        frame = frame_of("duckdb", pa.table(rows))
    found, expected = (adjudge.evaluate(each, scores="probability") for each in (frame, pa.table(rows)))
    assert found.estimates["log_loss"].value == pytest.approx(expected.estimates["log_loss"].value, rel=1e-12)
