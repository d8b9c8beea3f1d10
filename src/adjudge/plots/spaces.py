"""Partition spaces before they are drawn: which classes get a corner, where cases lie between them, and what is said of them.

The inside of a mark says its true class, the ring around it the class that was assigned, by colour and by shape. Very many
cases are drawn as cells: their shape and colour say the most frequent true class, their shade its share, their size how many.
Between two classes the memberships of each true class are drawn as a distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from adjudge._base import InputError, counted, dataclass, listed, parameter, share
from adjudge._base.arrays import FloatArray, IntArray
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.labels import distinct_names, named, number
from adjudge.plots.segments import Steps, steps_of
from adjudge.plots.simplex import CORNERLESS, DIVISIONS, FEWEST, MOST, beyond, cell_counts, corners, placed
from adjudge.predictions.spellings import position

Values = Literal["scaled", "original"]
Lines = Literal["scaled_accuracy", "ability_to_separate"]
Drawn = tuple[FloatArray, IntArray, IntArray]
REST = "all others"
MOST_MARKS = 20_000  # cases drawn one by one, in all spaces together; more are drawn as cells
LEVELS = (0.5, 0.7, 0.9)  # shares of the most frequent class at which its shade becomes stronger
_LONGEST = 60  # letters of a class, and of the name above a space


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Classes with a corner, by their numbers among all of the space, and whether the rest share one, the last."""

    classes: tuple[int, ...]
    of: int
    rest: bool
    notes: tuple[str, ...] = ()  # what a reader must know about cases and classes that are not drawn as they are

    @property
    def corners(self) -> int:
        """Corners of the simplex."""
        return len(self.classes) + self.rest

    @property
    def whole(self) -> bool:
        """Whether every class has its own corner."""
        return len(self.classes) == self.of

    def drawn(self, values: FloatArray, truth: IntArray, assigned: IntArray) -> Drawn:
        """Return memberships in the corners, and the corners of the true and the assigned classes, of the cases drawn."""
        place = np.full(self.of, len(self.classes) if self.rest else CORNERLESS)
        place[list(self.classes)] = np.arange(len(self.classes))
        part = values[:, list(self.classes)]
        if self.whole:
            return part, place[truth], place[assigned]
        if self.rest:
            others = np.setdiff1d(np.arange(self.of), self.classes)
            part = np.column_stack([part, values[:, others].sum(axis=1)])
        total = part.sum(axis=1)
        kept = (total > 0) & (place[truth] < self.corners)
        return part[kept] / total[kept, None], place[truth[kept]], place[assigned[kept]]

    def drawn_in(self, space: PartitionSpace, values: Values) -> Drawn:
        """Return the same of a space, by its scaled memberships or by those that came in."""
        return self.drawn(space.scaled if values == "scaled" else space.memberships, seen_truth(space), space.predicted)


def seen_truth(space: PartitionSpace) -> IntArray:
    """Return the classes that the insides of marks show: the true ones, or where they are not known the assigned."""
    return space.predicted if space.truth is None else space.truth


def spaces_in(spaces: Any) -> tuple[list[str], list[PartitionSpace]]:
    """Return spaces of the same cases, and names for them; one that stands alone needs none."""
    if isinstance(spaces, Mapping):
        names, each = distinct_names([str(name) for name in spaces], _LONGEST), list(spaces.values())
    else:
        each = [spaces] if isinstance(spaces, PartitionSpace) else list(spaces)
        names = [""] if len(each) == 1 else [f"({i + 1})" for i in range(len(each))]
    if not each or not all(isinstance(one, PartitionSpace) for one in each):
        got = ", ".join(dict.fromkeys(type(one).__name__ for one in each)) or "nothing"
        msg = f"There is no picture of {got} in a list or mapping. Give a PartitionSpace, or several of the same cases."
        raise InputError(msg)
    one, side = each[0], "Spaces side by side must be of the same"
    for other in each[1:]:
        if one.classes != other.classes:
            raise InputError(side, f" classes, got {listed(one.classes)} beside {listed(other.classes)}.")
        unknown = one.truth is None or other.truth is None
        alike = one.truth is other.truth if unknown else np.array_equal(seen_truth(one), seen_truth(other))
        if len(one.scaled) != len(other.scaled) or not alike:
            got = f"{len(one.scaled):,} and {len(other.scaled):,} whose true classes differ"
            raise InputError(side, f" cases in the same order, got {got}. Draw them in pictures of their own.")
    return names, each


def chosen(space: PartitionSpace, labels: Any, *, rest: bool) -> Choice:
    """Return which classes to draw: those asked for; else all, or of many the two most often taken for each other."""
    of = len(space.classes)
    if labels is None and of > MOST:
        table = np.bincount(seen_truth(space) * of + space.predicted, minlength=of * of).reshape(of, of)
        both = np.triu(table + table.T, 1)
        one, other = np.unravel_index(int(np.argmax(both)), both.shape) if both.any() else (0, 1)
        note = f"Of {of} classes the two most often taken for each other; {REST} share a corner."
        return Choice((int(one), int(other)), of, rest=True, notes=(note,))
    classes = tuple(range(of)) if labels is None else _asked(space, labels)
    if rest and len(classes) == of:
        msg = f"All {of} classes are drawn, so there is no rest to give a corner. Leave rest out, or choose fewer classes."
        raise InputError(msg)
    rest = rest or (labels is not None and len(classes) == 1 and of > 1)
    if labels is not None and not FEWEST <= len(classes) + rest <= MOST:
        msg = f"A simplex has two to four corners, got {len(classes) + rest}. Choose one to four classes, or three and the rest."
        raise InputError(msg)
    notes: tuple[str, ...] = ()
    others = counted(of - len(classes), "class", "classes")
    if rest:
        notes = (f"{REST.capitalize()}: {others} together.",)
    elif len(classes) < of:
        left = counted(int(np.count_nonzero(~np.isin(seen_truth(space), classes))), "case")
        out = f"Left out: {left} of {others}, and cases without membership in those drawn."
        notes = out, "Memberships in the classes drawn are made to sum to 1."
    return Choice(classes, of, rest, notes)


def _asked(space: PartitionSpace, labels: Any) -> tuple[int, ...]:
    """Return the numbers of the classes asked for; the text of a label finds it too."""
    if not isinstance(labels, str) and not hasattr(labels, "__iter__"):
        msg = f" must be a sequence of labels, got {labels!r}. Put one class in a list: it is drawn against the rest."
        raise InputError(parameter("classes"), msg)
    asked = [labels] if isinstance(labels, str) else list(labels)
    try:
        numbers = tuple(position(space.classes, label) for label in asked)
    except InputError:
        numbers = ()
    if len(set(numbers)) < len(asked):
        msg = f" must name different classes of the space, got {listed(asked)}. It has {listed(space.classes)}."
        raise InputError(parameter("classes"), msg)
    return numbers


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Cases one by one: where they are drawn, their true class, and the one assigned to them."""

    at: FloatArray
    truth: IntArray
    predicted: IntArray

    def towards(self, lines: Lines, classes: int) -> list[tuple[int, FloatArray]]:
        """Return lines from cases to the corner of their true or assigned class, by class; who has no corner has no line."""
        to, segments = self.truth if lines == "scaled_accuracy" else self.predicted, list[tuple[int, FloatArray]]()
        for i, corner in enumerate(corners(classes)):
            starts = self.at[to == i]
            if starts.size:
                segments.append((i, np.stack([starts, np.broadcast_to(corner, starts.shape)], axis=1)))
        return segments

    def distinct(self, at: FloatArray, away: FloatArray) -> IntArray:
        """Return which to draw, the farthest first, and only one of those that look the same `at` a place, so far `away`."""
        seen = np.column_stack([np.rint(10 * at).astype(np.int64), self.truth, self.predicted])
        order = np.argsort(-np.round(away, 9), kind="stable")
        _, first = np.unique(seen[order][::-1], axis=0, return_index=True)
        return np.asarray(order[np.sort(order.size - 1 - first)])


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Cases together: where a cell lies, its most frequent true class, the shade of its share, and how many it holds."""

    at: FloatArray
    truth: IntArray
    level: IntArray
    cases: IntArray

    @property
    def kinds(self) -> list[tuple[int, int, int]]:
        """The class, the shade and the number of cases of each."""
        return list(zip(self.truth.tolist(), self.level.tolist(), self.cases.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class Corner:
    """A class at its corner: its name, how often it was right where it was assigned (NaN if not known), and to how many."""

    name: str
    correct: float
    predicted: int

    def rate(self, *, whole: bool = False) -> str:
        """Return the share of correct predictions in words, perhaps with the number of them."""
        if not self.predicted or np.isnan(self.correct):
            return f"{self.predicted:,} predicted" if self.predicted else "never predicted"
        return f"{share(self.correct)}{f' of {self.predicted:,}' if whole else ''} correct"


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One space: its corners, what lies between them, and how many cases in the region of another class than assigned."""

    name: str
    corners: tuple[Corner, ...]
    found: Marks | Cells | Steps
    cases: int
    accuracy: float
    separation: float
    beyond: int = 0

    @property
    def goodness(self) -> str:
        """Accuracy where true classes are known, separation, and the number of cases in words."""
        known = "" if np.isnan(self.accuracy) else f"Ac {number(self.accuracy)}, "
        return f"{known}AS {number(self.separation)}, {counted(self.cases, 'case')}"

    @property
    def words(self) -> str:
        """What the picture says of this space."""
        name = f"{self.name}: " if self.name else ""
        return f"{name}{self.goodness}; {'; '.join(f'{corner.name}: {corner.rate(whole=True)}' for corner in self.corners)}"


def panels_of(
    names: Sequence[str], spaces: Sequence[PartitionSpace], drawn: Sequence[Drawn], choice: Choice, values: Values
) -> tuple[Panel, ...]:
    """Return spaces with the cases drawn in them: one by one, of very many as cells, of two classes as their distributions."""
    few, every = sum(truth.size for _, truth, _ in drawn) <= MOST_MARKS, list[Marks | Cells | Steps]()
    for rows, truth, assigned in drawn:
        if choice.corners == FEWEST:
            every.append(steps_of(rows, truth, assigned))
        else:
            every.append(_one_by_one(rows, truth, assigned) if few else _together(rows, truth))
    panels = []
    for name, space, cases, (rows, truth, assigned) in zip(names, spaces, every, drawn, strict=True):
        labels = named([*(space.classes[i] for i in choice.classes), *([REST] if choice.rest else [])], _LONGEST)
        sizes = np.bincount(space.predicted, minlength=choice.of)
        rates = [(float(space.correctness[i]), int(sizes[i])) for i in choice.classes]
        if choice.rest:
            others = ~np.isin(space.predicted, choice.classes)
            size, right = (int(np.count_nonzero(each)) for each in (others, ~np.isin(seen_truth(space)[others], choice.classes)))
            rates.append((right / size if size and space.truth is not None else np.nan, size))
        at = tuple(Corner(label, *each) for label, each in zip(labels, rates, strict=True))
        good = space.goodness if values == "scaled" else space.unscaled
        told = float(good.scaled_accuracy), float(good.ability_to_separate), beyond(rows, assigned)
        panels.append(Panel(name, at, cases, truth.size, *told))
    return tuple(panels)


def _one_by_one(memberships: FloatArray, truth: IntArray, assigned: IntArray) -> Marks:
    """Return cases one by one, those that were assigned rightly first, so that they hide none of the others."""
    order = np.argsort(truth != assigned, kind="stable")
    return Marks(placed(memberships)[order], truth[order], assigned[order])


def _together(memberships: FloatArray, truth: IntArray) -> Cells:
    """Return cases together, by the cell they lie in."""
    middles, counts = cell_counts(memberships, truth, DIVISIONS[memberships.shape[1]])
    cases = counts.sum(axis=1)
    level = np.digitize(counts.max(axis=1) / cases, LEVELS, right=True)
    return Cells(placed(middles), counts.argmax(axis=1), level, cases)
