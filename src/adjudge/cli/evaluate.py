"""The command that judges one file of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import answer
from adjudge.cli.group import main
from adjudge.cli.options import FILE, JSON, reading
from adjudge.cli.report import EXACT


@main.command()
@click.argument("predictions", type=FILE)
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Print this measure only; may be repeated.")
@click.option("--training", type=FILE, help="Predictions for the training cases: is the model overfitted?")
@JSON
@EXACT
@reading
def evaluate(predictions: Path, measures: tuple[str, ...], training: Path | None, *, as_json: bool, **asked: Any) -> None:
    """Judge a file of PREDICTIONS and print the verdict."""
    from adjudge.verbs.evaluate import evaluate, selected

    if measures and training is not None:
        msg = "--measure and --training do not go together: ask for one of them."
        raise click.UsageError(msg)
    evaluation = evaluate(predictions, training=training, progress=True, **asked)
    answer(selected(evaluation, measures, interval=asked["interval"]) if measures else evaluation, as_json=as_json)
