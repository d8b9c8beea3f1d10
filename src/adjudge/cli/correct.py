"""Commands that correct a finished classifier: fit a correction, apply it to files, say which one is worth it."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from adjudge._base import safe
from adjudge.cli.answers import Printed, answer, check_ending, check_places
from adjudge.cli.group import main
from adjudge.cli.options import FILE, FORMAT, SCALES, columns, shares, with_options

PRICES = ("gamma", "alpha", "costs", "reject_cost", "max_rejection")
NOTHING_RECOMMENDED = 1
"""Exit code where a correction was to be written and none is recommended."""
_OWN = {"predictions", "measure", "softmax", "old", "folds", "seed", "level", "output", "form", "as_json", *PRICES}
"""Parameters that do not say how the file is read."""
_KINDS = click.Choice(["multipliers", "softmax", "errors", "priors", "reject", "costs"])
_CUTS = click.Choice(["two-sided", "max-probability", "per-class"])
_BY_CLASS = click.Choice([scale for scale in SCALES if scale != "confidence"])
_SCORES = "Scores: 'p_*' (the class in place of *), a=col1,b=col2, or of two classes one."
_FITTING = (
    click.option("--kind", required=True, type=_KINDS, help="What to fit."),
    click.option("--bounds", metavar="LOW,HIGH", help="Within which every multiplier lies, such as 0,1; or free."),
    click.option("--weights", type=click.Choice(["balanced"]), help="balanced: all classes alike, for balanced accuracy."),
    click.option("--thresholds", type=_CUTS, help="Of two classes two-sided, of more max-probability, unless given."),
    click.option("--gamma", type=float, help="Reject where it pays: errors cost 1 + gamma, rejections 1."),
    click.option("--alpha", type=float, help="Of two classes: what a false positive costs, where a missed case costs 1."),
    click.option("--costs", type=FILE, help="A .json file: {true: {decided: cost}}, with REJECTED for no decision."),
    click.option("--reject-cost", type=float, help="What rejecting a case costs."),
    click.option("--max-rejection", type=float, help="The largest share of cases to reject."),
    click.option("--priors", metavar="A=P,B=P", help="The new class priors; or counted, those of PREDICTIONS, with --old."),
    click.option("--unlabelled", type=FILE, help="Cases without truth that the new priors are estimated from."),
    click.option("--counted", type=FILE, help="A random sample with truth in which the new priors are counted."),
    click.option("--old", metavar="A=P,B=P", help="The priors of the training cases; the shares of PREDICTIONS unless given."),
)


def _bounds(text: str | None) -> Any:
    if text is None or text.strip() == "free":
        return "usual" if text is None else None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = float("nan")
    if not 0 <= low < high:
        msg = f"--bounds takes two numbers from 0 on, the lower one first, such as 0,1, or free; got {safe(text)!r}."
        raise click.UsageError(msg)
    return low, high


def _check_output(output: Path | None, *read: Path | None) -> None:
    """Refuse a place where no correction can be written, or where something is that is read."""
    check_places(*read, what="what was read", written="correction", such_as="correction.json", output=output)
    check_ending(output, (".json",), "a correction")


@main.group(
    examples=("adjudge correct recommend predictions.csv", "adjudge correct fit predictions.csv --kind multipliers -o fix.json"),
)
def correct() -> None:
    """Improve a finished classifier: thresholds, priors, costs."""


@correct.command(
    examples=(
        "adjudge correct fit predictions.csv --kind multipliers -o fix.json",
        "adjudge correct fit two.csv --kind reject --reject-cost 0.2 -o fix.json",
    )
)
@click.argument("predictions", type=FILE)
@partial(with_options, options=_FITTING, bounds=_bounds)
@click.option("-o", "--output", type=FILE, required=True, help="The .json file of the correction to write.")
@FORMAT
@columns
def fit(predictions: Path, output: Path, *, printed: Printed, **asked: Any) -> None:
    """Fit a correction to predictions with known truth.

    Kinds: multipliers (one for each class, least squares), softmax (the same through exponentials), errors (multipliers
    that make few errors), priors (new class priors), reject (thresholds that leave doubtful cases undecided), costs (least
    expected cost).
    """
    from adjudge.verbs.correct import fit

    _check_output(output, predictions, *(asked[name] for name in ("costs", "unlabelled", "counted")))
    for name in ("priors", "old"):
        if asked[name] not in (None, "counted"):
            asked[name] = shares(f"--{name}", asked[name])
    correction = fit(predictions, progress=True, **asked)
    answer(correction, printed=printed, output=output, save=correction.save)


@correct.command(
    examples=(
        "adjudge correct apply fix.json predictions.csv -o corrected.csv",
        "adjudge correct apply fix.json predictions.csv -o corrected.parquet",
    )
)
@click.argument("correction", type=FILE)
@click.argument("predictions", type=FILE)
@click.option("-o", "--output", type=FILE, required=True, help="A .csv, .csv.gz or .parquet file to write.")
@click.option("--scores", metavar="COLUMNS", help=_SCORES)
@click.option("--scores-are", type=_BY_CLASS, help="What the scores hold.")
@click.option("--predicted", metavar="COLUMN", help="The old decision, which the new one replaces.")
@click.option("--positive", metavar="CLASS", help="The class that a single score speaks of.")
@FORMAT
def apply(correction: Path, predictions: Path, output: Path, *, printed: Printed, **asked: Any) -> None:
    """Apply a correction to a file of any size.

    Scores become corrected probabilities p_<class>, the decision becomes the corrected one, other columns stay as they are.
    """
    from adjudge.verbs.correct import apply

    answer(apply(correction, predictions, output, progress=True, **asked), printed=printed, written=output)


@correct.command(
    examples=(
        "adjudge correct recommend predictions.csv",
        "adjudge correct recommend predictions.csv --measure balanced_accuracy",
    )
)
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
@FORMAT
@columns
@click.pass_context
def recommend(context: click.Context, /, predictions: Path, output: Path | None, *, printed: Printed, **asked: Any) -> int:
    """Say which corrections are worth it.

    Cases of a --group stay together. With -o the best of those recommended is fitted on all cases and written; where none is
    recommended nothing is written and the exit code is 1.
    """
    from adjudge.verbs.correct import recommend, save_correction

    _check_output(output, predictions, asked["costs"])
    old, seed = asked.pop("old"), asked.pop("seed")
    asked |= {"old": None if old is None else shares("--old", old), "rng": seed}
    recommendation = recommend(predictions, progress=True, **asked)
    best = recommendation.best
    lines = ["", "To fit one of them on all cases:" if recommendation.tried > 1 else "To fit it on all cases:"]
    for row in recommendation.rows:
        lines += [f"  {row.name}{', the one recommended' if row is best else ''}", f"    {_command(context, row)}"]
    commands = {row.name: _command(context, row, folders=False) for row in recommendation.rows}
    files = {output: lambda place: save_correction(best.correction, place)} if output is not None and best is not None else {}
    answer(recommendation, printed=printed, files=files, more={"commands": commands}, lines=lines)
    if output is None or best is not None:
        return 0
    older = f"; the {safe(output, 1000)} that is there is older" if output.exists() else f", so {safe(output)} was not written"
    click.echo(f"adjudge: No correction is recommended{older}.", err=True)
    return NOTHING_RECOMMENDED


def _command(context: click.Context, row: Any, *, folders: bool = True) -> str:
    """Return the command that fits a recipe to the same file, read as it was read; `folders` says whether files have theirs."""
    recipe, given = row.recipe, {name: _path(each, folders=folders) for name, each in context.params.items()}
    words = ["adjudge", "correct", "fit", given["predictions"], "--kind", recipe.kind]
    words += ["--bounds", "free"] if recipe.bounds is None else []
    words += ["--weights", recipe.weights] if recipe.weights is not None else []
    words += ["--thresholds", recipe.thresholds] if recipe.thresholds is not None else []
    words += ["--priors", "counted", "--old", given["old"]] if recipe.kind == "priors" else []
    typed = [name for name in given if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    named = [*(PRICES if recipe.kind in ("reject", "costs") else ()), *(name for name in typed if name not in _OWN)]
    for name in named:
        value = given[name]
        words += [] if value is None else [f"--{name.replace('_', '-')}", str(value)]
    return safe(shlex.join([*words, "-o", given["output"] or "fix.json"]), 4000)


def _path(value: Any, *, folders: bool) -> Any:
    """Return what was given; of a path its words, which are not taken for an option."""
    if not isinstance(value, Path):
        return value
    path = str(value) if folders else value.name
    return f"./{path}" if path.startswith("-") else path
