"""Chapters hold every section once, in the order of a page, and leave no hole beside a picture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.describe.document import TEXTS, TITLES, Section, chapters

THEMES = st.sampled_from([*TITLES, "", "of its own"])
KINDS = st.sampled_from(["figure", "table", "facts", "methods"])


@st.composite
def pages(draw):
    made = [Section("verdict", "verdict", "V"), Section("findings", "findings", "F")]
    for i in range(draw(st.integers(0, 12))):
        kind, theme = draw(KINDS), draw(THEMES)
        made.append(Section(kind, f"s{i}", f"S{i}", theme=theme, wide=draw(st.booleans()), narrow=draw(st.booleans())))
    return made


@pytest.mark.slow
@given(pages())
def test_every_section_stands_in_one_chapter(made):
    placed = [p.section.name for chapter in chapters(made) for p in chapter.sections]
    assert sorted(placed) == sorted(s.name for s in made if s.kind not in ("verdict", "findings"))


@given(pages())
def test_halves_stand_two_by_two_and_what_is_wide_alone(made):
    for chapter in chapters(made):
        places = [p.place for p in chapter.sections]
        while places:
            first = places.pop(0)
            assert first in ("half", "wide", "alone")
            assert first != "half" or places.pop(0) == "half"
        for p in chapter.sections:
            needs_all = p.section.wide if p.section.kind == "figure" else not p.section.narrow
            assert p.place == "wide" or not needs_all
            assert p.place != "alone" or p.section.kind == "figure"


@pytest.mark.slow
@given(pages())
def test_chapters_follow_the_order_of_a_page(made):
    found = chapters(made)
    themes = [c.sections[0].section.theme for c in found]
    known = [list(TITLES).index(theme) for theme in themes if theme in TITLES]
    assert known == sorted(known)
    last = [theme for theme in themes if theme in ("data", "methods")]
    assert themes[len(themes) - len(last) :] == last


def test_a_title_is_said_once():
    same, other = Section("table", "a", TITLES["sure"], theme="sure"), Section("table", "b", "Another", theme="sure")
    (found,) = chapters([same, other])
    assert found.title == TITLES["sure"]
    assert [p.headed for p in found.sections] == [False, True]
    (own,) = chapters([Section("table", "a", "Own title")])
    assert own.title == "Own title"
    assert not own.sections[0].headed


def test_texts_are_whole_and_name_no_flags():
    for family, topics in TEXTS.items():
        for topic, text in topics.items():
            assert text.strip(), (family, topic)
            assert "--" not in text, (family, topic)
            assert "  " not in text, (family, topic)
