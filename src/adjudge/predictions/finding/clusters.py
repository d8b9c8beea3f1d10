"""The column of what rows belong to: a clear name with values that repeat, or a weaker name that repeats as clusters do.

A clear name (`patient`, `speaker`) takes the role where its values repeat, and is the identity of cases where each occurs once. A
weaker one (`user`, `prompt`) takes it where there are many values of several rows each: a handful are categories. Of nested
columns the clearer name is taken, of equally clear ones the outer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from adjudge._base.arguments import argument, either, wording
from adjudge._base.errors import DoubtfulRolesError
from adjudge._base.text import listed, quoted
from adjudge.predictions.columns import FEW, Column
from adjudge.predictions.finding.given import Given
from adjudge.predictions.labels import is_gone
from adjudge.predictions.names import STRONG, WEAK, clearest, mentions, names_decision, names_truth, strength
from adjudge.predictions.sources import HEAD

MANY = 10  # values from which on a weaker name is one of clusters, not of categories; fewer tell little of a spread
SEVERAL = 2  # rows of a value on average, from which on a weaker name is one of clusters
MOST_SUSPECTED = 3
_SINGLE = 0.9  # different values by rows, above which a column is rather one of single cases
_IDENTITY = re.compile(r".+_ids?", re.IGNORECASE)


def find_belonging(columns: Sequence[Column], given: Given, sides: Mapping[str, str]) -> tuple[dict[str, str], tuple[Any, ...]]:
    """Return the column of what rows belong to, and that of identities named so, beside `sides`; and those left out with why."""
    taken = given.judged | given.beside | set(sides.values())
    free = [column for column in columns if column.name not in taken]
    more: dict[str, str] = {}
    if given.sides["row"] is None and given.sides["count"] is None and "row" not in given.unwanted and "row" not in sides:
        plain = [column for column in free if not (column.kind == "vector" or column.continuous)]
        once = [column for column in plain if strength("cluster", column.name) == STRONG and _once(column)]
        named = clearest("cluster", [column.name for column in once if not _may_be_truth(column, columns, given)])
        more |= {"row": named[0]} if len(named) == 1 else {}
    if given.sides["cluster"] is not None or "cluster" in given.unwanted:
        return more, ()
    group = given.sides["group"] or sides.get("group")  # which may be both
    both = [column for column in columns if column.name == group and strength("cluster", group) == STRONG]
    chosen, notes = _find_cluster(columns, [*both, *(c for c in free if c.name not in more.values())], given)
    return more | ({} if chosen is None else {"cluster": chosen}), notes


def _find_cluster(columns: Sequence[Column], free: Sequence[Column], given: Given) -> tuple[str | None, tuple[Any, ...]]:
    """Return the `free` column of what rows belong to, None where there is none, and those left out with why."""
    notes: list[Any] = []
    fitting: list[Column] = []
    for column in free:
        clear = strength("cluster", column.name)
        if clear == STRONG and (why := _veto(column, columns, given)):
            notes.append(f"{quoted(column.name)} (named like a cluster, but {why})")
        elif clear == STRONG or (clear == WEAK and not _veto(column, columns, given) and _repeats(column)):
            fitting.append(column)
    if not fitting:
        return None, tuple(notes)
    best = max(strength("cluster", column.name) for column in fitting)
    top = [column for column in fitting if strength("cluster", column.name) == best]
    chosen = top[0] if len(top) == 1 else _outer(top)
    if chosen is None and best == STRONG:
        msg = f"{listed([column.name for column in top])} may each be the cluster, and none is within another. Say which: "
        ways = either(argument("cluster", column.name) for column in top[:3])
        raise DoubtfulRolesError(msg, ways, " (", argument("cluster", ""), " for none).")
    for column in fitting:
        if column is not chosen:
            why = "none is within another"
            if chosen is not None:
                why = f"{quoted(chosen.name)} {'holds each of its values whole' if column in top else 'says it more clearly'}"
            notes.append(wording(f"{quoted(column.name)} (named like a cluster, but {why}) [", argument("cluster"), "]"))
    return None if chosen is None else chosen.name, tuple(notes)


def suspected_of(columns: Sequence[Column], given: Given, used: Sequence[str], group: str | None) -> tuple[str, ...]:
    """Return columns that are not clusters by name and values, but whose rows may belong together: a pass over them tells.

    They are the `group` and columns not `used`, named like clusters or identities, whose values repeat.
    """
    if "cluster" in given.unwanted:
        return ()
    named = []
    for column in columns:
        clear = strength("cluster", column.name)  # among many clusters in no order few of the first rows share one
        most = column.size - 1 if clear else _SINGLE * column.size
        plain = column.name not in used and not (column.kind == "vector" or column.continuous)
        if plain and 1 < column.distinct <= most and (clear or strength("row", column.name) or _IDENTITY.fullmatch(column.name)):
            named.append((-clear, column.name))
    groups = [] if group is None else [group]
    return (*groups, *(name for _, name in sorted(named)))[:MOST_SUSPECTED]


def _once(column: Column) -> bool:
    return column.distinct == column.size > 1


def _repeats(column: Column) -> bool:
    """Say whether values repeat as those of clusters do: many of several rows each."""
    return column.distinct >= MANY and column.size >= SEVERAL * column.distinct


def _veto(column: Column, columns: Sequence[Column], given: Given) -> str:
    """Return why the values cannot be clusters, or nothing."""
    vetoes = {
        "it holds vectors": column.kind == "vector",
        "it holds fractions": column.continuous,
        "it has no values": not column.distinct,
        "no two rows share one": _once(column),
        "it is constant": column.distinct == 1 and column.size < HEAD,  # longer files may have others further down
        "it holds the classes": _may_be_truth(column, columns, given),
    }
    return next((why for why, holds in vetoes.items() if holds), "")


def _may_be_truth(column: Column, columns: Sequence[Column], given: Given) -> bool:
    """Say whether a column holds the classes that are predicted, where no other is named as the truth: animals, or subjects."""
    others = [other for other in columns if other.name != column.name]
    if given.truth is not None or any(names_truth(other.name) for other in others) or not column.key_set:
        return False
    decisions = [other for other in others if other.name == given.predicted or names_decision(other.name)]
    if any(2 * len(column.key_set & other.key_set) >= len(column.key_set) for other in decisions):
        return True
    names = [other.name.casefold() for other in others if other.numeric]
    return len(column.keys) <= FEW and all(any(mentions(name, key.casefold()) for name in names) for key in column.keys)


def _outer(columns: Sequence[Column]) -> Column | None:
    """Return the column that all others lie within: each of their values beside one of its own; of equal ones the first."""
    for column in sorted(columns, key=lambda each: (each.distinct, each.name)):
        if all(_within(other, column) for other in columns if other is not column):
            return column
    return None


def _within(inner: Column, outer: Column) -> bool:
    beside: dict[Any, Any] = {}
    for own, whole in zip(inner.values.tolist(), outer.values.tolist(), strict=True):
        if not (is_gone(own) or is_gone(whole)) and beside.setdefault(own, whole) != whole:
            return False
    return True
