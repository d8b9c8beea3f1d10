"""Many tables at once give what each table gives alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjudge import ConfusionCounts, InputError, measure
from adjudge.metrics.catalogue import find
from adjudge.metrics.many import of_tables
from adjudge.metrics.measure import ClassMeasure
from adjudge.metrics.on_counts import ON_COUNTS


@pytest.mark.parametrize("name", [m.name for m in ON_COUNTS])
@pytest.mark.parametrize("rejected", [0, 1])
def test_many_tables_agree_with_one_by_one(name, rejected):
    rng = np.random.default_rng(3)
    tables = rng.integers(0, 9, (200, 3, 3 + rejected))
    found, single = of_tables(find(name), tables), isinstance(find(name), ClassMeasure)
    of_one = of_tables(find(name), tables, 1) if single else None
    for i, table in enumerate(tables):
        counts = ConfusionCounts(table)
        alone = measure(counts, name, average="macro" if single else None)
        if not math.isnan(alone):
            assert found[i] == pytest.approx(alone, abs=1e-12)
        if of_one is not None and not math.isnan(measure(counts, name, positive=1)):
            assert of_one[i] == pytest.approx(measure(counts, name, positive=1), abs=1e-12)


def test_what_needs_scores_is_refused():
    with pytest.raises(InputError, match="auc"):
        of_tables(find("auc"), np.ones((2, 2, 2)))
