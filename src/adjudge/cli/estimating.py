"""Commands that estimate a learner."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.cli.group import main
from adjudge.cli.options import JSON, check_apart, check_places, print_json
from adjudge.cli.terminal import say, waiting
from adjudge.cli.wording import in_shell

if TYPE_CHECKING:
    from adjudge._base.show import Shown
    from adjudge.resampling.features import Features

INCOMPLETE = 3
"""Exit code of a run in which some fold failed."""


_LEARNING = (
    click.option("--learner", required=True, metavar="MODULE:CLASS", help="e.g. sklearn.neighbors:KNeighborsClassifier."),
    click.option("--params", multiple=True, metavar="NAME=VALUE", help="A parameter of the learner; may be repeated."),
    click.option(
        "--data", required=True, type=click.Path(path_type=Path), help="Cases to learn from: .csv, .csv.gz or .parquet."
    ),
    click.option("--target", required=True, metavar="COLUMN", help="What is to be predicted."),
    click.option("--leave-out", multiple=True, metavar="COLUMN", help="A column not to learn from; may be repeated."),
    click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same digits."),
    click.option("-o", "--output", type=click.Path(path_type=Path), help="A page to write."),
    JSON,
)


def learning(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that name a learner and its cases."""
    return functools.reduce(lambda decorated, option: option(decorated), reversed(_LEARNING), command)


@main.command()
@learning
@click.option("--groups", metavar="COLUMN", help="Cases of one group stay together, with --by grouped-10-fold.")
@click.option("--by", default="stratified-10-fold", show_default=True, metavar="PLAN", help="Where the test cases come from.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="A measure to follow; may be repeated.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--jobs", type=int, help="Processes to use, where they pay.")
@click.option("--checkpoint", type=click.Path(path_type=Path), help="A folder that keeps every finished fit; run again to go on.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Give a fit up after so long.")
@click.option("--isolate", is_flag=True, help="Fit in processes of their own: one that crashes costs its fold only.")
@click.option("--save", type=click.Path(path_type=Path), help="A .parquet or .csv file for the predictions, to judge later.")
@click.option("--save-plan", type=click.Path(path_type=Path), help="A .json file for the plan, to use again with --by.")
@click.option("--ensemble", metavar="KINDS", help="bagging,adaboost or one of them: judge them against the single model.")
@click.option("--rounds", type=click.IntRange(min=1), help="Models of each ensemble; 50 unless told.")
@click.option("--samme", is_flag=True, help="Models of adaboost need only be better than guessing, of more than two classes.")
def estimate(
    *,
    by: str,
    groups: str | None,
    measures: tuple[str, ...],
    seed: int,
    jobs: int | None,
    output: Path | None,
    save: Path | None,
    save_plan: Path | None,
    as_json: bool,
    ensemble: str | None,
    rounds: int | None,
    samme: bool,
    **given: Any,
) -> int:
    """Estimate how good a LEARNER is on cases it has not seen.

    It is imported and made with the parameters given; no saved model is loaded. Plans: holdout, subsampling-10, 10-fold,
    stratified-10-fold, 10x10-fold, grouped-10-fold, leave-one-out, bootstrap632, bootstrap632+, or the .json file of one.
    """
    from adjudge.judgements.resampled import Resampled
    from adjudge.resampling.plan import Plan

    read = [given["data"], *([Path(by)] if by.endswith(".json") else [])]
    for written in (output, save, save_plan):
        check_apart(read, written, "the data or the plan")
    check_places(output=output, save=save, save_plan=save_plan)
    _check_endings(save)
    tried = _tried(ensemble, rounds, measures, given["checkpoint"] or save, samme=samme)
    learner, features = _cases(given, groups)
    plan = Plan.load(by) if by.endswith(".json") else by
    found = tried(learner, features.X, features.y, by=plan, groups=features.groups, random_state=seed, n_jobs=jobs, **given)
    files: dict[Path, Callable[[Path], Any]] = {} if save is None else {save: found.save}
    files |= {} if save_plan is None else {save_plan: found.plan.save}
    if (output is not None or as_json) and isinstance(found, Resampled):
        found = found.completed()
    tell(found, [output, save, save_plan], output, as_json=as_json, files=files)
    return INCOMPLETE if found.failures else 0


def _check_endings(save: Path | None) -> None:
    if save is not None and save.suffix.lower() not in (".csv", ".parquet"):
        msg = f"--save takes a name that ends in .csv or .parquet; got {safe(save.name)}."
        raise InputError(msg)


def _tried(
    ensemble: str | None, rounds: int | None, measures: tuple[str, ...], kept: Path | None, *, samme: bool
) -> Callable[..., Any]:
    """Return what tries the learner: by itself, or beside ensembles of it."""
    if ensemble is None:
        from adjudge.verbs.estimate import estimate as estimated

        if rounds is not None or samme:
            told = "--samme is for adaboost" if rounds is None else "--rounds counts the models of an ensemble"
            msg = f"{told}; name one with --ensemble bagging,adaboost."
            raise InputError(msg)
        return functools.partial(estimated, measures=measures) if measures else estimated
    from adjudge.verbs.judge_ensembles import ENSEMBLES, judge_ensembles

    if kept is not None or len(measures) > 1:
        told = "one --measure" if kept is None else "neither --checkpoint nor --save"
        msg = f"--ensemble judges several learners by one measure and takes {told}; estimate each by itself for more."
        raise InputError(msg)
    names = [name.strip() for name in ensemble.split(",")]
    if not set(names) <= set(ENSEMBLES) or len(set(names)) < len(names):
        msg = f"--ensemble takes {','.join(ENSEMBLES)} or one of them; got {safe(ensemble)}."
        raise InputError(msg)
    if samme and "adaboost" not in names:
        msg = f"--samme is for adaboost, and --ensemble names {safe(ensemble)}."
        raise InputError(msg)
    more: dict[str, Any] = {"samme": samme} | ({} if rounds is None else {"n_estimators": rounds})
    return functools.partial(judge_ensembles, ensembles=names, measure=measures[0] if measures else None, **more)


@main.command(name="trade-off")
@learning
@click.option("--repeats", type=int, default=20, show_default=True, help="Random splits for each share.")
@click.option("--measure", metavar="NAME", help="The accuracy unless another is named; mae for numbers.")
@click.option("--jobs", type=int, help="Processes to use, where they pay.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Give a fit up after so long.")
@click.option("--isolate", is_flag=True, help="Fit in processes of their own: one that crashes costs its split only.")
def trade_off(*, seed: int, jobs: int | None, output: Path | None, as_json: bool, **given: Any) -> None:
    """Show how the estimate of a LEARNER and its spread move with the share of cases kept for testing."""
    from adjudge.verbs.estimate import trade_off as traded

    check_apart([given["data"]], output, "the data")
    check_places(output=output)
    learner, features = _cases(given, None)
    found = traded(learner, features.X, features.y, random_state=seed, n_jobs=jobs, **given)
    tell(found, [output], output, as_json=as_json)


def _cases(given: dict[str, Any], groups: str | None) -> tuple[Any, Features]:
    """Return the learner and what it learns from, taking what names them out of the options."""
    from adjudge.resampling.features import read_features, understanding_text

    learner = made(given.pop("learner"), given.pop("params"))
    features = read_features(given.pop("data"), target=given.pop("target"), groups=groups, leave_out=given.pop("leave_out"))
    return understanding_text(learner, features), features


def tell(
    found: Shown,
    written: Sequence[Path | None],
    page: Path | None,
    *,
    as_json: bool,
    files: Mapping[Path, Callable[[Path], Any]] | None = None,
) -> None:
    """Write the page and other `files`, all or none, and print the answer and what was written."""
    from adjudge._base.files import write_together, write_whole

    found = in_shell(found)
    writers = dict(files or {})
    if page is not None:
        with waiting("drawing the page"):
            html = found.to_html()
        writers[page] = lambda place: write_whole(place, html)
    write_together(writers)
    if as_json:
        print_json(found.to_dict())
        return
    say(found)
    for path in written:
        if path is not None:
            click.echo(f"\nWrote {safe(path, 1000)}")


def made(name: str, params: tuple[str, ...], flag: str = "--learner") -> Any:
    """Import a class and make a learner of it; `flag` is the option that named it."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        msg = f"{flag} takes MODULE:CLASS, such as sklearn.naive_bayes:GaussianNB; got {safe(name)}."
        raise InputError(msg)
    try:
        kind = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        msg = f"{flag} {safe(name)} cannot be imported: {safe(str(error), 300)}."
        raise InputError(msg) from error
    given = dict(_parameter(text) for text in params)
    try:
        return kind(**given)
    except Exception as error:
        msg = f"{safe(attribute)} does not take these parameters: {safe(str(error), 300)}."
        raise InputError(msg) from error


def _parameter(text: str) -> tuple[str, Any]:
    """Return a name and its value: a Python literal where it is one, else the text itself."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        msg = f"--params takes NAME=VALUE, such as n_neighbors=11; got {safe(text)}."
        raise InputError(msg)
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value
