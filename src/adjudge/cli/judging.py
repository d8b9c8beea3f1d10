"""Commands that judge a file of predictions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge._base.text import safe
from adjudge.cli.group import main
from adjudge.cli.options import JSON, OUTPUT, check_apart, check_places, print_json
from adjudge.cli.options import comparing as comparing_options
from adjudge.cli.options import reading as reading_options
from adjudge.cli.terminal import open_page, say, waiting
from adjudge.cli.terminal import reading as watched_reading
from adjudge.cli.wording import in_shell

if TYPE_CHECKING:
    from adjudge.estimates.estimate import Estimate
    from adjudge.judgements.evaluation import Evaluation
    from adjudge.judgements.report import Report


_EXACT = click.option("--exact", is_flag=True, help="The exact AUC of a file with many scores; takes memory, or another reading.")


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path), nargs=-1, required=True)
@OUTPUT
@JSON
@comparing_options
@_EXACT
@reading_options
def report(predictions: tuple[Path, ...], output: Path, *, asked: dict[str, Any], as_json: bool, **reading: Any) -> None:
    """Judge files of PREDICTIONS: print the verdict and write one self-contained page.

    PREDICTIONS is a .csv, .csv.gz, .tsv or .parquet file, or a folder of Parquet files. Several of the same cases are compared
    first, as --measure, --margin and the like ask, and then judged one by one. Files of counts (adjudge count) are added up.
    """
    from adjudge._base.show import ENDINGS
    from adjudge.verbs.report import report as judged

    check_apart(predictions, output)
    check_places(output=output)
    if output.suffix.lower() not in ENDINGS:
        msg = f"-o writes a report: give a name that ends in .html, .md or .json; got {safe(output.name)}."
        raise click.UsageError(msg)
    added = _all_counts(predictions)
    if len(predictions) > 1 and not added:
        with waiting("reading, comparing and trying corrections"):
            found = judged(*predictions, **asked, **reading)
        _write(found, output, as_json=as_json)
        return
    if any(value is not None and value is not False for name, value in asked.items() if name != "assurance"):
        given = "counts are added up" if added else "one was given"
        msg = f"--measure, --margin, --by-position, --independent and --names compare several files; {given}."
        raise click.UsageError(msg)
    evaluation = _judged_counts(predictions, reading) if added else _evaluate(predictions[0], reading)
    with waiting("trying corrections"):
        found = judged(evaluation)
    _write(found, output, as_json=as_json)


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--measure", "names", multiple=True, metavar="NAME", help="Print this measure only; may be repeated.")
@click.option("--training", type=click.Path(path_type=Path), help="Predictions for the training cases: is the model overfitted?")
@JSON
@_EXACT
@reading_options
def evaluate(predictions: Path, names: tuple[str, ...], training: Path | None, *, as_json: bool, **reading: Any) -> None:
    """Judge a file of PREDICTIONS and print the verdict."""
    if names and training is not None:
        msg = "--measure and --training do not go together: ask for one of them."
        raise click.UsageError(msg)
    evaluation = _evaluate(predictions, reading)
    if names:
        _print_measures(evaluation, names, reading["interval"], as_json=as_json)
        return
    bias = None if training is None else in_shell(_overfitting(_evaluate(training, reading), evaluation))
    evaluation = in_shell(evaluation)
    if as_json:
        whole = evaluation.to_dict() | ({} if bias is None else {"overfitting": bias.to_dict()})
        print_json(whole)
        return
    say(evaluation)
    if bias is not None:
        click.echo()
        say(bias)


@main.command()
@OUTPUT
@JSON
@click.option("--no-open", is_flag=True, help="Write the page, but do not open it in a browser.")
def demo(output: Path, *, as_json: bool, no_open: bool) -> None:
    """Judge the bundled example: nearest neighbours on 1,186 DNA sequences. At a terminal, open the page in a browser."""
    from importlib.resources import as_file, files

    from adjudge.verbs.report import report as judged

    with as_file(files("adjudge") / "data" / "dna_knn11.csv") as path:
        _write(in_shell(judged(path), report), output, as_json=as_json)  # what it shows is what report would say
    if not no_open and not as_json and open_page(output):
        click.echo("Opened it in your browser.")


@main.command()
@JSON
def measures(*, as_json: bool) -> None:
    """List every measure with its formula, range and direction."""
    from adjudge.metrics.catalogue import measures as table

    if as_json:
        print_json(table().to_dict())
    else:
        click.echo(repr(table()))


def _evaluate(path: Path, reading: dict[str, Any]) -> Evaluation:
    from adjudge.predictions.read import read
    from adjudge.verbs.evaluate import evaluate as judge

    if _are_counts(path):
        return _judged_counts((path,), reading)
    how = {name: reading[name] for name in ("level", "interval", "prior", "exact") if name in reading}
    predictions, bar = watched_reading(read(path, **{name: value for name, value in reading.items() if name not in how}))
    with bar:
        return judge(predictions, **how)


def _are_counts(path: Path) -> bool:
    from adjudge.counts.result import is_counts

    return is_counts(path)


def _all_counts(paths: tuple[Path, ...]) -> bool:
    from adjudge.cli.counting import all_counts

    return all_counts(paths)


def _judged_counts(paths: tuple[Path, ...], reading: dict[str, Any]) -> Evaluation:
    from adjudge.cli.counting import judge_counts

    return judge_counts(paths, reading)


def _overfitting(training: Evaluation, test: Evaluation) -> Any:
    from adjudge.judgements.training import overfitting

    return overfitting(training, test)


def _write(found: Report, output: Path, *, as_json: bool) -> None:
    found = in_shell(found)
    with waiting("drawing the page"):
        written = found.save(output)
    if as_json:
        print_json(found.to_dict())
    else:
        say(found)
        click.echo(f"\nWrote {safe(written, 1000)}")


def _print_measures(evaluation: Evaluation, names: tuple[str, ...], method: str, *, as_json: bool) -> None:
    from adjudge.metrics.catalogue import find

    found = in_shell({name: _estimate(evaluation, name, method) for name in names})
    if as_json:
        print_json({estimate.measure: estimate.to_dict() for estimate in found.values()})
        return
    for estimate in found.values():
        limits, formula = estimate.interval, find(estimate.measure).formula
        told = "" if limits is None else f"  [{limits.low:.6g}, {limits.high:.6g}] {limits.method}"
        value = f"{estimate.value:.6g}{told}" if estimate.reason is None else f"undefined: {estimate.reason}"
        click.echo(f"{estimate.measure} {value}  ({formula})")
        for finding in () if limits is None else limits.findings:
            click.echo(f"  {safe(str(finding), 2000)}")


def _estimate(evaluation: Evaluation, name: str, method: str) -> Estimate:
    """Return the estimate of that name with the interval asked for, made now if the verdict did not need it."""
    from adjudge._base.errors import InputError
    from adjudge.estimates.estimate import Estimate
    from adjudge.metrics.catalogue import find
    from adjudge.metrics.measure import ClassMeasure
    from adjudge.verbs.interval import interval
    from adjudge.verbs.measure import measure

    wanted = name if name in evaluation.estimates else find(name).name
    seen = evaluation.estimates.get(wanted)
    if seen is not None and (method == "default" or (seen.interval is not None and seen.interval.method == method)):
        return seen
    if evaluation.counts is None or find(name).needs != "decisions":
        what = wanted if method == "default" else f"The {method} interval of {wanted}"
        undecided = evaluation.undecided is not None and find(name).needs == "decisions"
        why = " without decisions: pass --threshold or --predicted" if undecided else ""
        msg = f"{what} cannot be had from these predictions{why}; there are {', '.join(evaluation.estimates)}."
        raise InputError(msg)
    of = evaluation.positive if isinstance(find(name), ClassMeasure) else None
    average = "macro" if of is None and isinstance(find(name), ClassMeasure) else None
    value = measure(evaluation.counts, wanted, positive=of, average=average)
    if value != value:  # noqa: PLR0124 - undefined, with a reason
        return Estimate(wanted, value, of=of, average=average)
    limits = interval(evaluation.counts, wanted, level=evaluation.level, method=method, positive=of, average=average)
    return Estimate(wanted, value, limits, of=of, average=average)
