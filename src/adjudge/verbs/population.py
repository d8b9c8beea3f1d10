"""Subjects, or data sets, as draws of a population: predictions of each read and counted, the population judged."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge._base import InputError, argument, checked_level, parameter, replace
from adjudge._base.arrays import FloatArray
from adjudge._base.progress import waiting
from adjudge._base.signatures import takes_those_of
from adjudge.counts.confusion import ConfusionCounts
from adjudge.counts.result import Counts, count_all, refuse_again
from adjudge.counts.tally import Tally
from adjudge.judgements.decision import LEVEL
from adjudge.judgements.population import MEASURES, Population, judge_population
from adjudge.predictions.duplicates import without_duplicates
from adjudge.predictions.model import Predictions, following
from adjudge.predictions.read import read
from adjudge.stats.population import PRIORS
from adjudge.verbs.compared_sets import distinct
from adjudge.verbs.count import counts_from, is_counted, loaded, refuse_roles
from adjudge.verbs.given import sets_in, with_arrays

_TWO = 2


@takes_those_of(with_arrays)
def population(
    *sources: Any,
    correct: Any = None,
    cases: Any = None,
    names: Sequence[str] | None = None,
    measure: str = "balanced_accuracy",
    chance: float | None = None,
    prior: str = "brodersen",
    level: float = LEVEL,
    progress: bool = True,
    **roles: Any,
) -> Population:
    """Return what several subjects, or data sets, say of the population that they are drawn from.

    Parameters
    ----------
    *sources : path, dataframe, mapping of arrays, Predictions, Counts
        One source with a column of subjects (`cluster`, or else `group`); or a source per subject. Anything
        :func:`adjudge.evaluate` takes. Or arrays, ``population(y_true, y_pred, cluster=subject)``.
    correct, cases : array-like
        In place of sources: the correct cases of each subject and all of its cases; or of each class (classes x subjects).
    names : sequence of str, optional
        What to call several sources, or the subjects of `correct`.
    measure : str
        "balanced_accuracy" or "accuracy".
    chance : float, optional
        The chance level; one over the number of classes unless given.
    prior : str
        "brodersen", the one of Brodersen et al. and R's micp; or "weak": every population accuracy is as probable as another,
        and the standard deviation of logits between subjects is half-Cauchy with scale 1.
    level : float
        How often intervals shall hold the truth.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.

    >>> five = population(correct=[82, 75, 92, 85, 88], cases=[100] * 5, measure="accuracy")
    >>> round(five.mean.value, 3), round(five.variational.mean.value, 6)
    (0.813, 0.820327)
    """
    how: dict[str, Any] = {"measure": measure, "level": checked_level(level), "chance": _checked_chance(chance), "prior": prior}
    for name, value, known in (("measure", measure, MEASURES), ("prior", prior, PRIORS)):
        if value not in known:
            raise InputError(parameter(name), f" must be {' or '.join(known)} here; got {value!r}.")
    if correct is not None or cases is not None:
        if sources or roles:
            raise InputError(parameter("correct"), " and ", parameter("cases"), " stand in the place of predictions; give one.")
        return judge_population(*_given_counts(correct, cases, names, measure), **how, name="counts")
    given_sets = sets_in("population", sources, roles)
    many, roles = given_sets.sets, given_sets.roles
    names = given_sets.names if names is None else names
    if not many:
        msg = "population needs predictions: a source with a column of subjects, or a source per subject."
        raise InputError(msg)
    refuse_again([each for each in many if isinstance(each, (str, os.PathLike))])
    counts = []
    with following("reading", progress=progress) as follow:
        for each in many:
            if is_counted(each):
                refuse_roles(roles)
                counts.append(loaded(each))
            else:
                predictions = without_duplicates(follow(_by_subject(read(each, **roles), alone=len(many) == 1)))
                counts.append(counts_from(predictions, count_all(predictions)))
    tables = [_table(each) for each in counts]
    with waiting("judging", progress=progress):
        if len(many) == 1:
            if names is not None:
                raise InputError(argument("names"), " are those of several sources; one came, whose column names its subjects.")
            return judge_population(*_of_clusters(tables[0]), **how, name=counts[0].name, column=_column(counts[0]))
        return judge_population(*_of_sources(tables, [each.name for each in counts], names), **how, name=f"{len(many)} sources")


def _checked_chance(chance: Any) -> float | None:
    if chance is None:
        return None
    if isinstance(chance, (int, float)) and 0 < chance < 1:
        return float(chance)
    raise InputError(parameter("chance"), f" must lie strictly between 0 and 1, such as 0.5 for two classes; got {chance!r}.")


def _given_counts(correct: Any, cases: Any, names: Any, measure: str) -> tuple[Any, FloatArray, FloatArray, tuple[Any, ...]]:
    """Return names of subjects, tables subjects x classes, and classes, of numbers that were given."""
    both = correct is not None and cases is not None
    try:
        k, n = (np.asarray(each, dtype=np.float64) for each in (correct, cases))
    except (TypeError, ValueError):
        both, k, n = False, np.zeros(0), np.zeros(1)
    if not both or k.shape != n.shape or k.ndim not in (1, _TWO) or not k.size:
        told = " and ", parameter("cases"), " must be numbers of the same shape: one per subject, or classes x subjects."
        raise InputError(parameter("correct"), *told)
    if not (np.all(np.isfinite(k) & np.isfinite(n)) and np.all((k >= 0) & (k <= n)) and n.sum() > 0):
        told = " must be at least 0 and at most ", parameter("cases"), ", which need a case or more in all."
        raise InputError(parameter("correct"), *told)
    if k.ndim == 1 and measure != "accuracy":
        told = " needs the counts of each class, classes x subjects; for one row pass ", argument("measure", "accuracy"), "."
        name = "balanced_accuracy"
        raise InputError(name, *told)
    k, n = np.atleast_2d(k).T, np.atleast_2d(n).T
    called = distinct([f"subject {i + 1}" for i in range(len(k))], names, "subjects")
    return called, k, n, tuple(range(max(k.shape[1], _TWO)))[: k.shape[1]]


def _by_subject(predictions: Predictions, *, alone: bool) -> Predictions:
    """Return predictions whose groups are the subjects where nothing else says which rows belong together."""
    own = predictions.roles
    if not alone:  # every source is one subject
        kept = replace(own, cluster=None)
    elif own.cluster is None and own.group is not None:
        kept = replace(own, cluster=own.group)
    else:
        return predictions
    return Predictions.of(predictions.source, kept, predictions.reading, predictions.found, predictions.training)


def _table(counts: Any) -> ConfusionCounts:
    if not isinstance(counts, Counts) or not isinstance(counts.tally, Tally):
        msg = "A population is of accuracies: give predictions of classes, one set of each subject."
        raise InputError(msg)
    if counts.tally.undecided:
        msg = "These scores decide nothing: give "
        raise InputError(msg, argument("threshold"), " or ", argument("predicted"), ".")
    return counts.tally.confusion


def _column(counts: Any) -> str | None:
    return None if counts.roles is None else counts.roles.cluster


def _of_clusters(table: ConfusionCounts) -> tuple[list[Any], FloatArray, FloatArray, tuple[Any, ...]]:
    clusters = table.clusters
    if clusters is None:
        msg = "Nothing says to what subject a row belongs. Name the column of subjects, "
        raise InputError(msg, argument("cluster", "subject"), ", or give a file per subject.")
    if clusters.together:
        msg = f"There are about {clusters.how_many:,.0f} subjects; up to 4,096 are counted each by itself. Give a part of them."
        raise InputError(msg)
    cases, correct = np.zeros((clusters.clusters, table.k)), np.zeros((clusters.clusters, table.k))
    np.add.at(cases, (clusters.at, clusters.truth), clusters.n)
    own = clusters.truth == clusters.predicted
    np.add.at(correct, (clusters.at[own], clusters.truth[own]), clusters.n[own])
    names = [clusters.names.get(key, f"subject {i + 1}") for i, key in enumerate(clusters.keys.tolist())]
    return names, np.minimum(correct, cases), cases, tuple(table.classes)


def _of_sources(
    tables: Sequence[ConfusionCounts], called: Sequence[str], names: Any
) -> tuple[tuple[str, ...], FloatArray, FloatArray, tuple[Any, ...]]:
    classes = tuple(dict.fromkeys(label for table in tables for label in table.classes))
    cases, correct = np.zeros((len(tables), len(classes))), np.zeros((len(tables), len(classes)))
    for i, table in enumerate(tables):
        at = [classes.index(label) for label in table.classes]
        cases[i, at] = np.asarray(table.support, dtype=np.float64)
        correct[i, at] = np.asarray(table.correct, dtype=np.float64)
    return distinct(called, names, "sources"), correct, cases, classes
