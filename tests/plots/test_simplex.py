"""The geometry of the simplex."""

import csv
from collections import Counter
from functools import partial
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from adjudge.plots.simplex import FRONT, View, borders, cell_counts, corners, edges, nearest_cells, placed

KLAR = Path(__file__).parent.parent / "oracles" / "klar"
EACH = pytest.mark.parametrize("classes", [2, 3, 4])


def columns(path, names):
    with path.open() as lines:
        return np.array([[float(row[name]) for name in names] for row in csv.DictReader(lines)])


def with_column(name):
    return sorted(path for path in KLAR.glob("*.csv") if name in path.read_text().split("\n", 1)[0].split(","))


def memberships_at(points, classes):
    """Return the memberships at points of a simplex, by solving for them."""
    system = np.vstack([corners(classes).T, np.ones(classes)])
    return np.array([np.linalg.lstsq(system, np.append(point, 1.0), rcond=None)[0] for point in points])


def drawn(seed, classes, n=40):
    return np.random.default_rng(seed).dirichlet(np.full(classes, 0.7), n)


def test_triangles_are_those_of_klar():
    paths = with_column("tx")
    assert len(paths) > 10
    for path in paths:
        at = placed(columns(path, ["m1", "m2", "m3"]))
        np.testing.assert_allclose(2 / 3**0.5 * at[:, :2], columns(path, ["tx", "ty"]), rtol=0, atol=1e-12)


def test_tetrahedra_are_those_of_klar():
    paths = with_column("qx")
    assert paths
    for path in paths:
        at, klar = placed(columns(path, ["m1", "m2", "m3", "m4"])), columns(path, ["qx", "qy", "qz"])
        np.testing.assert_allclose(at - at[0], klar - klar[0], rtol=0, atol=1e-12)


@EACH
def test_corners_are_equally_far_from_each_other_and_from_the_middle(classes):
    at = corners(classes)
    assert [float(np.linalg.norm(a - b)) for a, b in combinations(at, 2)] == pytest.approx([1] * len(edges(classes)))
    np.testing.assert_allclose(at.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(placed(np.eye(classes)), at, atol=1e-15)
    np.testing.assert_allclose(placed(np.full((1, classes), 1 / classes)), 0, atol=1e-15)


@pytest.mark.parametrize(("classes", "number"), [(2, 0), (3, 3), (4, 16)])
@pytest.mark.parametrize(("lines", "rank"), [(borders, 0), (partial(borders, second=True), 1)])
def test_memberships_are_equal_along_borders(classes, number, lines, rank):
    found = lines(classes)
    assert len(found) == number
    for start, end in found:
        along = np.linspace(0.05, 0.95, 7)[:, None]
        ranked = np.sort(memberships_at(start + along * (end - start), classes), axis=1)[:, ::-1]
        np.testing.assert_allclose(ranked[:, rank], ranked[:, rank + 1], atol=1e-12)
        if rank:
            assert np.all(ranked[:, 0] > ranked[:, 1] + 0.01)
    if number:
        assert np.any(np.all(np.abs(found) < 1e-12, axis=2))  # some end in the middle


def test_borders_in_a_triangle_run_from_the_middle_to_the_middles_of_edges():
    ends = {tuple(np.round(point, 9)) for line in borders(3) for point in line} - {(0, 0, 0)}
    assert ends == {tuple(np.round(line.mean(axis=0), 9)) for line in edges(3)}


@EACH
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), divisions=st.integers(1, 7))
def test_cells_are_the_nearest(classes, seed, divisions):
    rows = drawn(seed, classes, 6)
    lattice = np.array([p for p in product(range(divisions + 1), repeat=classes) if sum(p) == divisions])
    found = nearest_cells(rows, divisions)
    assert np.all(found.sum(axis=1) == divisions)
    assert np.all(found >= 0)
    for row, cell in zip(rows, found, strict=True):
        least = np.min(np.linalg.norm(lattice / divisions - row, axis=1))
        assert np.linalg.norm(cell / divisions - row) == pytest.approx(least, abs=1e-12)


@EACH
def test_cells_hold_every_case_once(classes, monkeypatch):
    monkeypatch.setattr("adjudge.plots.simplex.BLOCK", 17)
    rows, truth = drawn(3, classes, 200), np.random.default_rng(4).integers(0, classes, 200)
    middles, counts = cell_counts(rows, truth, 5)
    told = Counter((tuple(cell), int(t)) for cell, t in zip(nearest_cells(rows, 5).tolist(), truth, strict=True))
    found = {
        (tuple(np.rint(5 * middle).astype(int)), kind): int(n)
        for middle, row in zip(middles, counts, strict=True)
        for kind, n in enumerate(row)
        if n
    }
    assert found == dict(told)


def test_what_is_flat_is_seen_as_it_lies():
    at = placed(drawn(0, 3))
    seen, away = FRONT.seen(at)
    np.testing.assert_allclose(seen, at[:, :2], atol=1e-15)
    np.testing.assert_allclose(away, 0, atol=1e-15)


@given(st.floats(0, 360), st.floats(-90, 90))
def test_views_turn_and_do_nothing_else(azimuth, elevation):
    at = placed(drawn(1, 4))
    seen, away = View(azimuth, elevation, np.inf).seen(at)
    # turned about the upright axis, then about the one to the right; what is away is the second coordinate
    turn = Rotation.from_euler("zx", [azimuth, elevation], degrees=True).apply(at)
    np.testing.assert_allclose(seen, turn[:, [0, 2]], atol=1e-12)
    np.testing.assert_allclose(away, turn[:, 1], atol=1e-12)


def test_what_is_nearer_is_larger():
    far = View(0, 0, 5).seen(np.array([[0.5, 0.5, 0.0]]))[0]
    near = View(0, 0, 5).seen(np.array([[0.5, -0.5, 0.0]]))[0]
    assert near[0, 0] == pytest.approx(0.5 * 5 / 4.5)
    assert far[0, 0] == pytest.approx(0.5 * 5 / 5.5)


def test_no_corner_is_hidden_in_the_view_of_the_print():
    seen, _ = View().seen(corners(4))
    assert len(ConvexHull(seen).vertices) == 4
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 0.4
