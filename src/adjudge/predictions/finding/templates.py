"""Columns named alike but for one part, which may be the class they belong to.

`p_a` and `p_b` share the template p_*; so do `P (class=a)` and `P (class=b)` share P (class=*). A name is cut
at every separator, because only the labels can tell which cut was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from adjudge._base.errors import InputError
from adjudge._base.text import listed, quoted
from adjudge.predictions.finding.names import words

_MOST_CUTS = 12
_SEPARATOR = re.compile(r"[\W_]")
_NUMBERED = re.compile(r"(.*?\D)(\d+)")
_WHOLE = re.compile(r"([+-]?\d+)\.0+")


@dataclass(frozen=True)
class Template:
    """A prefix and a suffix, and the column for each text that stands between them."""

    prefix: str
    suffix: str
    columns: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.prefix}*{self.suffix}"

    @property
    def pattern(self) -> str:
        """The template as a user would write it; empty when bare."""
        return "" if self.bare else str(self)

    @property
    def bare(self) -> bool:
        """Whether the columns are named by the class alone."""
        return not self.prefix and not self.suffix

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the part all columns share."""
        return words(self.prefix) | words(self.suffix)

    @cached_property
    def keys(self) -> dict[str, str]:
        """The column for each class as labels are compared; empty when two classes look the same."""
        return _unless_clashing({key_of(text): column for text, column in self.columns.items()}, self.columns)

    @cached_property
    def folded(self) -> dict[str, str]:
        """`keys` without regard to case; empty when case alone tells two classes apart."""
        return _unless_clashing({key.casefold(): column for key, column in self.keys.items()}, self.columns)


def key_of(text: str) -> str:
    """Return a class name in the form in which names and labels are compared: 1.0 and ' 1' are both '1'."""
    plain = text.strip()
    whole = _WHOLE.fullmatch(plain)
    return whole[1] if whole else plain


def templates(names: Iterable[str]) -> list[Template]:
    """Return every template that two or more of `names` share, and the bare one."""
    known = list(names)
    found: dict[tuple[str, str], dict[str, str]] = {("", ""): {name: name for name in known if name}}
    for name in known:
        for prefix, text, suffix in cuts(name):
            found.setdefault((prefix, suffix), {})[text] = name
    return [Template(*ends, columns) for ends, columns in found.items() if len(columns) > 1]


def filled(pattern: str, names: Iterable[str]) -> Template:
    """Return the template a user wrote with one star, filled with the columns it fits."""
    if pattern.count("*") != 1:
        msg = f"{quoted(pattern)} must hold exactly one star, which stands for the class."
        raise InputError(msg)
    prefix, _, suffix = pattern.partition("*")
    ends = len(prefix) + len(suffix)
    known = list(names)
    fitting = [n for n in known if n.startswith(prefix) and n.endswith(suffix) and len(n) > ends]
    if not fitting:
        msg = f"No column fits {quoted(pattern)}. The columns are {listed(known, 12)}."
        raise InputError(msg)
    return Template(prefix, suffix, {n[len(prefix) : len(n) - len(suffix)]: n for n in fitting})


def _unless_clashing(keys: dict[str, str], columns: Mapping[str, str]) -> dict[str, str]:
    return keys if len(keys) == len(columns) else {}


def cuts(name: str) -> list[tuple[str, str, str]]:
    """Return every (prefix, class, suffix) the name may be."""
    at = [match.start() for match in _SEPARATOR.finditer(name)]
    at = at if len(at) <= _MOST_CUTS else at[: _MOST_CUTS // 2] + at[-_MOST_CUTS // 2 :]
    starts, ends = [0, *(i + 1 for i in at)], [*at, len(name)]
    cut = [(name[:i], name[i:j], name[j:]) for i in starts for j in ends if i < j and (i, j) != (0, len(name))]
    numbered = _NUMBERED.fullmatch(name)
    if numbered and not _SEPARATOR.fullmatch(numbered[1][-1]):
        cut.append((numbered[1], numbered[2], ""))
    return cut
