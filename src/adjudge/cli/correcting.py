"""Commands that correct a finished classifier: fit a correction, apply it to files."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge._base.text import counted, safe
from adjudge.cli.group import main
from adjudge.cli.options import JSON, check_apart, print_json
from adjudge.cli.options import columns as reading_options
from adjudge.cli.wording import in_shell

if TYPE_CHECKING:
    from adjudge.corrections.file import Correction
    from adjudge.corrections.fitting import Fitted
    from adjudge.corrections.recipes import Known
    from adjudge.corrections.rejection import Rejection
    from adjudge.corrections.streaming import Corrected
    from adjudge.predictions.model import Predictions

_SHOWN = 20  # classes told one by one
_FILE = click.Path(path_type=Path)
PRICES = ("gamma", "alpha", "costs", "reject_cost", "max_rejection")
_TAKES = {
    "multipliers": ("bounds", "weights"),
    "softmax": ("bounds", "weights"),
    "errors": ("bounds", "weights"),
    "priors": ("priors", "unlabelled", "counted", "old"),
    "reject": ("thresholds", *PRICES),
    "costs": PRICES,
}
_OWN = tuple(dict.fromkeys(name for names in _TAKES.values() for name in names))
_FITTING = (
    click.option("--kind", required=True, type=click.Choice(list(_TAKES)), help="What to fit."),
    click.option("--bounds", metavar="LOW,HIGH", help="Within which every multiplier lies, such as 0,1; or free."),
    click.option("--weights", type=click.Choice(["balanced"]), help="balanced: all classes alike, for balanced accuracy."),
    click.option(
        "--thresholds",
        type=click.Choice(["two-sided", "max-probability", "per-class"]),
        help="Of two classes two-sided, of more max-probability, unless given.",
    ),
    click.option("--gamma", type=float, help="Reject where it pays: errors cost 1 + gamma, rejections 1."),
    click.option("--alpha", type=float, help="Of two classes: what a false positive costs, where a missed case costs 1."),
    click.option("--costs", type=_FILE, help="A .json file: {true: {decided: cost}}, with REJECTED for no decision."),
    click.option("--reject-cost", type=float, help="What rejecting a case costs."),
    click.option("--max-rejection", type=float, help="The largest share of cases to reject."),
    click.option("--priors", metavar="A=P,B=P", help="The new class priors; or counted, those of PREDICTIONS, with --old."),
    click.option("--unlabelled", type=_FILE, help="Cases without truth that the new priors are estimated from."),
    click.option("--counted", type=_FILE, help="A random sample with truth in which the new priors are counted."),
    click.option("--old", metavar="A=P,B=P", help="The priors of the training cases; the shares of PREDICTIONS unless given."),
)


def _fitting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that say what to fit."""
    return functools.reduce(lambda decorated, option: option(decorated), reversed(_FITTING), command)


@main.group()
def correct() -> None:
    """Correct a classifier without fitting it again: other thresholds, priors, costs."""


@correct.command()
@click.argument("predictions", type=_FILE)
@_fitting
@click.option("-o", "--output", type=_FILE, required=True, help="The .json file of the correction to write.")
@JSON
@reading_options
def fit(predictions: Path, kind: str, output: Path, *, as_json: bool, level: float, **given: Any) -> None:
    """Fit a correction to PREDICTIONS whose truth is known, and write it as a small JSON file.

    Kinds: multipliers (one for each class, least squares), softmax (the same through exponentials), errors (multipliers
    that make few errors), priors (new class priors), reject (thresholds that leave doubtful cases undecided), costs (least
    expected cost).
    """
    from adjudge.corrections.file import save

    check_apart(_read(predictions, given), output, "what was read", written="correction")
    asked = _asked(kind, {name: given.pop(name) for name in _OWN})
    found = _fitted(predictions, kind, given, asked, level)
    written, found = save(found.correction, output), in_shell(found)
    if as_json:
        print_json(found.to_dict())
        return
    click.echo("\n".join(_fitted_words(found)))
    click.echo(f"\nWrote {safe(written, 1000)}")


@correct.command()
@click.argument("correction", type=_FILE)
@click.argument("predictions", type=_FILE)
@click.option("-o", "--output", type=_FILE, required=True, help="A .csv, .csv.gz or .parquet file to write.")
@click.option(
    "--scores", metavar="COLUMNS", help="Scores: 'p_*' (the class in place of *), a=col1,b=col2, or of two classes one."
)
@click.option(
    "--scores-are",
    type=click.Choice(["probabilities", "percentages", "votes", "logits", "scores"]),
    help="What the scores hold.",
)
@click.option("--predicted", metavar="COLUMN", help="The old decision, which the new one replaces.")
@click.option("--positive", metavar="CLASS", help="The class that a single score speaks of.")
@JSON
def apply(correction: Path, predictions: Path, output: Path, *, as_json: bool, **given: Any) -> None:
    """Apply a CORRECTION to a file of PREDICTIONS of any size; no truth is needed.

    Scores become corrected probabilities p_<class>, the decision becomes the corrected one, other columns stay as they are.
    """
    from adjudge.corrections.file import load
    from adjudge.corrections.streaming import apply_to_file

    found = apply_to_file(load(correction), _named(predictions), output, **given)
    found = in_shell(found)
    if as_json:
        print_json(found.to_dict())
        return
    click.echo("\n".join(_applied_words(found, output)))
    click.echo(f"\nWrote {safe(output, 1000)}")


def _fitted(predictions: Path, kind: str, given: dict[str, Any], asked: dict[str, Any], level: float) -> Fitted:
    """Fit to all cases at once, or to more than are held by going through them, where that can be."""
    from adjudge.corrections.fitting import TooManyCasesError
    from adjudge.corrections.fitting import fit as fitted
    from adjudge.corrections.fitting_passes import IN_PASSES, fit_in_passes
    from adjudge.counts import scores
    from adjudge.judgements.eligibility import with_left_out
    from adjudge.judgements.recommendation import FOLDS

    try:
        cases = cases_in(predictions, given, most=scores.EXACT if kind in IN_PASSES else None)
    except TooManyCasesError:
        source, kept = _source(predictions, given)
        groups = bool(given["group"]) or (None if kept["groups"] else False)
        asked["counted_in"] = asked.pop("counted", None)
        return fit_in_passes(source, kind, folds=FOLDS, weighted=kept["weights"], groups=groups, level=level, **asked)  # type: ignore[arg-type]
    found = fitted(cases, kind, positive=given["positive"], level=level, **asked)  # type: ignore[arg-type]
    return with_left_out(found, grouped(cases, given["group"], FOLDS))


def cases_in(predictions: Path, roles: dict[str, Any], *, most: int | None = None) -> Known:
    """Return all cases of a file whose truth is known; more than `most` scores are not gathered."""
    from adjudge.corrections.fitting import known

    source, kept = _source(predictions, roles)
    return known(source, most=most, **kept)


def _source(predictions: Path, roles: dict[str, Any]) -> tuple[Predictions, dict[str, bool]]:
    """Return a file to read, and whether weights and groups count: one named '' is left out, though one be found."""
    from adjudge.predictions.read import read

    unwanted = {name: roles[name] == "" for name in ("weight", "group")}
    named: dict[str, Any] = {name: None if unwanted.get(name) else value for name, value in roles.items()}
    return read(_named(predictions), **named), {f"{name}s": not left for name, left in unwanted.items()}


def grouped(cases: Known, named: str | None, folds: int) -> Known:
    """Return the cases without groups that nobody named and that are too few to leave out in turn: parts, not clusters."""
    from dataclasses import replace

    few = cases.group is not None and len(set(cases.group.tolist())) < folds
    return replace(cases, group=None) if few and named is None else cases


def _named(path: Path) -> Path:
    """Return a path that has a name to be told by: "." has none."""
    return path if path.name else path.resolve()


def _read(predictions: Path, given: dict[str, Any]) -> list[Path]:
    """Return every file that is read."""
    return [predictions, *(given[name] for name in ("costs", "unlabelled", "counted") if given[name] is not None)]


def _asked(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of this kind as values; refuse those of others."""
    asked = {name: value for name, value in given.items() if value is not None}
    strange = [f"--{name.replace('_', '-')}" for name in asked if name not in _TAKES[kind]]
    if strange:
        msg = f"{', '.join(strange)} does not go with --kind {kind}."
        raise click.UsageError(msg)
    understood: dict[str, Callable[[Any], Any]] = {
        "bounds": _bounds,
        "costs": costs_in,
        "unlabelled": _named,
        "counted": _named,
        "priors": lambda text: text if text == "counted" else shares_in("--priors", text),
        "old": functools.partial(shares_in, "--old"),
    }
    return {name: understood[name](value) if name in understood else value for name, value in asked.items()}


def _bounds(text: str) -> tuple[float, float] | None:
    if text.strip() == "free":
        return None
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        low = high = float("nan")
    if not 0 <= low < high:
        msg = f"--bounds takes two numbers from 0 on, the lower one first, such as 0,1, or free; got {safe(text)!r}."
        raise click.UsageError(msg)
    return low, high


def shares_in(option: str, text: str) -> dict[str, float]:
    """Return the share of each class that an option names."""
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        found = {label.strip(): float(share) for label, _, share in pairs}
    except ValueError:
        found = {}
    if len(found) < len(pairs) or "" in found:
        msg = f"{option} takes each class once with its share, such as a=0.2,b=0.8; got {safe(text)!r}."
        raise click.UsageError(msg)
    return found


def costs_in(path: Path) -> Any:
    """Return the costs in a file of strict JSON."""
    from adjudge._base.errors import InputError
    from adjudge.corrections.costs import REJECTED
    from adjudge.corrections.file import strict_json

    try:
        told = strict_json(path)
    except OSError as error:
        msg = f"Cannot read the costs {safe(path)}: {error.strerror}."
        raise InputError(msg) from error
    except InputError as error:
        msg = f"{safe(path)} holds no costs: {error}"
        raise InputError(msg) from error
    if isinstance(told, dict):
        return {true: _with_rejected(row, REJECTED) if isinstance(row, dict) else row for true, row in told.items()}
    return told


def _with_rejected(row: dict[str, Any], rejected: Any) -> dict[Any, Any]:
    return {rejected if key == "REJECTED" else key: cost for key, cost in row.items()}


def _fitted_words(found: Fitted) -> Iterator[str]:
    classes = counted(len(found.correction.classes or ()), "class", "classes")
    yield (
        f"Fitted to {counted(found.cases, 'case')} of {classes}:"
        if found.in_sample
        else f"For {classes}, with nothing fitted to these cases:"
    )
    yield from _first(_numbers(found.correction))
    yield ""
    if found.after:
        yield from _rates(found)
        yield ""
        yield from _what_to_make_of(found)
    yield from (f"  {safe(finding, 2000)}" for finding in found.findings)


def _rates(found: Fitted) -> Iterator[str]:
    """Yield what decisions were worth before and after, the flattering numbers never without the others."""
    columns = [("before", found.before), *([("left out", found.left_out)] if found.left_out else [])]
    columns.append(("in-sample" if found.in_sample else "after", found.after))
    yield f"{'On these cases':<22}" + "".join(f"{title:>10}" for title, _ in columns)
    for name in found.after:
        yield f"  {name:<20}" + "".join(f"{rates[name]:>10.4f}" if name in rates else f"{'-':>10}" for _, rates in columns)


def _what_to_make_of(found: Fitted) -> Iterator[str]:
    """Say how far the numbers before and after are to be believed."""
    if found.in_sample:
        yield "Left out: each case by a correction fitted without it, which is what to expect of others."
        yield "In-sample: by the one fitted to these very cases, which flatters."
        yield "`adjudge correct recommend` says whether it is worth it."
    elif found.kind == "priors":
        yield "These cases have the old priors, so a shift need not help here; it is for cases that have the new ones."
    else:
        yield "The rule follows from the costs and the probabilities taken at their word: it is as good as they are."


def _numbers(correction: Correction) -> Iterator[str]:
    """Yield what the correction consists of, class by class."""
    from adjudge.corrections.multipliers import Multipliers
    from adjudge.corrections.priors import PriorShift

    if isinstance(correction, PriorShift):
        for label, old, new in zip(correction.classes or (), correction.old, correction.new, strict=True):
            yield f"prior of {safe(label)}: {old:.4g} -> {new:.4g}"
    elif isinstance(correction, Multipliers):
        others = [label for at, label in enumerate(correction.classes) if at != correction.majority or correction.last_free]
        for label, multiplier in zip(others, correction.multipliers.reshape(-1, len(others))[-1], strict=True):
            yield f"multiplier of {safe(label)}: {multiplier:.4g}"
        yield f"against {safe(correction.classes[correction.majority])}"
    else:
        yield from _thresholds(correction)


def _thresholds(correction: Rejection) -> Iterator[str]:
    if correction.kind == "costs":
        yield "the decision of least expected cost"
    elif correction.kind == "two-sided":
        low, high = correction.thresholds
        yield f"reject from {low:.4g} to below {high:.4g} of the score of {safe(correction.of)}"
    elif correction.kind == "per-class":
        for label, least in zip(correction.classes, correction.thresholds, strict=True):
            yield f"reject {safe(label)} below {least:.4g}"
    else:
        yield f"reject where the highest probability is below {correction.thresholds[0]:.4g}"


def _first(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first lines, and how many more there are."""
    every = list(lines)
    yield from (f"  {line}" for line in every[:_SHOWN])
    if len(every) > _SHOWN:
        yield f"  and {len(every) - _SHOWN:,} more"


def _applied_words(found: Corrected, output: Path) -> Iterator[str]:
    yield f"Corrected {counted(found.cases, 'case')}; {found.changed:,} decided otherwise than by the highest score before."
    yield from _first(f"{safe(label)}: {n:,}" for label, n in zip(found.classes, found.assigned, strict=True))
    if found.rejected_as is not None:
        yield f"  rejected: {found.rejected:,}"
        yield f"Judge it with: adjudge evaluate {safe(output.name)} --rejected {found.rejected_as}"
