"""The command line: parse, call one verb, write the answer."""

from __future__ import annotations

from adjudge.cli import comparing as comparing
from adjudge.cli import correcting as correcting
from adjudge.cli import counting as counting
from adjudge.cli import estimating as estimating
from adjudge.cli import gating as gating
from adjudge.cli import judging as judging
from adjudge.cli import partitioning as partitioning
from adjudge.cli import recommending as recommending
from adjudge.cli import sample_size as sample_size
from adjudge.cli import thresholds as thresholds
from adjudge.cli.group import main as main
