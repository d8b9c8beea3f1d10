"""What partition spaces say: who lies nearer, with the numbers in the order of the names, and what is not known."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from tests.described import facts, mentions, section, sections
from tests.partitions.made import confusing, simulated

from adjudge import compare_partitions, partition
from adjudge.describe.document import MOST_ROWS
from adjudge.describe.partition import corners, regions, rules, sentences, simplex
from adjudge.plots.labels import NOTHING


@cache
def space(noise=0.0, n=60):
    return partition(*simulated(n, noise=noise)[::-1])


@cache
def compared(*names, noise=2.0):
    """Return a sharp rule and a blurred one of the same cases."""
    spaces = dict(zip(("sharp", "blurred"), (space(), space(noise)), strict=True))
    return compare_partitions({name: spaces[name] for name in names}, resamples=100)


@pytest.mark.slow
def test_words_name_the_better_first():
    a, b = space(), space(2.0)
    told = (
        f"sharp lies nearer to the corners of the true classes than blurred: scaled accuracy (Ac) {a.scaled_accuracy:.3f} against {b.scaled_accuracy:.3f}, "
        f"a difference of {a.scaled_accuracy - b.scaled_accuracy:+.3f} (95%: "
    )
    one, turned = (next(sentences(compared(*names))) for names in (("sharp", "blurred"), ("blurred", "sharp")))
    assert one.startswith(told)
    assert turned.startswith(told)
    found = compared("blurred", "sharp").differences["blurred", "sharp"]["scaled_accuracy"]
    assert turned.endswith(f"{-found.high:+.3f} to {-found.low:+.3f}).")


def test_what_may_be_alike_is_said_to_be():
    same = list(sentences(compare_partitions({"x": space(), "y": space()}, resamples=100)))
    assert len(same) == 2
    assert all(words.startswith("x and y may be ") for words in same)
    assert mentions(same[0], "true corners")
    assert mentions(same[1], "separated")


def test_new_cases_without_truth_are_told_and_drawn():
    new = space().apply(space().memberships[:20])
    assert "are not known" in new.in_words()
    assert f"(AS) is {new.ability_to_separate:.3f}" in new.in_words().replace("\n", " ")
    assert "<svg" in new.to_html()
    both = compare_partitions({"a": new, "b": new}, resamples=100)
    assert both.differences == {}
    (told,) = sentences(both)
    assert mentions(told, "true classes are not known", "not tested")
    assert {row[1] for row in rules(both).rows} == {NOTHING}


def test_corners_count_who_is_assigned_and_who_is_right():
    for name, noise in (("sharp", 0.0), ("blurred", 2.0)):
        memberships, truth = simulated(60, noise=noise)
        said = memberships.argmax(axis=1)
        rows = [row[1:] for row in corners(compared("sharp", "blurred")).rows if row[0] == name]
        assert rows == [(str(k), str((said == k).sum()), f"{np.mean(truth[said == k] == k):.1%}") for k in range(3)]


def test_one_rule_needs_no_name():
    alone = compare_partitions({"only": space()}, resamples=100)
    assert rules(alone).header[0] == "Correct"
    assert rules(alone).caption == "Measures"
    assert corners(alone).header[0] == "Class"
    right = np.mean(space().memberships.argmax(axis=1) == space().truth)
    assert facts(next(sentences(alone))) == [f"{right:.1%}", "60"]


def test_regions_come_largest_first_and_notes_only_where_there_are_some():
    both = compared("sharp", "blurred")
    sizes = [int(row[2]) for row in regions(both).rows if row[0] == "sharp"]
    assert sizes == sorted(np.bincount(space().predicted).tolist(), reverse=True)
    assert regions(both).header[-1] == "Beta scaled to"
    noted = replace(space(), regions=tuple(replace(each, note="few\x1b cases") for each in space().regions))
    table = regions(replace(both, spaces={"sharp": noted, "blurred": noted}))
    assert {row[-1] for row in table.rows} == {"few\\x1b cases"}


def test_many_rows_are_folded_and_none_is_lost():
    many = {f"rule {i}": space() for i in range(9)}
    table = corners(replace(compared("sharp", "blurred"), spaces=many))
    assert len(table.rows) == MOST_ROWS
    assert [row[0] for row in (*table.rows, *table.folded)] == [name for name in many for _ in range(3)]


@pytest.mark.parametrize(
    ("how", "told"),
    [({}, "scaled to what the assignments are worth."), ({"space": "original"}, "memberships as they came.")],
)
def test_the_picture_says_which_memberships_are_drawn(how, told):
    assert simplex({"": space()}, **how).lead.endswith(told)
    assert not simplex({"": space()}, **how).wide
    assert simplex({"a": space(), "b": space()}, **how).wide


def test_of_many_classes_the_picture_says_which_two():
    told = "The two classes most often taken for each other, against the rest."
    assert simplex({"": confusing()}).lead.endswith(told)
    assert told not in simplex({"": confusing()}, classes=[0, 1]).lead


def test_cards_have_the_limits_where_there_are_some():
    alone, both = (sections(found)[0].cards for found in (space(), compared("sharp", "blurred")))
    assert [(card.title, card.note) for card in alone] == [
        ("Scaled accuracy (Ac)", "scaled"),
        ("Ability to separate (AS)", "scaled"),
    ]
    assert [card.title for card in both] == [
        f"{name}, {rule}" for rule in ("sharp", "blurred") for name in ("Scaled accuracy (Ac)", "Ability to separate (AS)")
    ]
    found = compared("sharp", "blurred").intervals["sharp"]["scaled_accuracy"]
    assert both[0].note == f"95%: {found.low:.3f} to {found.high:.3f}"
    assert section(compared("sharp", "blurred"), "rules").tables[0] == rules(compared("sharp", "blurred"))
