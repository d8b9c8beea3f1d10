"""Numbers as they are, for results that no other picture shows."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap

from adjudge.plots.drawing import LETTER, SIDE, WIDTH, Drawing, Figure, Item, Text, segment
from adjudge.plots.labels import named

MOST_ROWS = 24
_STEP, _TOP, _GAP = 19.0, 12.0, 16.0
_LONGEST = 40  # letters of a cell


@dataclass(frozen=True, slots=True)
class TablePicture(Figure):
    """A sentence or two above rows of words and numbers."""

    title: str
    sentences: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int = 0
    """Rows that are not drawn."""

    @property
    def drawing(self) -> Drawing:
        """Names to the left, values to the right of their columns."""
        rows = [tuple(named([cell], _LONGEST)[0] if cell else "" for cell in row) for row in (self.header, *self.rows)]
        columns = list(zip(*rows, strict=True))
        wide = [LETTER * max(map(len, column)) for column in columns]
        width = max(WIDTH, sum(wide) + _GAP * (len(wide) - 1))
        told = [line for sentence in self.sentences for line in wrap(sentence, int(width / LETTER))]
        items: list[Item] = [Text(SIDE, _TOP + _STEP * (i + 0.5), line, "key", "start") for i, line in enumerate(told)]
        top = _TOP + _STEP * len(told)
        for i, row in enumerate(rows if any(self.header) else rows[1:]):
            y = top + _STEP * (i + 1)
            items.append(Text(SIDE, y, row[0], "aside", "start"))
            right = SIDE + width
            for cell, room in zip(row[:0:-1], wide[:0:-1], strict=True):
                items.append(Text(right, y, cell, "key" if i or not any(self.header) else "aside", "end"))
                right -= room + _GAP
            items.append(segment((SIDE, y + 6), (SIDE + width, y + 6), "grid", page=True))
        foot = top + _STEP * (len(rows) + 1)
        if self.more:
            items.append(Text(SIDE, foot, f"and {self.more:,} more", "aside", "start"))
        words = "; ".join((*self.sentences, *(" ".join(row) for row in self.rows)))
        return Drawing(width + 2 * SIDE, foot + _TOP, self.title, words, tuple(items), heading=self.title)
