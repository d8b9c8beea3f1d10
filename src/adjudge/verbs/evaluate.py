"""Judge one set of predictions: read, count, judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudge._base.arguments import argument, command, either
from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import count_numbers, tally
from adjudge.counts.exact import check_exact
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.paired import PairCounts
from adjudge.counts.result import Counts
from adjudge.counts.tally import Tally
from adjudge.estimates.areas import METHODS, METHODS_OF_MEAN
from adjudge.estimates.estimate import Estimate
from adjudge.estimates.intervals import offered
from adjudge.judgements.evaluation import Evaluation, Origin, judge, judge_numbers
from adjudge.judgements.findings import of_folds, of_repeats
from adjudge.judgements.selected import Selected
from adjudge.judgements.training import overfitting, with_training
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure
from adjudge.metrics.on_counts import ON_COUNTS
from adjudge.predictions.duplicates import answers_per_case, without_duplicates
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.model import Predictions
from adjudge.predictions.read import read
from adjudge.predictions.spellings import means_positive, position
from adjudge.verbs.count import is_counted, loaded, origin_of, refuse_roles
from adjudge.verbs.interval import interval as interval_of
from adjudge.verbs.measure import measure
from adjudge.verbs.watching import reading


def evaluate(
    source: Any,
    *,
    level: Any = 0.95,
    interval: str = "default",
    prior: Any = "jeffreys",
    exact: bool = False,
    training: Any = None,
    progress: bool = False,
    **roles: Any,
) -> Evaluation:
    """Judge one set of predictions.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions, or ConfusionCounts
        Anything :func:`adjudge.read` takes, or a confusion table.
    level : float
        How often the intervals shall hold the truth.
    interval : str
        A method of :func:`adjudge.interval` for every measure it fits; the others keep their default.
    prior : (a, b), "jeffreys", "flat" or "dirichlet"
        That of the posteriors of accuracy and balanced accuracy, as for :func:`adjudge.posterior`.
    exact : bool
        Whether to rank all scores of a file that has more than are kept, for its exact AUC. Without it such an AUC is that of
        bins, printed with how far it can be off; everything else is exact already.
    training : as `source`, optional
        Predictions for the training cases, by which the result says whether the model is overfitted.
    progress : bool
        Whether to show how many rows were read, on a terminal.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.
    """
    level = checked_level(level)
    counting = [method for m in ON_COUNTS for average in (None, "macro") for method in offered(m, average)]
    methods = dict.fromkeys(["default", *counting, *METHODS, *METHODS_OF_MEAN])
    if interval not in methods:
        msg = f"There is no {interval!r} interval. Methods are: {', '.join(methods)}."
        raise InputError(msg)
    if training is not None:
        same: dict[str, Any] = {"level": level, "interval": interval, "prior": prior, "exact": exact, "progress": progress}
        evaluation = evaluate(source, **same, **roles)
        return replace(evaluation, overfitting=overfitting(evaluate(training, **same, **roles), evaluation))
    how = {"level": level, "method": interval, "prior": prior}
    if isinstance(source, ConfusionCounts):
        return judge(_tally_of(source, **roles), Origin("confusion table", round(source.n)), **how)
    if is_counted(source):
        return _of_counted(loaded(source), how, exact=exact, roles=roles)
    whole, bar = reading(read(source, **roles), progress=progress)
    with bar:
        return _of_predictions(whole, how, exact=exact)


def _of_predictions(whole: Predictions, how: dict[str, Any], *, exact: bool) -> Evaluation:
    predictions = without_duplicates(whole)
    origin = origin_of(predictions)
    repeats = answers_per_case(predictions)
    if are_numbers(predictions):
        counts = count_numbers(predictions)
        found = (*predictions.found, *of_repeats(repeats, counts.n))
        return judge_numbers(counts, replace(origin, rows=counts.n), level=how["level"], repeats=repeats, found=found)
    counted = tally(predictions, exact=exact, ranking=True)
    found = (*predictions.found, *of_repeats(repeats, counted.rows), *of_folds(counted.by_fold))
    evaluation = judge(counted, replace(origin, rows=counted.rows), **how, repeats=repeats, found=found)
    return evaluation if whole.training is None else with_training(evaluation, whole.training)


def _of_counted(source: Counts | PairCounts, how: dict[str, Any], *, exact: bool, roles: dict[str, Any]) -> Evaluation:
    if isinstance(source, PairCounts):
        msg = f"These are counts of what {source.name} said of the same cases: compare them, "
        raise InputError(msg, command("adjudge compare FILE.counts", python="compare(counts)"), ".")
    refuse_roles(roles)
    fingerprint = ", ".join(source.fingerprints) or None
    origin = Origin(source.name, source.rows, fingerprint, source.roles, source.threshold, source.duplicates)
    found = (*source.found, *of_repeats(source.repeats, source.rows))
    if isinstance(source.tally, NumberCounts):
        return judge_numbers(source.tally, origin, level=how["level"], repeats=source.repeats, found=found)
    if exact:
        check_exact(source.tally.scores)
    found = (*found, *of_folds(source.tally.by_fold))
    return judge(source.tally, origin, **how, repeats=source.repeats, found=found)


def _tally_of(counts: ConfusionCounts, *, positive: Any = None, **other: Any) -> Tally:
    if other or not counts.n:
        msg = (
            f"A confusion table has no {', '.join(other)}; only positive= applies to it."
            if other
            else "The confusion table counts no case."
        )
        raise InputError(msg)
    classes = counts.classes
    known = (label for label in (positive, counts.positive, means_positive(classes)) if label is not None)
    label = next(known, None)
    return Tally(counts, round(counts.n), positive=None if label is None else position(classes, label))


def selected(evaluation: Evaluation, names: Sequence[str], *, interval: str = "default") -> Selected:
    """Return the named measures, with the interval asked for, made now where the evaluation did not need it."""
    return Selected(tuple(_estimate(evaluation, name, interval) for name in names))


def _estimate(evaluation: Evaluation, name: str, method: str) -> Estimate:
    wanted = name if name in evaluation.estimates else find(name).name
    seen = evaluation.estimates.get(wanted)
    if seen is not None and (method == "default" or (seen.interval is not None and seen.interval.method == method)):
        return seen
    if evaluation.counts is None or find(name).needs != "decisions":
        what = wanted if method == "default" else f"The {method} interval of {wanted}"
        told, there = f"{what} cannot be had from these predictions", f"; there are {', '.join(evaluation.estimates)}."
        if evaluation.undecided is None or find(name).needs != "decisions":
            raise InputError(told, there)
        raise InputError(told, " without decisions: pass ", either([argument("threshold"), argument("predicted")]), there)
    of = evaluation.positive if isinstance(find(name), ClassMeasure) else None
    average = "macro" if of is None and isinstance(find(name), ClassMeasure) else None
    value = measure(evaluation.counts, wanted, positive=of, average=average)
    if value != value:  # noqa: PLR0124 - undefined, with a reason
        return Estimate(wanted, value, of=of, average=average)
    limits = interval_of(evaluation.counts, wanted, level=evaluation.level, method=method, positive=of, average=average)
    return Estimate(wanted, value, limits, of=of, average=average)
