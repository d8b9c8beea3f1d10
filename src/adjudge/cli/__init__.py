"""The command line: parse, call one verb, write the answer."""

from __future__ import annotations

from adjudge.cli import compare as compare
from adjudge.cli import correct as correct
from adjudge.cli import count as count
from adjudge.cli import estimate as estimate
from adjudge.cli import evaluate as evaluate
from adjudge.cli import gate as gate
from adjudge.cli import partition as partition
from adjudge.cli import report as report
from adjudge.cli import sample_size as sample_size
from adjudge.cli import threshold as threshold
from adjudge.cli.group import main as main
