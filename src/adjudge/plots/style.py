"""The one place for colours, fonts and sizes: how everything that is drawn looks, on a page and on axes.

Colours are those of Okabe and Ito (2008), told apart by colour-blind readers too; darker or lighter ones
of the same hues stand in where a line would be too faint on its paper (WCAG 2.2: 3 to 1 for lines, 4.5 for text).
"""

from __future__ import annotations

import re

from adjudge._base.records import dataclass

FONTS = '-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",Arial,sans-serif'
LETTERS = 14.5  # the size of letters on a narrow screen, where they are largest
LETTER = 8.0  # units that a letter takes where it is largest, on a narrow screen
LEVELS = 10  # steps of shade in a confusion map; 0 is an empty cell
_FAINTEST, _STRONGEST = 0.04, 0.96
_NAMES = ("desk", "paper", "ink", "muted", "rule", "axis", "right", "wrong", "undecided", "context")


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours on one kind of paper."""

    desk: str
    paper: str
    ink: str
    muted: str
    rule: str
    axis: str
    right: str
    wrong: str
    undecided: str
    lines: tuple[str, ...]
    context: str  # of lines that are there for comparison only


LIGHT = Palette(
    desk="#f6f7f9", paper="#ffffff", ink="#1b1f24", muted="#59636d", rule="#e3e6ea", axis="#87919b",
    right="#0072b2", wrong="#d55e00", undecided="#6b7680",
    lines=("#0072b2", "#d55e00", "#00875f", "#b0568c", "#1b1f24"), context="#c3c9cf",
)  # fmt: skip
DARK = Palette(
    desk="#12161a", paper="#1b2026", ink="#e8ebee", muted="#a7b1bb", rule="#333b44", axis="#78838e",
    right="#56b4e9", wrong="#e6863c", undecided="#8c97a1",
    lines=("#56b4e9", "#f08a3c", "#2fc496", "#e09ac2", "#f0e442"), context="#4a535d",
)  # fmt: skip
_CELLS = (0.22, 0.45, 0.72, 1.0)  # strengths of a class in the cells of a simplex, by the share it has there
_CORNERS = 4  # classes that a simplex tells apart
MOST_LINES = len(LIGHT.lines)  # curves told apart by colour in one picture


def mixed(paper: str, colour: str, strength: float) -> str:
    """Return `colour` laid on `paper` at `strength` between 0 and 1."""
    pairs = zip(_channels(paper), _channels(colour), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * strength):02x}" for a, b in pairs)


def shade(palette: Palette, kind: str, level: int) -> str:
    """Return the colour of a cell: `kind` is right, wrong or undecided."""
    return mixed(palette.paper, getattr(palette, kind), _FAINTEST + (_STRONGEST - _FAINTEST) * level / LEVELS)


def text_on(colour: str) -> str:
    """Return black or white, whichever is better to read on `colour`; one of them always reaches 4.5 to 1."""
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG 2.2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


Look = dict[str, str | float]  # properties of CSS; a colour is one of a palette, by name, or none


_LINES = range(MOST_LINES)
_INK = 4  # the line whose marks are ink
_CLASSES = (*(f"line{i}" for i in range(_CORNERS)), "undecided")
LOOKS: dict[str, Look] = {
    # words
    "tick": {"fill": "muted"},
    "lab": {"fill": "muted", "font-size": 12.5},
    "key": {"font-size": 12.5},
    "cell-l": {"font-size": 20, "font-weight": 650},
    "cell-m": {"font-size": 14, "font-weight": 650},
    "cell-s": {"font-size": 11},
    "cell-n": {"font-size": 11},
    "head": {"font-size": 13, "font-weight": 650},
    "aside": {"fill": "muted"},
    "halo": {"paint-order": "stroke", "stroke": "paper", "stroke-width": 3.5, "stroke-linejoin": "round"},
    "turned": {"fill": "muted", "stroke": "none"},
    "hint": {"display": "none"},
    # axes, and what is read against them
    "grid": {"stroke": "rule"},
    "axis": {"stroke": "axis"},
    "ref": {"stroke": "axis", "stroke-dasharray": "3 4"},
    "beyond": {"fill": "rule"},
    "plate": {"fill": "paper", "fill-opacity": 0.82},
    # lines, areas and marks
    "curve": {"fill": "none", "stroke-width": 2.2, "stroke-linejoin": "round"},
    **{f"line{i}": {"stroke": f"line{i}"} for i in _LINES},
    **{f"area{i}": {"fill": f"line{i}", "fill-opacity": 0.13} for i in _LINES},
    "context": {"fill": "none", "stroke": "context", "stroke-width": 1},
    "broken": {"stroke-dasharray": "6 4"},
    **{f"dash{i}": {"stroke-dasharray": dashes} for i, dashes in enumerate(("9 4", "2.5 3", "10 3 2.5 3", "15 4"), 1)},
    "bar": {"stroke": "ink", "stroke-width": 1.6},
    "edge": {"stroke": "ink", "stroke-width": 1.4},
    "stem": {"stroke-opacity": 0.6},
    "span": {"stroke-width": 5, "stroke-opacity": 0.6},
    "dot": {"fill": "line0", "fill-opacity": 0.85, "stroke": "paper", "stroke-width": 1},
    **{f"mark{i}": {"fill": "ink" if i == _INK else f"line{i}"} for i in _LINES},
    "ring": {"fill": "paper", "stroke-width": 2},
    "thin": {"stroke-width": 1.3},
    "heavy": {"stroke-width": 3},
    "joined": {"stroke-opacity": 0.35},
    "faint": {"fill-opacity": 0.4},
    "cases": {"stroke": "undecided", "stroke-opacity": 0.45, "stroke-width": 9},
    "band-key": {"stroke": "line0", "stroke-opacity": 0.22, "stroke-width": 11},
    # a threshold; the last five only name what scripts move
    "here": {"fill": "ink", "stroke": "paper", "stroke-width": 2},
    "best": {"fill": "none", "stroke": "line1", "stroke-width": 2.4},
    "decided": {"fill": "none", "stroke": "ink", "stroke-width": 1.6},
    "equal": {"stroke": "line1", "stroke-width": 1.4, "stroke-dasharray": "7 5"},
    "guide": {"stroke": "ink", "stroke-opacity": 0.35, "stroke-width": 1},
    **{name: {} for name in ("roc", "band", "down", "across", "key-mark")},
    # what a comparison may come to
    "worse": {"fill": "wrong", "fill-opacity": 0.55},
    "same": {"fill": "undecided", "fill-opacity": 0.4},
    "better": {"fill": "right", "fill-opacity": 0.55},
    "within": {"fill": "undecided", "fill-opacity": 0.13},
    "whole": {"fill-opacity": 1},
    # classes in a simplex, the last grey for one without a corner
    **{f"of{i}": {"fill": colour} for i, colour in enumerate(_CLASSES)},
    "outer": {"stroke": "paper", "stroke-width": 0.6},
    "inner": {"stroke": "paper", "stroke-width": 0.7},
    "cell": {"stroke-width": 0.8},
    "rim": {"fill": "none", "stroke": "axis", "stroke-width": 1.2},
    "border": {"fill": "none", "stroke": "muted", "stroke-width": 1},
    "second": {"fill": "none", "stroke": "axis", "stroke-width": 0.9, "stroke-dasharray": "4 4"},
    "toward": {"fill": "none", "stroke-width": 0.8, "stroke-opacity": 0.55},
    "through": {"stroke-width": 0.8, "stroke-opacity": 0.6},
}
"""How everything that is drawn looks, by the name of its style; of two styles of an item, what stands later here holds."""
_COPIED = re.compile(r"(of|line)\d|outer|inner|cell")  # within symbols, whose copies are in no svg that a selector could see


def cell_colour(palette: Palette, style: str) -> str | None:
    """Return the colour of a style that is a shade: of a cell of a confusion map, or of one within a simplex."""
    if style.startswith("shade") and style[5:].isdigit():
        return mixed(palette.paper, palette.lines[int(style[5])], _CELLS[int(style[6])])
    kind, level = style.rstrip("0123456789"), style[len(style.rstrip("0123456789")) :]
    return shade(palette, kind, int(level)) if kind in ("right", "wrong", "undecided") and level else None


def css() -> str:
    """Return the look of every style as CSS, the colours for light and for dark paper."""
    colours = (*_NAMES, *(f"line{i}" for i in _LINES))
    rules = []
    for name, look in LOOKS.items():
        each = [(key, f"var(--{value})" if value in colours else value) for key, value in look.items()]
        body = ";".join(f"{key}:{value}{'px' if key == 'font-size' else ''}" for key, value in each)
        rules += [f"{'' if _COPIED.fullmatch(name) else 'svg '}.{name}{{{body}}}"] if look else []
    more = (
        "line.line4{stroke:var(--ink)}svg .kept{display:none}@media screen{.turns .hint{display:inline}}"
        ".turns{cursor:grab;touch-action:pan-y;user-select:none}.turns:focus-visible{outline-offset:-3px}"
        "@media print{.fig:not(.wide) svg:has(.rim){max-height:92mm}}"
    )
    return f"{_coloured(LIGHT)}{''.join(rules)}{more}@media screen and (prefers-color-scheme:dark){{{_coloured(DARK)}}}"


def _coloured(palette: Palette) -> str:
    """Return the colours of a palette as variables, and the shades of cells."""
    each = [f"--{name}:{getattr(palette, name)}" for name in _NAMES]
    each += [f"--line{i}:{colour}" for i, colour in enumerate(palette.lines)]
    rules = [f":root{{{';'.join(each)}}}"]
    for kind in ("right", "wrong", "undecided"):
        for level in range(LEVELS + 1):
            colour = shade(palette, kind, level)
            rules.append(f".{kind}{level} rect{{fill:{colour}}}.{kind}{level} text{{fill:{text_on(colour)}}}")
    shades = [f"shade{i}{j}" for i in range(_CORNERS) for j in range(len(_CELLS))]
    return "".join([*rules, *(f".{name}{{fill:{cell_colour(palette, name)}}}" for name in shades)])


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def _luminance(colour: str) -> float:
    linear_below, scale = 0.04045, 255
    parts = [c / scale for c in _channels(colour)]
    r, g, b = (c / 12.92 if c <= linear_below else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
