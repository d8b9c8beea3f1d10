"""What does everyday use cost? Import and help against a bare Python; commands on 1,000 rows against scikit-learn's report."""

from __future__ import annotations

import tempfile
from pathlib import Path

from commands import COMMAND
from files import write
from processes import job, ran
from rows import Row, at_least, at_most
from timing import best

ROWS = 1_000
PEER = """
import pandas, sys
from sklearn.metrics import classification_report
table = pandas.read_csv(sys.argv[1])
print(classification_report(table.iloc[:, 0], table.iloc[:, 1]))
"""
"""The usual way from a file to a few numbers without any uncertainty."""


def rows(repeats: int = 10) -> list[Row]:
    """Return the rows for import and help by the clock, and for commands by seconds of the processors."""
    codes = {
        "bare": "pass",
        "import": "import adjudge",
        "help": "from adjudge.cli import main; main(['--help'])",
        "pandas": "import pandas",
    }
    times = best({name: job(code) for name, code in codes.items()}, repeats)
    with tempfile.TemporaryDirectory() as name:
        folder, peer = Path(name), "pandas and scikit-learn's report"
        write(folder / "a.csv", ROWS, score=True)
        words = {"evaluate": "evaluate a.csv", "report": "report a.csv -o a.html"}
        jobs = {"peer": (PEER, "a.csv"), **{name: (COMMAND, *given.split()) for name, given in words.items()}}
        turns = [{name: ran(*each, folder=folder).busy for name, each in jobs.items()} for _ in range(repeats)]
    busy = {name: min(turn[name] for turn in turns) for name in jobs}
    return [
        at_most(3.0, "import adjudge", times["import"], "bare Python", times["bare"]),
        at_least(2.0, "adjudge --help", times["help"], "import pandas", times["pandas"]),
        at_most(0.6, f"adjudge evaluate, {ROWS:,} rows", busy["evaluate"], peer, busy["peer"]),
        at_most(1.0, f"adjudge report, {ROWS:,} rows", busy["report"], peer, busy["peer"]),
    ]
