"""The command line: parse, call one verb, write the answer.

Nothing but click is imported until a command runs, so that help answers at once.
"""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge._base.errors import AdjudgeError
from adjudge._base.text import safe
from adjudge._base.version import VERSION

if TYPE_CHECKING:
    from adjudge.estimates.estimate import Estimate
    from adjudge.judgements.evaluation import Evaluation

_ROLES = (
    ("--truth", "COLUMN", "What each case truly is."),
    ("--predicted", "COLUMN", "What was decided."),
    ("--scores", "COLUMNS", "Scores: a column, 'p_*' (the class in place of *), or a=col1,b=col2."),
    ("--row", "COLUMN", "What identifies a case."),
    ("--fold", "COLUMN", "The fold a case was tested in."),
    ("--group", "COLUMN", "A group to count apart."),
    ("--weight", "COLUMN", "How much a case counts."),
    ("--positive", "CLASS", "The class looked for."),
    ("--rejected", "LABEL", "The decision that means 'no decision'."),
)


class _Group(click.Group):
    """Turns what adjudge or click refuses into one sentence and exit code 2."""

    def main(self, args: Any = None, prog_name: str | None = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; leave with its exit code unless called from Python with standalone_mode=False."""
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # a label the terminal cannot show is shown by its escape
        try:
            code = super().main(args, prog_name, standalone_mode=False, **extra)
        except AdjudgeError as error:
            code = _refused(str(error))
        except click.ClickException as error:
            code = _refused(f"{safe(error.format_message(), 500)} Try --help.")
        except BrokenPipeError:
            sys.stderr.close()  # the reader of our output has gone; there is no one to tell
            code = 1
        except click.Abort:
            code = 130
        sys.exit(code if isinstance(code, int) else 0)


def _refused(sentence: str) -> int:
    click.echo(f"adjudge: {sentence}", err=True)
    return 2


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(VERSION, prog_name="adjudge")
def main() -> None:
    """Judge classifiers by what the evidence allows one to believe."""


def _reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say how a file is to be read."""
    choices = (
        (
            "--scores-are",
            ["probabilities", "percentages", "votes", "logits", "confidence", "scores"],
            None,
            "What the scores hold.",
        ),
        ("--missing", ["error", "drop", "class"], "error", "Rows without a label."),
        ("--missing-scores", ["error", "drop", "worst"], "error", "Rows without a score."),
        ("--duplicates", ["error", "first", "mean"], "error", "Rows that name the same case."),
        ("--labels-as", ["str"], None, "Compare labels as text."),
    )
    options = [click.option(flag, metavar=what, help=text) for flag, what, text in _ROLES]
    options.append(click.option("--classes", metavar="A,B,...", help="The classes, in the order to show them."))
    options.append(click.option("--threshold", type=float, help="Score from which on a case is called positive."))
    options.append(click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals."))
    options += [
        click.option(flag, type=click.Choice(values), default=default, show_default=default is not None, help=text)
        for flag, values, default, text in choices
    ]

    @functools.wraps(command)
    def wrapped(**given: Any) -> Any:
        if given["classes"] is not None:
            given["classes"] = [label.strip() for label in given["classes"].split(",")]
        return command(**given)

    return functools.reduce(lambda decorated, option: option(decorated), reversed(options), wrapped)


_OUTPUT = click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("report.html"), show_default=True, help="The page to write."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@_OUTPUT
@_JSON
@_reading
def report(predictions: Path, output: Path, *, as_json: bool, **reading: Any) -> None:
    """Judge a file of PREDICTIONS: print the verdict and write one self-contained page.

    PREDICTIONS is a .csv, .csv.gz, .tsv or .parquet file, or a folder of Parquet files.
    """
    _check_apart(predictions, output)
    _write(_evaluate(predictions, reading), output, as_json=as_json)


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--measure", "names", multiple=True, metavar="NAME", help="Print this measure only; may be repeated.")
@click.option("--training", type=click.Path(path_type=Path), help="Predictions for the training cases: is the model overfitted?")
@_JSON
@_reading
def evaluate(predictions: Path, names: tuple[str, ...], training: Path | None, *, as_json: bool, **reading: Any) -> None:
    """Judge a file of PREDICTIONS and print the verdict."""
    if names and training is not None:
        msg = "--measure and --training do not go together: ask for one of them."
        raise click.UsageError(msg)
    evaluation = _evaluate(predictions, reading)
    if names:
        _print_measures(evaluation, names, as_json=as_json)
        return
    bias = None if training is None else _overfitting(_evaluate(training, reading), evaluation)
    if as_json:
        whole = evaluation.to_dict() | ({} if bias is None else {"overfitting": bias.to_dict()})
        _print_json(whole)
        return
    click.echo(evaluation.in_words())
    if bias is not None:
        click.echo(f"\n{bias.in_words()}")


@main.command()
@_OUTPUT
@_JSON
def demo(output: Path, *, as_json: bool) -> None:
    """Judge the bundled example: nearest neighbours on 1,186 DNA sequences."""
    from importlib.resources import as_file, files

    with as_file(files("adjudge") / "data" / "dna_knn11.csv") as path:
        _write(_evaluate(path, {}), output, as_json=as_json)


@main.command()
@_JSON
def measures(*, as_json: bool) -> None:
    """List every measure with its formula, range and direction."""
    from adjudge.metrics.catalogue import measures as table

    if as_json:
        _print_json(table().to_dict())
    else:
        click.echo(repr(table()))


def _evaluate(path: Path, reading: dict[str, Any]) -> Evaluation:
    from adjudge.workflows import evaluate as judge

    return judge(path, **reading)


def _overfitting(training: Evaluation, test: Evaluation) -> Any:
    from adjudge.judgements.overfitting import overfitting

    return overfitting(training, test)


def _write(evaluation: Evaluation, output: Path, *, as_json: bool) -> None:
    from adjudge._base.files import write_whole

    written = write_whole(output, evaluation.to_html())
    if as_json:
        _print_json(evaluation.to_dict())
    else:
        click.echo(evaluation.in_words())
        click.echo(f"\nWrote {safe(written, 1000)}")


def _check_apart(predictions: Path, output: Path) -> None:
    from adjudge._base.errors import InputError

    if predictions.exists() and output.exists() and output.samefile(predictions):
        msg = f"The page would replace the predictions in {safe(output)}. Choose another place with -o."
        raise InputError(msg)


def _print_measures(evaluation: Evaluation, names: tuple[str, ...], *, as_json: bool) -> None:
    from adjudge.metrics.catalogue import find

    found = {name: _estimate(evaluation, name) for name in names}
    if as_json:
        _print_json({estimate.measure: estimate.to_dict() for estimate in found.values()})
        return
    for estimate in found.values():
        limits, formula = estimate.interval, find(estimate.measure).formula
        told = "" if limits is None else f"  [{limits.low:.6g}, {limits.high:.6g}] {limits.method}"
        value = f"{estimate.value:.6g}{told}" if estimate.reason is None else f"undefined: {estimate.reason}"
        click.echo(f"{estimate.measure} {value}  ({formula})")


def _estimate(evaluation: Evaluation, name: str) -> Estimate:
    """Return the estimate of that name, made now if the verdict did not need it."""
    from adjudge._base.errors import InputError
    from adjudge.estimates.estimate import Estimate
    from adjudge.metrics.catalogue import find
    from adjudge.workflows import measure

    wanted = name if name in evaluation.estimates else find(name).name
    if wanted in evaluation.estimates:
        return evaluation.estimates[wanted]
    if evaluation.counts is None or find(name).needs != "decisions":
        msg = f"{wanted} cannot be had from these predictions; there are {', '.join(evaluation.estimates)}."
        raise InputError(msg)
    average = None if evaluation.positive is not None else "macro"
    value = measure(evaluation.counts, wanted, positive=evaluation.positive, average=average)
    return Estimate(wanted, value, of=evaluation.positive, average=average)


def _print_json(value: Any) -> None:
    import json

    click.echo(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False))
