"""Scikit-learn's own trees, of any depth, grown on bins of the features and then told the values the bins stand for.

A tree sorts the values of every node. Bins are whole numbers with many ties, which sort in half the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from adjudge._base.arrays import AnyArray, IntArray
from adjudge.ensembles.growing import Bins, bins_of, kinds_of_numbers
from adjudge.ensembles.members import seed

FEWER = 127
"""Bins of a feature: a full tree cuts it again and again, and errs no more for having half as many places to do so."""


@dataclass(frozen=True, slots=True, eq=False)
class CodedCases:
    """All cases by the bins of their features, and their targets as a tree takes them: codes of classes, or numbers."""

    bins: Bins
    codes: npt.NDArray[np.float32]
    y: AnyArray
    classes: AnyArray | None

    def fitted(self, base: Any, counts: IntArray, rng: np.random.Generator) -> Any:
        """Return a tree fitted to the cases drawn, which takes features as they are."""
        model = seed(clone(base), rng).fit(self.codes, self.y, sample_weight=counts.astype(np.float64))
        inner = np.flatnonzero(model.tree_.feature >= 0)
        thresholds = model.tree_.threshold  # a view: what is written here is what the tree compares with
        thresholds[inner] = self.bins.thresholds(model.tree_.feature[inner], thresholds[inner])
        if self.classes is not None:
            model.classes_ = self.classes
        return model


def coded_cases(X: AnyArray, y: AnyArray, classes: AnyArray | None) -> CodedCases:
    """Return the cases with their features in bins; `y` are places among `classes`, or numbers."""
    bins = bins_of(X, kinds_of_numbers(y) if classes is None else y, most=FEWER)
    return CodedCases(bins, bins.codes(X).T.astype(np.float32, order="C"), y, classes)
