"""Let predictions through that meet every requirement."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import PAGES, Printed, answer, check_ending, check_places
from adjudge.cli.group import main
from adjudge.cli.options import ASSURANCE, FILE, PAGE, reading
from adjudge.judgements.decision import MARGIN


@main.command(
    examples=(
        "adjudge gate predictions.csv --require 'accuracy >= 0.8'",
        "adjudge gate new.csv --against old.csv --no-worse-than 0.02",
    ),
)
@click.argument("predictions", type=FILE)
@click.option("--require", "rules", multiple=True, metavar="RULE", help="Such as 'sensitivity[ill] >= 0.9'; may be repeated.")
@click.option("--rules", "file", type=FILE, metavar="FILE", help="A .toml file of rules.")
@click.option("--against", type=FILE, metavar="OLD", help="Predictions of the same cases to compare with.")
@click.option("--no-worse-than", "margin", type=float, metavar="D", help=f"How much worse than --against is fine; {MARGIN}.")
@ASSURANCE
@click.option("--measure", metavar="NAME", help="What to compare; the accuracy, or mae for numbers, unless given.")
@click.option("--by-position", is_flag=True, help="Row i is the same case in both files; no column says so.")
@PAGE
@reading
def gate(
    predictions: Path, rules: tuple[str, ...], *, file: Path | None, output: Path | None, printed: Printed, **asked: Any
) -> int:
    """Pass or fail predictions by requirements, for CI.

    A rule is a measure, a sign and a number: 'balanced_accuracy >= 0.8', 'sensitivity[ill] > 90%', 'f1[*] >= 0.7' for every
    class, 'log_loss < 0.4', or 'above chance'. The exit code is 0 where all pass, 1 where one fails, 3 where the evidence is too
    weak to say, and 2 for what cannot be read.
    """
    from adjudge.verbs.gate import gate

    check_places(predictions, asked["against"], file, what="what was read", output=output)
    check_ending(output, PAGES, "a page")
    verdict = gate(predictions, *rules, *([] if file is None else [file]), progress=True, **asked)
    answer(verdict, printed=printed, output=output)
    return verdict.exit_code
