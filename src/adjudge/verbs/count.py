"""Count predictions where they are, so that only sums leave the place."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from adjudge._base import Finding, InputError, argument, command, counted, either, quoted, safe, switch, wording
from adjudge._base.signatures import takes_those_of
from adjudge.counts.numbers import NumberCounts
from adjudge.counts.result import Counts, PairCounts, all_together, count_all, is_counts, joint_pairs, refuse_again
from adjudge.counts.result import load_counts as stored_counts
from adjudge.counts.tally import Tally
from adjudge.metrics.measure import Measure
from adjudge.predictions.duplicates import answers_per_case, without_duplicates
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.model import Predictions, following
from adjudge.predictions.read import read
from adjudge.predictions.sources import hash_while_read
from adjudge.predictions.spellings import position
from adjudge.verbs.given import sets_in, several_sets, with_arrays, with_models

if TYPE_CHECKING:
    from adjudge.verbs.compared_sets import Cases

_C = TypeVar("_C", bound=Counts | PairCounts)
_USUAL = {"missing": "error", "missing_scores": "error", "duplicates": "error"}
"""Ways to read that are what they are without being asked for."""


@overload
def count(*sources: Any, paired: Literal[True], **asked: Any) -> PairCounts: ...
@overload
def count(source: Cases, /, **roles: Any) -> Counts: ...
@overload
def count(*sources: Any, **asked: Any) -> Counts | PairCounts: ...
@takes_those_of(with_arrays)
def count(
    *sources: Any,
    paired: bool = False,
    by_position: bool = False,
    names: Sequence[str] | None = None,
    progress: bool = True,
    **roles: Any,
) -> Counts | PairCounts:
    """Count predictions: all that a verdict needs, as sums that add up, and none of the cases.

    Parameters
    ----------
    *sources : path, dataframe, mapping of arrays, Predictions, Counts
        Anything :func:`adjudge.read` takes; several, or counts and files of counts among them, are added up. Or arrays,
        ``count(y_true, y_pred, y_score)``, or a fitted model, ``count(model, X, y)``.
    paired : bool
        Whether the sources are of the same cases and are to be compared: :func:`adjudge.count_pairs` then counts them.
    by_position, names
        Of pairs, as for :func:`adjudge.count_pairs`.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, as :func:`adjudge.read` takes them.

    >>> part = count({"truth": [0, 1, 1], "predicted": [0, 1, 0]})
    >>> (part + count({"truth": [1, 0], "predicted": [1, 1]})).tally.confusion.cells
    array([[1, 1],
           [1, 2]])
    """
    if paired:
        return count_pairs(*sources, by_position=by_position, names=names, progress=progress, **roles)
    if by_position or names is not None:
        given = either([argument("names"), switch("by_position")], " and ")
        raise InputError(given, " say how files are paired; they go with ", switch("paired"), ".")
    given_sets = sets_in("count", sources, roles)
    sources, roles = tuple(given_sets.sets), given_sets.roles
    refuse_again([each for each in sources if isinstance(each, (str, os.PathLike))])
    parts: list[Counts | PairCounts] = []
    with following("counting", progress=progress) as follow:
        for each in sources:
            if is_counted(each):
                parts.append(loaded(each))
            else:
                predictions = follow(read(each, **roles))
                hash_while_read(predictions.source)
                predictions = without_duplicates(predictions)
                parts.append(counts_from(predictions, count_all(predictions)))
    return with_losses(all_together(parts))


@takes_those_of(with_models)
def count_pairs(
    *sources: Any, by_position: bool = False, names: Sequence[str] | None = None, progress: bool = True, **roles: Any
) -> PairCounts:
    """Count what two or more sets of predictions say of the same cases, as sums that add up, and none of the cases.

    Parameters
    ----------
    *sources : path, dataframe, mapping of arrays, Predictions
        Two or more that :func:`adjudge.read` takes; classes only, no numbers. Or arrays, ``count_pairs(y_true, a, b)``.
    by_position : bool
        Whether row i is the same case in all, where no column identifies the cases.
    names : sequence of str, optional
        What to call them, alike wherever parts are counted; the names of the files if left out.
    progress : bool
        Whether to show how many rows were read, on a terminal or in a notebook, where it takes long.
    **roles
        The roles of columns and the ways to read them, for all; see :func:`adjudge.read`.

    >>> truth, case = [0, 1, 1, 0], [1, 2, 3, 4]
    >>> a = {"truth": truth, "predicted": [0, 1, 1, 1], "row": case}
    >>> b = {"truth": truth, "predicted": [0, 0, 1, 1], "row": case}
    >>> count_pairs(a, b).joint.outcomes(0, 1).sum(axis=0)  # both correct, only a, only b, neither
    array([2., 1., 0., 1.])
    """
    from adjudge.verbs.compared_sets import prepared, read_set

    given_sets = several_sets("count_pairs", sources, roles)
    sources, roles = tuple(given_sets.sets), given_sets.roles
    names = given_sets.names if names is None else names
    if any(map(is_counted, sources)):
        msg = "Pairs are counted of predictions, not counts, which add up by themselves."
        raise InputError(msg)
    if len(sources) <= 1:
        msg = f"Pairs are counted of two sets of predictions of the same cases, or more; got {len(sources)}."
        raise InputError(msg)
    sets = [read_set(source, roles) for source in sources]
    if any(are_numbers(each) for each in sets):
        msg = "Numbers are predicted; pairs are counted of classes. Compare the predictions of numbers themselves."
        raise InputError(msg)
    for each in sets:
        hash_while_read(each.source)
    cases, _ = prepared(sets, names, None, by_position=by_position, roles={}, progress=progress)
    prints = [each.source.fingerprint() for each in sets]
    return joint_pairs(cases, [each for each in prints if each is not None])


def counts_from(predictions: Predictions, tallied: Tally | NumberCounts) -> Counts:
    """Return what was tallied of predictions without duplicates, with where it came from."""
    source, reading, fingerprint = predictions.source, predictions.reading, predictions.source.fingerprint()
    how: dict[str, Any] = {"roles": predictions.roles, "threshold": reading.threshold, "duplicates": reading.duplicates}
    findings, repeats, column = tuple(predictions.found), answers_per_case(predictions), predictions.roles.count
    if column is not None:
        cases = tallied.rows if isinstance(tallied, Tally) else tallied.n
        rows = counted(tallied.put_together, "row") if isinstance(tallied, Tally) else "The rows"
        told = f"{rows} {'stands' if rows == '1 row' else 'stand'} for {counted(cases, 'case')}, as column {quoted(column)} says."
        advice = wording("If it says something else of single cases, pass ", argument("count", ""), ".")
        findings = (*findings, Finding("A114", told, advice, cases))
    return Counts(tallied, source.name, () if fingerprint is None else (fingerprint,), found=findings, repeats=repeats, **how)


def load_counts(*paths: str | os.PathLike[str]) -> Counts | PairCounts:
    """Return the counts of a file written by :meth:`Counts.save` or :meth:`PairCounts.save`, or of several added up.

    >>> load_counts("nothing.counts")
    Traceback (most recent call last):
    ...
    adjudge._base.errors.InputError: There is no file 'nothing.counts'.
    """
    return with_losses(stored_counts(*paths))


def with_losses(counts: _C) -> _C:
    """Return counts of numbers with the losses that their picture shows, all others as they are."""
    if not isinstance(counts, Counts) or not isinstance(counts.tally, NumberCounts) or counts.losses:
        return counts
    from adjudge.judgements.evaluation import Origin, judge_numbers

    origin = Origin(counts.name, counts.rows)
    return replace(counts, losses=judge_numbers(counts.tally, origin, repeats=counts.repeats).estimates)


# -- counts as sources of other verbs ------------------------------------------------------------------------


def is_counted(source: Any) -> bool:
    """Return whether a source is counts, or the path of a file of them."""
    return isinstance(source, (Counts, PairCounts)) or is_counts(source)


def loaded(source: Any) -> Counts | PairCounts:
    """Return counts, read if they are in a file."""
    return stored_counts(source) if is_counts(source) else source


def all_counted(*sources: Any) -> bool:
    """Return whether all sources are counts; refuse some that are among predictions."""
    kinds = [is_counted(source) for source in sources]
    if any(kinds) and not all(kinds):
        both = [sources[kinds.index(kind)] for kind in (True, False)]
        paths = [Path(each).name if isinstance(each, (str, os.PathLike)) else None for each in both]
        one, other = (safe(path or getattr(each, "name", type(each).__name__)) for path, each in zip(paths, both, strict=True))
        told = f"{one} holds counts and {other} predictions, which cannot be mixed: counts keep no cases to compare. "
        how = command(f"adjudge count {other} -o FILE.counts", python=f"count({other})")
        raise InputError(told, "To add them up, count the predictions first: ", how, ".")
    return any(kinds)


def counts_in(*sources: Any) -> Counts | PairCounts | None:
    """Return the counts that sources hold, added up; None where they hold predictions. Both together are refused."""
    if not all_counted(*sources):
        return None
    refuse_again([each for each in sources if is_counts(each)])
    if len({id(each) for each in sources}) < len(sources):
        msg = "The same counts were given twice, which would count their cases twice; give them alone."
        raise InputError(msg)
    return all_together([loaded(each) for each in sources])


def refuse_roles(roles: Mapping[str, Any], *, kept: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the roles that are `kept`; refuse others that are given, since counts have no columns."""
    asked = {name: value for name, value in roles.items() if value is not None and value != _USUAL.get(name)}
    given = [argument(name) for name in asked if name not in kept]
    if given:
        told = ": that was settled when the predictions were counted, and counts have no columns. Leave it out."
        raise InputError(either(given, ", "), told)
    return {name: value for name, value in roles.items() if name in kept}


def pairs_in(
    counts: Counts | PairCounts, measure: str | None, *, names: Any, paired: bool | None, by_position: bool, roles: dict[str, Any]
) -> tuple[PairCounts, Measure]:
    """Return pairs and the measure they are compared by; refuse what counts do not hold, and what was settled before."""
    from adjudge.verbs.compared_sets import distinct, measure_of

    if not isinstance(counts, PairCounts):
        told = "Counts of one set of predictions keep no cases to compare. Count the sets side by side: "
        raise InputError(told, command("adjudge count A B --paired", python="count_pairs(a, b)"), ".")
    if paired is False:
        told = "Counts of pairs hold what all sets predicted for the same cases; "
        raise InputError(told, switch("paired", on=False), " is of different cases. Leave it out.")
    if by_position:
        raise InputError(switch("by_position"), " says how predictions are paired; counts are paired already. Leave it out.")
    positive = refuse_roles(roles, kept=("positive",)).get("positive")
    wanted = measure_of(measure, numeric=False)
    if wanted.needs != "decisions":
        told = f" needs {wanted.needs}, which counts of pairs do not hold; compare the predictions themselves."
        raise InputError(wanted.name, told)
    called = distinct(counts.names, names, "sets")
    at = counts.positive if positive is None else position(counts.classes, positive)
    return replace(counts, patterns=replace(counts.patterns, names=called), positive=at), wanted
