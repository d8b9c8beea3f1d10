"""The command that says which correction is worth it, how to fit each, and that keeps the one it recommends."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from adjudge._base.text import safe
from adjudge.cli.correcting import PRICES, cases_in, correct, costs_in, grouped, shares_in
from adjudge.cli.options import JSON, check_apart, print_json
from adjudge.cli.options import columns as reading_options
from adjudge.cli.terminal import say, waiting
from adjudge.cli.wording import in_shell

if TYPE_CHECKING:
    from adjudge.corrections.recipes import Known, Recipe
    from adjudge.judgements.recommendation import Candidate, Recommendations

NOTHING_RECOMMENDED = 1
"""Exit code where a correction was to be written and none is recommended."""
_OF_FILES = ("level",)  # of the reading options those that a fit has no use for


@correct.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--measure", default=None, metavar="NAME", help="accuracy, balanced_accuracy, brier, log_loss; cost with costs.")
@click.option("--softmax", is_flag=True, help="The softmax form is tried as well.")
@click.option("--gamma", type=float, help="Errors cost 1 + gamma, rejections 1: rejection is tried.")
@click.option("--alpha", type=float, help="Of two classes: what a false positive costs, where a missed case costs 1.")
@click.option("--costs", type=click.Path(path_type=Path), help="A .json file of costs: rules of least cost are tried.")
@click.option("--reject-cost", type=float, help="What rejecting a case costs: rejection is tried.")
@click.option("--max-rejection", type=float, help="The largest share of cases to reject: rejection is tried.")
@click.option("--old", metavar="A=P,B=P", help="The priors of the training cases: counted priors are tried.")
@click.option("--folds", type=int, default=5, show_default=True, help="Parts that take turns in being left out.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same digits.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A .json file for the recommended correction.")
@JSON
@reading_options
@click.pass_context
def recommend(context: click.Context, /, predictions: Path, output: Path | None, *, as_json: bool, **given: Any) -> int:
    """Say which corrections of PREDICTIONS are worth it, each judged on cases it was not fitted to.

    Cases of a --group stay together. With -o the best of those recommended is fitted on all cases and written; where none is
    recommended nothing is written and the exit code is 1.
    """
    read = [path for path in (predictions, given["costs"]) if path is not None]
    check_apart(read, output, "what was read", written="correction")
    _check_output(output)
    asked = {name: given.pop(name) for name in ("measure", "softmax", "old", "folds", "seed", "level", *PRICES)}
    with waiting("trying corrections"):
        found = _judged(grouped(cases_in(predictions, given), given["group"], asked["folds"]), asked, given["positive"])
    commands = {row.name: _command(context, row.recipe, output) for row in found.rows}
    written, found = _saved(found, output), in_shell(found)
    if as_json:
        print_json(found.to_dict() | {"commands": commands})
    else:
        say(found)
        click.echo("\n".join(_ways(found, commands)))
        click.echo(f"\nWrote {safe(written, 1000)}" if written is not None else "", nl=written is not None)
    if output is None or written is not None:
        return 0
    click.echo(_none_written(output), err=True)
    return NOTHING_RECOMMENDED


def _check_output(output: Path | None) -> None:
    """Refuse a place that cannot be written to before the work, not after it."""
    from adjudge._base.errors import InputError

    if output is None:
        return
    if output.is_dir():
        msg = f"{safe(output)} is a folder. Name a file in it to write to, e.g. {safe(output / 'correction.json', 1000)}."
        raise InputError(msg)
    if output.suffix.lower() != ".json":
        msg = f"A correction is a .json file; got {safe(output)}. Choose another name to write to."
        raise InputError(msg)
    if not output.parent.is_dir():
        msg = f"Cannot write {safe(output)}: there is no folder {safe(output.parent, 1000)}. Choose another place to write to."
        raise InputError(msg)


def _none_written(output: Path) -> str:
    """Say that nothing is recommended, and that a file of that name is not from now."""
    older = f"; the {safe(output, 1000)} that is there is older" if output.exists() else f", so {safe(output)} was not written"
    return f"adjudge: No correction is recommended{older}."


def _judged(cases: Known, asked: dict[str, Any], positive: str | None) -> Recommendations:
    from adjudge._base.errors import InputError
    from adjudge.corrections.named import costs_of, shares_of
    from adjudge.corrections.recipes import check_probabilities
    from adjudge.judgements.recommendation import recommend as recommended

    check_probabilities(cases)
    if cases.weight is not None:
        msg = "Recommendations count every case alike, and these have weights. Pass --weight '' to leave them out."
        raise InputError(msg)
    old, costs, seed = asked.pop("old"), asked.pop("costs"), asked.pop("seed")
    priced = costs is not None or any(asked[name] is not None for name in PRICES if name != "costs")
    asked["measure"] = asked["measure"] or ("cost" if priced else "accuracy")
    return recommended(
        cases.p,
        cases.labels,
        classes=cases.classes,
        old=None if old is None else shares_of(shares_in("--old", old), cases.names, "old"),
        costs=None if costs is None else costs_of(costs_in(costs), cases.names),
        positive=positive if priced else None,
        decided=None if cases.decided is None else _labels(cases),
        groups=cases.group,
        rng=seed,
        **asked,
    )


def _labels(cases: Known) -> list[Any]:
    from adjudge.corrections.costs import REJECTED

    assert cases.decided is not None
    return [*(REJECTED if at < 0 else cases.classes[at] for at in cases.decided.tolist())]


def _saved(found: Recommendations, output: Path | None) -> Path | None:
    """Write the recommended correction, if one is wanted and there is one."""
    from adjudge.corrections.file import save

    best = found.best
    return None if output is None or best is None else save(best.correction, output)


def _ways(found: Recommendations, commands: dict[str, str]) -> Iterator[str]:
    """Yield how to fit each of them, with an empty line before it."""
    yield ""
    yield "To fit one of them on all cases:" if found.tried > 1 else "To fit it on all cases:"
    for row in found.rows:
        yield f"  {_marked(row, found)}"
        yield f"    {commands[row.name]}"


def _marked(row: Candidate, found: Recommendations) -> str:
    return f"{row.name}, the one recommended" if row is found.best else row.name


def _command(context: click.Context, recipe: Recipe, output: Path | None) -> str:
    """Return the command that fits a recipe to the same file, read as it was read."""
    words = ["adjudge", "correct", "fit", _path(context.params["predictions"]), "--kind", recipe.kind]
    words += ["--bounds", "free"] if recipe.bounds is None else []
    words += ["--weights", recipe.weights] if recipe.weights is not None else []
    words += ["--thresholds", recipe.thresholds] if recipe.thresholds is not None else []
    words += ["--priors", "counted", "--old", context.params["old"]] if recipe.kind == "priors" else []
    if recipe.kind in ("reject", "costs"):
        words += [word for name in PRICES for word in _given(context, name)]
    words += [word for name in _reading(context) for word in _given(context, name)]
    return safe(shlex.join([*words, "-o", _path(output or Path("fix.json"))]), 4000)


def _given(context: click.Context, name: str) -> tuple[str, ...]:
    value = context.params[name]
    return () if value is None else (f"--{name.replace('_', '-')}", _path(value) if isinstance(value, Path) else str(value))


def _path(path: Path) -> str:
    """Return a path that is not taken for an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def _reading(context: click.Context) -> Iterator[str]:
    """Yield the options that were given to say how the file is read."""
    own = {"predictions", "measure", "softmax", "old", "folds", "seed", "output", "as_json", *PRICES, *_OF_FILES}
    for name in context.params:
        if name not in own and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            yield name
