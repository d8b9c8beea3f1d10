"""A result described once, for every renderer: what it says first, its figure, and the parts of its page.

Each family of results has a module of this package with one function that builds its document; it is registered with
:func:`document`. Other results tell their fields.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from adjudge._base.errors import InputError
from adjudge._base.findings import Finding
from adjudge._base.show import Shown
from adjudge._base.text import safe
from adjudge._base.undefined import Undefined
from adjudge.describe.document import Document, Row, Section, Table
from adjudge.describe.values import limits_of, method, percent, probability, spoken
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.plots.labels import loss, named
from adjudge.plots.pictures import picture

LONGEST = 300
"""Letters of a field in words."""
_MOST_VALUES = 8
_SHORT = 64  # letters of facts that stand at the right
_UNTOLD = {"findings", "type_i_error"}


def describe(result: Any, *, figure: bool = True, whole: bool = True) -> Document:
    """Return all that a result says as a document; without its figure, or the parts of a page, where nobody asks for them.

    >>> from adjudge.counts.confusion import ConfusionCounts
    >>> describe(ConfusionCounts([[40, 5], [8, 20]], ("no", "yes"))).sentences
    ('73 cases of 2 classes, 60 right (rows true, columns assigned)',)
    """
    found = document(result, whole=whole)
    bare = whole and not found.sections
    drawn = _drawn(result) if figure or bare else None
    if bare:
        found = replace(found, sections=tuple(_plain_page(result, found, drawn)))
    return replace(found, figure=drawn if figure else None)


@singledispatch
def document(result: Any, **_: bool) -> Document:
    """Return what a result says, of one without a family its fields; the sections of its page only where it is `whole`."""
    return of_fields(result, spaced(type(result).__name__) if is_dataclass(result) else safe(repr(result), LONGEST))


def of_fields(result: Any, *sentences: str) -> Document:
    """Return sentences, and the fields of a result that are numbers or words, as a notebook and a terminal show them."""
    rows = tuple(_fields(result)) if is_dataclass(result) else ()
    return noted(*sentences, key=facts(rows) if rows else None, findings=findings_of(result))


def noted(*sentences: str, key: Table | None = None, findings: tuple[Finding, ...] = ()) -> Document:
    """Return what a notebook and a terminal show alike."""
    return Document(sentences, () if key is None else (key,), findings, key=key)


def _drawn(result: Any) -> Any:
    try:
        return picture(result)
    except InputError:  # not everything can be drawn
        return None


def _plain_page(result: Any, found: Document, drawn: Any) -> Iterator[Section]:
    """Yield the page of a result that has none of its own: what it says first, its picture, every number."""
    if not isinstance(result, Shown):
        msg = f"There are no words for {type(result).__name__}; evaluate() gives a result that has."
        raise InputError(msg)
    yield Section("verdict", "verdict", spaced(type(result).__name__), sentences=found.sentences)
    yield from caveats(found.findings)
    if drawn is not None:
        yield Section("figure", "picture", "Picture", figure=drawn)
    if found.key is not None:
        yield Section("table", "numbers", "In numbers", tables=(found.key,))


def caveats(findings: tuple[Finding, ...], longest: int | None = None) -> Iterator[Section]:
    """Yield the section of the findings, where there are some; `longest` cuts what a learner said when it failed."""
    if findings:
        shown = findings if longest is None else tuple(replace(each, message=safe(each.message, longest)) for each in findings)
        yield Section("findings", "findings", "Caveats", findings=shown)


def methods_section(*sentences: str) -> Section:
    """Return the section that says how numbers were made."""
    return Section("methods", "methods", "Methods", sentences=sentences, theme="methods")


def spaced(name: str) -> str:
    """Return the name of a type as words.

    >>> spaced("OverFolds")
    'Over folds'
    """
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
    return words[:1].upper() + words[1:]


def findings_of(result: Any) -> tuple[Finding, ...]:
    """Return the findings of a result, where it has some."""
    found = getattr(result, "findings", ())
    return tuple(each for each in found if isinstance(each, Finding)) if isinstance(found, tuple) else ()


# -- fields ----------------------------------------------------------------------------------------------------


def facts(rows: tuple[Row, ...]) -> Table:
    """Return names and values; words that are long begin at the left."""
    return Table("", ("", ""), rows, "lr" if all(len(words) < _SHORT for _, words in rows) else "ll")


def _fields(result: Any) -> Iterator[Row]:
    for each in fields(result):
        value = getattr(result, each.name)
        if each.name in _UNTOLD or not each.repr:
            continue
        words = told(value)
        if isinstance(value, float) and math.isfinite(value) and (each.name.startswith("p_") or each.name == "probability"):
            words = probability(value, 3).removeprefix("= ")
        elif isinstance(value, float) and math.isfinite(value) and each.name == "level":
            words = percent(value)
        elif isinstance(value, str) and each.name in ("measure", "quantity"):
            words = spoken(value)
        if words:
            yield each.name.replace("_", " "), words


def told(found: Any) -> str:
    """Return a field in a few words, or nothing where it would take many."""
    return next((words(found) for kind, words in _WORDS if isinstance(found, kind)), "")


def number_told(found: Any) -> str:
    """Return a number to four digits, or why there is none."""
    return f"undefined: {safe(found.reason)}" if isinstance(found, Undefined) else loss(float(found))


def _estimate(found: Estimate) -> str:
    limits = "" if found.interval is None else f" ({percent(found.interval.level)}: {limits_of(found.interval)})"
    return f"{number_told(found.value)}{limits}"


def _array(found: Any) -> str:
    short = found.ndim == 1 and found.size <= _MOST_VALUES and found.dtype.kind in "iuf"
    return ", ".join(loss(float(v)) for v in found) if short else ""


def _several(found: Any) -> str:
    plain = all(v is None or isinstance(v, (str, bool, int, float)) for v in found)
    if not plain or not any(v is not None and v != "" for v in found):
        return ""
    shown = ", ".join(named([v], LONGEST)[0] if isinstance(v, str) else told(v) for v in found[:_MOST_VALUES] if v is not None)
    return shown if len(found) <= _MOST_VALUES else f"{shown} and {len(found) - _MOST_VALUES:,} more"


_WORDS: tuple[tuple[Any, Callable[[Any], str]], ...] = (
    ((bool, np.bool_), lambda v: "yes" if v else "no"),
    (Estimate, _estimate),
    (Interval, lambda v: f"{limits_of(v)} ({percent(v.level)}, {safe(method(v), LONGEST)})"),
    ((int, np.integer), lambda v: f"{int(v):,}"),
    ((float, np.floating), number_told),
    (str, lambda v: safe(v, LONGEST)),
    (np.ndarray, _array),
    ((tuple, list), _several),
)
