"""What does judging a CSV file cost? Against reading and counting it by polars and duckdb, and pandas with scikit-learn."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
from sklearn.metrics import classification_report

import adjudge
from files import write
from processes import ran
from rows import Row, at_least, at_most, beside
from timing import best

OURS = "import sys, adjudge; adjudge.evaluate(sys.argv[1])"
WHOLE = """
import sys, adjudge
print(adjudge.evaluate(sys.argv[1], positive="yes", exact=True).estimates["auc"].value)
"""
WHOLE_POLARS = """
import sys
import polars as pl
rows, own, p = pl.scan_csv(sys.argv[1]), pl.col("truth") == "yes", pl.col("p_yes")
losses = rows.select(
    brier=(p - own.cast(pl.Float64)).pow(2).mean(), log_loss=-pl.when(own).then(p).otherwise(pl.col("p_no")).log().mean()
)
last = (p != p.shift(-1)).fill_null(True)
counts = rows.select(own.cast(pl.Int64).alias("own"), p).sort("p_yes").select(
    p=pl.col("own").cum_sum(), n=(1 - pl.col("own")).cum_sum(), last=last
).filter("last")
before = [pl.col(name).shift(1, fill_value=0) for name in "pn"]
area = counts.select(
    area=((pl.col("p") - before[0]).cast(pl.Float64) * (pl.col("n") + before[1]) / 2).sum()
    / (pl.col("p").last().cast(pl.Float64) * pl.col("n").last())
)
tables = pl.collect_all([rows.group_by("truth", "predicted").len(), losses, area])
print(tables[2].item())
"""
WHOLE_DUCKDB = """
import sys
import duckdb
ask = duckdb.connect().execute
ask("SET enable_progress_bar = false")
ask("CREATE TEMP TABLE t AS SELECT * FROM read_csv(?)", [sys.argv[1]])
ask("SELECT truth, predicted, count(*) FROM t GROUP BY ALL").fetchall()
ask(
    "SELECT avg((p_yes - (truth = 'yes')::INT) ** 2), -avg(ln(CASE WHEN truth = 'yes' THEN p_yes ELSE p_no END)) FROM t"
).fetchall()
area = ask(
    "WITH s AS (SELECT p_yes, sum((truth = 'yes')::INT) p, sum((truth = 'no')::INT) n FROM t GROUP BY p_yes), "
    "c AS (SELECT p, n, sum(n) OVER (ORDER BY p_yes) - n / 2 AS below FROM s) "
    "SELECT sum(p::DOUBLE * below) / (sum(p)::DOUBLE * sum(n)) FROM c"
).fetchone()
print(area[0])
"""
"""The same job: confusion table, Brier score, log loss and exact AUC. Ours does more: intervals, reliability, findings."""
POLARS = "import sys, polars as pl; pl.scan_csv(sys.argv[1]).group_by('truth', 'predicted').len().collect(engine='streaming')"


def rows(n: int = 10_000_000, few: int = 1_000_000, repeats: int = 3) -> list[Row]:
    """Return one row per peer; `n` rows for those that read in blocks, `few` for those that read all at once."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            *_streamed(write(Path(folder) / "many.csv", n), n, repeats),
            *_whole(write(Path(folder) / "scored.csv", n, score=True), n, repeats),
            _held(write(Path(folder) / "few.csv", few), few, repeats),
        ]


def _streamed(path: Path, n: int, repeats: int) -> list[Row]:
    name = f"evaluate a CSV file of {n:.0e} rows, 2 classes"
    jobs = {"ours": partial(adjudge.evaluate, path), "polars": partial(_polars, path), "duckdb": partial(_duckdb, path)}
    took = best(jobs, repeats)
    ours, theirs = (ran(code, path).megabytes for code in (OURS, POLARS))
    return [
        at_most(1.5, name, took["ours"], "polars scan_csv and group_by, the table alone", took["polars"]),
        beside(name, took["ours"], "duckdb read_csv and GROUP BY, the table alone", took["duckdb"]),
        beside(f"{name}: memory", ours, "polars scan_csv and group_by", theirs, unit="MB"),
    ]


def _whole(path: Path, n: int, repeats: int) -> list[Row]:
    name = f"evaluate a CSV file of {n:.0e} rows and two scores, with the exact AUC"
    jobs = {"ours": WHOLE, "polars": WHOLE_POLARS, "duckdb": WHOLE_DUCKDB}
    turns = [{who: ran(code, path) for who, code in jobs.items()} for _ in range(repeats)]
    took = {who: min(turn[who].seconds for turn in turns) for who in jobs}
    return [at_least(1, name, took["ours"], f"{who}, table, Brier, log loss and AUC", took[who]) for who in ("polars", "duckdb")]


def _held(path: Path, n: int, repeats: int) -> Row:
    took = best({"ours": partial(adjudge.evaluate, path), "theirs": partial(_pandas, path)}, repeats)
    name = f"evaluate a CSV file of {n:.0e} rows, 2 classes"
    return beside(name, took["ours"], "pandas read_csv and sklearn classification_report", took["theirs"])


def _polars(path: Path) -> pl.DataFrame:
    return pl.scan_csv(path).group_by("truth", "predicted").len().collect(engine="streaming")


def _duckdb(path: Path) -> list[Any]:
    with duckdb.connect() as connection:
        return connection.execute("SELECT truth, predicted, count(*) FROM read_csv(?) GROUP BY ALL", [str(path)]).fetchall()


def _pandas(path: Path) -> str | dict[str, Any]:
    frame = pd.read_csv(path)
    return classification_report(frame["truth"], frame["predicted"])
