"""Numbers and names as a reader sees them, on pictures and in tables.

A rounded number may never claim what the exact one does not: 0.9999 is not 100%, and a rare event is not 0%.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from itertools import takewhile
from typing import Any

from adjudge._base.levels import honest
from adjudge._base.text import probable, safe

NOTHING = "\u2013"
"""A dash, where there is nothing to say."""
LONGEST_NAME = 80
"""Characters of a class name in tables; pictures have less room."""
_INSPECTED = 1000  # characters in which names may differ
_TAIL = 6  # characters kept from the end of a name that is cut
_SIGNIFICANT = 4  # digits of a number without bounds
_THOUSAND = 1000
_DIGITS = 9  # decimals that a reader can still count
_WHOLE = 1e15  # beyond it floats written out in full promise digits they do not have


def number(value: float, decimals: int = 3, edges: Sequence[int] = (-1, 0, 1)) -> str:
    """Return a bounded number that says -1, 0 or 1 only where it is exactly that.

    >>> number(0.77993), number(0.99999), number(0.0)
    ('0.780', '0.99999', '0.000')
    """
    if math.isnan(value):
        return "undefined"
    if math.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    return honest(Decimal(value), decimals, decimals + 4, edges)


def loss(value: float) -> str:
    """Return a number without bounds to four significant digits.

    >>> loss(0.123456), loss(12345.6), loss(float("inf"))
    ('0.1235', '12,346', 'infinite')
    """
    if math.isnan(value) or math.isinf(value):
        return number(value)
    if _THOUSAND <= abs(value) < _WHOLE:
        return f"{value:,.0f}"
    return f"{value:.{_SIGNIFICANT}g}"


def count(value: float) -> str:
    """Return a number of cases, or a sum of weights.

    >>> count(1186), count(12.5), count(0.01)
    ('1,186', '12.5', '<0.1')
    """
    if float(value).is_integer():
        return f"{int(value):,}" if abs(value) < _WHOLE else f"{value:.{_SIGNIFICANT}g}"
    tenth = 0.1
    return "<0.1" if 0 < value < tenth else f"{value:,.1f}"


def probability(p: float, digits: int = 2) -> str:
    """Return a probability to a few digits; it is never said to be 0 or 1.

    >>> probability(0.826), probability(0.9999), probability(1e-9, digits=3)
    ('0.83', '> 0.99', '< 0.001')
    """
    return probable(p, digits).removeprefix("= ")


def said(p: float, name: str = "p") -> str:
    """Return a p value as words.

    >>> said(0.0312), said(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    if math.isnan(p):
        return f"{name} undefined"
    told = probability(p, 3)
    return f"{name} {told}" if told[0] in "<>" else f"{name} = {told}"


def rounded(value: float, width: float) -> str:
    """Return a number without bounds whose interval is `width` wide: two digits of that show.

    >>> rounded(0.3, 0.047), rounded(1234.56, 3136), rounded(0.12345, 0.0)
    ('0.300', '1,235', '0.1235')
    """
    if not (0 < width < math.inf and math.isfinite(value)):
        return loss(value)
    digits = max(0, math.ceil(-math.log10(width)) + 1)
    return f"{value:,.{digits}f}" if digits <= _DIGITS and abs(value) < _WHOLE else f"{value:.{_SIGNIFICANT}g}"


def decimals_for(width: float, least: int = 1, most: int = 6) -> int:
    """Return the decimals of a percentage whose interval is `width` wide (as a share): two digits of it show.

    >>> decimals_for(0.04), decimals_for(0.004)
    (1, 2)
    """
    if not width > 0:
        return least
    return min(most, max(least, math.ceil(-math.log10(100 * width)) + 1))


def named(labels: Sequence[Any], longest: int = LONGEST_NAME) -> list[str]:
    """Return class names short, visible, and different wherever the classes are.

    >>> named(["yes", "", 1, "1"])
    ['yes', "''", '1', "'1'"]
    """
    shown = [_brief(label, longest) for label in labels]
    for mark in (_in_quotes, _with_hash):
        seen = Counter(shown)
        shown = [mark(label, text) if seen[text] > 1 else text for label, text in zip(labels, shown, strict=True)]
    return shown


def told_apart(names: Sequence[str], longest: int) -> list[str]:
    """Return names short and different: those that begin and end alike are cut there rather than where they differ.

    >>> told_apart(["a_long_name_1_of_many.csv", "a_long_name_2_of_many.csv", "short"], 12)
    ['a_lon…1….csv', 'a_lon…2….csv', 'short']
    """
    shown = [_brief(name, longest) for name in names]
    seen = Counter(shown)
    for alike in {text for text, times in seen.items() if times > 1}:
        at = [i for i, text in enumerate(shown) if text == alike]
        for i, name in zip(at, _inner([names[i] for i in at], longest), strict=True):
            shown[i] = name
    return shown if len(set(shown)) == len(shown) else named(names, longest)


def _inner(names: Sequence[str], longest: int) -> list[str]:
    """Return names cut between their beginnings and where they differ, and between that and their ends."""
    names = [safe(name, _INSPECTED) for name in names]
    head = _alike(names)
    tail = min(_alike([name[::-1] for name in names]), min(map(len, names)) - head)
    core = [name[head : len(name) - tail] for name in names]
    room = longest - max(map(len, core)) - 2
    if room < _TAIL:
        return [_brief(name, longest) for name in names]
    first, last = room - room // 2, room // 2
    return [f"{name[:first]}…{part}…{name[-last:]}" for name, part in zip(names, core, strict=True)]


def _alike(names: Sequence[str]) -> int:
    """Return with how many of the same letters all names begin."""
    return sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False)))


def _brief(label: Any, longest: int) -> str:
    whole = str(label)
    if len(whole) > 2 * longest:
        whole = whole[:longest] + whole[-longest:]  # so that a label of a megabyte costs no more than a long one
    text = safe(whole, 2 * longest)
    if len(text) > longest:
        end = _end(text, _TAIL)
        text = f"{_head(text, longest - len(end) - 1)}…{end}"
    return text if text and text == text.strip() else f"'{text}'"


def _head(text: str, letters: int) -> str:
    """Return the beginning of a text, up to the end of a word where one ends in the second half of it."""
    head = text[:letters]
    end = head.rfind(" ")
    return head[:end] if text[letters] != " " and end > letters // 2 else head.rstrip()


def _end(text: str, letters: int) -> str:
    """Return the end of a text, from the beginning of a word on where one begins there."""
    end = text[-letters:]
    start = end.find(" ")
    return end[start + 1 :] if text[-letters - 1] != " " and 0 <= start < letters - 1 else end


def _in_quotes(label: Any, text: str) -> str:
    return f"'{text}'" if isinstance(label, str) and not text.startswith("'") else text


def _with_hash(label: Any, text: str) -> str:
    digest = hashlib.sha256(f"{type(label).__name__} {label}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"{text} #{digest[:6]}"
