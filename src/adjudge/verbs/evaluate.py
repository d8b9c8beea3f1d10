"""Judge one set of predictions: read, count, judge."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.levels import checked_level
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import count_numbers, tally
from adjudge.counts.exact import check_exact
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.paired import PairCounts
from adjudge.counts.result import Counts, is_counts, load_counts
from adjudge.counts.tally import Tally
from adjudge.estimates.areas import METHODS, METHODS_OF_MEAN
from adjudge.estimates.intervals import offered
from adjudge.judgements.evaluation import Evaluation, Origin, judge, judge_numbers
from adjudge.judgements.findings import of_folds, of_repeats
from adjudge.judgements.training import with_training
from adjudge.metrics.on_counts import ON_COUNTS
from adjudge.predictions.duplicates import answers_per_case, without_duplicates
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.read import read
from adjudge.predictions.spellings import means_positive, position
from adjudge.verbs.count import origin_of


def evaluate(
    source: Any, *, level: Any = 0.95, interval: str = "default", prior: Any = "jeffreys", exact: bool = False, **roles: Any
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
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.
    """
    level = checked_level(level)
    _check_method(interval)
    how = {"level": level, "method": interval, "prior": prior}
    if isinstance(source, ConfusionCounts):
        return judge(_tally_of(source, **roles), Origin("confusion table", round(source.n)), **how)
    if isinstance(source, (Counts, PairCounts)) or is_counts(source):
        return _of_counted(load_counts(source) if is_counts(source) else source, how, exact=exact, **roles)
    whole = read(source, **roles)
    predictions = without_duplicates(whole)
    origin = origin_of(predictions)
    repeats = answers_per_case(predictions)
    if are_numbers(predictions):
        counts = count_numbers(predictions)
        found = (*predictions.found, *of_repeats(repeats, counts.n))
        return judge_numbers(counts, replace(origin, rows=counts.n), level=level, repeats=repeats, found=found)
    counted = tally(predictions, exact=exact, ranking=True)
    found = (*predictions.found, *of_repeats(repeats, counted.rows), *of_folds(counted.by_fold))
    evaluation = judge(counted, replace(origin, rows=counted.rows), **how, repeats=repeats, found=found)
    return evaluation if whole.training is None else with_training(evaluation, whole.training)


def _of_counted(source: Counts | PairCounts, how: dict[str, Any], *, exact: bool, **roles: Any) -> Evaluation:
    if isinstance(source, PairCounts):
        msg = f"These are counts of what {source.name} said of the same cases: compare them (adjudge compare FILE.counts)."
        raise InputError(msg)
    given = [name for name, value in roles.items() if value is not None]
    if given:
        msg = f"Counts have no columns any more: {', '.join(given)} was settled when they were counted. Leave it out."
        raise InputError(msg)
    fingerprint = ", ".join(source.fingerprints) or None
    origin = Origin(source.name, source.rows, fingerprint, source.roles, source.threshold, source.duplicates)
    found = (*source.found, *of_repeats(source.repeats, source.rows))
    if isinstance(source.tally, NumberCounts):
        return judge_numbers(source.tally, origin, level=how["level"], repeats=source.repeats, found=found)
    if exact:
        check_exact(source.tally.scores)
    found = (*found, *of_folds(source.tally.by_fold))
    return judge(source.tally, origin, **how, repeats=source.repeats, found=found)


def _check_method(name: str) -> None:
    counting = [method for m in ON_COUNTS for average in (None, "macro") for method in offered(m, average)]
    known = dict.fromkeys([*counting, *METHODS, *METHODS_OF_MEAN])
    if name != "default" and name not in known:
        msg = f"There is no {name!r} interval. Methods are: default, {', '.join(known)}."
        raise InputError(msg)


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
