"""Judge one set of predictions: read, count, judge; and what every threshold on its scores does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, overload

from adjudge._base import InputError, argument, checked_level, command, either, wording
from adjudge._base.signatures import takes_those_of
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.counting import tally
from adjudge.counts.exact import check_exact
from adjudge.counts.numbers import NumberCounts, count_numbers
from adjudge.counts.result import Counts, PairCounts
from adjudge.counts.tally import Tally
from adjudge.estimates.estimate import Estimate
from adjudge.estimates.intervals import offered
from adjudge.estimates.scored import METHODS, METHODS_OF_MEAN
from adjudge.judgements.evaluation import Evaluation, Origin, judge, judge_numbers, overfitting, with_training
from adjudge.judgements.findings import of_folds, of_repeats
from adjudge.judgements.tally_estimates import Selected
from adjudge.metrics.averages import known_class
from adjudge.metrics.catalogue import find
from adjudge.metrics.measure import ClassMeasure
from adjudge.metrics.on_counts import ON_COUNTS
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.fitted import is_model
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.model import Predictions, following
from adjudge.predictions.read import read
from adjudge.predictions.sources import hash_while_read
from adjudge.verbs.count import counts_from, is_counted, loaded, refuse_roles
from adjudge.verbs.given import one_set, with_arrays
from adjudge.verbs.measure import interval as interval_of
from adjudge.verbs.measure import measure


@overload
def evaluate(
    source: Any = None, y_pred: Any = None, y_score: Any = None, *, measures: None = None, **asked: Any
) -> Evaluation: ...
@overload
def evaluate(
    source: Any = None, y_pred: Any = None, y_score: Any = None, *, measures: Sequence[str], **asked: Any
) -> Selected: ...
@takes_those_of(with_arrays)
def evaluate(
    source: Any = None,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    measures: Sequence[str] | None = None,
    level: Any = 0.95,
    interval: str = "default",
    prior: Any = "jeffreys",
    exact: bool = False,
    training: Any = None,
    progress: bool = True,
    **roles: Any,
) -> Evaluation | Selected:
    """Evaluate one set of predictions.

    Parameters
    ----------
    source : path, dataframe, mapping of arrays, Predictions, ConfusionCounts, array, or fitted model
        Anything :func:`adjudge.read` takes, or a confusion table. Or the true classes, before `y_pred` and `y_score`:
        ``evaluate(y_true, y_pred)``, ``evaluate(y_true, y_score=p)``. Or a fitted model: ``evaluate(model, X, y)``.
    measures : sequence of str, optional
        Measures to return by themselves, each with the `interval` asked for, in place of the whole evaluation.
    level : float
        How often the intervals shall hold the truth.
    interval : str
        A method of :func:`adjudge.interval` for every measure it fits; the others keep their default. Where rows name clusters
        "cluster-bootstrap" draws these again with replacement, for measures of decisions.
    prior : (a, b), "jeffreys", "flat" or "dirichlet"
        That of the posteriors of accuracy and balanced accuracy, as for :func:`adjudge.posterior`.
    exact : bool
        Whether to rank all scores of a file that has more than are kept, for its exact AUC. Without it such an AUC is that of
        bins, printed with how far it can be off; everything else is exact already.
    training : as `source`, optional
        Predictions for the training cases, by which the result says whether the model is overfitted; beside arrays a tuple
        (y_true, y_pred), beside a model (X, y).
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.
    """
    if isinstance(training, tuple):
        for_both: dict[str, Any] = {
            name: roles[name] for name in ("classes", "positive", "threshold", "relabel", "labels_as") if name in roles
        }
        training = one_set("evaluate", (source, *training) if is_model(source) else training, for_both)[0]
    source, roles = one_set("evaluate", (source, y_pred, y_score), roles)
    level = checked_level(level)
    counting = [method for m in ON_COUNTS for average in (None, "macro") for method in offered(m, average)]
    methods = dict.fromkeys(["default", *counting, *METHODS, *METHODS_OF_MEAN])
    if interval not in methods:
        msg = f"There is no {interval!r} interval. Methods are: {', '.join(methods)}."
        raise InputError(msg, parameter="interval")
    if measures is not None or training is not None:
        if measures is not None and training is not None:
            both = either([argument("measures"), argument("training")], " and ")
            raise InputError(both, " do not go together: ask for one of them.")
        same: dict[str, Any] = {"level": level, "interval": interval, "prior": prior, "exact": exact, "progress": progress}
        evaluation: Evaluation = evaluate(source, **same, **roles)
        if measures is not None:
            return selected(evaluation, [measures] if isinstance(measures, str) else measures, interval=interval)
        return replace(evaluation, overfitting=overfitting(evaluate(training, **same, **roles), evaluation))
    how: dict[str, Any] = {"level": level, "method": interval, "prior": prior}
    if isinstance(source, ConfusionCounts):
        positive = roles.pop("positive", None)
        if roles or not source.n:
            told = wording(f"A confusion table has no {', '.join(roles)}; only ", argument("positive"), " applies to it.")
            raise InputError(told if roles else "The confusion table counts no case.")
        return _judged(Counts(Tally(source, round(source.n), positive=known_class(source, positive)), "confusion table"), how)
    if is_counted(source):
        counts = loaded(source)
        if isinstance(counts, PairCounts):
            msg = f"These are counts of what {counts.name} predicted for the same cases: compare them, "
            raise InputError(msg, command("adjudge compare FILE.counts", python="compare(counts)"), ".")
        refuse_roles(roles)
        if exact and isinstance(counts.tally, Tally):
            check_exact(counts.tally.scores)
        return _judged(counts, how)
    with following("judging", progress=progress) as follow:
        whole = follow(read(source, **roles))
        hash_while_read(whole.source)
        predictions = without_duplicates(whole)
        tallied = (
            count_numbers(predictions)
            if are_numbers(predictions)
            else tally(predictions, exact=exact, ranking=True, suspecting=True)
        )
        return _judged(counts_from(predictions, tallied), how, training=whole.training)


def _judged(counts: Counts, how: dict[str, Any], training: Predictions | None = None) -> Evaluation:
    """Return the evaluation of what was counted, with what the training rows beside it say of overfitting."""
    fingerprint = ", ".join(counts.fingerprints) or None
    origin = Origin(counts.name, counts.rows, fingerprint, counts.roles, counts.threshold, counts.duplicates)
    findings = (*counts.found, *of_repeats(counts.repeats, counts.rows))
    if isinstance(counts.tally, NumberCounts):
        return judge_numbers(counts.tally, origin, level=how["level"], repeats=counts.repeats, findings=findings)
    findings = (*findings, *of_folds(counts.tally.by_fold))
    evaluation = judge(counts.tally, origin, **how, repeats=counts.repeats, findings=findings)
    return evaluation if training is None else with_training(evaluation, training)


def selected(evaluation: Evaluation, names: Sequence[str], *, interval: str = "default") -> Selected:
    """Return the named measures, with the interval asked for, made now where the evaluation did not need it."""
    return Selected(tuple(_estimate(evaluation, name, interval) for name in names))


def _estimate(evaluation: Evaluation, name: str, method: str) -> Estimate:
    wanted = name if name in evaluation.estimates else find(name, "measures").name
    seen = evaluation.estimates.get(wanted)
    if seen is not None and (method == "default" or (seen.interval is not None and seen.interval.method == method)):
        return seen
    if evaluation.counts is None or find(name).needs != "decisions":
        what = wanted if method == "default" else f"The {method} interval of {wanted}"
        told, there = f"{what} cannot be had from these predictions", f"; there are {', '.join(evaluation.estimates)}."
        if seen is not None:
            told = f"{what} cannot be had: that method is not one of its own"
            raise InputError(told, ". Leave out ", argument("interval", method), ".")
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
