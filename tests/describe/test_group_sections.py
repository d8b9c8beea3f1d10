"""Groups and confounds on the page."""

import numpy as np
import pytest

import adjudge
from adjudge import Predictions
from adjudge.describe.group_sections import groups
from adjudge.plots.svg import svg


def confounded(n=600, seed=0):
    """Two sites, each with mostly one class, and a classifier that leans on the site."""
    rng = np.random.default_rng(seed)
    site = rng.integers(0, 2, n)
    truth = np.where(rng.random(n) < 0.9, site, 1 - site)
    decided = np.where(rng.random(n) < 0.8, site, truth)
    return adjudge.evaluate(Predictions(truth, decided, group=np.array(["london", "rome"])[site])), truth, decided, site


def test_without_groups_there_is_no_chapter(dna, kinds):
    assert list(groups(dna)) == []
    assert list(groups(kinds["numbers"])) == []


def test_a_row_for_each_group_with_its_own_share():
    result, truth, decided, site = confounded()
    first = next(groups(result))
    assert (first.name, first.theme, first.kind) == ("groups", "groups", "figure")
    rows = {row.name: row for row in first.figure.rows}
    for at, name in enumerate(("london", "rome")):
        assert rows[name].value == pytest.approx(np.mean((truth == decided)[site == at]))
        assert rows[name].low < rows[name].value < rows[name].high
    assert rows["All cases"].value == pytest.approx(np.mean(truth == decided))
    assert [row[0] for row in first.tables[0].rows] == ["london", "rome"]
    assert "svg" in svg(first.figure, "groups")


def test_what_the_group_gives_away_is_taken_away():
    result, truth, decided, site = confounded()
    second = list(groups(result))[1]
    cells = [np.mean((decided == truth)[(truth == c) & (site == g)]) for c in (0, 1) for g in (0, 1)]
    rows = {row.name: row.value for row in second.figure.rows if row.headed}
    assert rows["Groups counting alike as well"] == pytest.approx(np.mean(cells))
    assert rows["Classes counting alike"] == pytest.approx(np.mean([np.mean(decided[truth == c] == c) for c in (0, 1)]))
    assert "owed to the groups" in second.reading[-1]
    assert second.tables[0].header == ("Group", "Cases", "Balanced accuracy (95%)")


def test_groups_that_do_not_matter_are_said_not_to():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    decided = np.where(rng.random(400) < 0.8, truth, 1 - truth)
    found = list(groups(adjudge.evaluate(Predictions(truth, decided, group=rng.integers(0, 3, 400)))))
    assert "may be chance" in found[0].reading[0]
    assert "no sure sign" in found[1].reading[-1]
    assert found[2].tables[0].header == ("Group", "0", "1")
    assert sum(int(cell) for row in found[2].tables[0].rows for cell in row[1:]) == 400


def test_many_groups_are_dots_and_weights_are_not_tested(kinds):
    first = next(groups(kinds["folds"]))
    assert len(first.figure.parts) == 0
    assert any(len(row.dots) == len(kinds["folds"].by_group) for row in first.figure.rows)
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    weighted = adjudge.evaluate(Predictions(truth, truth, group=truth % 2, weight=rng.exponential(1, 200)))
    assert "was not tested" in next(groups(weighted)).reading[0]


def test_hostile_groups_are_only_text():
    result = adjudge.evaluate(Predictions([0, 1] * 50, [0, 1] * 40 + [1, 0] * 10, group=["<b>x", "\u202ey"] * 50))
    text = result.to_html()
    assert "<b>x" not in text
    assert "\u202e" not in text
