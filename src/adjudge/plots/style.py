"""The one place for colours, fonts and sizes, for matplotlib and for the page.

Colours are those of Okabe and Ito (2008), told apart by colour-blind readers too; darker or lighter ones
of the same hues stand in where a line would be too faint on its paper (WCAG 2.2: 3 to 1 for lines, 4.5 for text).
"""

from __future__ import annotations

from dataclasses import dataclass

FONTS = '-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",Arial,sans-serif'
LEVELS = 10
"""Steps of shade in a confusion map; 0 is an empty cell."""
_FAINTEST, _STRONGEST = 0.04, 0.96


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
    context: str
    """Lines that are there for comparison only."""


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
PARTS = {"worse": ("wrong", 0.55), "same": ("undecided", 0.4), "better": ("right", 0.55)}
"""What a comparison may come to: its colour, and how strong it is where it fills an area."""
CELLS = (0.22, 0.45, 0.72, 1.0)
"""Strengths of a class in the cells of a simplex, by the share it has there."""
CORNERS = 4
"""Classes that a simplex tells apart."""
MOST_LINES = len(LIGHT.lines)
"""Curves told apart by colour in one picture."""


def mixed(paper: str, colour: str, strength: float) -> str:
    """Return `colour` laid on `paper` at `strength` between 0 and 1."""
    pairs = zip(_channels(paper), _channels(colour), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * strength):02x}" for a, b in pairs)


def shade(palette: Palette, kind: str, level: int) -> str:
    """Return the colour of a cell: `kind` is right, wrong or undecided."""
    strength = _FAINTEST + (_STRONGEST - _FAINTEST) * level / LEVELS
    return mixed(palette.paper, getattr(palette, kind), strength)


def text_on(colour: str) -> str:
    """Return black or white, whichever is better to read on `colour`; one of them always reaches 4.5 to 1."""
    return max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, colour))


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG 2.2 defines it."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def css() -> str:
    """Return the colours as CSS: variables, and the shades of cells, for light and for dark paper."""
    dark = f"{_variables(DARK)}{_shades(DARK)}{_cells(DARK)}"
    light = f"{_variables(LIGHT)}{_shades(LIGHT)}{_cells(LIGHT)}"
    return f"{light}{_parts()}{_simplex()}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def _parts() -> str:
    """Return the three parts of a comparison: filled areas, and whole where they are small."""
    rules = [f"svg .{kind}{{fill:var(--{colour});fill-opacity:{strength:g}}}" for kind, (colour, strength) in PARTS.items()]
    more = "svg .within{fill:var(--undecided);fill-opacity:.13}svg .whole{fill-opacity:1}"
    more += "svg .edge{stroke:var(--ink);stroke-width:1.4}"
    return "".join(rules) + more


def _simplex() -> str:
    """Return marks by class, the last grey for a class without a corner, and the lines of a simplex.

    What symbols hold is styled by its class alone: their copies are in no svg that a selector could see.
    """
    rules = [f".of{i}{{fill:var(--line{i})}}" for i in range(CORNERS)]
    return "".join(rules) + (
        ".of4{fill:var(--undecided)}.outer{stroke:var(--paper);stroke-width:.6}"
        ".inner{stroke:var(--paper);stroke-width:.7}svg .kept{display:none}"
        "svg .rim{fill:none;stroke:var(--axis);stroke-width:1.2}svg .border{fill:none;stroke:var(--muted);stroke-width:1}"
        "svg .second{fill:none;stroke:var(--axis);stroke-width:.9;stroke-dasharray:4 4}"
        "svg .toward{fill:none;stroke-width:.8;stroke-opacity:.55}svg .cell{stroke-width:.8}"
        "svg .solid .border,svg .solid .second{stroke-width:.8;stroke-opacity:.6}"
        "svg .hint{display:none}@media screen{.turns .hint{display:inline}}"
        ".turns{cursor:grab;touch-action:pan-y;user-select:none}.turns:focus-visible{outline-offset:-3px}"
        "@media print{.fig:not(.wide) svg:has(.rim){max-height:92mm}}"
    )


def _cells(palette: Palette) -> str:
    each = [(i, j, mixed(palette.paper, palette.lines[i], s)) for i in range(CORNERS) for j, s in enumerate(CELLS)]
    return "".join(f".shade{i}{j}{{fill:{colour}}}" for i, j, colour in each)


def _variables(palette: Palette) -> str:
    names = ("desk", "paper", "ink", "muted", "rule", "axis", "right", "wrong", "undecided", "context")
    each = [f"--{name}:{getattr(palette, name)}" for name in names]
    each += [f"--line{i}:{colour}" for i, colour in enumerate(palette.lines)]
    return f":root{{{';'.join(each)}}}"


def _shades(palette: Palette) -> str:
    rules = []
    for kind in ("right", "wrong", "undecided"):
        for level in range(LEVELS + 1):
            colour = shade(palette, kind, level)
            rules.append(f".{kind}{level} rect{{fill:{colour}}}.{kind}{level} text{{fill:{text_on(colour)}}}")
    return "".join(rules)


def _channels(colour: str) -> tuple[int, ...]:
    return tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))


def _luminance(colour: str) -> float:
    linear_below, scale = 0.04045, 255
    parts = [c / scale for c in _channels(colour)]
    r, g, b = (c / 12.92 if c <= linear_below else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
