"""Judge one file of predictions, and list the measures it is judged by."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import answer, print_json
from adjudge.cli.group import main
from adjudge.cli.options import EXACT, FILE, JSON, reading


@main.command()
@click.argument("predictions", type=FILE)
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Print this measure only; may be repeated.")
@click.option("--training", type=FILE, help="Predictions for the training cases: is the model overfitted?")
@JSON
@EXACT
@reading
def evaluate(predictions: Path, measures: tuple[str, ...], *, as_json: bool, **asked: Any) -> None:
    """Evaluate a file of PREDICTIONS and print the verdict."""
    from adjudge.verbs.evaluate import evaluate

    answer(evaluate(predictions, measures=measures or None, progress=True, **asked), as_json=as_json)


@main.command()
@JSON
def measures(*, as_json: bool) -> None:
    """List every measure with its formula, range and direction."""
    import adjudge

    table = adjudge.measures()
    if as_json:
        print_json(table.to_dict())
    else:
        click.echo(repr(table))
