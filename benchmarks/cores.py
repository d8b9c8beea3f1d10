"""What do more cores bring? Large files counted on one processor and on all, by one process and by one for each, and by eight.

One process uses two threads, where there are two processors. Eight processes are worked out from the times of the parts, each
taken by itself: whoever is free takes the next part, as workers do.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from heapq import heapreplace
from pathlib import Path
from time import process_time

import adjudge
from adjudge.counts.counting import _Counters, _PartJob
from adjudge.predictions.blocks import Encoder
from adjudge.predictions.sources import in_parts
from files import write
from processes import Ran, ran
from rows import Row, at_least, beside

COUNTED = """
import os
import sys
if sys.argv[3] == "alone":
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
import adjudge
from adjudge.counts.counting import tally
if __name__ == "__main__":
    tally(adjudge.read(sys.argv[1], n_jobs=int(sys.argv[2])), ranking=True)
"""
TURNS = 3
MANY = 8


def rows(parquet: int = 20_000_000, text: int = 10_000_000) -> list[Row]:
    """Return the rows of a Parquet file and of a CSV file, both with two columns of scores."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, n in (("x.parquet", parquet), ("x.csv", text)):
            path, cores = write(Path(folder) / name, n, score=True), os.cpu_count() or 1
            ways = ((1, "alone"), (1, "all"), (cores, "all"))
            turns = [[ran(COUNTED, path, *way) for way in ways] for _ in range(TURNS)]
            took = [min(own, key=lambda each: each.seconds) for own in zip(*turns, strict=True)]
            found += _of_file(f"{path.suffix[1:]} file of {n:.0e} rows and two scores", *took, cores, path)
            path.unlink()
    return found


def _of_file(name: str, alone: Ran, one: Ran, several: Ran, cores: int, path: Path) -> list[Row]:
    each = part_seconds(path)
    return [
        at_least(0.85 * cores, f"{name}: counted by {cores} processors", several.seconds, "one processor", alone.seconds),
        beside(f"{name}: counted by {cores} processes", several.seconds, "one process, two threads", one.seconds),
        beside(f"{name}: the same, seconds of the processors", several.busy, "one process", one.busy),
        at_least(0.8 * MANY, f"{name}: {MANY} processes, worked out", makespan(each, MANY), "all parts in turn", sum(each)),
    ]


def part_seconds(path: Path) -> list[float]:
    """Return how long each part of a file takes one processor."""
    predictions = adjudge.read(path)
    counters = _Counters(Encoder(predictions, ranking=True), parts=True)
    job, took = _PartJob(counters, scores=True, threads=False, remembered=0), []
    for number, part in enumerate(in_parts(predictions.source)):
        start = process_time()
        job.part(number, part)
        took.append(process_time() - start)
    return took


def makespan(parts: Sequence[float], workers: int) -> float:
    """Return when the last of so many workers is done, each of whom takes the next part when it is free."""
    free = [0.0] * workers
    for part in parts:
        heapreplace(free, free[0] + part)
    return max(free)
