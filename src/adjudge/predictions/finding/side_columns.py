"""Columns beside the predictions: row, fold, group, weight, and the model of a long table.

Names settle these; values can only veto, and a veto is told. The split is told by values, and found before (`splitting`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge._base.arguments import argument, either, wording
from adjudge._base.errors import DoubtfulRolesError
from adjudge._base.text import listed, quoted
from adjudge.predictions.finding.names import STRONG, clearest, strength
from adjudge.predictions.finding.sampled import Sampled

SIDES = ("row", "fold", "group", "weight", "split")
_RSAMPLE = re.compile(r"(Fold|Repeat|Bootstrap|Resample|Split|Slice)\d+", re.IGNORECASE)

_PARTS = frozenset({"train", "training", "test", "testing", "valid", "validation", "val", "dev", "holdout"})


@dataclass(frozen=True)
class Sides:
    """The side columns found, with what was left out and why."""

    found: Mapping[str, str]
    left_out: tuple[str, ...]


def find_sides(columns: Sequence[Sampled], given: Mapping[str, str | None], taken: frozenset[str]) -> Sides:
    """Return the side columns by name, none of them `taken` for another role."""
    free = {column.name: column for column in columns if column.name not in taken}
    found: dict[str, str] = {}
    notes: list[str] = []
    for role in ("fold", "row", "group", "weight"):
        if given.get(role) is not None:
            continue
        open_ = [c for name, c in free.items() if name not in found.values() and _named(role, c)]
        reasons = {column.name: _veto(role, column) for column in open_}
        notes += [f"{quoted(name)} (named like a {role}, but {why})" for name, why in reasons.items() if why]
        chosen = _only(role, [column for column in open_ if not reasons[column.name]])
        if chosen is not None:
            found[role] = chosen
    return Sides(found, tuple(notes))


def refuse_long_form(columns: Sequence[Sampled], row: str | None, used: frozenset[str]) -> None:
    """Refuse a table that holds several models one below the other.

    A feature may be called model too; it is one when every row has its own identity.
    """
    for column in columns:
        several = strength("model", column.name) == STRONG and len(column.labels) > 1
        told_apart = any(other.name == row and other.distinct == other.size for other in columns)
        if several and column.name not in used and not told_apart:
            msg = wording(
                f"Column {quoted(column.name)} holds {listed(column.labels, 3)}: the file seems to hold ",
                "several models one below the other. Split the file by it, or if it describes the cases pass ",
                argument("group", column.name),
                ".",
            )
            raise DoubtfulRolesError(msg)


def _named(role: str, column: Sampled) -> bool:
    if strength("row", column.name) and _holds_folds(column):
        return role == "fold"
    if role == "fold" and re.fullmatch(r"\.?id\d", column.name):
        return _holds_folds(column)
    return strength(role, column.name) > 0


def _holds_folds(column: Sampled) -> bool:
    """Say whether the values are rsample's names of resamples, which tidymodels puts in a column id."""
    texts = [label for label in column.labels if isinstance(label, str)]
    return bool(texts) and all(_RSAMPLE.fullmatch(text) for text in texts)


def _veto(role: str, column: Sampled) -> str:
    """Return why the values cannot play the role, or nothing."""
    if role == "weight":
        return _weight_veto(column)
    parts = {str(label).strip().lower() for label in column.labels}
    vetoes = {
        "it holds vectors": column.kind == "vector",
        "it holds fractions": column.continuous,
        "it tells training rows from test rows": role == "fold" and bool(parts) and parts <= _PARTS,
        "it is constant": role == "row" and column.distinct <= 1,
        "no two rows share one": role == "group" and column.distinct == column.size > 1,
    }
    return next((why for why, holds in vetoes.items() if holds), "")


def _weight_veto(column: Sampled) -> str:
    if not column.numeric:
        return "it does not hold numbers"
    if column.finite.size < column.size:
        return "it has gaps"
    return "it holds negative numbers" if np.any(column.finite < 0) else ""


def _only(role: str, columns: Sequence[Sampled]) -> str | None:
    """Return the one column whose name says the role most clearly; refuse a tie."""
    names = clearest(role, [column.name for column in columns]) or [column.name for column in columns]
    if role == "row" and len(names) > 1:
        names = [c.name for c in columns if c.name in names and c.distinct == c.size] or names
    if role == "row" and len(names) > 1:
        names = [name for name in names if name.strip() and not name.startswith("Unnamed")] or names
    if len(names) <= 1:
        return names[0] if names else None
    ways = either(argument(role, name) for name in names[:3])
    msg = wording(f"{listed(names)} may each be the {role}. Say which: ", ways, ".")
    raise DoubtfulRolesError(msg)
