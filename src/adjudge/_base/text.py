"""Put labels and names in front of a reader without letting them do anything else."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any

LONGEST = 80  # characters of a label shown; of a longer one the first, its length and a hash
_ROOM = 40  # of these for length and hash
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
_UNSEEN = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U0001d159\U000e0100-\U000e01ef"
"""Marks, letters and signs that have no shape (Default_Ignorable_Code_Point of Unicode), and two that are blank."""
_MARKS = {"Mn", "Me"}
_STACKED = 4  # marks on one letter, which is more than any language needs
_NO_SHAPE = re.compile(f"[{_UNSEEN}]")
_LINKED = re.compile(r"(?<=[@#])(?=\w)|(?<=:)(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_WORDS = f"[{_RIGHT_TO_LEFT}](?:[{_RIGHT_TO_LEFT}\u0300-\u036f\u20d0-\u20f0]|[ _'-](?=[{_RIGHT_TO_LEFT}]))*"
_AGAINST = re.compile(f"(<code>.*?</code>|>{_WORDS}(?=<))|{_WORDS}", re.DOTALL)


def safe(value: Any, longest: int = LONGEST) -> str:
    """Return `value` as one line of visible text of about `longest` characters; what is longer is cut and hashed.

    What nobody sees becomes an escape: control, format and direction characters, zero widths, blanks other than one space, and
    marks without a letter or too many on one. A label can neither clear a terminal nor turn a line around, and two that
    differ by such characters look different.
    """
    text = str(value)
    if len(text) <= longest and text.isascii() and text.isprintable() and "  " not in text:
        return text
    shown = list(_visible(text[:longest]))
    if len(text) <= longest and sum(map(len, shown)) <= longest:
        return "".join(shown)
    import hashlib  # help does without it, and so do most commands

    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    room = accumulate(map(len, shown), initial=_ROOM - max(longest, 2 * _ROOM))
    head = "".join(each for each, end in zip(shown, list(room)[1:], strict=True) if end <= 0)
    return f"{head}… ({len(text):,} characters, sha256 {digest})"


def _visible(text: str) -> Iterator[str]:
    """Yield every character that can be seen, and escapes of the others."""
    stacked, before = _STACKED, ""  # where there is no letter there is no room for a mark
    for character in text:
        kind = unicodedata.category(character)
        hidden = kind in _HIDDEN and (character != " " or before == " ")
        hidden = hidden or _NO_SHAPE.match(character) is not None
        stacked = stacked + 1 if kind in _MARKS and not hidden else _STACKED if hidden or character == " " else 0
        yield _escape(ord(character)) if hidden or (kind in _MARKS and stacked > _STACKED) else character
        before = character


def left_to_right(text: str) -> str:
    """Return a text in which words written from right to left do not turn around what stands beside them.

    A mark that nobody sees (U+200E) before and after such words says so to whatever shows the text. In HTML, calls (`<code>`)
    and words that fill an element have none: they are copied, and nothing stands beside them.
    """
    return text if text.isascii() else _AGAINST.sub(lambda found: found[1] or f"\u200e{found[0]}\u200e", text)


def unlinked(text: str) -> str:
    """Return a text of which GitHub makes no link, reference or mention: a joiner that nobody sees (U+2060) breaks them."""
    return _LINKED.sub("\u2060", text)


def spelt_apart(values: Sequence[Any], shown: Sequence[str]) -> list[str]:
    r"""Return how values are shown, those that look like another by escapes: letters of another Unicode form, and backslashes.

    >>> spelt_apart(["\u00e9", "e\u0301"], ["\u00e9", "e\u0301"])[1]
    'e\\u0301'
    """
    looks = [unicodedata.normalize("NFC", each) for each in shown]
    if len(set(looks)) == len(looks):
        return list(shown)
    alike = Counter(looks)
    return [_spelt(own, text) if alike[look] > 1 else text for own, look, text in zip(values, looks, shown, strict=True)]


def _spelt(value: Any, shown: str) -> str:
    """Return what is shown of a text, its own backslashes doubled, and by escapes what is not in the usual Unicode form."""
    doubled = shown.replace("\\", "\\\\") if "\\" in str(value) else shown
    if unicodedata.is_normalized("NFC", doubled):
        return doubled
    return "".join(each if each.isascii() or each == "…" else _escape(ord(each)) for each in doubled)


def quoted(value: Any) -> str:
    """Return `value` safe and, when it is text, in quotes."""
    return f"'{safe(value)}'" if isinstance(value, str) else safe(value)


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Return the first few `values`, and how many more there are."""
    every = list(values)
    shown = spelt_apart(every[:most], [quoted(value) for value in every[:most]])
    return first_few([*shown, *every[most:]], most)


def first_few(words: Sequence[str], most: int) -> str:
    """Return the first words with commas between them, and how many more there are."""
    shown = ", ".join(words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most:,} more"


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun: '1 row', '2,000 rows'."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def probable(p: float, digits: int = 2) -> str:
    """Return a probability with its sign of equality, '= 0.83' or '> 0.99'; a finite number of cases never makes it 0 or 1."""
    least = 10.0**-digits
    if p < least:
        return f"< {least:.{digits}f}"
    return f"> {1 - least:.{digits}f}" if p > 1 - least else f"= {p:.{digits}f}"


def _escape(code: int) -> str:
    if code <= 0xFF:  # noqa: PLR2004 - the last code that two hex digits can show
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"  # noqa: PLR2004
