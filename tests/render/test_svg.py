import xml.etree.ElementTree as ET

import numpy as np
import pytest
from tests.drawn import svg

import adjudge
from adjudge.plots.curves import curve_set
from adjudge.plots.tables import cell_map


def tags(picture):
    return [element.tag for element in ET.fromstring(picture).iter()]  # noqa: S314 - our own words


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 9, 26, 60])
def test_every_map_is_well_formed_and_inside_its_frame(k):
    rng = np.random.default_rng(k)
    found = cell_map(adjudge.ConfusionCounts(rng.integers(0, 9, (k, k)), [f"class number {i}" for i in range(k)]))
    root = ET.fromstring(svg(found, "map"))  # noqa: S314 - our own words
    _, _, width, height = (float(v) for v in root.get("viewBox").split())
    for box in root.iter("rect"):
        assert float(box.get("x")) >= 0
        assert float(box.get("x")) + float(box.get("width")) <= width
        assert float(box.get("y")) + float(box.get("height")) <= height
    assert root.get("role") == "img"
    assert root.find("title") is not None
    assert root.find("desc").text


def test_labels_are_text():
    bad, good = '</text><script>alert("&")</script>', "plain"
    pictures = [svg(cell_map(adjudge.ConfusionCounts([[3, 1], [1, 2]], (label, "b"))), "map") for label in (bad, good)]
    shapes = [[tag for tag in tags(picture) if tag != "text"] for picture in pictures]  # a long name has several lines
    assert shapes[0] == shapes[1]
    assert "<script" not in pictures[0]


def test_curves_are_drawn_in_numbers():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    scores = np.clip(rng.normal(0.3 + 0.4 * truth, 0.2), 0, 1)
    for make in (adjudge.roc, adjudge.precision_recall, adjudge.reliability, adjudge.risk_coverage):
        picture = svg(curve_set([make(truth, scores, positive=1)]), "curve")
        assert "nan" not in picture
        assert "path" in tags(picture)


@pytest.mark.parametrize("bend", [lambda p: p, lambda p: 1 - p, lambda p: 0.5 + 0 * p, lambda p: np.abs(2 * p - 1)])
@pytest.mark.parametrize("curves", [1, 2])
def test_the_legend_of_dots_stands_on_nothing(bend, curves):
    p = np.tile(np.linspace(0.04, 0.96, 12), 60)
    truth = (np.random.default_rng(2).random(p.size) < bend(p)).astype(int)
    root = ET.fromstring(svg(curve_set([adjudge.reliability(truth, p, positive=1)] * curves), "dots"))  # noqa: S314 - our own
    (plate,) = (box for box in root.iter() if box.get("class") == "plate")
    x, y, w, h = (float(plate.get(name)) for name in ("x", "y", "width", "height"))
    ends = [(float(dot.get("cx")), float(dot.get("cy"))) for dot in root.iter() if dot.tag.endswith("circle")]
    for bar in (line for line in root.iter() if line.get("class") == "bar thin" and line.get("x1") == line.get("x2")):
        ends += [(float(bar.get("x1")), v) for v in np.linspace(float(bar.get("y1")), float(bar.get("y2")), 200)]
    assert len(ends) >= 12
    assert not [end for end in ends if x <= end[0] <= x + w and y <= end[1] <= y + h]
    assert y + h <= float(root.get("viewBox").split()[3])
