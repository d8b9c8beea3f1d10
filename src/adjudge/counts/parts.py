"""Folds and groups: how many are counted apart, and in which order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from adjudge.predictions.labels import parse

MOST_PARTS = 10_000
"""Folds or groups counted apart."""


def in_order(codes: Iterable[int], labels: Sequence[Any]) -> list[int]:
    """Sort parts by what their labels mean: '2' before '10', numbers before text."""

    def key(code: int) -> tuple[bool, Any]:
        label = parse(labels[code]) if isinstance(labels[code], str) else labels[code]
        return (not isinstance(label, (int, float)), label if isinstance(label, (int, float)) else str(label))

    return sorted(codes, key=key)
