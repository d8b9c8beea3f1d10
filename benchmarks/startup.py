"""How long until the command line answers? Against a bare Python and against importing pandas."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from rows import Row, at_least, at_most
from timing import best


def rows() -> list[Row]:
    """Return the rows for import and help."""
    jobs = {
        "bare": "pass",
        "import": "import adjudge",
        "help": "from adjudge.cli import main; main(['--help'])",
        "pandas": "import pandas",
    }
    times = best({name: partial(_run, code) for name, code in jobs.items()}, 10)
    return [
        at_most(3.0, "import adjudge", times["import"], "bare Python", times["bare"]),
        at_least(2.0, "adjudge --help", times["help"], "import pandas", times["pandas"]),
    ]


def _run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
