"""Put labels and names in front of a reader without letting them do anything else."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

LONGEST = 80  # characters of a label shown; the rest is told by its length and a hash
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def safe(value: Any, longest: int = LONGEST) -> str:
    """Return `value` as one line of visible text; long labels are cut and hashed.

    Control, formatting and direction characters become escapes: a label can neither clear a terminal nor turn a line around.
    """
    text = str(value)
    if len(text) > longest:
        import hashlib  # help does without it, and so do most commands

        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        text = f"{text[:longest]}… ({len(text):,} characters, sha256 {digest})"
    if text.isascii() and text.isprintable():
        return text
    hidden = (unicodedata.category(character) in _HIDDEN for character in text)
    return "".join(_escape(ord(character)) if hide else character for character, hide in zip(text, hidden, strict=True))


def quoted(value: Any) -> str:
    """Return `value` safe and, when it is text, in quotes."""
    return f"'{safe(value)}'" if isinstance(value, str) else safe(value)


def listed(values: Iterable[Any], most: int = 5) -> str:
    """Return the first few `values`, and how many more there are."""
    return first_few([quoted(value) for value in values], most)


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
