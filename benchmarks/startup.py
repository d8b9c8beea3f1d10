"""How long until the command line answers? Against a bare Python and against importing pandas."""

from __future__ import annotations

from processes import job
from rows import Row, at_least, at_most
from timing import best


def rows(repeats: int = 10) -> list[Row]:
    """Return the rows for import and help."""
    codes = {
        "bare": "pass",
        "import": "import adjudge",
        "help": "from adjudge.cli import main; main(['--help'])",
        "pandas": "import pandas",
    }
    times = best({name: job(code) for name, code in codes.items()}, repeats)
    return [
        at_most(3.0, "import adjudge", times["import"], "bare Python", times["bare"]),
        at_least(2.0, "adjudge --help", times["help"], "import pandas", times["pandas"]),
    ]
