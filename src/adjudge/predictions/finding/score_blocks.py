"""Blocks of scores: one column per class or one of vectors, what its numbers mean, and which block is judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from adjudge._base import DoubtfulRolesError, InputError, argument, counted, dataclass, listed, quoted, safe, together
from adjudge._base.arrays import FloatArray, IntArray
from adjudge.predictions.columns import Column
from adjudge.predictions.finding.given import Given
from adjudge.predictions.finding.models import refuse_two_models
from adjudge.predictions.names import LOGIT_WORDS, PROBABILITY_WORDS, Template, names_decision, names_truth, templates, words
from adjudge.predictions.roles import Scale

SAME = 0.999  # a decision equals the argmax in more than this share of rows
_SLACK = 1e-4  # how far the sum of float32 probabilities may be from one
_ALMOST_ALL = 0.99
_MOST_DECIMALS = 4
_MOST_DIGITS = 100
_EXAMPLE = 3
_VOTES = frozenset({"vote", "votes", "count", "counts"})
_SURE = frozenset({"vote", "votes", "logit", "logits"})  # words that no feature is named with, unlike count or score
_TELLING = PROBABILITY_WORDS | _SURE
_ORDER: tuple[Scale, ...] = ("probabilities", "percentages", "votes", "logits", "scores")


@dataclass(frozen=True, eq=False)
class Block:
    """Scores for every class, with the label columns (`holders`) that hold those classes."""

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    matrix: FloatArray
    scale: Scale
    pattern: str  # the template of the columns' names; empty when they are named by class alone
    holders: tuple[Column, ...]
    fold: bool = False
    vector: bool = False

    @cached_property
    def hard(self) -> bool:
        """Whether all scores are 0 or 1, as one-hot coded features are."""
        return bool(np.all((self.matrix == 0) | (self.matrix == 1) | np.isnan(self.matrix)))

    def agreement(self, column: Column) -> float:
        """Return the share of rows whose label has the largest score; rows without either do not count."""
        codes = self._codes(column)
        use = (codes >= 0) & np.all(np.isfinite(self.matrix), axis=1)
        if not use.any():
            return 0.0
        rows = self.matrix[use]
        return float(np.mean(rows[np.arange(len(rows)), codes[use]] >= rows.max(axis=1)))

    def partial(self, column: Column) -> bool:
        """Say whether some row of the column holds no class of the block."""
        return bool(np.any(self._codes(column) < 0))

    def _codes(self, column: Column) -> IntArray:
        return column.codes({key: i for i, key in enumerate(self.keys)}, fold=self.fold)

    def pairs(self, truth: Column) -> tuple[tuple[Any, str], ...]:
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
        source = f"class names from {self.pattern}" if self.pattern else "class names are column names"
        source = f"classes by position: {listed(self.keys, 4)}" if self.vector else source
        folded = "; matched without regard to case" if self.fold else ""
        return f"{what.get(self.scale, f'named as {self.scale}')}; {source}{folded}"


def _find_blocks(pool: Sequence[Column], holders: Sequence[Column], given: Given) -> list[Block]:
    """Return the blocks of the best scale found among `pool`; more than one means more than one model."""
    by_name = {column.name: column for column in pool if column.numeric}
    candidates = [
        block
        for template in templates(by_name)
        for block in _template_blocks(template, by_name, holders, given)
        if not block.hard or template.words & PROBABILITY_WORDS
    ]
    blocks = _best_scaled(candidates)
    soft = [block for block in blocks if not block.hard] or blocks
    readings: dict[frozenset[str], Block] = {}
    for block in sorted(soft, key=lambda b: (b.fold, -len(b.holders), -len(b.pattern), b.pattern)):
        readings.setdefault(frozenset(block.columns), block)
    return list(readings.values())


def _best_scaled(blocks: Sequence[Block]) -> list[Block]:
    """Return the blocks of the scale that says most: probabilities before votes before logits."""
    best = next((scale for scale in _ORDER if any(block.scale == scale for block in blocks)), None)
    return [block for block in blocks if block.scale == best]


def _matching(template: Template, holders: Sequence[Column]) -> tuple[Mapping[str, str], list[Column], bool]:
    """Return the columns by class key, the holders whose labels they cover, and whether case was ignored."""
    exact = [h for h in holders if h.key_set and h.key_set <= template.keys.keys()]
    if exact:
        return template.keys, exact, False
    return template.folded, [h for h in holders if h.folded and h.folded <= template.folded.keys()], True


def _template_blocks(
    template: Template, by_name: Mapping[str, Column], holders: Sequence[Column], given: Given
) -> Iterator[Block]:
    """Yield the block that the columns of `template` make with the labels of `holders`, if any."""
    keys, mine, fold = _matching(template, holders)
    if not mine:
        return
    # the few sets of classes worth testing: all of the template, or those that some column holds
    classes, asked = frozenset(given.classes), given.scores_are  # those of the user name columns of classes that no row holds
    covered = [held for held in [classes, *(h.folded if fold else h.key_set for h in mine)] if held <= keys.keys()]
    union: frozenset[str] = frozenset().union(*covered)
    held = [union, *sorted(set(covered), key=lambda held: (-len(held), sorted(held)))]
    whole = [frozenset(keys)]
    tried = [*whole, *held] if not template.bare else held if asked in ("votes", "logits") else [*held, *whole]
    for chosen in (chosen for chosen in dict.fromkeys(tried) if len(chosen) > 1):
        spelled = tuple(sorted(chosen, key=by_number))
        columns = tuple(keys[key] for key in spelled)
        matrix = _matrix_of(columns, by_name)
        scale = _scale_of(matrix, template.words, asked)
        if scale is not None:
            yield Block(columns, spelled, matrix, scale, template.pattern, tuple(mine), fold)
            return


def rest_of_block(scores: Sequence[Column], pool: Sequence[Column], holders: Sequence[Column]) -> bool:
    """Say whether these scores would be a block of three classes or more with columns of which some cells are no numbers."""
    by_name, mine = {column.name: column for column in pool}, {column.name for column in scores}
    wider = [t for t in templates(by_name) if len(t.columns) > 2 and mine <= {*t.columns.values()} and _matching(t, holders)[1]]  # noqa: PLR2004
    return any(by_name[name].strays for template in wider for name in template.columns.values())


def _matrix_of(names: Iterable[str], table: Mapping[str, Column]) -> FloatArray:
    """Return columns side by side."""
    return np.stack([np.asarray(table[name].values, dtype=np.float64) for name in names], axis=1)


def _scale_of(matrix: FloatArray, said: frozenset[str], asked: Scale | None) -> Scale | None:
    """Return what the scores of a block are, or None when neither values nor words say it."""
    rows = matrix[np.all(np.isfinite(matrix), axis=1)]
    if rows.size == 0 or rows.shape[1] < 2:  # noqa: PLR2004 - a block is at least two classes
        return None
    whole = bool(np.all(rows == np.floor(rows)))
    tests: dict[Scale, Callable[[], bool]] = {
        "votes": lambda: whole and rows.min() >= 0 and (asked == "votes" or bool(said & _VOTES)),
        "probabilities": lambda: _adds_up(rows, 1.0),
        "percentages": lambda: _adds_up(rows, 100.0),
        "logits": lambda: not whole and (asked == "logits" or bool(said & LOGIT_WORDS)),
    }
    return next((scale for scale, holds in tests.items() if asked in (None, scale) and holds()), None)


def _adds_up(rows: FloatArray, total: float) -> bool:
    """Say whether rows of non-negative numbers sum to `total` up to rounding: K numbers of d decimals are off by K/2 * 10^-d."""
    if rows.min() < -_SLACK * total or rows.max() > total * (1 + _SLACK):
        return False
    off = np.abs(rows.sum(axis=1) - total)
    if np.mean(off <= _SLACK * total) >= _ALMOST_ALL:
        return True

    def rounded(some: FloatArray, decimals: int) -> bool:
        scaled = some * 10.0**decimals
        return bool(np.all(np.abs(scaled - np.rint(scaled)) < _SLACK))

    decimals = next((d for d in range(_MOST_DECIMALS + 1) if rounded(rows[:64], d) and rounded(rows, d)), None)
    if decimals is None or (decimals == 0 and total == 1):
        return False
    return bool(np.mean(off <= rows.shape[1] / 2 * 10.0**-decimals + 1e-9) >= _ALMOST_ALL)


def by_number(key: str) -> tuple[bool, int, str]:
    """Return a sorting key that puts class 2 before class 10."""
    number = _whole_number(key)
    return (number is None, number or 0, key)


def _whole_number(key: str) -> int | None:
    """Return the number a class name spells; None for text, and for more digits than any class number has."""
    digits = key.removeprefix("-")
    return int(key) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None


def settle_block(given: Given, table: Mapping[str, Column], pool: Sequence[Column], holders: Sequence[Column]) -> Block | None:
    """Return the block to judge, None when there is none."""
    if given.scores is not None:
        block = _given(given, table, holders)
    elif given.scores_are in ("confidence", "scores") or (given.truth is not None and table[given.truth].continuous):
        return None
    else:
        vectors = _vector_blocks([column for column in pool if column.kind == "vector"], holders, given)
        blocks = _best_scaled([*_find_blocks(pool, holders, given), *vectors])
        if not blocks:
            _refuse_near_blocks(pool, holders, given)
            return None
        if given.truth is not None:  # the blocks whose classes are those of the truth
            blocks = [block for block in blocks if any(h.name == given.truth for h in block.holders)] or blocks
        block = _only_one(blocks, given, table)
    if block is not None:
        _require_holders(block, holders, given)
    return block


def _refuse_near_blocks(pool: Sequence[Column], holders: Sequence[Column], given: Given) -> None:
    """Refuse columns that are scores by words and values but name other classes, and those named by class that do not add up."""
    by_name = {column.name: column for column in pool if column.numeric}
    telling = [template for template in templates(by_name) if template.words & _TELLING]
    nameless: dict[frozenset[str], Template] = {}
    for template in sorted(telling, key=lambda t: -len(str(t))):  # of the ways to read the same columns the longest
        if holders and _scale_of(_matrix_of(template.columns.values(), by_name), template.words & _SURE, None):
            nameless.setdefault(frozenset(template.columns.values()), template)
    if nameless:
        raise _mismatch(max(nameless.values(), key=lambda t: (len(t.columns), str(t))), holders, given)
    for template in templates(name for name, column in by_name.items() if column.continuous):
        if template.words & _TELLING and _matching(template, holders)[1]:  # as one-against-rest
            why = _no_probabilities(_matrix_of(template.columns.values(), by_name))
            msg = f"{listed(template.columns.values(), 4)} are named by class, but their rows {why}. Say what they are: "
            how = together(argument("scores", str(template)), argument("scores_are", "scores"))
            raise DoubtfulRolesError(msg, how, " (or logits).")


def belongs_to_another(block: Block, given: Given) -> str | None:
    """Return the decision the block belongs to when it is not the one the user named."""
    mine = {holder.name: holder for holder in block.holders}.get(given.predicted or "")
    if given.scores is not None or mine is None or block.agreement(mine) > SAME:
        return None
    others = [h for h in block.holders if h.name not in (given.truth, given.predicted) and names_decision(h.name)]
    return next((other.name for other in others if block.agreement(other) > SAME), None)


def refuse_stray_truth(block: Block, holders: Sequence[Column]) -> None:
    """Refuse when the column named like the truth holds a class that has no score."""
    if any(names_truth(holder.name) for holder in block.holders):
        return
    for stray in holders:
        unknown = [label for key, label in stray.keys.items() if key not in block.keys]
        if names_truth(stray.name) and unknown and len(unknown) < len(stray.labels):
            msg = f"Column {quoted(stray.name)} looks like the truth but holds {listed(unknown, 3)}, for which there is no "
            msg += f"score beside {listed(block.columns, 4)}. Name the columns with "
            raise DoubtfulRolesError(msg, argument("truth"), " and ", argument("scores"), ".")


def _given(given: Given, table: Mapping[str, Column], holders: Sequence[Column]) -> Block | None:
    """Return the block that the user named, read the way the labels allow; None for a single column."""
    scores = given.scores
    if scores is None or (not scores.readings and table[scores.columns[0]].kind != "vector"):
        return None
    if not scores.readings:
        vector = table[scores.columns[0]]
        if vectors := _vector_blocks([vector], holders, given):
            return vectors[0]
        raise _unscaled(scores.columns, np.asarray(vector.values, dtype=np.float64))
    fits: list[Block] = []
    for reading in scores.readings:
        if scores.starred and (block := next(_template_blocks(reading, table, holders, given), None)) is not None:
            return block
        keys, mine, fold = _matching(reading, holders)
        if mine:
            names = tuple(keys.values())
            matrix = _matrix_of(names, table)
            scale = given.scores_are or _scale_of(matrix, reading.words, None)
            if scale is None:
                raise _unscaled(scores.columns, matrix)
            fits.append(Block(names, tuple(keys), matrix, scale, reading.pattern, tuple(mine), fold))
    if not fits:
        raise _mismatch(scores.readings[-1], holders, given)
    return max(fits, key=lambda block: (not block.fold, len(block.holders), len(block.pattern)))


def _vector_blocks(vectors: Sequence[Column], holders: Sequence[Column], given: Given) -> list[Block]:
    """Return the vector columns that are scores, of raw ones and probabilities those that sum to one; classes may be unknown."""
    trusted, blocks = given.scores is not None, []
    for column in vectors:
        matrix, said = np.asarray(column.values, dtype=np.float64), words(column.name)
        asked, width = given.scores_are, matrix.shape[1]
        scale = asked if trusted and asked else _scale_of(matrix, frozenset() if "raw" in said else said, asked)
        if scale is None:
            continue
        if given.classes and len(given.classes) != width:
            msg = f"{quoted(column.name)} holds {counted(width, 'score')} a row, but {len(given.classes)} classes are given."
            raise InputError(msg)
        keys = given.classes or tuple(str(i) for i in range(width))
        mine = [h for h in holders if h.key_set <= set(keys) and (given.classes or "0" in h.key_set)]
        blocks.append(Block((column.name,), keys, matrix, scale, column.name, tuple(mine), vector=True))
    said_so = [block for block in blocks if words(block.columns[0]) & PROBABILITY_WORDS]
    return _best_scaled(blocks if trusted else said_so or [block for block in blocks if block.holders])


def _only_one(candidates: Sequence[Block], given: Given, table: Mapping[str, Column]) -> Block:
    if len(candidates) > 1 and given.predicted is not None:
        mine = [block for block in candidates if block.agreement(table[given.predicted]) > SAME]
        candidates = mine if len(mine) == 1 else candidates
    if len(candidates) == 1:
        return candidates[0]
    blocks = sorted(candidates, key=lambda block: block.columns)
    ways = []
    for block in blocks[:4]:
        pairs = ",".join(f"{key}={name}" for key, name in zip(block.keys, block.columns, strict=not block.vector))
        ways.append(argument("scores", block.columns[0] if block.vector else block.pattern or pairs))
    sets = " and ".join(listed(block.columns, 3) for block in blocks[:4])
    patterns = [block.columns[0] if block.vector else block.pattern for block in blocks]
    told = f"{sets} are each a set of {blocks[0].scale}"
    raise refuse_two_models(patterns if all(patterns) else [], "scores", told=told, ways=ways)


def _require_holders(block: Block, holders: Sequence[Column], given: Given) -> None:
    """Refuse a block whose classes are not the labels of the truth or the decision named."""
    held = {holder.name for holder in block.holders}
    named = [name for name in (given.truth, given.predicted) if name is not None and name not in held]
    if held and not named:
        return
    if not block.vector:
        columns = dict(zip(block.keys, block.columns, strict=True))
        raise _mismatch(Template("", "", columns), [h for h in holders if h.name in named] or holders, given)
    target = _likely([h for h in holders if h.name in named] or holders)
    seen = f", and {quoted(target.name)} holds {listed(target.labels, 4)}" if target else ""
    order = [*target.labels[:_EXAMPLE]] if target else ["a", "b"]
    msg = f"Column {quoted(block.columns[0])} holds {len(block.keys)} scores a row without class names{seen}. "
    raise DoubtfulRolesError(msg, "List the classes in the order of the scores, e.g. ", argument("classes", order), ".")


def _mismatch(template: Template, holders: Sequence[Column], given: Given) -> DoubtfulRolesError:
    spelled = sorted(template.columns, key=by_number)
    columns = [template.columns[text] for text in spelled]
    target = next((h for h in holders if h.name == given.truth), None) or _likely(holders)
    if target is None:
        told = f"No column holds the classes {listed(spelled)} of the scores. Name the truth with "
        return DoubtfulRolesError(told, argument("truth"), ".")
    pairs = zip(target.labels, columns, strict=False) if len(target.labels) == len(columns) else [("CLASS", columns[0])]
    example = ",".join(f"{safe(label)}={safe(name)}" for label, name in list(pairs)[:_EXAMPLE])
    if given.scores_are and set(spelled) == {str(label) for label in target.labels}:
        told = f"{listed(columns, 4)} do not look like {given.scores_are}. Leave out "
        return DoubtfulRolesError(told, argument("scores_are"), ", or name them with ", argument("scores", str(template)), ".")
    told = f"The score columns {listed(columns, 4)} name the classes {listed(spelled, 4)}, but {quoted(target.name)} holds "
    told += f"{listed(target.labels, 4)}. Scores are not matched by position: say which is which, e.g. "
    return DoubtfulRolesError(told, argument("scores", example), ".")


def _likely(holders: Sequence[Column]) -> Column | None:
    """Return the column a message should speak of: one named like a truth, else like a decision."""
    return min(holders, key=lambda h: (not names_truth(h.name), not names_decision(h.name), h.name), default=None)


def _unscaled(columns: Sequence[str], matrix: FloatArray) -> DoubtfulRolesError:
    """Return the refusal of named scores whose values do not say what they are."""
    msg = f"{listed(columns, 4)} are not probabilities: their rows {_no_probabilities(matrix)}. Say what they are: "
    votes, logits, scores = (argument("scores_are", scale) for scale in ("votes", "logits", "scores"))
    return DoubtfulRolesError(msg, votes, ", ", logits, " or ", scores, ".")


def _no_probabilities(matrix: FloatArray) -> str:
    """Return why rows of scores are not probabilities: some are negative, or they do not add up."""
    negative = matrix[matrix < 0]
    if not negative.size:
        return "sum neither to 1 nor to 100"
    many = counted(negative.size, "negative value")
    return f"hold {many} in the first {counted(len(matrix), 'row')} (the least is {negative.min():.4g}), which no probability is"
