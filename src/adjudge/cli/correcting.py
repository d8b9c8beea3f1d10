"""Commands that correct a finished classifier: fit a correction, apply it to files, say which is worth it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge._base.text import counted, safe
from adjudge.cli.estimating import tell
from adjudge.cli.group import main
from adjudge.cli.options import JSON, check_apart, print_json
from adjudge.cli.options import columns as reading_options

if TYPE_CHECKING:
    from adjudge.corrections.file import Correction
    from adjudge.corrections.fitting import Fitted, Known
    from adjudge.corrections.rejection import Rejection
    from adjudge.corrections.streaming import Corrected

_SHOWN = 20  # classes told one by one
_FILE = click.Path(path_type=Path)
_PRICES = ("gamma", "alpha", "costs", "reject_cost", "max_rejection")
_TAKES = {
    "kappa": ("bounds",),
    "softmax": ("bounds",),
    "errors": ("bounds",),
    "priors": ("priors", "unlabelled", "counted", "old"),
    "reject": _PRICES,
    "costs": ("costs", "reject_cost"),
}
_FITTING = (
    click.option("--kind", required=True, type=click.Choice(list(_TAKES)), help="What to fit."),
    click.option("--bounds", metavar="LOW,HIGH", help="Within which every kappa lies, such as 0,1; or free."),
    click.option("--gamma", type=float, help="Reject where it pays: errors cost 1 + gamma, rejections 1."),
    click.option("--alpha", type=float, help="Of two classes: what a false positive costs, where a missed case costs 1."),
    click.option("--costs", type=_FILE, help="A .json file: {true: {decided: cost}}, with REJECTED for no decision."),
    click.option("--reject-cost", type=float, help="What rejecting a case costs."),
    click.option("--max-rejection", type=float, help="The largest share of cases to reject."),
    click.option("--priors", metavar="A=P,B=P", help="The new class priors."),
    click.option("--unlabelled", type=_FILE, help="Cases without truth that the new priors are estimated from."),
    click.option("--counted", type=_FILE, help="A random sample with truth in which the new priors are counted."),
    click.option(
        "--old", metavar="A=P,B=P", help="The priors the classifier learnt under; the shares of PREDICTIONS unless given."
    ),
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

    Kinds: kappa (a multiplier for each class, least squares), softmax (the same through exponentials), errors (multipliers of
    fewest errors), priors (new class priors), reject (thresholds that leave doubtful cases undecided), costs (least expected
    cost).
    """
    from adjudge.corrections.file import save
    from adjudge.corrections.fitting import fit as fitted

    check_apart([predictions], output)
    asked = _asked(kind, {name: given.pop(name) for name in (*_PRICES, "bounds", "priors", "unlabelled", "counted", "old")})
    cases = _cases(predictions, given)
    found = fitted(cases, kind, positive=given["positive"], level=level, **asked)  # type: ignore[arg-type]
    written = save(found.correction, output)
    if as_json:
        print_json(found.to_dict() | {"in_sample": True})
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

    found = apply_to_file(load(correction), predictions, output, **given)
    if as_json:
        print_json(found.to_dict())
        return
    click.echo("\n".join(_applied_words(found, output)))
    click.echo(f"\nWrote {safe(output, 1000)}")


@correct.command()
@click.argument("predictions", type=_FILE)
@click.option("--measure", default=None, metavar="NAME", help="accuracy, balanced_accuracy, brier, log_loss; cost with costs.")
@click.option("--gamma", type=float, help="Errors cost 1 + gamma, rejections 1: rejection is tried.")
@click.option("--costs", type=_FILE, help="A .json file of costs: thresholds of least cost are tried.")
@click.option("--old", metavar="A=P,B=P", help="The priors the classifier learnt under: counted priors are tried.")
@click.option("--folds", type=int, default=5, show_default=True, help="Parts that take turns in being left out.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same digits.")
@JSON
@reading_options
def recommend(
    predictions: Path,
    *,
    measure: str | None,
    gamma: float | None,
    costs: Path | None,
    old: str | None,
    folds: int,
    seed: int,
    level: float,
    as_json: bool,
    **roles: Any,
) -> None:
    """Say which corrections of PREDICTIONS are worth it, each judged on cases it was not fitted to."""
    import numpy as np

    import adjudge.reports.mendings  # noqa: F401 - registers the words
    from adjudge._base.errors import InputError
    from adjudge.corrections.named import costs_of, shares_of
    from adjudge.judgements.mending import recommend as recommended

    cases = _cases(predictions, roles)
    if roles.get("group") is not None:
        msg = "Recommendations deal cases into folds one by one, but cases of a group belong together. Leave --group out."
        raise InputError(msg)
    if cases.weight is not None:
        msg = "Recommendations count every case alike, and these have weights. Leave the weight column out."
        raise InputError(msg)
    names = np.empty(len(cases.classes), dtype=object)
    names[:] = cases.classes
    found = recommended(
        cases.p,
        cases.labels,
        classes=cases.classes,
        measure=measure or ("cost" if gamma is not None or costs is not None else "accuracy"),
        old=None if old is None else shares_of(_shares("--old", old), names, "old"),
        gamma=gamma,
        costs=None if costs is None else costs_of(_costs(costs), names),
        folds=folds,
        level=level,
        rng=seed,
    )
    tell(found, [], None, as_json=as_json)


def _cases(predictions: Path, roles: dict[str, Any]) -> Known:
    from adjudge.corrections.fitting import known
    from adjudge.predictions.read import read

    return known(read(predictions, **roles))


def _asked(kind: str, given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of this kind as values; refuse those of others."""
    asked = {name: value for name, value in given.items() if value is not None}
    strange = [f"--{name.replace('_', '-')}" for name in asked if name not in _TAKES[kind]]
    if strange:
        msg = f"{', '.join(strange)} does not go with --kind {kind}."
        raise click.UsageError(msg)
    understood: dict[str, Callable[[Any], Any]] = {
        "bounds": _bounds,
        "costs": _costs,
        "priors": functools.partial(_shares, "--priors"),
        "old": functools.partial(_shares, "--old"),
    }
    return {name: understood[name](value) if name in understood else value for name, value in asked.items()}


def _bounds(text: str) -> tuple[float, ...] | None:
    if text.strip() == "free":
        return None
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        msg = f"--bounds takes two numbers such as 0,1, or free; got {safe(text)!r}."
        raise click.UsageError(msg) from None


def _shares(option: str, text: str) -> dict[str, float]:
    pairs = [part.rpartition("=") for part in text.split(",")]
    try:
        found = {label.strip(): float(share) for label, _, share in pairs}
    except ValueError:
        found = {}
    if len(found) < len(pairs) or "" in found:
        msg = f"{option} takes each class once with its share, such as a=0.2,b=0.8; got {safe(text)!r}."
        raise click.UsageError(msg)
    return found


def _costs(path: Path) -> Any:
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
    yield f"Fitted to {counted(found.cases, 'case')} of {counted(len(found.correction.classes or ()), 'class', 'classes')}:"
    yield from _first(_numbers(found.correction))
    yield ""
    yield f"{'On these very cases':<22}{'before':>10}{'after':>10}"
    for name, after in found.after.items():
        before = f"{found.before[name]:.4f}" if name in found.before else "-"
        yield f"  {name:<20}{before:>10}{after:>10.4f}"
    yield ""
    if found.kind == "priors":
        yield "These cases have the old priors, so a shift need not help here; it is for cases that have the new ones."
    else:
        yield "In-sample: the correction was fitted to these very cases and gains less on others."
        if found.kind in ("kappa", "errors"):
            yield "`adjudge correct recommend` shows the gain on cases it was not fitted to."
        else:
            yield "Judge it on other cases: apply it to a file it was not fitted to, and evaluate or compare that."
    yield from (f"  {safe(str(finding), 2000)}" for finding in found.findings)


def _numbers(correction: Correction) -> Iterator[str]:
    """Yield what the correction consists of, class by class."""
    from adjudge.corrections.kappa import Kappa
    from adjudge.corrections.priors import PriorShift

    if isinstance(correction, PriorShift):
        for label, old, new in zip(correction.classes or (), correction.old, correction.new, strict=True):
            yield f"prior of {safe(label)}: {old:.4g} -> {new:.4g}"
    elif isinstance(correction, Kappa):
        others = [label for at, label in enumerate(correction.classes) if at != correction.majority or correction.last_free]
        for label, kappa in zip(others, correction.kappa.reshape(-1, len(others))[-1], strict=True):
            yield f"kappa of {safe(label)}: {kappa:.4g}"
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
