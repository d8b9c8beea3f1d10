"""The simplex that membership values lie in: its corners, the borders of its regions, its cells, and how it is seen.

Two classes lie on a segment, three in a triangle, four in a tetrahedron. Arrays in, arrays out; no classes, no words.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from adjudge._base.arrays import BLOCK, BoolArray, FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.plots.drawing import LINE

FEWEST, MOST = 2, 4  # corners of a simplex that can be drawn
CORNERLESS = MOST  # the number of a class that has no corner
_SEGMENT = ((-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))
_TRIANGLE = ((-0.5, -(3**-0.5) / 2, 0.0), (0.0, 3**-0.5, 0.0), (0.5, -(3**-0.5) / 2, 0.0))
_SOLID = ((1.0, 0.0, 0.0), (0.5, 3**0.5 / 2, 0.0), (0.5, 3**0.5 / 6, 6**0.5 / 3), (0.0, 0.0, 0.0))
_RADIUS = 6**0.5 / 4  # from the middle of a tetrahedron to its corners
DIVISIONS = {3: 26, 4: 12}  # parts into which cells divide an edge
UP, DOWN = -27.0, 20.0  # from a corner of it down to the first of the two lines of words there
_OUTWARD = 0.8  # of their width, by which words at the outermost corner of a solid move out, where fewer marks lie
FINE = 10_000  # parts of an edge in which places in space are told
NEAREST = 1.0  # from where a solid may be seen: nearer, its corners come too close


@dataclass(frozen=True, slots=True)
class View:
    """From where a solid is seen: turned about its upright axis, from above, and from how far, in lengths of an edge."""

    azimuth: float = 194.0
    elevation: float = 20.0
    distance: float = 5.0

    def seen(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return where points (rows of three) appear, right and up of the middle, and how far behind it they lie."""
        turn, lift = math.radians(self.azimuth), math.radians(self.elevation)
        x, y, z = at[..., 0], at[..., 1], at[..., 2]
        right, behind = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
        up, away = z * math.cos(lift) + behind * math.sin(lift), behind * math.cos(lift) - z * math.sin(lift)
        nearer = 1 / (1 + away / self.distance)
        return np.stack([right * nearer, up * nearer], axis=-1), away

    @property
    def reach(self) -> float:
        """How far from the middle a corner of a solid can be seen, however that is turned: where it is touched by a ray."""
        return _RADIUS / math.sqrt(1 - (_RADIUS / self.distance) ** 2)


FRONT = View(0.0, 90.0, math.inf)  # how what is flat is seen: as it lies


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a simplex lies: its middle, the length of an edge, from where it is seen, and between where its words stay."""

    x: float
    y: float
    scale: float
    view: View
    left: float
    right: float

    @property
    def outward(self) -> float:
        """By how much of their width words of a solid move for each unit that their corner lies beside the middle."""
        return _OUTWARD / (self.view.reach * self.scale)

    def at(self, points: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return points as units across and down, and how far behind the middle they lie."""
        seen, away = self.view.seen(points)
        return seen * (self.scale, -self.scale) + (self.x, self.y), away

    @property
    def told(self) -> tuple[tuple[str, str], ...]:
        """What the script must know: from where a solid is seen, where it lies, and how words are set at its corners."""
        view = self.view
        seen = (view.azimuth, view.elevation, view.distance, self.x, self.y, self.scale, self.left, self.right)
        words = " ".join(f"{value:.6g}" for value in (UP, DOWN, LINE, self.outward))
        return ("view", " ".join(f"{round(value, 2):g}" for value in seen)), ("fine", str(FINE)), ("words", words)


def corners(classes: int) -> FloatArray:
    """Return the corners of a simplex with edges of length 1 around its middle, a row of three for each class.

    The order is that of klaR: a triangle from the left over the top to the right, a tetrahedron with the third corner on top.
    """
    at = np.array({2: _SEGMENT, 3: _TRIANGLE, 4: _SOLID}[classes])
    return np.asarray(at - at.mean(axis=0)) if classes == MOST else at


def placed(memberships: FloatArray) -> FloatArray:
    """Return where rows of membership values lie: the mean of the corners, weighted by them."""
    return np.asarray(memberships @ corners(memberships.shape[1]))


def edges(classes: int) -> FloatArray:
    """Return the edges of the simplex, each as its two ends."""
    at = corners(classes)
    return np.array([(at[i], at[j]) for i, j in combinations(range(classes), 2)])


def borders(classes: int, *, second: bool = False) -> FloatArray:
    """Return lines along which the two highest memberships are equal, or the `second` and third, each as its two ends.

    In a triangle they are the borders of the regions assigned to each class. In a tetrahedron these borders are faces;
    the lines are their edges. Every such line joins the middle of some classes, of one for the second, to that of more.
    """
    at, lines = corners(classes), []
    for whole in (whole for size in range(3, classes + 1) for whole in combinations(range(classes), size)):
        parts = combinations(whole, 1 if second else len(whole) - 1)
        lines += [(at[list(part)].mean(axis=0), at[list(whole)].mean(axis=0)) for part in parts]
    return np.array(lines).reshape(-1, 2, 3)


def nearest_cells(memberships: FloatArray, divisions: int) -> IntArray:
    """Return the nearest point of the lattice that divides each edge into so many parts, as whole parts that sum to it.

    Rounded down, what is missing goes to the largest remainders: the nearest point of the lattice A_n (Conway and
    Sloane 1982, IEEE Trans. Inf. Theory 28:227-232). Around each point that is a hexagon in a triangle.

    >>> nearest_cells(np.array([[0.5, 0.26, 0.24]]), 2).tolist()
    [[1, 1, 0]]
    """
    parts = np.clip(memberships, 0, None)
    parts = parts / parts.sum(axis=1, keepdims=True) * divisions
    whole = np.floor(parts)
    missing = np.rint(divisions - whole.sum(axis=1)).astype(np.int64)
    order = np.argsort(np.argsort(whole - parts, axis=1, kind="stable"), axis=1, kind="stable")
    return np.asarray(whole + (order < missing[:, None]), dtype=np.int64)


def cell_counts(memberships: FloatArray, truth: IntArray, divisions: int) -> tuple[FloatArray, IntArray]:
    """Return the memberships in the middle of each cell that holds a case, and how many of each true class it holds."""
    classes = memberships.shape[1]
    digits = (divisions + 1) ** np.arange(classes - 1)
    table = np.zeros((divisions + 1) ** (classes - 1) * classes, dtype=np.int64)
    for start in range(0, truth.size, BLOCK):
        rows = slice(start, start + BLOCK)
        code = nearest_cells(memberships[rows], divisions)[:, :-1] @ digits
        table += np.bincount(code * classes + truth[rows], minlength=table.size)
    counts = table.reshape(-1, classes)
    filled = np.flatnonzero(counts.any(axis=1))
    first = filled[:, None] // digits % (divisions + 1)
    return np.column_stack([first, divisions - first.sum(axis=1)]) / divisions, counts[filled]


def heap_heights(heap: IntArray, later: BoolArray | None = None) -> IntArray:
    """Return how many of the same heap come before each, those that come later on top.

    >>> heap_heights(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(heap, kind="stable") if later is None else np.lexsort((later, heap))
    _, starts, sizes = np.unique(heap[order], return_index=True, return_counts=True)
    height = np.empty(heap.size, dtype=np.int64)
    height[order] = np.arange(heap.size) - np.repeat(starts, sizes)
    return height


def beyond(memberships: FloatArray, assigned: IntArray) -> int:
    """Return how many cases lie in the region of another class than the one assigned; who has no corner has no region."""
    rows = np.flatnonzero(assigned < memberships.shape[1])
    own = memberships[rows, assigned[rows]]
    highest = memberships[rows].max(axis=1, initial=0)
    return int(np.count_nonzero(own < highest - 1e-9))  # memberships that differ less are the same
