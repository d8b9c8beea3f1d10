"""Partition spaces before they are drawn: which classes get a corner, where cases lie between them, and what is said of them.

The inside of a mark says its true class, the ring around it the class that was assigned, by colour and by shape. Very many
cases are drawn as cells: their shape and colour say the most frequent true class, their shade its share, their size how many.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge._base.levels import share
from adjudge._base.text import counted, listed
from adjudge.partitions.space import PartitionSpace
from adjudge.plots.labels import named, number
from adjudge.plots.simplex import FEWEST, MOST, View, cell_counts, placed
from adjudge.predictions.spellings import position

Values = Literal["scaled", "original"]
Lines = Literal["accuracy", "separation"]
Drawn = tuple[FloatArray, IntArray, IntArray]
REST = "all others"
CORNERLESS = MOST
"""The number of a class that has no corner."""
MOST_MARKS = 20_000
"""Cases drawn one by one, in all spaces together; more are drawn as cells."""
MOST_LINES = 5_000
"""Lines from cases to corners; more would be one area."""
LARGEST, SMALLEST = 5.0, 1.8
"""Half the width of a mark, in units."""
LEVELS = (0.5, 0.7, 0.9)
"""Shares of the most frequent class at which its shade becomes stronger."""
DIVISIONS = {2: 40, 3: 26, 4: 12}
"""Parts into which cells divide an edge."""
LONGEST = 16
"""Letters of a class at its corner."""
LANE = 0.3
"""How far cases on a segment reach to either side, in lengths of an edge."""
_EQUAL = 1e-9  # memberships that differ less are the same
_OFF = 0.004  # from the segment to its cases
_TALLEST = 40  # marks in a column; where there are more cases, a mark stands for several
_KINDS = CORNERLESS + 1
_HEAPS = 45  # odd; parts of a segment in which cases stand on top of each other


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Classes with a corner, by their numbers in the space."""

    classes: tuple[int, ...]
    of: int
    """All classes of the space."""
    rest: bool
    """Whether the other classes share a corner, the last one."""
    notes: tuple[str, ...] = ()
    """What a reader must know about cases and classes that are not drawn as they are."""

    @property
    def corners(self) -> int:
        """Corners of the simplex."""
        return len(self.classes) + self.rest

    @property
    def whole(self) -> bool:
        """Whether every class has its own corner."""
        return len(self.classes) == self.of

    def drawn(self, values: FloatArray, truth: IntArray, assigned: IntArray) -> tuple[FloatArray, IntArray, IntArray]:
        """Return memberships in the corners, and the corners of the true and the assigned classes, of the cases drawn.

        A class without a corner is numbered :data:`CORNERLESS`.
        """
        place = np.full(self.of, len(self.classes) if self.rest else CORNERLESS)
        place[list(self.classes)] = np.arange(len(self.classes))
        if self.whole:
            return values[:, list(self.classes)], place[truth], place[assigned]
        part = values[:, list(self.classes)]
        if self.rest:
            others = np.setdiff1d(np.arange(self.of), self.classes)
            part = np.column_stack([part, values[:, others].sum(axis=1)])
        total = part.sum(axis=1)
        kept = (total > 0) & (place[truth] < self.corners)
        return part[kept] / total[kept, None], place[truth[kept]], place[assigned[kept]]


def seen_truth(space: PartitionSpace) -> IntArray:
    """Return the classes that the insides of marks show: the true ones, or where they are not known the assigned."""
    return space.assigned if space.truth is None else space.truth


def chosen(space: PartitionSpace, labels: Sequence[Any] | None, *, rest: bool) -> Choice:
    """Return which classes to draw: those asked for; else all, or of many the two most often taken for each other."""
    of = len(space.classes)
    if labels is not None:
        return _asked(space, _numbers(space, labels), rest=rest)
    if of <= MOST:
        _check_rest(of, of, rest=rest)
        return Choice(tuple(range(of)), of, rest=False)
    note = f"Of {of} classes the two most often taken for each other; {REST} share a corner."
    return Choice(_most_confused(space), of, rest=True, notes=(note,))


def _numbers(space: PartitionSpace, labels: Any) -> tuple[int, ...]:
    """Return the numbers of the classes asked for; the text of a label finds it too."""
    if not isinstance(labels, str) and not hasattr(labels, "__iter__"):
        msg = f"classes must be a sequence of labels, got {labels!r}. Put one class in a list: it is drawn against the rest."
        raise InputError(msg)
    asked = [labels] if isinstance(labels, str) else list(labels)
    try:
        found = tuple(position(space.classes, label) for label in asked)
    except InputError:
        found = ()
    if len(set(found)) < len(asked):
        msg = f"classes must name different classes of the space, got {listed(asked)}. It has {listed(space.classes)}."
        raise InputError(msg)
    return found


def _check_rest(classes: int, of: int, *, rest: bool) -> None:
    if rest and classes == of:
        msg = f"All {of} classes are drawn, so there is no rest to give a corner. Leave rest out, or choose fewer classes."
        raise InputError(msg)


def _asked(space: PartitionSpace, classes: tuple[int, ...], *, rest: bool) -> Choice:
    of = len(space.classes)
    _check_rest(len(classes), of, rest=rest)
    rest = rest or (len(classes) == 1 and of > 1)
    if not FEWEST <= len(classes) + rest <= MOST:
        msg = f"A simplex has two to four corners, got {len(classes) + rest}. Choose one to four classes, or three and the rest."
        raise InputError(msg)
    others = counted(of - len(classes), "class", "classes")
    if len(classes) == of:
        return Choice(classes, of, rest=False)
    if rest:
        return Choice(classes, of, rest=True, notes=(f"{REST.capitalize()}: {others} together.",))
    left = int(np.count_nonzero(~np.isin(seen_truth(space), classes)))
    out = f"Left out: {counted(left, 'case')} of {others}, and cases without membership in those drawn."
    return Choice(classes, of, rest=False, notes=(out, "Memberships in the classes drawn are made to sum to 1."))


def _most_confused(space: PartitionSpace) -> tuple[int, int]:
    """Return the two classes most often taken for each other, the first of several such."""
    of = len(space.classes)
    table = np.bincount(seen_truth(space) * of + space.assigned, minlength=of * of).reshape(of, of)
    both = np.triu(table + table.T, 1)
    one, other = np.unravel_index(int(np.argmax(both)), both.shape)
    return (int(one), int(other)) if both.any() else (0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Cases one by one: where they are drawn, their true class, and the one assigned to them."""

    at: FloatArray
    starts: FloatArray
    """Where lines from them begin: where they lie. On a segment marks near each other share a column, lines do not."""
    truth: IntArray
    assigned: IntArray
    """The number of a corner, or :data:`~adjudge.plots.spaces.CORNERLESS`."""
    each: int = 1
    """Cases that a mark may stand for."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Cases together: where a cell lies, its most frequent true class, the shade of its share, and how many it holds."""

    at: FloatArray
    truth: IntArray
    level: IntArray
    cases: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """Cases on a segment together: how many of each true class lie in parts of equal length."""

    cases: IntArray


@dataclass(frozen=True, slots=True)
class Corner:
    """A class at its corner: its name, how often it was right where it was assigned, and to how many."""

    name: str
    correct: float
    """Undefined where the true classes are not known."""
    assigned: int

    @property
    def rate(self) -> str:
        """The share of right assignments in words."""
        if not self.assigned:
            return "never assigned"
        return f"{self.assigned:,} assigned" if np.isnan(self.correct) else f"{share(self.correct)} right"

    @property
    def whole_rate(self) -> str:
        """The same, with the number of assignments."""
        if not self.assigned or np.isnan(self.correct):
            return self.rate
        return f"{share(self.correct)} of {self.assigned:,} right"


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One space: its corners and what lies between them."""

    name: str
    corners: tuple[Corner, ...]
    found: Marks | Cells | Bars
    cases: int
    accuracy: float
    separation: float
    beyond: int = 0
    """Cases in the region of another class than the one assigned."""

    @property
    def goodness(self) -> str:
        """Accuracy where true classes are known, separation, and the number of cases in words."""
        separation = f"AS {number(self.separation)}"
        known = "" if np.isnan(self.accuracy) else f"Ac {number(self.accuracy)}, "
        return f"{known}{separation}, {counted(self.cases, 'case')}"

    @property
    def words(self) -> str:
        """What the picture says of this space."""
        name = f"{self.name}: " if self.name else ""
        return f"{name}{self.goodness}; {'; '.join(f'{corner.name}: {corner.whole_rate}' for corner in self.corners)}"


@dataclass(frozen=True, slots=True, eq=False)
class Spaces:
    """Spaces of the same cases and classes, side by side."""

    panels: tuple[Panel, ...]
    values: Values
    view: View
    lines: Lines | None
    choice: Choice
    known: bool
    """Whether the true classes are."""

    @property
    def classes(self) -> int:
        """Corners of each simplex."""
        return len(self.panels[0].corners)

    @property
    def turns(self) -> bool:
        """Whether this is a solid, that shows more when it is turned."""
        return self.classes == MOST

    @property
    def most(self) -> int:
        """Cases in the fullest cell of all spaces, so that sizes mean the same in each."""
        return max(int(panel.found.cases.max(initial=1)) for panel in self.panels if not isinstance(panel.found, Marks))

    @property
    def strange(self) -> bool:
        """Whether a case was assigned to a class that has no corner."""
        found = (panel.found for panel in self.panels)
        return any(bool((f.assigned == CORNERLESS).any()) for f in found if isinstance(f, Marks))

    @property
    def title(self) -> str:
        """What is drawn."""
        names = [corner.name for corner in self.panels[0].corners]
        return f"Partition space of {', '.join(names[:-1])} and {names[-1]}: {self.values} memberships"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know to read the picture rightly."""
        scope = "." if self.choice.whole else f", over {self.choice.of} classes."
        if self.known:
            told = [
                f"Ac: accuracy, AS: ability to separate{scope}",
                "At each corner: right among those assigned to it.",
            ]
        else:
            told = [f"AS: ability to separate{scope}", "True classes not known: colours say the class assigned."]
        found = self.panels[0].found
        told += [f"A mark stands for up to {found.each} cases alike."] if isinstance(found, Marks) and found.each > 1 else []
        told += [f"The tallest bar stands for {self.most:,} cases."] if isinstance(found, Bars) else []
        return (*told, *self.choice.notes, *self._of_borders())

    @property
    def words(self) -> str:
        """What the picture says."""
        return " ".join([*(f"{panel.words}." for panel in self.panels), *self.choice.notes, *self._of_borders()])

    def _of_borders(self) -> list[str]:
        """Say what borders do not: a case is assigned by all its memberships as they came, and drawn by others."""
        told = (
            []
            if self.choice.whole
            else [f"Borders are of the memberships drawn; cases are assigned among {self.choice.of} classes."]
        )
        names = [f" in {panel.name}" if panel.name else "" for panel in self.panels]
        across = [
            f"{counted(panel.beyond, 'case')}{name}" for panel, name in zip(self.panels, names, strict=True) if panel.beyond
        ]
        return [*told, f"Beyond the border of the class assigned: {', '.join(across)}."] if across else told


def corners_of(space: PartitionSpace, choice: Choice) -> tuple[Corner, ...]:
    """Return the classes at the corners, the others together where they share one."""
    assigned = space.assigned
    labels = named([*(space.classes[i] for i in choice.classes), *([REST] if choice.rest else [])], LONGEST)
    sizes = np.bincount(assigned, minlength=choice.of)
    found = [(float(space.correctness[i]), int(sizes[i])) for i in choice.classes]
    if choice.rest:
        others = ~np.isin(assigned, choice.classes)
        size = int(np.count_nonzero(others))
        right = np.count_nonzero(~np.isin(seen_truth(space)[others], choice.classes))
        found.append((right / size if size and space.truth is not None else np.nan, size))
    return tuple(Corner(label, *each) for label, each in zip(labels, found, strict=True))


def marks_of(drawn: Sequence[Drawn]) -> list[Marks]:
    """Return cases one by one, those that were assigned rightly first, so that they hide none of the others."""
    places = [placed(memberships) for memberships, _, _ in drawn]
    found = [Marks(at, at, truth, assigned) for at, (_, truth, assigned) in zip(places, drawn, strict=True)]
    if drawn[0][0].shape[1] == FEWEST:
        found = _stacked(found)
    orders = [np.argsort(marks.truth != marks.assigned, kind="stable") for marks in found]
    return [Marks(m.at[i], m.starts[i], m.truth[i], m.assigned[i], m.each) for m, i in zip(found, orders, strict=True)]


def _stacked(flat: Sequence[Marks]) -> list[Marks]:
    """Return cases of segments set apart: those of the second class on top of each other above it, of the first below.

    As in the dot plots of Wilkinson (1999), near cases share a column; an odd number of steps keeps each on its side
    of the middle. The tallest column of all segments sets the height of a mark, and how many cases it stands for.
    """
    columns = [np.rint((marks.at[:, 0] + 0.5) * _HEAPS).astype(np.int64) for marks in flat]
    heaps = [column * FEWEST + marks.truth for column, marks in zip(columns, flat, strict=True)]
    each = math.ceil(max(int(_heights(heap).max(initial=0)) + 1 for heap in heaps) / _TALLEST)
    kept = [_heights(heap * _KINDS + m.assigned) % each == 0 for heap, m in zip(heaps, flat, strict=True)]
    heights = [_heights(heap[i], (m.truth != m.assigned)[i]) for heap, m, i in zip(heaps, flat, kept, strict=True)]
    step = min(1 / _HEAPS, (LANE - _OFF) / (max(int(height.max(initial=0)) for height in heights) + 1))
    found = []
    for m, i, column, height in zip(flat, kept, columns, heights, strict=True):
        up = np.where(m.truth[i] == 1, 1.0, -1.0) * (_OFF + step * (height + 0.5))
        at, starts = (np.column_stack([x, up, 0 * up]) for x in (column[i] / _HEAPS - 0.5, m.at[i, 0]))
        found.append(Marks(at, starts, m.truth[i], m.assigned[i], each))
    return found


def _heights(heap: IntArray, later: AnyArray | None = None) -> IntArray:
    """Return how many of the same heap come before each, those that come later on top.

    >>> _heights(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(heap, kind="stable") if later is None else np.lexsort((later, heap))
    _, starts, sizes = np.unique(heap[order], return_index=True, return_counts=True)
    height = np.empty(heap.size, dtype=np.int64)
    height[order] = np.arange(heap.size) - np.repeat(starts, sizes)
    return height


def heaped(memberships: FloatArray, truth: IntArray) -> Cells | Bars:
    """Return cases together, by the cell they lie in: of a segment as bars."""
    corners = memberships.shape[1]
    if corners == FEWEST:
        part = np.clip((memberships[:, 1] * DIVISIONS[FEWEST]).astype(np.int64), 0, DIVISIONS[FEWEST] - 1)
        return Bars(np.bincount(part * FEWEST + truth, minlength=DIVISIONS[FEWEST] * FEWEST).reshape(-1, FEWEST))
    middles, counts = cell_counts(memberships, truth, DIVISIONS[corners])
    cases = counts.sum(axis=1)
    level = np.digitize(counts.max(axis=1) / cases, LEVELS, right=True)
    return Cells(placed(middles), counts.argmax(axis=1), level, cases)


def beyond(memberships: FloatArray, assigned: IntArray) -> int:
    """Return how many cases lie in the region of another class than the one assigned; who has no corner has no region."""
    rows = np.flatnonzero(assigned < memberships.shape[1])
    own = memberships[rows, assigned[rows]]
    return int(np.count_nonzero(own < memberships[rows].max(axis=1, initial=0) - _EQUAL))


def goodness_of(space: PartitionSpace, values: Values) -> tuple[float, float]:
    """Return accuracy and separation of the memberships that are drawn."""
    found = space.goodness if values == "scaled" else space.unscaled
    return float(found.accuracy), float(found.separation)
