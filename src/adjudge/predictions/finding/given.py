"""What the user named, checked against the columns there are; and the columns beside the predictions."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, either, wording
from adjudge._base.arrays import FloatArray
from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge._base.text import counted, listed, quoted
from adjudge.predictions.finding.names import STRONG, Template, clearest, filled, key_of, strength, templates
from adjudge.predictions.finding.sampled import Sampled
from adjudge.predictions.finding.score_blocks import Block, matching, matrix_of, scale_of, template_blocks
from adjudge.predictions.labels import text_of
from adjudge.predictions.roles import Column, Scale

_CLOSE = 0.6  # how alike the name of a column must be to be suggested
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
        open_ = [c for name, c in free.items() if name not in found.values() and _named_so(role, c)]
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
            msg = (
                f"Column {quoted(column.name)} holds {listed(column.labels, 3)}: the file seems to hold "
                "several models one below the other. Split the file by it, or if it describes the cases pass "
            )
            raise DoubtfulRolesError(msg, argument("group", column.name), ".")


def _named_so(role: str, column: Sampled) -> bool:
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
        if not column.numeric:
            return "it does not hold numbers"
        if column.finite.size < column.size:
            return "it has gaps"
        return "it holds negative numbers" if np.any(column.finite < 0) else ""
    parts = {str(label).strip().lower() for label in column.labels}
    vetoes = {
        "it holds vectors": column.kind == "vector",
        "it holds fractions": column.continuous,
        "it tells training rows from test rows": role == "fold" and bool(parts) and parts <= _PARTS,
        "it is constant": role == "row" and column.distinct <= 1,
        "no two rows share one": role == "group" and column.distinct == column.size > 1,
    }
    return next((why for why, holds in vetoes.items() if holds), "")


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
    msg = f"{listed(names)} may each be the {role}. Say which: "
    raise DoubtfulRolesError(msg, ways, ".")


@dataclass(frozen=True)
class GivenScores:
    """The score columns the user named, and the ways their classes may be read."""

    columns: tuple[str, ...]
    readings: tuple[Template, ...] = ()
    starred: bool = False
    """Whether they were named by a template, which may fit more columns than were meant."""
    label: Any = None
    """The class of a single column, where the user said it."""


@dataclass(frozen=True)
class Given:
    """The roles the user named; None where they are to be found."""

    truth: str | None
    predicted: str | None
    sides: Mapping[str, str | None]
    scores: GivenScores | None
    scores_are: Scale | None
    classes: tuple[str, ...]
    """The keys of the classes in the user's order; empty when not given."""
    unwanted: frozenset[str] = frozenset()
    """Side roles that no column shall have: those given as ''."""

    @property
    def judged(self) -> frozenset[str]:
        """The columns named as truth, decision or scores."""
        scores = self.scores.columns if self.scores else ()
        return frozenset(name for name in (self.truth, self.predicted, *scores) if name is not None)

    @property
    def beside(self) -> frozenset[str]:
        """The columns named as row, fold, group, weight or split."""
        return frozenset(name for name in self.sides.values() if name is not None)


def check_given(given: Mapping[str, Any], columns: Sequence[Column]) -> Given:
    """Return what was given, or say which column does not exist."""
    names = [column.name for column in columns]
    one = {role: given.get(role) for role in ("truth", "predicted", *SIDES)}
    unwanted = frozenset(role for role in SIDES if one[role] == "" and "" not in names)
    one |= dict.fromkeys(unwanted)
    for role, name in one.items():
        if name is not None:
            exists(name, role, names)
    scores = None if given.get("scores") is None else _scores(given["scores"], columns, {*one.values()})
    listed_classes = () if given.get("classes") is None else given["classes"]
    classes = tuple(key_of(text_of(label)) for label in listed_classes)
    sides = {role: one[role] for role in SIDES}
    told = Given(one["truth"], one["predicted"], sides, scores, given.get("scores_are"), classes, unwanted)
    named = [told.truth, told.predicted, *(told.scores.columns if told.scores else ())]
    used = [name for name in named if name is not None]
    twice = sorted({name for name in used if used.count(name) > 1})
    if twice:
        msg = f"Column {quoted(twice[0])} has two roles; truth, predicted and scores are different columns."
        raise InputError(msg)
    for column in columns:
        if scores and column.name in scores.columns and column.kind in ("text", "category"):
            msg = f"column {quoted(column.name)} holds text, not scores; did you mean "
            raise InputError(msg, argument("predicted", column.name), "?")
    return told


def given_block(given: Given, table: Mapping[str, Sampled], holders: Sequence[Sampled]) -> Block | None:
    """Return the block the user named, read the way the labels allow; None when no reading fits them."""
    if given.scores is None:
        return None
    fits: list[Block] = []
    for reading in given.scores.readings:
        meant = template_blocks(reading, table, holders, frozenset(given.classes), given.scores_are)
        if given.scores.starred and (block := next(meant, None)) is not None:
            return block
        keys, mine, fold = matching(reading, holders)
        if mine:
            matrix = matrix_of([table[name] for name in keys.values()])
            scale = given.scores_are or scale_of(matrix, reading.words, None)
            if scale is None:
                raise unscaled(given.scores.columns, matrix)
            names = tuple(keys.values())
            fits.append(Block(names, tuple(keys), matrix, scale, reading.pattern, tuple(mine), fold))
    return max(fits, key=lambda block: (not block.fold, len(block.holders), len(block.pattern)), default=None)


def _scores(value: Any, columns: Sequence[Column], used: set[str | None]) -> GivenScores:
    names = [column.name for column in columns]
    if isinstance(value, str):
        if value in names or "*" not in value:
            return GivenScores((exists(value, "scores", names),))
        numbers = [c.name for c in columns if c.kind in ("float", "int") and c.name not in used]
        template = filled(value, numbers)
        chosen = tuple(template.columns.values())
        if len(chosen) == 1:
            return GivenScores(chosen, label=next(iter(template.columns)))
        return GivenScores(chosen, (template,), starred=True)
    if isinstance(value, Mapping):
        chosen = tuple(exists(name, "scores", names) for name in value.values())
        if len(chosen) == 1:
            return GivenScores(chosen, label=next(iter(value)))
        by_class = {text_of(label): name for label, name in value.items()}
        return GivenScores(chosen, (Template("", "", by_class),))
    chosen = tuple(exists(name, "scores", names) for name in value)
    readings = [template for template in templates(chosen) if len(template.columns) == len(set(chosen))]
    return GivenScores(chosen, () if len(chosen) == 1 else tuple(readings))


def exists(name: Any, role: str, names: Sequence[str]) -> str:
    """Return the name of a column that exists, or say which do."""
    if isinstance(name, str) and name in names:
        return name
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=_CLOSE)
    hint = (" Did you mean ", argument(role, close[0]), "?") if close else ()
    msg = wording(f"There is no column {quoted(name)} for {role}; the columns are {listed(names, 12)}.", *hint)
    raise InputError(msg, parameter=role)


def unscaled(columns: Sequence[str], matrix: FloatArray) -> DoubtfulRolesError:
    """Return the refusal of named scores whose values do not say what they are."""
    msg = f"{listed(columns, 4)} are not probabilities: their rows {no_probabilities(matrix)}. Say what they are: "
    return DoubtfulRolesError(
        msg,
        argument("scores_are", "votes"),
        ", ",
        argument("scores_are", "logits"),
        " or ",
        argument("scores_are", "scores"),
        ".",
    )


def no_probabilities(matrix: FloatArray) -> str:
    """Return why rows of scores are not probabilities: some are negative, or they do not add up."""
    negative = matrix[matrix < 0]
    if not negative.size:
        return "sum neither to 1 nor to 100"
    many = counted(negative.size, "negative value")
    return f"hold {many} in the first {counted(len(matrix), 'row')} (the least is {negative.min():.4g}), which no probability is"
