"""The tables of classifiers from the patterns of truth and decisions that make them up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge._base.arrays import AnyArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Which patterns make up which cell of a classifier's table."""

    order: IntArray
    starts: IntArray
    cells: IntArray
    shape: tuple[int, int]

    @classmethod
    def of(cls, truth: IntArray, said: IntArray, k: int, *, rejects: bool) -> Cells:
        """Return the cells of one classifier's decisions."""
        at = truth * (k + rejects) + said
        order = np.argsort(at, kind="stable")
        cells, starts = np.unique(at[order], return_index=True)
        return cls(order, starts, cells, (k, k + rejects))

    def tables(self, shares: AnyArray) -> AnyArray:
        """Return tables for draws x patterns."""
        found = np.zeros((len(shares), self.shape[0] * self.shape[1]))
        found[:, self.cells] = np.add.reduceat(shares[:, self.order], self.starts, axis=1)
        return found.reshape(len(shares), *self.shape)
