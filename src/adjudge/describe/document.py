"""Documents: all that a result says, as plain data that every renderer reads; nothing of how it looks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from adjudge._base import Finding, InputError, counted, dataclass, field, parameter, replace, safe
from adjudge.plots.labels import NOTHING, named

Row = tuple[str, ...]
_LONGEST_TITLE = 300
MOST_ROWS, MOST_FOLDED = 20, 180
"""Rows shown at once, and folded; the rest is only counted."""
TEXTS: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8"))
"""What pages say of methods and of figures, by the family of results and the topic; and the papers that are named there."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells of text. `align` has a letter per column: l for words, n for words on one line, r for numbers, f for formulas."""

    caption: str
    header: Row
    rows: tuple[Row, ...]
    align: str = ""  # the first column words and all others numbers, unless given
    folded: tuple[Row, ...] = ()
    untold: int = 0  # how many more rows there would be
    things: tuple[str, str] = ("row", "rows")  # what a row is of, one and many
    notes: tuple[str, ...] = ()
    tones: Mapping[str, str] = field(default_factory=dict)
    """Cells that are a verdict, and how it sounds: good, bad or doubtful. Names stand in the first column and have no tone."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "align", self.align or "l" + "r" * (len(self.header) - 1))

    @property
    def summary(self) -> str:
        """What the folded rows are."""
        return self._more(len(self.folded))

    @property
    def remainder(self) -> str:
        """What is not told at all."""
        return f"And {self._more(self.untold)}." if self.untold else ""

    def _more(self, n: int) -> str:
        return counted(n, *(f"more {thing}" for thing in self.things))

    def with_columns(self, kept: Sequence[int]) -> Table:
        """Return a table of some of its columns."""
        parts = ((self.header,), self.rows, self.folded)
        (header,), rows, folded = (tuple(tuple(row[i] for i in kept) for row in part) for part in parts)
        return replace(self, header=header, rows=rows, folded=folded, align="".join(self.align[i] for i in kept))

    def without_empty_columns(self) -> Table:
        """Return a table without the columns that say nothing in any row."""
        return self.with_columns([i for i in range(len(self.header)) if any(row[i] != NOTHING for row in self.rows)])


def folding(
    caption: str,
    header: Row,
    rows: Iterable[Row],
    things: tuple[str, str],
    *,
    shown: int = MOST_ROWS,
    folded: int = MOST_FOLDED,
    total: int = 0,
    **others: Any,
) -> Table:
    """Return a table of few rows in sight, more folded, and the rest of `total` only counted."""
    every = tuple(rows)
    more = every[shown : shown + folded]
    untold = max(0, (total or len(every)) - shown - len(more))
    return Table(caption, header, every[:shown], folded=more, untold=untold, things=things, **others)


def fact_table(caption: str, each: Mapping[str, str]) -> Table:
    """Return names and what is known by them."""
    return Table(caption, ("Fact", "Value"), tuple(each.items()), "ll")


@dataclass(frozen=True, slots=True)
class Card:
    """One number set large, with a line below."""

    title: str
    value: str
    note: str
    second: str = ""  # a further line


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do: what, what it changes, and the command or call that does it."""

    action: str
    effect: str
    call: str = ""
    see: str = ""  # the section of the page that has more on it

    def __str__(self) -> str:
        return f"{self.action}: {self.effect}." if self.effect else f"{self.action}."


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page."""

    kind: str  # verdict, steps, findings, figure, table, facts, methods, or part: a result of its own among several
    name: str  # short and unlike every other section's: anchors and pictures are named by it
    title: str
    lead: str = ""
    sentences: tuple[str, ...] = ()
    cards: tuple[Card, ...] = ()
    tables: tuple[Table, ...] = ()
    findings: tuple[Finding, ...] = ()
    steps: tuple[Step, ...] = ()
    figure: Any = None  # a picture that :mod:`adjudge.render.svg` can draw
    wide: bool = False  # whether a figure needs the whole width
    narrow: bool = False  # whether half the width is enough for a table
    pictures: tuple[tuple[str, Any], ...] = ()  # small figures below the tables, each with what to see in it
    inner: tuple[Section, ...] = ()  # the sections of a part
    folded: bool = False  # whether it is shown only when asked for; of a verdict whether the chapters below are
    theme: str = ""
    """The chapter it stands in, one of :data:`adjudge.describe.document.TITLES`; its own where there is none."""
    reading: tuple[str, ...] = ()  # what to read off a figure, in plain sentences below it
    scripts: tuple[str, ...] = ()  # the files of the templates' folder that it runs
    data: Mapping[str, Any] | None = None  # what the scripts need to know
    template: str = ""  # the template of its body, where it has controls


@dataclass(frozen=True, slots=True)
class Document:
    """What a result says: a verdict, numbers, what to know before using them, a figure, and the parts of a page."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()  # what a terminal shows below the sentences
    findings: tuple[Finding, ...] = ()
    steps: tuple[Step, ...] = ()  # what to do next; where there are some, tables come after findings
    weakest: str = ""  # its weakest point, in a sentence
    columns: tuple[str, ...] = ()  # the columns of a file, each with its role and the evidence for it
    lines: tuple[str, ...] = ()  # lines that stay whole, such as one for each rule of a gate
    closing: tuple[str, ...] = ()  # sentences that come last
    key: Table | None = None  # the few numbers that a notebook shows
    key_is_whole: bool = False  # whether every row of them is to be seen
    figure: Any = None  # a picture that :mod:`adjudge.plots` can draw, if there is one
    sections: tuple[Section, ...] = ()  # the parts of a page, the verdict first


def titled(document: Document, title: Any) -> Document:
    """Return a document with another title, unless None is given."""
    if title is None:
        return document
    if not isinstance(title, str) or not title.strip():
        raise InputError(parameter("title"), f" must be a text that is not empty; got {title!r}.")
    first, *others = document.sections
    return replace(document, sections=(replace(first, title=safe(title.strip(), _LONGEST_TITLE)), *others))


def base_name(name: str) -> str:
    r"""Return the last part of a path of any system: readers of a page need no folder or host of ours.

    >>> base_name("/srv/me/a.csv"), base_name("\\\\host\\share\\b.csv")
    ('a.csv', 'b.csv')
    """
    parts = [part for part in str(name).replace("\\", "/").split("/") if part.strip(". ")]
    return named([parts[-1]])[0] if parts else "predictions"


# -- chapters --------------------------------------------------------------------------------------------------

TITLES = {
    "better": "Which is better?",
    "sure": "How good is it, and how sure are we?",
    "wrong": "Where does it go wrong?",
    "ranking": "Ranking and thresholds",
    "corrections": "Can it be improved without retraining?",
    "space": "Standardised partition space",
    "clusters": "Rows that belong together",
    "groups": "Groups and confounds",
    "runs": "Repeated answers",
    "origin": "Validation design",
    "rounds": "Round by round",
    "data": "The data",
    "methods": "Methods",
}
"""The chapters in the order of a page."""
SUMMARY = "summary"
"""The theme of a picture that stands above the chapters."""
_HEADED = ("verdict", "steps", "findings", "part")  # sections that stand above the chapters, or hold chapters of their own
_LAST = ("data", "methods")  # they come in this order in TITLES


@dataclass(frozen=True, slots=True)
class Placed:
    """A section with its place: as wide as the page, half of it, or alone in the middle."""

    section: Section
    place: str
    headed: bool  # whether it needs a heading of its own, below that of its chapter


@dataclass(frozen=True, slots=True)
class Chapter:
    """Sections under one heading."""

    name: str
    title: str
    sections: tuple[Placed, ...]


def chapters(sections: Sequence[Section]) -> tuple[Chapter, ...]:
    """Return the chapters of a page; sections of no known theme follow those of the known ones, each its own chapter."""
    by_theme: dict[str, list[Section]] = {theme: [] for theme in TITLES}
    for section in sections:
        if section.kind not in _HEADED and section.theme != SUMMARY:
            by_theme.setdefault(section.theme or section.name, []).append(section)
    order = sorted((theme for theme in by_theme if by_theme[theme]), key=lambda theme: theme in _LAST)
    titled = ((TITLES.get(theme, by_theme[theme][0].title), by_theme[theme]) for theme in order)
    return tuple(Chapter(f"chapter-{own[0].name}", title, tuple(_placed(own, title))) for title, own in titled)


def _placed(own: Sequence[Section], title: str) -> Iterator[Placed]:
    """Yield sections two by two where half the page does for both; a picture without a partner stands in the middle."""
    half = [not section.wide if section.kind == "figure" else section.narrow for section in own]
    at = 0
    while at < len(own):
        both = all(half[at : at + 2]) and at + 1 < len(own)
        place = "half" if both else "alone" if half[at] and own[at].kind == "figure" else "wide"
        yield from (Placed(section, place, section.title != title) for section in own[at : at + 1 + both])
        at += 1 + both
