"""Sets of predictions counted side by side where they are, and compared elsewhere from the counts alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adjudge._base.arguments import command, switch, wording
from adjudge._base.errors import InputError
from adjudge.counts.paired import PairCounts, joint_pairs
from adjudge.counts.result import Counts
from adjudge.metrics.measure import Measure
from adjudge.predictions.in_memory import are_numbers
from adjudge.predictions.spellings import position
from adjudge.verbs.compared_sets import distinct, measure_of, prepared, read_set
from adjudge.verbs.count import is_counted, refuse_roles

_TWO = 2


def count_pairs(*sources: Any, by_position: bool = False, names: Sequence[str] | None = None, **roles: Any) -> PairCounts:
    """Count what two or more sets of predictions say of the same cases, as sums that add up, and none of the cases.

    Parameters
    ----------
    *sources : path, dataframe, mapping of arrays, Predictions
        Two or more that :func:`adjudge.read` takes; classes only, no numbers.
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
    if any(map(is_counted, sources)):
        msg = "Pairs are counted of predictions, not counts, which add up by themselves."
        raise InputError(msg)
    if len(sources) < _TWO:
        msg = f"Pairs are counted of two sets of predictions of the same cases, or more; got {len(sources)}."
        raise InputError(msg)
    sets = [read_set(source, roles) for source in sources]
    if any(are_numbers(each) for each in sets):
        msg = "Numbers are predicted; pairs are counted of classes. Compare the predictions of numbers themselves."
        raise InputError(msg)
    cases, _ = prepared(sets, names, None, by_position=by_position, roles={})
    if isinstance(cases, PairCounts):
        return cases
    prints = [each.source.fingerprint() for each in sets]
    return joint_pairs(cases, [each for each in prints if each is not None])


def from_counts(
    counts: Counts | PairCounts, measure: str | None, *, names: Any, paired: bool | None, by_position: bool, roles: dict[str, Any]
) -> tuple[PairCounts, Measure]:
    """Return pairs and the measure they are compared by; refuse what counts do not hold, and what was settled before."""
    if not isinstance(counts, PairCounts):
        msg = wording(
            "Counts of one set of predictions keep no cases to compare. Count the sets side by side: ",
            command("adjudge count A B --paired", python="count_pairs(a, b)"),
            ".",
        )
        raise InputError(msg)
    if paired is False:
        told = "Counts of pairs hold what all sets said of the same cases; "
        raise InputError(told, switch("paired", on=False), " is of different cases. Leave it out.")
    if by_position:
        raise InputError(switch("by_position"), " says how predictions are paired; counts are paired already. Leave it out.")
    positive = refuse_roles(roles, kept=("positive",)).get("positive")
    wanted = measure_of(measure, numeric=False)
    if wanted.needs != "decisions":
        msg = f"{wanted.name} needs {wanted.needs}, which counts of pairs do not hold; compare the predictions themselves."
        raise InputError(msg)
    called = distinct(counts.names, names, "sets")
    at = counts.positive if positive is None else position(counts.classes, positive)
    return replace(counts, patterns=replace(counts.patterns, names=called), positive=at), wanted
