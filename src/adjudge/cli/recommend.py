"""The command that says which correction is worth it, how to fit each, and that keeps the one it recommends."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from adjudge._base.text import safe
from adjudge.cli.answers import answer, check_apart, check_ending, check_places
from adjudge.cli.correct import PRICES, correct
from adjudge.cli.options import FILE, JSON, columns, shares
from adjudge.cli.terminal import waiting

NOTHING_RECOMMENDED = 1
"""Exit code where a correction was to be written and none is recommended."""
_OWN = {"predictions", "measure", "softmax", "old", "folds", "seed", "level", "output", "as_json", *PRICES}
"""Parameters that do not say how the file is read."""


@correct.command()
@click.argument("predictions", type=FILE)
@click.option("--measure", default=None, metavar="NAME", help="accuracy, balanced_accuracy, brier, log_loss; cost with costs.")
@click.option("--softmax", is_flag=True, help="The softmax form is tried as well.")
@click.option("--gamma", type=float, help="Errors cost 1 + gamma, rejections 1: rejection is tried.")
@click.option("--alpha", type=float, help="Of two classes: what a false positive costs, where a missed case costs 1.")
@click.option("--costs", type=FILE, help="A .json file of costs: rules of least cost are tried.")
@click.option("--reject-cost", type=float, help="What rejecting a case costs: rejection is tried.")
@click.option("--max-rejection", type=float, help="The largest share of cases to reject: rejection is tried.")
@click.option("--old", metavar="A=P,B=P", help="The priors of the training cases: counted priors are tried.")
@click.option("--folds", type=int, default=5, show_default=True, help="Parts that take turns in being left out.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same digits.")
@click.option("-o", "--output", type=FILE, help="A .json file for the recommended correction.")
@JSON
@columns
@click.pass_context
def recommend(context: click.Context, /, predictions: Path, output: Path | None, *, as_json: bool, **asked: Any) -> int:
    """Say which corrections of PREDICTIONS are worth it, each judged on cases it was not fitted to.

    Cases of a --group stay together. With -o the best of those recommended is fitted on all cases and written; where none is
    recommended nothing is written and the exit code is 1.
    """
    from adjudge.verbs.correct import recommend, save_correction

    check_apart((predictions, asked["costs"]), output, what="what was read", written="correction")
    check_places(such_as="correction.json", output=output)
    check_ending(output, (".json",), "a correction")
    old, seed = asked.pop("old"), asked.pop("seed")
    with waiting("trying corrections"):
        found = recommend(predictions, old=None if old is None else shares("--old", old), rng=seed, **asked)
    commands = {row.name: _command(context, row, output) for row in found.rows}
    best = found.best
    files = {output: lambda place: save_correction(best.correction, place)} if output is not None and best is not None else {}
    answer(found, as_json=as_json, files=files, more={"commands": commands}, lines=_ways(found, commands))
    if output is None or best is not None:
        return 0
    older = f"; the {safe(output, 1000)} that is there is older" if output.exists() else f", so {safe(output)} was not written"
    click.echo(f"adjudge: No correction is recommended{older}.", err=True)
    return NOTHING_RECOMMENDED


def _ways(found: Any, commands: dict[str, str]) -> Iterator[str]:
    """Yield how to fit each of them, with an empty line before it."""
    yield ""
    yield "To fit one of them on all cases:" if found.tried > 1 else "To fit it on all cases:"
    for row in found.rows:
        yield f"  {row.name}, the one recommended" if row is found.best else f"  {row.name}"
        yield f"    {commands[row.name]}"


def _command(context: click.Context, row: Any, output: Path | None) -> str:
    """Return the command that fits a recipe to the same file, read as it was read."""
    recipe, given = row.recipe, context.params
    words = ["adjudge", "correct", "fit", _path(given["predictions"]), "--kind", recipe.kind]
    words += ["--bounds", "free"] if recipe.bounds is None else []
    words += ["--weights", recipe.weights] if recipe.weights is not None else []
    words += ["--thresholds", recipe.thresholds] if recipe.thresholds is not None else []
    words += ["--priors", "counted", "--old", given["old"]] if recipe.kind == "priors" else []
    typed = [name for name in given if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    named = [*(PRICES if recipe.kind in ("reject", "costs") else ()), *(name for name in typed if name not in _OWN)]
    for name in named:
        value = given[name]
        words += [] if value is None else [f"--{name.replace('_', '-')}", _path(value) if isinstance(value, Path) else str(value)]
    return safe(shlex.join([*words, "-o", _path(output or Path("fix.json"))]), 4000)


def _path(path: Path) -> str:
    """Return a path that is not taken for an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)
