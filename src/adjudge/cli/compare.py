"""The command that says which of several files of predictions is better."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import answer, check_apart, check_places
from adjudge.cli.group import main
from adjudge.cli.options import FILE, JSON, PAGE, columns, comparing
from adjudge.cli.terminal import waiting


@main.command()
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@comparing
@PAGE
@JSON
@columns
def compare(predictions: tuple[Path, ...], *, independent: bool, output: Path | None, as_json: bool, **asked: Any) -> None:
    """Say which of two files of PREDICTIONS is better, or rank three and more.

    All files judge the same cases, which are found by a column that identifies them; see --row, --by-position, --independent.
    Files of counts that adjudge count --paired wrote hold all sets already; they are added up.
    """
    from adjudge.verbs.compare import compare

    check_apart(predictions, output)
    check_places(output=output)
    with waiting("reading and comparing"):
        found = compare(*predictions, paired=False if independent else None, **asked)
    answer(found, as_json=as_json, output=output)
