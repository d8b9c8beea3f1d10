"""A sheet to draw on, in SVG: shapes by class, words escaped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape

from adjudge._base.text import safe

_WIDTH_OF_LETTER = 0.56  # of the font size, on average; labels get room by it


def points(value: float) -> str:
    """Return a length with two decimals at most, so that the same picture is always the same bytes.

    >>> points(12.0), points(3.14159)
    ('12', '3.14')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def width_of(words: str, size: float) -> float:
    """Return about how wide words are."""
    return _WIDTH_OF_LETTER * size * len(words)


@dataclass(slots=True)
class Canvas:
    """Shapes in the order they are drawn."""

    width: float
    height: float
    _parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, words: str, kind: str, anchor: str = "middle", turn: float = 0) -> None:
        """Write one line."""
        place = f'x="{points(x)}" y="{points(y)}"'
        if turn:
            place = f'transform="translate({points(x)} {points(y)}) rotate({points(turn)})"'
        self._parts.append(f'<text class="{kind}" text-anchor="{anchor}" {place}>{escape(safe(words, 1000))}</text>')

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str) -> None:
        """Draw a straight line."""
        (x1, y1), (x2, y2) = start, end
        at = f'x1="{points(x1)}" y1="{points(y1)}" x2="{points(x2)}" y2="{points(y2)}"'
        self._parts.append(f'<line class="{kind}" {at}/>')

    def path(self, at: Iterable[tuple[float, float]], kind: str) -> None:
        """Draw a line through points."""
        self._parts.append(f'<path class="{kind}" d="M{"L".join(f"{points(x)} {points(y)}" for x, y in at)}"/>')

    def dot(self, x: float, y: float, radius: float, kind: str) -> None:
        """Draw a disc."""
        self._parts.append(f'<circle class="{kind}" cx="{points(x)}" cy="{points(y)}" r="{points(radius)}"/>')

    def boxes(self, at: Iterable[tuple[float, float, float, float]], kind: str) -> None:
        """Draw boxes, each by where its upper left corner is, how wide and how high it is, as one shape."""
        each = [f"M{points(x)} {points(y)}h{points(w)}v{points(h)}h{points(-w)}z" for x, y, w, h in at]
        if each:
            self._parts.append(f'<path class="{kind}" d="{"".join(each)}"/>')

    def plate(self, x: float, y: float, size: tuple[float, float]) -> None:
        """Draw a piece of paper for words to stand on."""
        place = f'x="{points(x)}" y="{points(y)}" width="{points(size[0])}" height="{points(size[1])}"'
        self._parts.append(f'<rect class="plate" {place} rx="4"/>')

    def cell(self, x: float, y: float, size: tuple[float, float], kind: str, lines: Iterable[tuple[float, str, str]]) -> None:
        """Draw a box with lines of words in its middle: each is how far below the top, the words, and their class."""
        w, h = size
        place = f'x="{points(x)}" y="{points(y)}" width="{points(w)}" height="{points(h)}" rx="{points(min(4, w / 8))}"'
        self._parts.append(f'<g class="{kind}"><rect {place}/>')
        for down, words, size_class in lines:
            self.text(x + w / 2, y + down, words, size_class)
        self._parts.append("</g>")

    def drawn(self, name: str, title: str, words: str) -> str:
        """Return the picture; `title` and `words` say it to readers who do not see it."""
        head = f'<svg viewBox="0 0 {points(self.width)} {points(self.height)}" role="img" aria-labelledby="{name}-t {name}-d">'
        told = f'<title id="{name}-t">{escape(safe(title, 200))}</title><desc id="{name}-d">{escape(safe(words, 1000))}</desc>'
        return f"{head}{told}{''.join(self._parts)}</svg>"
