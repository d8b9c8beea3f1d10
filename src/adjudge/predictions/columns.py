"""The first rows of a column, as the parts that columns play are found in them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from adjudge._base.arrays import AnyArray, FloatArray, IntArray
from adjudge._base.records import dataclass
from adjudge.predictions.labels import is_gone, ordered, text_of
from adjudge.predictions.names import RAW_WORDS, WEAK, key_of, names_something_else, strength, words

Kind: TypeAlias = Literal["float", "int", "bool", "text", "category", "vector"]
FEW = 20  # so many different labels are always plausible; more must repeat often, or be named
_REPEATS = 4
_EDGE = 1e-6  # float32 probabilities may leave [0, 1] by this much


@dataclass(frozen=True, eq=False)
class Column:
    """The first rows of one column, and the facts found in them."""

    name: str
    kind: Kind
    values: AnyArray  # numbers as float64, NaN for missing; texts and categories as objects, None for missing; vectors as rows
    refusal: str = ""  # why its cells, which are no plain texts, cannot be scores

    @property
    def numeric(self) -> bool:
        """Whether the column holds numbers one by one."""
        return self.kind in ("float", "int")

    @cached_property
    def finite(self) -> FloatArray:
        """The numbers that are there; empty for text."""
        if self.kind not in ("float", "int", "bool"):
            return np.empty(0)
        values: FloatArray = np.asarray(self.values, dtype=np.float64)
        return values[np.isfinite(values)]

    @cached_property
    def whole(self) -> bool:
        """Whether there are numbers and all are whole."""
        return self.finite.size > 0 and bool(np.all(self.finite == np.floor(self.finite)))

    @property
    def continuous(self) -> bool:
        """Whether the column holds numbers that cannot be class numbers."""
        return self.kind == "float" and self.finite.size > 0 and not self.whole

    @property
    def raw(self) -> bool:
        """Whether the name says scores that are no probabilities."""
        return bool(words(self.name) & RAW_WORDS)

    @cached_property
    def unit(self) -> bool:
        """Whether every number lies in [0, 1]."""
        return self.finite.size > 0 and bool(self.finite.min() >= -_EDGE and self.finite.max() <= 1 + _EDGE)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The distinct labels in order; none when the values cannot be labels."""
        if self.kind in ("text", "category"):
            return tuple(ordered({v for v in self.values.tolist() if not is_gone(v, cells=False)}))
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
        return len(self.values)

    @cached_property
    def distinct(self) -> int:
        """The number of different values."""
        return len(self.labels) or len(np.unique(self.finite))

    @cached_property
    def label_like(self) -> bool:
        """Whether this may be the truth or a decision: by its name, whatever its labels, or by how many labels there are."""
        if not self.labels or names_something_else(self.name) or self.spoilt:
            return False
        if strength("truth", self.name) or strength("predicted", self.name):
            return True
        return 1 < len(self.labels) <= max(FEW, self.size // _REPEATS)

    @cached_property
    def strays(self) -> tuple[tuple[str, int], ...]:
        """The cells that are no numbers, with their rows, where most cells of a column of texts are, some with fractions."""
        if self.kind not in ("text", "category"):
            return ()
        cells = [(str(value), row) for row, value in enumerate(self.values.tolist(), 1) if value is not None]
        numbers, strays = [], []
        for text, row in cells:
            try:
                numbers.append(float(text.replace(",", ".")))
            except ValueError:
                strays.append((text, row))
        return tuple(strays) if len(numbers) > len(strays) and any(number % 1 > 0 for number in numbers) else ()

    @property
    def spoilt(self) -> bool:
        """Whether the name says score, and all but some cells are numbers."""
        rank = strength("score", self.name)
        return rank >= max(WEAK, strength("truth", self.name), strength("predicted", self.name)) and bool(self.strays)

    def codes(self, positions: Mapping[str, int], *, fold: bool) -> IntArray:
        """Return the position of each row's label, -1 where it has none."""
        plain = {key.casefold() if fold else key: label for key, label in self.keys.items()}
        by_label = {label: positions[key] for key, label in plain.items() if key in positions}
        return np.array([by_label.get(value, -1) for value in self.values.tolist()], dtype=np.int64)
