"""Measures asked for by name: a line each, with the formula."""

from __future__ import annotations

from collections.abc import Iterator

from adjudge._base.text import safe
from adjudge.describe.document import Document
from adjudge.describe.summaries import brief
from adjudge.judgements.selected import Selected
from adjudge.metrics.catalogue import find


@brief.register
def _(result: Selected) -> Document:
    return Document((), lines=tuple(_lines(result)))


def _lines(result: Selected) -> Iterator[str]:
    for estimate in result.estimates:
        limits, formula = estimate.interval, find(estimate.measure).formula
        told = "" if limits is None else f"  [{limits.low:.6g}, {limits.high:.6g}] {limits.method}"
        value = f"{estimate.value:.6g}{told}" if estimate.reason is None else f"undefined: {estimate.reason}"
        yield f"{estimate.measure} {value}  ({formula})"
        yield from () if limits is None else (f"  {safe(str(finding), 2000)}" for finding in limits.findings)
