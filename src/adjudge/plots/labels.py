"""Numbers and names as a reader sees them, on pictures and in tables.

A rounded number may never claim what the exact one does not: 0.9999 is not 100%, and a rare event is not 0%.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import product
from os.path import commonprefix
from typing import Any

from adjudge._base import honest, probable, safe, share, spelt_apart

NOTHING = "\u2013"  # a dash, where there is nothing to say
_LONGEST = 80  # characters of a class name in tables; pictures have less room
_INSPECTED = 1000  # characters in which names may differ
_TAIL = 6  # characters kept from the end of a name that is cut
_SIGNIFICANT = 4  # digits of a number without bounds
_THOUSAND = 1000
_DIGITS = 9  # decimals that a reader can still count
_TINY = 0.005  # probabilities below it differ in more digits than others
_MOST_DIGITS = 20
_RARE = (1e-2, 1e-3, 1e-4, 1e-5)  # below each of them a share has one more decimal
_LETTERS = (("ijlIJ',. ", 0.32), ("/:;|\\f-()[]t!r", 0.41), ("cszkLF_*?", 0.58), ("mMwW@%", 1.0))  # widths in DejaVu Sans, in ems
_EMS = {letter: wide for letters, wide in _LETTERS for letter in letters}
_LOWER, _UPPER, _OTHER, _BOLD = 0.637, 0.78, 1.0, 1.14  # of other letters; and how much wider bold ones are
_BREAKS = re.compile(r"(?<=\s)(?=\S)|(?<=[_\-/.,;:)])(?=[^\s\d])|(?<=[a-z])(?=[A-Z])")  # where a name may go on in the next line
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
    if not math.isfinite(value):
        return number(value)
    return f"{value:,.0f}" if _THOUSAND <= abs(value) < _WHOLE else f"{value:.{_SIGNIFICANT}g}"


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
    return f"{name} {'undefined' if math.isnan(p) else probable(p, 3)}"


def rounded(value: float, width: float) -> str:
    """Return a number without bounds whose interval is `width` wide: two digits of that show.

    >>> rounded(0.3, 0.047), rounded(1234.56, 3136), rounded(0.12345, 0.0)
    ('0.300', '1,235', '0.1235')
    """
    if not (0 < width < math.inf and math.isfinite(value)):
        return loss(value)
    digits = max(0, math.ceil(-math.log10(width)) + 1)
    return f"{value:,.{digits}f}" if digits <= _DIGITS and abs(value) < _WHOLE else f"{value:.{_SIGNIFICANT}g}"


def signed(words: str, value: float) -> str:
    """Return a number with its sign; nothing is neither more nor less.

    >>> signed("2.5", 2.5), signed("-2.5", -2.5), signed("0", 0)
    ('+2.5', '-2.5', '0')
    """
    return f"+{words}" if value > 0 and words[0].isdigit() else words


def margin_words(margin: float, *, percent: bool) -> str:
    """Return the largest difference that counts as none, one of shares in percentage points."""
    points = f"{100 * margin if percent else margin:.4g}"
    return f"{points} point{'' if points == '1' else 's'}" if percent else points


def decimals_for(width: float, most: int = 6) -> int:
    """Return the decimals of a percentage whose interval is `width` wide (as a share): two digits of it show.

    >>> decimals_for(0.04), decimals_for(0.004)
    (1, 2)
    """
    return min(most, max(1, math.ceil(-math.log10(100 * width)) + 1)) if width > 0 else 1


def named(labels: Sequence[Any], longest: int = _LONGEST) -> list[str]:
    """Return class names short, visible, and different wherever the classes are.

    >>> named(["yes", "", 1, "1"])
    ['yes', "''", '1', "'1'"]
    """
    shown = spelt_apart(labels, [_brief(label, longest) for label in labels])
    seen = Counter(shown)
    for i, label in enumerate(labels):  # in quotes where a number looks like a text
        if seen[shown[i]] > 1 and isinstance(label, str) and not shown[i].startswith("'"):
            shown[i] = f"'{shown[i]}'"
    seen = Counter(shown)
    for i, label in enumerate(labels):  # with some of a hash where that is not enough
        if seen[shown[i]] > 1:
            digest = hashlib.sha256(f"{type(label).__name__} {label}".encode("utf-8", "surrogatepass")).hexdigest()
            shown[i] = f"{shown[i]} #{digest[:6]}"
    return shown


def distinct_names(names: Sequence[str], longest: int) -> list[str]:
    """Return names short and different: those that begin and end alike are cut there rather than where they differ.

    >>> distinct_names(["a_long_name_1_of_many.csv", "a_long_name_2_of_many.csv", "short"], 12)
    ['a_lon…1….csv', 'a_lon…2….csv', 'short']
    """
    shown = spelt_apart(names, [_brief(name, longest) for name in names])
    for text in [text for text, times in Counter(shown).items() if times > 1]:
        at = [i for i, each in enumerate(shown) if each == text]
        whole = [safe(names[i], _INSPECTED) for i in at]
        turned = [name[::-1] for name in whole]
        head, tail = (len(commonprefix(each)) for each in (whole, turned))  # noqa: RUF071 - letters in which all are alike
        tail = min(tail, min(map(len, whole)) - head)
        core = [name[head : len(name) - tail] for name in whole]
        room = longest - max(map(len, core)) - 2
        if room >= _TAIL:  # between where names begin alike and where they differ, and from there to the end
            for i, name, part in zip(at, whole, core, strict=True):
                shown[i] = f"{name[: room - room // 2]}…{part}…{name[-(room // 2) :]}"
    return shown if len(set(shown)) == len(shown) else named(names, longest)


def _brief(label: Any, longest: int) -> str:
    """Return a label in one short line; one that is too long is cut near its end, between words if there are some."""
    whole = str(label)
    if len(whole) > 2 * longest:
        whole = whole[:longest] + whole[-longest:]  # so that a label of a megabyte costs no more than a long one
    text = safe(whole, 2 * longest)
    if len(text) > longest:
        end = text[-_TAIL:]
        start = end.find(" ")
        end = end[start + 1 :] if text[-_TAIL - 1] != " " and 0 <= start < _TAIL - 1 else end
        letters = longest - len(end) - 1
        head = text[:letters]
        stop = head.rfind(" ")
        head = head[:stop] if text[letters] != " " and stop > letters // 2 else head.rstrip()
        text = f"{head}…{end}"
    return text if text and text == text.strip() else f"'{text}'"


def ems(words: str, *, bold: bool = False) -> float:
    """Return how wide a line of words is, in units of the size of its letters, in the widest of the usual fonts.

    >>> round(ems("ill"), 2), round(ems("W"), 2)
    (0.96, 1.0)
    """
    return sum(map(_em, words)) * (_BOLD if bold else 1.0)


@lru_cache(maxsize=4096)
def _em(letter: str) -> float:
    return _EMS.get(letter, _UPPER if letter.isupper() else _LOWER if letter.isascii() else _OTHER)


def in_lines(labels: Sequence[Any], room: float, *, most: int = 2, longest: int = 60, bold: bool = False) -> list[str]:
    r"""Return names in as few and as equal lines as fit into `room`, in ems; they are cut only where `most` lines hold no more.

    >>> in_lines(["chronic obstructive lung disease", "none"], 11)
    ['chronic obstructive\nlung disease', 'none']
    """
    cut = distinct_names if all(isinstance(label, str) for label in labels) else named
    names = cut(labels, longest)
    shown = [_broken(name, room, most, bold=bold) for name in names]
    long = [i for i, each in enumerate(shown) if not each]
    if 0 < len(long) < len(shown):  # the others stay whole
        cuts = in_lines([labels[i] for i in long], room, most=most, longest=longest, bold=bold)
        shown = [cuts[long.index(i)] if i in long else each for i, each in enumerate(shown)]
        long = list(range(len(shown))) if len(set(shown)) < len(shown) else []
    for letters in range(longest - 1, _TAIL + 1, -1) if long else ():
        names = cut(labels, letters)
        if letters == _TAIL + 2 or all(_broken(name, room, most, bold=bold) for name in names):
            shown = [_broken(name, room, most, bold=bold) for name in names]
            break
    return [each or name for each, name in zip(shown, names, strict=True)]


def _broken(name: str, room: float, most: int, *, bold: bool) -> str:
    """Return a name in lines: between words, within them where it must be; nothing where there are more than `most`."""
    wide = ems(name, bold=bold)
    if wide <= room:
        return name
    steps = 12
    tries = [wide / most + (room - wide / most) * i / steps for i in range(steps + 1)]
    factor = _BOLD if bold else 1.0
    for parts, each in product((_BREAKS.split(name), list(name)), tries):
        lines, whole, solid = [""], 0.0, 0.0  # the width of the last line, with and without the spaces at its end
        for part in parts:
            wide, filled = _wider(part, whole, solid)
            if filled * factor > each:
                lines.append("")
                wide, filled = _wider(part, 0.0, 0.0)
            if len(lines) > most:
                break
            lines[-1], whole, solid = lines[-1] + part, wide, filled
        if len(lines) <= most and all(ems(line.rstrip(), bold=bold) <= room for line in lines):
            return "\n".join(line.strip() for line in lines if line)
    return ""


def _wider(part: str, whole: float, solid: float) -> tuple[float, float]:
    """Return the width of a line that goes on with `part`, with and without the spaces at its end."""
    for letter in part:
        whole += _em(letter)
        solid = solid if letter.isspace() else whole
    return whole, solid


def threshold_words(value: float, *, probable: bool, alike: tuple[float, float] | None = None) -> str:
    """Return a threshold as a reader sees it; from infinity on nobody is called.

    `alike` are the scores between which a threshold calls the same cases, the upper one included: digits are added until the
    number shown does so too, so that a reader who copies it decides as was judged.

    >>> threshold_words(0.61728, probable=True), threshold_words(0.61728, probable=True, alike=(0.61709, 0.61728))
    ('61.7%', '61.728%')
    """
    if math.isinf(value):
        return "none positive" if value > 0 else "all positive"
    percent = probable and 0 <= value <= 1
    first = loss(value) if not percent else f"{100 * value:.3g}%" if 0 < value < _TINY else share(value)
    if alike is None or alike[0] < _meant(first) <= alike[1]:
        return first
    more = range(2, _MOST_DIGITS)  # decimals of a percentage, and more significant digits than a plain score has
    each = (f"{Decimal(value) * 100:.{digits}f}%" if percent else f"{value:.{digits + 3}g}" for digits in more)
    return next((text for text in each if alike[0] < _meant(text) <= alike[1]), f"{value!r}")


def _meant(text: str) -> float:
    """Return the number that a reader would take a threshold for; NaN where it is only said to be beyond some number."""
    if text[0] in "<>":
        return math.nan
    number = Decimal(text.rstrip("%").replace(",", ""))
    return float(number / 100 if text.endswith("%") else number)


def rare(value: float) -> str:
    """Return a share as a percentage, below 1% to two significant digits: rare classes differ there.

    >>> rare(0.233), rare(0.0123), rare(0.001), rare(0.0005)
    ('23.3%', '1.2%', '0.10%', '0.050%')
    """
    return share(value, 1 + sum(0 < value < limit for limit in _RARE), 6)
