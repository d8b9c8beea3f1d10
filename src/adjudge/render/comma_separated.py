"""Rows as comma-separated text that a spreadsheet takes for values and never for formulas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\0", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet may run: signs, blanks that it skips, and signs at full width (OWASP; CWE-1236)."""
_NOTHING = '""'  # a line without anything would be no row
_OF_NUMBERS = set("0123456789+-.eE")


def comma_separated(rows: Sequence[dict[str, Any]]) -> str:
    r"""Return rows below their header; numbers with all their digits, nothing where there is no value.

    Text that begins as a formula does gets an apostrophe before it; numbers stay numbers, below 0 too.

    >>> comma_separated([{"class": "=1+1", "value": -0.5}, {"class": "-1", "value": None}])
    "class,value\n'=1+1,-0.5\n-1,\n"
    """
    header = list(dict.fromkeys(name for row in rows for name in row))
    lines: list[list[Any]] = [header, *([row.get(name) for name in header] for row in rows)] if header else []
    text = [",".join(_quoted(_cell(value)) for value in line) for line in lines]
    return "".join(f"{line or _NOTHING}\n" for line in text)


def _quoted(text: str) -> str:
    """Return a cell within quotation marks where it needs them; csv.writer leaves out a carriage return, which ends a row."""
    ends = bool(set(text) & set(',"\r\n')) or text != text.strip()
    return '"' + text.replace('"', '""') + '"' if ends else text


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, float) and math.isinf(value):
        return "inf" if value > 0 else "-inf"  # no formula: a spreadsheet reads words
    text = (
        str(value).encode("utf-8", "backslashreplace").decode()
    )  # halves of characters, which no file can hold, by their escapes
    if isinstance(value, (int, float)) or not text.lstrip(" ").startswith(_FORMULA):
        return text
    return text if _is_number(text) else f"'{text}"


def _is_number(text: str) -> bool:
    """Return whether a label, such as -1, is a number for a spreadsheet too."""
    with suppress(ValueError):
        return set(text) <= _OF_NUMBERS and math.isfinite(float(text))
    return False
