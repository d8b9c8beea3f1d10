"""Sections in chapters: what stands under one heading, in which order, and what stands beside what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from adjudge.describe.document import Section

TITLES = {
    "better": "Which is better?",
    "sure": "How good is it, and how sure are we?",
    "wrong": "Where does it go wrong?",
    "ranking": "Ranking and thresholds",
    "corrections": "Can it be improved without retraining?",
    "space": "Standardised partition space",
    "groups": "Groups and confounds",
    "origin": "Validation design",
    "rounds": "Round by round",
    "data": "The data",
    "methods": "Methods",
}
"""The chapters in the order of a page."""
_HEADED = ("verdict", "findings", "part")
"""Sections that stand above the chapters, or hold chapters of their own."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A section with its place: as wide as the page, half of it, or alone in the middle."""

    section: Section
    place: str
    headed: bool = True
    """Whether it needs a heading of its own, below that of its chapter."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """Sections under one heading."""

    name: str
    title: str
    sections: tuple[Placed, ...]


def chapters(found: Sequence[Section]) -> tuple[Chapter, ...]:
    """Return the chapters of a page; sections of no known theme follow those of the known ones, each its own chapter."""
    by_theme: dict[str, list[Section]] = {theme: [] for theme in TITLES}
    for section in found:
        if section.kind not in _HEADED:
            by_theme.setdefault(section.theme or section.name, []).append(section)
    last = [theme for theme in ("data", "methods") if by_theme[theme]]
    order = [theme for theme in by_theme if by_theme[theme] and theme not in last]
    return tuple(_chapter(theme, by_theme[theme]) for theme in (*order, *last))


def _chapter(theme: str, own: Sequence[Section]) -> Chapter:
    title = TITLES.get(theme, own[0].title)
    placed = (replace(each, headed=each.section.title != title) for each in _placed(own))
    return Chapter(f"chapter-{own[0].name}", title, tuple(placed))


def _placed(own: Sequence[Section]) -> Iterator[Placed]:
    """Yield sections two by two where half the page does for both; a picture without a partner stands in the middle."""
    waiting: Section | None = None
    for section in own:
        if not _half(section):
            yield from _alone(waiting)
            yield Placed(section, "wide")
            waiting = None
        elif waiting is None:
            waiting = section
        else:
            yield from (Placed(waiting, "half"), Placed(section, "half"))
            waiting = None
    yield from _alone(waiting)


def _alone(waiting: Section | None) -> Iterator[Placed]:
    if waiting is not None:
        yield Placed(waiting, "alone" if waiting.kind == "figure" else "wide")


def _half(section: Section) -> bool:
    return not section.wide if section.kind == "figure" else section.narrow
