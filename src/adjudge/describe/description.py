"""A result described once, for every renderer: what it says first, its figure, and the parts of its page.

Each family of results has a module of this package with one function that builds its document; it is registered with
:func:`document`. Other results tell their fields.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from functools import singledispatch
from importlib import import_module
from typing import Any

import numpy as np

from adjudge._base import Finding, InputError, Shown, Undefined, safe
from adjudge.describe.document import Card, Document, Row, Section, Step, Table, titled
from adjudge.describe.values import limits_of, method, one_name, percent, spoken
from adjudge.estimates.estimate import Estimate, Interval
from adjudge.plots.labels import loss, probability

LONGEST, LONGEST_TEXT = 300, 1000
"""Letters of a field in words, and of what a learner said."""
FAMILIES = {
    **dict.fromkeys(("Comparison", "Ranking", "OverSets"), "comparison"),
    **dict.fromkeys(("Recommendations", "Fitted", "Corrected"), "corrections"),
    "EnsemblesJudged": "ensembles",
    **dict.fromkeys(("Evaluation", "Report"), "evaluation"),
    **dict.fromkeys(("Gate", "JudgedRule", "SampleSize"), "gate"),
    **dict.fromkeys(("Resampled", "Overfitting", "OverfittingAgainst", "TradeOff"), "learner"),
    **dict.fromkeys(("Population", "Subject", "Approximation"), "population"),
    **dict.fromkeys(("PartitionSpace", "PartitionComparison"), "partition"),
    **dict.fromkeys(("SideBySide", "WhereCorrect", "Overlaid"), "side_by_side"),
    **dict.fromkeys(("Thresholds", "Operating"), "thresholds"),
}
"""The module of this package that describes a type of results; `numbers` describes all others. One is loaded when asked for."""
_MOST_VALUES = 8
_SHORT = 64  # letters of facts that stand at the right
_UNTOLD = {"findings", "type_i_error"}


def describe(result: Any, *, figure: bool = True, whole: bool = True, title: Any = None) -> Document:
    """Return all that a result says as a document; without its figure, or the parts of a page, where nobody asks for them.

    `title` stands in the place of the title of the page.

    >>> from adjudge.counts.confusion import ConfusionCounts
    >>> describe(ConfusionCounts([[40, 5], [8, 20]], ("no", "yes"))).sentences
    ('73 cases of 2 classes, 60 correct (rows: true class, columns: predicted class)',)
    """
    description, drawn = documented(result, whole=whole), None
    bare = whole and not description.sections
    if figure or bare:
        from adjudge.plots.pictures import picture

        with suppress(InputError):  # not everything can be drawn
            drawn = picture(result)
    if bare:  # it has no page of its own: what it says first, its picture, every number
        if not isinstance(result, Shown):
            msg = f"There are no words for {type(result).__name__}; evaluate() gives a result that has."
            raise InputError(msg)
        sections = [*opening(spaced(type(result).__name__), "", description.sentences, (), description.findings)]
        sections += [] if drawn is None else [Section("figure", "picture", "Picture", figure=drawn)]
        sections += [] if description.key is None else [Section("table", "numbers", "In numbers", tables=(description.key,))]
        description = replace(description, sections=tuple(sections))
    return replace(titled(description, title), figure=drawn if figure else None)


def documented(result: Any, *, whole: bool) -> Document:
    """Return what a result says, by the module of its family."""
    names = [kind.__name__ for kind in type(result).__mro__]
    import_module(f"adjudge.describe.{next((FAMILIES[name] for name in names if name in FAMILIES), 'numbers')}")
    return document(result, whole=whole)


@singledispatch
def document(result: Any, **_: bool) -> Document:
    """Return what a result says, of one without a family its fields; the sections of its page only where it is `whole`."""
    return of_fields(result, spaced(type(result).__name__) if is_dataclass(result) else safe(repr(result), LONGEST))


def of_fields(result: Any, *sentences: str) -> Document:
    """Return sentences, and the fields of a result that are numbers or words, as a notebook and a terminal show them."""
    rows = []
    for each in fields(result) if is_dataclass(result) else ():
        value = getattr(result, each.name)
        words = told(value)
        if isinstance(value, float) and math.isfinite(value) and (each.name.startswith("p_") or each.name == "probability"):
            words = probability(value, 3)
        elif isinstance(value, float) and math.isfinite(value) and each.name == "level":
            words = percent(value)
        elif isinstance(value, str) and value and each.name in ("measure", "quantity"):
            words = spoken(value)
        if words and each.repr and each.name not in _UNTOLD:
            rows.append((each.name.replace("_", " "), words))
    return noted(*sentences, key=facts(tuple(rows)) if rows else None, findings=findings_of(result))


def noted(*sentences: str, key: Table | None = None, findings: tuple[Finding, ...] = ()) -> Document:
    """Return what a notebook and a terminal show alike."""
    return Document(sentences, () if key is None else (key,), findings, key=key)


def opening(
    title: str, lead: str, told: Iterable[str], cards: Iterable[Card] = (), findings: tuple[Finding, ...] = (), **first: Any
) -> Iterator[Section]:
    """Yield how a page begins: the verdict and, where there are some, next steps and findings; what a learner said is cut."""
    steps: tuple[Step, ...] = first.pop("steps", ())
    yield Section("verdict", "verdict", title, lead, tuple(told), tuple(cards), **first)
    if steps:
        yield Section("steps", "next-steps", "Next steps", steps=steps)
    if findings:
        shown = tuple(replace(each, message=safe(each.message, LONGEST_TEXT)) for each in findings)
        yield Section("findings", "findings", "Caveats", findings=shown)


def methods_section(*sentences: str) -> Section:
    """Return the section that says how numbers were made."""
    return Section("methods", "methods", "Methods", sentences=sentences, theme="methods")


def spaced(name: str) -> str:
    """Return the name of a type as words: "Over folds" of OverFolds."""
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()
    return words[:1].upper() + words[1:]


def findings_of(result: Any) -> tuple[Finding, ...]:
    """Return the findings of a result, where it has some."""
    findings = getattr(result, "findings", ())
    return tuple(each for each in findings if isinstance(each, Finding)) if isinstance(findings, tuple) else ()


def facts(rows: tuple[Row, ...]) -> Table:
    """Return names and values; words that are long begin at the left."""
    return Table("", ("", ""), rows, "lr" if all(len(words) < _SHORT for _, words in rows) else "ll")


def told(value: Any) -> str:
    """Return a field in a few words, or nothing where it would take many."""
    words = ""
    match value:
        case bool() | np.bool_():
            words = "yes" if value else "no"
        case Estimate():
            limits = "" if value.interval is None else f" ({percent(value.interval.level)}: {limits_of(value.interval)})"
            words = f"{number_told(value.value)}{limits}"
        case Interval():
            words = f"{limits_of(value)} ({percent(value.level)}, {safe(method(value), LONGEST)})"
        case int() | np.integer():
            words = f"{int(value):,}"
        case float() | np.floating():
            words = number_told(value)
        case str():
            words = safe(value, LONGEST)
        case np.ndarray() if value.ndim == 1 and value.size <= _MOST_VALUES and value.dtype.kind in "iuf":
            words = ", ".join(loss(float(v)) for v in value)
        case dict() if value and all(isinstance(v, (Estimate, int, float)) for v in value.values()):
            each = [f"{one_name(k, LONGEST)} {told(v)}" for k, v in list(value.items())[:_MOST_VALUES]]
            words = ", ".join(each) + (f" and {len(value) - _MOST_VALUES:,} more" if len(value) > _MOST_VALUES else "")
        case tuple() | list() if all(v is None or isinstance(v, (str, bool, int, float)) for v in value):
            first = (one_name(v, LONGEST) if isinstance(v, str) else told(v) for v in value[:_MOST_VALUES] if v is not None)
            more = f" and {len(value) - _MOST_VALUES:,} more" if len(value) > _MOST_VALUES else ""
            words = f"{', '.join(first)}{more}" if any(v is not None and v != "" for v in value) else ""
    return words


def number_told(value: Any) -> str:
    """Return a number to four digits, or why there is none."""
    return f"undefined: {safe(value.reason)}" if isinstance(value, Undefined) else loss(float(value))
