"""Classes that weigh alike however many cases they have: what balanced accuracy asks for, of cases held or gone through."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge._base.arrays import FloatArray, IntArray
from adjudge._base.errors import InputError
from adjudge.corrections.labelled import Labelled, checked_sums
from adjudge.counts.moments import Passes
from adjudge.counts.passes import CaseBlock, CaseBlocks


def alike(weight: Any) -> bool:
    """Say whether classes are to weigh alike."""
    return isinstance(weight, str) and weight == "balanced"


def held_alike(data: Labelled) -> Labelled:
    """Return the cases so weighed; the reference class stays the one that was most frequent."""
    weight = _shares(data.totals, data.y)
    return replace(data, weight=weight, totals=(data.totals > 0).astype(np.float64))


class PassesAlike(CaseBlocks):
    """Cases so weighed, gone through block by block; a pass of its own finds how many each class has."""

    def __init__(self, passes: Passes) -> None:
        super().__init__()
        if not isinstance(passes, CaseBlocks):
            msg = (
                "Rows that live in an engine have the weights of a column. Give them one, 1 over the number of cases of the "
                "class, or write them as a Parquet file for weight='balanced'."
            )
            raise InputError(msg)
        self.passes: CaseBlocks = passes
        self.totals = checked_sums(passes.moments()).totals

    @property
    def classes(self) -> tuple[Any, ...]:
        """The classes in the order to show them."""
        return self.passes.classes

    @property
    def weighted(self) -> bool:
        """Whether cases have weights."""
        return True

    def blocks(self) -> Iterator[CaseBlock]:
        """Yield the cases; a weight of their own counts within their class."""
        for block in self.passes.blocks():
            shares = _shares(self.totals, block.truth)
            yield replace(block, weight=shares if block.weight is None else shares * block.weight)


def _shares(totals: FloatArray, truth: IntArray) -> FloatArray:
    """Return weights that sum to one in every class."""
    return np.asarray(1 / np.where(totals > 0, totals, 1.0)[truth])
