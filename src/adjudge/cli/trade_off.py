"""The command that shows the trade-off between training and test cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import answer, check_apart, check_places
from adjudge.cli.group import main
from adjudge.cli.options import learner, learning


@main.command(name="trade-off")
@learning
@click.option("--repeats", type=int, default=20, show_default=True, help="Random splits for each share.")
@click.option("--measure", metavar="NAME", help="The accuracy unless another is named; mae for numbers.")
@click.option("--jobs", type=int, help="Processes to use, where they pay.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Give a fit up after so long.")
@click.option("--isolate", is_flag=True, help="Fit in processes of their own: one that crashes costs its split only.")
def trade_off(data: Path, target: str, *, output: Path | None, as_json: bool, **given: Any) -> None:
    """Show how the estimate of a LEARNER and its spread move with the share of cases kept for testing."""
    from adjudge.verbs.estimate import trade_off

    check_apart([data], output, what="the data")
    check_places(output=output)
    model = learner(given.pop("learner"), given.pop("params"))
    running = {"random_state": given.pop("seed"), "n_jobs": given.pop("jobs")}
    answer(trade_off(model, data, target, **running, **given), as_json=as_json, output=output)
