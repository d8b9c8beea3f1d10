"""The command line: parse, call one verb, write the answer."""

from __future__ import annotations

from adjudge.cli import compare, correct, count, estimate, evaluate, gate, partition, population, report, sample_size, threshold
from adjudge.cli.group import main

# each of these modules adds its commands to the group as it is imported
_COMMANDS = (compare, correct, count, estimate, evaluate, gate, partition, population, report, sample_size, threshold)
__all__ = ["main"]
