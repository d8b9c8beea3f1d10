"""Measures asked for by name: a line each, with the formula."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge._base.text import safe
from adjudge.describe.description import document
from adjudge.describe.document import Document, Table
from adjudge.describe.values import limits, title, value
from adjudge.judgements.selected import Selected
from adjudge.metrics.catalogue import find


@document.register
def _(result: Selected, **_: bool) -> Document:
    rows = tuple((title(each), value(each), limits(each)) for each in result.estimates)
    return Document((), lines=tuple(_lines(result)), key=Table("", ("Measure", "Value", "Limits"), rows, "lrr"))


def _lines(result: Selected) -> Iterator[str]:
    for estimate in result.estimates:
        interval, formula = estimate.interval, find(estimate.measure).formula
        told = "" if interval is None else f"  [{interval.low:.6g}, {interval.high:.6g}] {interval.method}"
        shown = f"{estimate.value:.6g}{told}" if estimate.reason is None else f"undefined: {estimate.reason}"
        yield f"{estimate.measure} {shown}  ({formula})"
        yield from () if interval is None else (f"  {safe(str(finding), 2000)}" for finding in interval.findings)
