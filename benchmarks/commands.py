"""What does each command cost? Seconds of the processors and megabytes of a process of its own, for files of several sizes.

``python benchmarks/commands.py [rows ...]`` prints the table of docs/cost.md.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from files import write, write_cases
from processes import Ran, ran

COMMAND = """
import sys
from adjudge.cli import main
try:
    main(sys.argv[1:], standalone_mode=False)
except SystemExit:
    pass
"""
"""A gate that fails and a gate that passes cost the same: the exit code does not matter here."""
JOBS = {
    "evaluate": "evaluate a.parquet",
    "evaluate, CSV": "evaluate a.csv",
    "report": "report a.parquet -o a.html",
    "count": "count a.parquet -o a.counts",
    "evaluate, counts": "evaluate a.counts",
    "compare": "compare a.parquet b.parquet",
    "threshold": "threshold a.parquet -o a.html",
    "gate": "gate a.parquet --require accuracy>=0.7",
    "partition": "partition a.parquet -o a.html",
    "correct fit": "correct fit a.parquet --kind multipliers -o fix.json",
    "correct apply": "correct apply fix.json a.parquet -o out.parquet",
    "estimate": "estimate --learner sklearn.naive_bayes:GaussianNB --data cases.parquet --target class",
}
"""In an order in which each finds what it reads."""
SIZES = (10_000, 1_000_000, 10_000_000)
_MOST = {"estimate": 1_000_000}  # a learner holds all its cases, several times over
_FEW = 1_000  # rows of a first round whose times are thrown away: Python compiles what it imports for the first time


def table(sizes: Iterable[int] = SIZES) -> str:
    """Return what each command took, as markdown."""
    sizes = list(sizes)
    _taken(_FEW)
    found = [_taken(n) for n in sizes]
    head = ["command", *(f"{n:,} rows" for n in sizes)]
    lines = [head, ["---"] * len(head), *([name, *(_told(each.get(name)) for each in found)] for name in JOBS)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _taken(n: int) -> dict[str, Ran]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path, right in (("a.parquet", 0.8), ("a.csv", 0.8), ("b.parquet", 0.79)):
            write(folder / path, n, score=True, row=True, right=right)
        write_cases(folder / "cases.parquet", n, 20)
        return {job: _once(n, job, words.split(), folder) for job, words in JOBS.items() if n <= _MOST.get(job, n)}


def _once(n: int, job: str, words: list[str], folder: Path) -> Ran:
    took = ran(COMMAND, *words, folder=folder)
    print(f"{n:,} rows, {job}: {_told(took)}", file=sys.stderr, flush=True)
    return took


def _told(took: Ran | None) -> str:
    return "-" if took is None else f"{took.busy:.1f} s, {took.megabytes:,.0f} MB"


if __name__ == "__main__":
    print(table([int(float(n)) for n in sys.argv[1:]] or SIZES))
