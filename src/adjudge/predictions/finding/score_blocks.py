"""Score columns: one per class, one of vectors, or one for two classes, and what its numbers mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adjudge._base.arguments import argument, either
from adjudge._base.arrays import FloatArray
from adjudge._base.errors import DoubtfulRolesError
from adjudge._base.text import listed
from adjudge.predictions.finding.names import (
    LOGIT_WORDS,
    PROBABILITY_WORDS,
    RAW_WORDS,
    SILENT,
    STRONG,
    VOTE_WORDS,
    WEAK,
    Template,
    cuts,
    key_of,
    names_decision,
    strength,
    templates,
    words,
)
from adjudge.predictions.finding.sampled import Sampled
from adjudge.predictions.roles import Scale

_SLACK = 1e-4
"""How far the sum of float32 probabilities may be from one."""
_ALMOST_ALL = 0.99
_MOST_DECIMALS = 4
_MOST_DIGITS = 100
_SURE = frozenset({"vote", "votes", "logit", "logits"})
"""Words that no feature is named with, unlike count or score."""
_TELLING = PROBABILITY_WORDS | _SURE
_ORDER: tuple[Scale, ...] = ("probabilities", "percentages", "votes", "logits", "scores")


@dataclass(frozen=True, eq=False)
class Block:
    """Scores for every class, with the label columns (`holders`) that hold those classes."""

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    matrix: FloatArray
    scale: Scale
    pattern: str
    """The template of the columns' names; empty when they are named by class alone."""
    holders: tuple[Sampled, ...]
    fold: bool = False
    vector: bool = False

    @cached_property
    def hard(self) -> bool:
        """Whether all scores are 0 or 1, as one-hot coded features are."""
        return bool(np.all((self.matrix == 0) | (self.matrix == 1) | np.isnan(self.matrix)))

    def agreement(self, column: Sampled) -> float:
        """Return the share of rows whose label has the largest score; rows without either do not count."""
        codes = column.codes({key: i for i, key in enumerate(self.keys)}, fold=self.fold)
        use = (codes >= 0) & np.all(np.isfinite(self.matrix), axis=1)
        if not use.any():
            return 0.0
        rows = self.matrix[use]
        return float(np.mean(rows[np.arange(len(rows)), codes[use]] >= rows.max(axis=1)))

    def partial(self, column: Sampled) -> bool:
        """Say whether some row of the column holds no class of the block."""
        return bool(np.any(column.codes({key: i for i, key in enumerate(self.keys)}, fold=self.fold) < 0))

    def pairs(self, truth: Sampled) -> tuple[tuple[Any, str], ...]:
        """Return (class, column), the class spelled as the truth spells it."""
        if self.vector:
            return ((None, self.columns[0]),)
        spelled = {key.casefold() if self.fold else key: label for key, label in truth.keys.items()}
        truths, numbers = (all(isinstance(label, kind) for label in truth.labels) for kind in (bool, int))
        pairs: list[tuple[Any, str]] = []
        for key, name in zip(self.keys, self.columns, strict=True):  # a class no row holds has the type of the others
            number = _whole_number(key) if numbers else None
            typed: Any = key if number is None else number
            if truths and key.casefold() in ("true", "false"):
                typed = key.casefold() == "true"
            pairs.append((spelled.get(key, typed), name))
        return tuple(pairs)

    def says(self) -> str:
        """Return what makes this a block."""
        what = {"probabilities": "rows sum to 1", "percentages": "rows sum to 100"}
        first = what.get(self.scale, f"named as {self.scale}")
        source = f"class names from {self.pattern}" if self.pattern else "class names are column names"
        if self.vector:
            source = f"classes by position: {listed(self.keys, 4)}"
        return f"{first}; {source}" + ("; matched without regard to case" if self.fold else "")


def find_blocks(
    pool: Sequence[Sampled], holders: Sequence[Sampled], *, classes: Sequence[str], asked: Scale | None
) -> list[Block]:
    """Return the blocks of the best scale found among `pool`; more than one means more than one model.

    `classes` are the user's, if any: they name columns of classes that no row holds.
    """
    by_name = {column.name: column for column in pool if column.numeric}
    found = [
        block
        for template in templates(by_name)
        for block in template_blocks(template, by_name, holders, frozenset(classes), asked)
        if not block.hard or template.words & PROBABILITY_WORDS
    ]
    blocks = best_scaled(found)
    soft = [block for block in blocks if not block.hard] or blocks
    readings: dict[frozenset[str], Block] = {}
    for block in sorted(soft, key=lambda b: (b.fold, -len(b.holders), -len(b.pattern), b.pattern)):
        readings.setdefault(frozenset(block.columns), block)
    return list(readings.values())


def best_scaled(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of the scale that says most: probabilities before votes before logits."""
    best = next((scale for scale in _ORDER if any(block.scale == scale for block in blocks)), None)
    return [block for block in blocks if block.scale == best]


def matching(template: Template, holders: Sequence[Sampled]) -> tuple[Mapping[str, str], list[Sampled], bool]:
    """Return the columns by class key, the holders whose labels they cover, and whether case was ignored."""
    exact = [h for h in holders if h.key_set and h.key_set <= template.keys.keys()]
    if exact:
        return template.keys, exact, False
    return template.folded, [h for h in holders if h.folded and h.folded <= template.folded.keys()], True


def template_blocks(
    template: Template, by_name: Mapping[str, Sampled], holders: Sequence[Sampled], classes: frozenset[str], asked: Scale | None
) -> Iterator[Block]:
    """Yield the block that the columns of `template` make with the labels of `holders`, if any."""
    keys, mine, fold = matching(template, holders)
    if not mine:
        return
    # the few sets of classes worth testing: all of the template, or those that some column holds
    covered = [held for held in [classes, *(h.folded if fold else h.key_set for h in mine)] if held <= keys.keys()]
    union: frozenset[str] = frozenset().union(*covered)
    held = [union, *sorted(set(covered), key=lambda held: (-len(held), sorted(held)))]
    whole = [frozenset(keys)]
    tried = [*whole, *held] if not template.bare else held if asked in ("votes", "logits") else [*held, *whole]
    for chosen in (chosen for chosen in dict.fromkeys(tried) if len(chosen) > 1):
        spelled = tuple(sorted(chosen, key=by_number))
        columns = tuple(keys[key] for key in spelled)
        matrix = matrix_of([by_name[name] for name in columns])
        scale = scale_of(matrix, template.words, asked)
        if scale is not None:
            yield Block(columns, spelled, matrix, scale, template.pattern, tuple(mine), fold)
            return


def vector_block(
    column: Sampled, holders: Sequence[Sampled], classes: Sequence[str], asked: Scale | None, *, trusted: bool
) -> Block | None:
    """Return the block in a column of vectors, if its rows are scores, as `trusted` ones are.

    It may have no holders: then its classes are not known.
    """
    matrix = np.asarray(column.column.values, dtype=np.float64)
    said = words(column.name)
    scale = asked if trusted and asked else scale_of(matrix, frozenset() if "raw" in said else said, asked)
    if scale is None:
        return None
    keys = tuple(classes) if classes else tuple(str(i) for i in range(matrix.shape[1]))
    mine = [h for h in holders if h.key_set <= set(keys) and (classes or "0" in h.key_set)]
    return Block((column.name,), keys, matrix, scale, column.name, tuple(mine), vector=True)


def nameless_blocks(pool: Sequence[Sampled]) -> list[Template]:
    """Return templates that are scores by words and values, whatever their class names: for telling."""
    by_name = {column.name: column for column in pool if column.numeric}
    found: dict[frozenset[str], Template] = {}
    for template in templates(by_name):
        columns = [by_name[name] for name in template.columns.values()]
        if template.words & _TELLING and scale_of(matrix_of(columns), template.words & _SURE, None):
            known = found.setdefault(frozenset(template.columns.values()), template)
            if len(str(known)) < len(str(template)):
                found[frozenset(template.columns.values())] = template
    return list(found.values())


def unscaled_templates(pool: Sequence[Sampled], holders: Sequence[Sampled]) -> list[Template]:
    """Return templates of fractions named by class that do not add up, as one-against-rest: for telling."""
    by_name = {column.name: column for column in pool if column.continuous}
    named = [template for template in templates(by_name) if template.words & _TELLING]
    return [template for template in named if matching(template, holders)[1]]


def matrix_of(columns: Sequence[Sampled]) -> FloatArray:
    """Return the columns side by side."""
    return np.stack([np.asarray(column.column.values, dtype=np.float64) for column in columns], axis=1)


def scale_of(matrix: FloatArray, said: frozenset[str], asked: Scale | None) -> Scale | None:
    """Return what the scores of a block are, or None when neither values nor words say it."""
    rows = matrix[np.all(np.isfinite(matrix), axis=1)]
    if rows.size == 0 or rows.shape[1] < 2:  # noqa: PLR2004 - a block is at least two classes
        return None
    whole = bool(np.all(rows == np.floor(rows)))
    counted = whole and rows.min() >= 0
    tests: dict[Scale, Callable[[], bool]] = {
        "votes": lambda: counted and (asked == "votes" or bool(said & VOTE_WORDS)),
        "probabilities": lambda: _adds_up(rows, 1.0),
        "percentages": lambda: _adds_up(rows, 100.0),
        "logits": lambda: not whole and (asked == "logits" or bool(said & (LOGIT_WORDS | RAW_WORDS))),
    }
    return next((scale for scale, holds in tests.items() if asked in (None, scale) and holds()), None)


def _adds_up(rows: FloatArray, total: float) -> bool:
    """Say whether rows of non-negative numbers sum to `total` up to rounding: K numbers of d decimals are off by K/2 * 10^-d."""
    if rows.min() < -_SLACK * total or rows.max() > total * (1 + _SLACK):
        return False
    off = np.abs(rows.sum(axis=1) - total)
    if np.mean(off <= _SLACK * total) >= _ALMOST_ALL:
        return True
    decimals = next((d for d in range(_MOST_DECIMALS + 1) if _rounded(rows[:64], d) and _rounded(rows, d)), None)
    if decimals is None or (decimals == 0 and total == 1):
        return False
    return bool(np.mean(off <= rows.shape[1] / 2 * 10.0**-decimals + 1e-9) >= _ALMOST_ALL)


def _rounded(rows: FloatArray, decimals: int) -> bool:
    scaled = rows * 10.0**decimals
    return bool(np.all(np.abs(scaled - np.rint(scaled)) < _SLACK))


def by_number(key: str) -> tuple[bool, int, str]:
    """Return a sorting key that puts class 2 before class 10."""
    number = _whole_number(key)
    return (number is None, number or 0, key)


def _whole_number(key: str) -> int | None:
    """Return the number a class name spells; None for text, and for more digits than any class number has."""
    digits = key.removeprefix("-")
    return int(key) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None


TWO = 2
_EDGE = 1e-6
_BESIDE_A_CLASS = PROBABILITY_WORDS | LOGIT_WORDS | RAW_WORDS | {"predicted", "class", "of", "is", "y", "hat", "label"}
"""Words that may stand beside a class in the name of its score."""


def class_in_name(name: str, labels: Mapping[str, Any]) -> Any | None:
    """Return the one class that a column's name holds beside words for a score; None where it holds none, or several.

    >>> labels = {"ill": "ill", "well": "well"}
    >>> class_in_name("p_ill", labels), class_in_name("Well probability", labels), class_in_name("ill_days", labels)
    ('ill', 'well', None)
    """
    plain = {key.casefold(): label for key, label in labels.items()}
    parts = [(key_of(text).casefold(), words(prefix) | words(suffix)) for prefix, text, suffix in cuts(name)]
    found = {plain[text]: None for text, beside in parts if text in plain and beside and beside <= _BESIDE_A_CLASS}
    return next(iter(found)) if len(found) == 1 and len(plain) == len(labels) else None


def single_candidates(pool: Sequence[Sampled], holders: Sequence[Sampled]) -> list[Sampled]:
    """Return the columns that may be the one score, by the clarity of their names.

    A decision by name that holds fractions is a score (LightGBM's `prediction`). Where a probability and the
    margin it was made from stand side by side, the probability is meant.
    """
    twos = [holder for holder in holders if len(holder.labels) == TWO]
    ranks = {column.name: _rank(column, twos) for column in pool}
    best = max(ranks.values(), default=SILENT)
    top = [column for column in pool if ranks[column.name] == best > SILENT]
    for prefer in (lambda c: c.unit, lambda c: not words(c.name) & RAW_WORDS):
        preferred = [column for column in top if prefer(column)]
        top = preferred if len(preferred) == 1 else top
    return top


def pick_single(candidates: Sequence[Sampled], predicted: Sampled | None) -> Sampled | None:
    """Return the one score; of several the one that the decision is a threshold of; else refuse."""
    if len(candidates) <= 1:
        return candidates[0] if candidates else None
    cut = [column for column in candidates if predicted is not None and separates(column, predicted)]
    if len(cut) == 1:
        return cut[0]
    names = [column.name for column in candidates]
    told = f"{listed(names)} may each be the scores, perhaps of several models. Judge one at a time: "
    raise DoubtfulRolesError(told, either(argument("scores", name) for name in names[:4]), ".")


def separates(score: Sampled, labels: Sampled) -> bool:
    """Say whether the two labels are a threshold of the score."""
    if len(labels.labels) != TWO:
        return False
    codes = labels.codes({key: i for i, key in enumerate(labels.keys)}, fold=False)
    values = np.asarray(score.column.values, dtype=np.float64)
    low, high = (values[(codes == code) & np.isfinite(values)] for code in (0, 1))
    return bool(low.size and high.size and (low.max() <= high.min() or high.max() <= low.min()))


def believable(score: Sampled, predicted: Sampled | None, classes: Mapping[str, Any]) -> bool:
    """Say whether the values go with the name.

    `y_score` is believed; `rain_prob` or `predicted_income` only where the decision follows from it. The probability of a rare
    class may never reach one half: beside decisions that are all the same, one that names its class is believed.
    """
    if predicted is None or strength("score", score.name) == STRONG or separates(score, predicted):
        return True
    if len(predicted.labels) == 1 and class_in_name(score.name, classes) is not None:
        return True
    return score.unit and bool(score.finite.min() >= 1 / max(TWO, len(predicted.labels)) - _EDGE)


def single_scale(score: Sampled, truth: Sampled, predicted: Sampled | None) -> Scale | None:
    """Return what a single score means; None when it cannot serve the number of classes.

    A probability of the positive class falls below 0.5 wherever the other class is decided, so one that never
    does while both are decided is the probability of the decision. Among K classes that one is 1/K or more.
    """
    known = truth.key_set | (predicted.key_set if predicted is not None else frozenset())
    decided = predicted is not None and len(predicted.labels) > 1
    if decided and score.unit and score.finite.min() >= 1 / max(TWO, len(known)) - _EDGE:
        return "confidence"
    if len(known) > TWO:
        return None
    return "probabilities" if score.unit else "scores"


def _rank(column: Sampled, twos: Sequence[Sampled]) -> int:
    if not column.continuous:
        return SILENT
    if names_decision(column.name):
        return STRONG
    rank = strength("score", column.name)
    named = any(class_in_name(column.name, holder.keys) is not None for holder in twos)
    if rank == SILENT and named:
        return WEAK
    return rank if rank == STRONG or (rank == WEAK and (column.unit or named)) else SILENT
