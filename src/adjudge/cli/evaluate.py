"""Judge one file of predictions, and list the measures it is judged by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import Printed, answer, window
from adjudge.cli.group import main
from adjudge.cli.options import EXACT, FILE, FORMAT, reading


@main.command(
    examples=("adjudge evaluate predictions.csv", "adjudge evaluate predictions.csv --measure accuracy --measure mcc"),
)
@click.argument("predictions", type=FILE)
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Print this measure only; may be repeated.")
@click.option("--training", type=FILE, help="Predictions for the training cases: is the model overfitted?")
@FORMAT
@EXACT
@reading
def evaluate(predictions: Path, measures: tuple[str, ...], *, printed: Printed, **asked: Any) -> None:
    """Evaluate one file of predictions, print the result.

    PREDICTIONS is a file, a folder or a pattern, as for adjudge report.
    """
    from adjudge.verbs.evaluate import evaluate

    answer(evaluate(predictions, measures=measures or None, progress=True, **asked), printed=printed)


@main.command(examples=("adjudge measures", "adjudge measures --format csv"))
@FORMAT
def measures(*, printed: Printed) -> None:
    """List every measure: formula, range and direction."""
    import adjudge

    table = adjudge.measures()
    if printed.form == "text":
        for line in table.lines(window()):
            click.echo(line)
    else:
        answer(table, printed=printed)
