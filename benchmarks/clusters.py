"""What does it cost to count where the rows are? Dask and Spark with two workers here against our own pass over the same folder.

Processors are counted over all processes, Java's and those of workers, from the call to the result. Of three calls the cheapest
counts, as on a cluster that is up: in the first two, Java compiles itself and workers import what they need.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path

from files import write_folder
from processes import run
from rows import Row, at_most, within

LIMIT = 3.0
"""Times the processor time of the own reader: rows are converted, sent between processes and read twice."""
WORKER = 2048
"""Megabytes that a worker, or Java, may hold."""

_MEASURED = """
import os, sys
from pathlib import Path

import adjudge, psutil


def processes():
    me = psutil.Process()
    return [me, *me.children(recursive=True)]


def busy():
    return sum(sum(each.cpu_times()[:4]) for each in processes())  # with those of children that have ended


def peak(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def measured(rows):
    took = []
    for _ in range(3):
        before = busy()
        adjudge.evaluate(rows)
        took.append(busy() - before)
    print(min(took), max((peak(each.pid) for each in processes() if each.pid != os.getpid()), default=0.0))
"""
_ROWS = {
    "own": "measured(sys.argv[1])",
    "dask": """
if __name__ == "__main__":
    import dask.dataframe as dd
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, memory_limit="4GB", dashboard_address=":0"):
        measured(dd.read_parquet(sys.argv[1]))
""",
    "pyspark": """
os.environ |= {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
from pyspark.sql import SparkSession

quiet = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
session = SparkSession.builder.master("local[2]").config(map=quiet).getOrCreate()
session.sparkContext.setLogLevel("ERROR")
measured(session.read.parquet(sys.argv[1]))
session.stop()
""",
}
"""How rows come by; each runs in a process of its own."""


def rows(n: int = 20_000_000) -> list[Row]:
    """Return the processor time and the memory of a worker, for everything the verdict needs."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_folder(Path(folder) / "rows", n)
        own, _ = costs("own", path)
        found = []
        for engine, told in (("dask", "a Dask cluster of two workers"), ("pyspark", "Spark local[2]")):
            if find_spec(engine) is not None:
                name = f"evaluate {n:.0e} rows, 3 classes, on {told}"
                busy, held = costs(engine, path)
                found += [
                    at_most(LIMIT, f"{name}: processors", busy, "the own reader", own),
                    within(WORKER, f"{name}: memory", held),
                ]
    return found


def costs(engine: str, path: Path) -> tuple[float, float]:
    """Return the seconds of all processors, and the most megabytes that a process beside the caller held."""
    said = run(_MEASURED + _ROWS[engine], path).splitlines()[-1]
    busy, held = map(float, said.split())
    return busy, held
