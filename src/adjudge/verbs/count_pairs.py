"""Sets of predictions counted side by side where they are, and compared elsewhere from the counts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudge._base.arguments import command, wording
from adjudge._base.errors import InputError
from adjudge.counts.paired import PairCounts, joint_pairs
from adjudge.counts.result import Counts, is_counts, load_counts
from adjudge.metrics.measure import Measure
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.spellings import position
from adjudge.verbs.compared_sets import distinct, measure_of, prepared, read_set


def count_pairs(
    a: Any, b: Any, *more: Any, by_position: bool = False, names: Sequence[str] | None = None, **roles: Any
) -> PairCounts:
    """Count what two or more sets of predictions say of the same cases, as sums that add up, and none of the cases.

    Parameters
    ----------
    a, b, *more : path, dataframe, mapping of arrays, Predictions
        Anything :func:`adjudge.read` takes; classes only, no numbers.
    by_position : bool
        Whether row i is the same case in all, where no column identifies the cases.
    names : sequence of str, optional
        What to call them, alike wherever parts are counted; the names of the files if left out.
    **roles
        The roles of columns and the ways to read them, for all; see :func:`adjudge.read`.

    >>> truth, case = [0, 1, 1, 0], [1, 2, 3, 4]
    >>> a = {"truth": truth, "predicted": [0, 1, 1, 1], "row": case}
    >>> b = {"truth": truth, "predicted": [0, 0, 1, 1], "row": case}
    >>> count_pairs(a, b).joint.outcomes(0, 1).sum(axis=0)  # both right, only a, only b, neither
    array([2., 1., 0., 1.])
    """
    sets = [read_set(source, roles) for source in (a, b, *more)]
    if any(are_numbers(each) for each in sets):
        msg = "Numbers are predicted; pairs are counted of classes. Compare the predictions of numbers themselves."
        raise InputError(msg)
    cases, _ = prepared(sets, names, None, by_position=by_position, roles={})
    if isinstance(cases, PairCounts):
        return cases
    prints = [each.source.fingerprint() for each in sets]
    return joint_pairs(cases, [each for each in prints if each is not None])


def are_counted(*sources: Any) -> bool:
    """Return whether any source is counts, or the path of a file of them."""
    return any(isinstance(source, (Counts, PairCounts)) or is_counts(source) for source in sources)


def from_counts(
    source: Any, measure: str | None, *, names: Any, positive: Any = None, **given: Any
) -> tuple[PairCounts, Measure]:
    """Return pairs and the measure they are compared by; refuse what counts do not hold, and what is `given` besides."""
    found = load_counts(source) if is_counts(source) else source
    if not isinstance(found, PairCounts):
        msg = wording(
            "Counts of one set of predictions keep no cases to compare. Count the sets side by side: ",
            command("adjudge count A B --paired", python="count_pairs(a, b)"),
            ".",
        )
        raise InputError(msg)
    if given.pop("paired", None) is False:
        msg = "Counts of pairs hold what all sets said of the same cases; paired=False is of different cases. Leave it out."
        raise InputError(msg)
    typed = [f"{name}=" for name, value in given.items() if value is not None and value is not False]
    if typed:
        msg = f"{', '.join(typed)}: that was settled when the pairs were counted. Leave it out."
        raise InputError(msg)
    wanted = measure_of(measure, numeric=False)
    if wanted.needs != "decisions":
        msg = f"{wanted.name} needs {wanted.needs}, which counts of pairs do not hold; compare the predictions themselves."
        raise InputError(msg)
    told = distinct(found.names, names, "sets")
    at = found.positive if positive is None else position(found.classes, positive)
    return replace(found, patterns=replace(found.patterns, names=told), positive=at), wanted
