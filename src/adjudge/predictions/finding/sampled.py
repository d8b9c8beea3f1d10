"""What the first rows of a column can say about it, worked out once and only when asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.predictions.finding.names import key_of, names_something_else, strength
from adjudge.predictions.labels import ordered, text_of
from adjudge.predictions.roles import Column, Kind

FEW = 20
"""So many different labels are always plausible; more must repeat often, or be named."""
_REPEATS = 4
_EDGE = 1e-6  # float32 probabilities may leave [0, 1] by this much


@dataclass(frozen=True, eq=False)
class Sampled:
    """A column's first rows and the facts found in them."""

    column: Column

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def kind(self) -> Kind:
        """The column's kind."""
        return self.column.kind

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers one by one."""
        return self.kind in ("float", "int")

    @cached_property
    def finite(self) -> FloatArray:
        """The numbers that are there; empty for text."""
        if self.kind not in ("float", "int", "bool"):
            return np.empty(0)
        values: FloatArray = np.asarray(self.column.values, dtype=np.float64)
        return values[np.isfinite(values)]

    @cached_property
    def whole(self) -> bool:
        """Whether there are numbers and all are whole."""
        return self.finite.size > 0 and bool(np.all(self.finite == np.floor(self.finite)))

    @property
    def continuous(self) -> bool:
        """Whether the column holds numbers that cannot be class numbers."""
        return self.kind == "float" and self.finite.size > 0 and not self.whole

    @cached_property
    def unit(self) -> bool:
        """Whether every number lies in [0, 1]."""
        return self.finite.size > 0 and bool(self.finite.min() >= -_EDGE and self.finite.max() <= 1 + _EDGE)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The distinct labels in order; none when the values cannot be labels."""
        if self.kind in ("text", "category"):
            return tuple(ordered({v for v in self.column.values.tolist() if v is not None and v == v}))  # noqa: PLR0124
        if not self.whole:
            return ()
        distinct = sorted(set(self.finite.tolist()))
        return tuple(bool(v) for v in distinct) if self.kind == "bool" else tuple(int(v) for v in distinct)

    @cached_property
    def keys(self) -> dict[str, Any]:
        """The labels by the text they are compared with names by."""
        return {key_of(text_of(label)): label for label in self.labels}

    @cached_property
    def key_set(self) -> frozenset[str]:
        """The keys of `keys`, for set arithmetic."""
        return frozenset(self.keys)

    @cached_property
    def folded(self) -> frozenset[str]:
        """The keys without regard to case; empty when case tells labels apart."""
        folded = frozenset(key.casefold() for key in self.keys)
        return folded if len(folded) == len(self.keys) else frozenset()

    @property
    def size(self) -> int:
        """The number of rows seen."""
        return len(self.column.values)

    @cached_property
    def distinct(self) -> int:
        """The number of different values."""
        return len(self.labels) or len(np.unique(self.finite))

    @cached_property
    def label_like(self) -> bool:
        """Whether this may be the truth or a decision.

        A name lifts the limits on how many labels there may be and how few, since a sorted file may start
        with one class; nothing lifts an identity, a fold or a weight into a label.
        """
        if not self.labels or names_something_else(self.name):
            return False
        if strength("truth", self.name) or strength("predicted", self.name):
            return True
        return 1 < len(self.labels) <= max(FEW, self.size // _REPEATS)

    def codes(self, positions: Mapping[str, int], *, fold: bool) -> IntArray:
        """Return the position of each row's label, -1 where it has none."""
        plain = {key.casefold() if fold else key: label for key, label in self.keys.items()}
        by_label = {label: positions[key] for key, label in plain.items() if key in positions}
        return np.array([by_label.get(value, -1) for value in self.column.values.tolist()], dtype=np.int64)
