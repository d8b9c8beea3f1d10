"""Commands run as a shell runs them, in this process or in one of their own."""

from __future__ import annotations

import sys

from click.testing import CliRunner, Result

from adjudge.cli import main

ADJUDGE = [sys.executable, "-m", "adjudge"]


def run(*arguments: object) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(main, [str(a) for a in arguments])
