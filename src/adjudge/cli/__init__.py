"""The command line: parse, call one verb, write the answer."""

from __future__ import annotations

from adjudge.cli import estimating as estimating
from adjudge.cli import judging as judging
from adjudge.cli.group import main as main
