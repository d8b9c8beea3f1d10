"""Missing values: counted while rows stream by, said once at the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from adjudge._base.arrays import IntArray
from adjudge._base.text import counted

_NAMED_ROWS = 3


@dataclass(slots=True)
class Gap:
    """Missing values of one column: how many, and the first rows."""

    n: int = 0
    rows: list[int] = field(default_factory=list)

    def add(self, at: IntArray, before: int) -> None:
        """Note missing values at these places of a block that starts after `before` rows."""
        self.n += int(at.size)
        self.rows += [before + int(i) + 1 for i in at[: max(0, _NAMED_ROWS - len(self.rows))]]

    def __str__(self) -> str:
        if not self.rows:  # those of a frame in an engine have no numbers
            return counted(self.n, "missing value")
        rows = ", ".join(f"{row:,}" for row in self.rows)
        more = " ..." if self.n > len(self.rows) else ""
        return f"{counted(self.n, 'missing value')} ({'row' if self.n == 1 else 'rows'} {rows}{more})"


@dataclass(slots=True)
class Gaps:
    """The gaps of every column."""

    columns: dict[str, Gap] = field(default_factory=dict)

    def add(self, column: str, at: IntArray, before: int) -> None:
        """Note missing values of `column`, if any."""
        if at.size:
            self.columns.setdefault(column, Gap()).add(at, before)
