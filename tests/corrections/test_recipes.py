"""Cases gathered from files: weights, missing truth, the order of columns, cases named twice."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.corrections.made import CLASSES, cases, columns, multipliers, same_but_rounding, table

import adjudge
from adjudge.corrections.fitting import fit_cases
from adjudge.corrections.recipes import known
from adjudge.corrections.streaming import apply_to_file


def test_weights_and_rows_without_truth_are_heeded(tmp_path):
    p, y = cases(120)
    weight = np.arange(1.0, 121.0)
    truth = np.array(CLASSES, dtype=object)[y]
    truth[:20] = None
    pq.write_table(table(p, truth=pa.array(truth), weight=weight), tmp_path / "some.parquet")
    found = fit_cases(known(adjudge.read(tmp_path / "some.parquet", missing="drop")), "multipliers")
    wanted = multipliers(p[20:], y[20:], weight=weight[20:])
    assert same_but_rounding(found.correction, wanted)


def test_the_columns_of_scores_may_stand_in_any_order(tmp_path):
    p, y = cases(100)
    order = [2, 0, 1]
    names = {f"p_{CLASSES[i]}": p[:, i] for i in order}
    pq.write_table(pa.table({"truth": np.array(CLASSES)[y], **names}), tmp_path / "turned.parquet")
    found = fit_cases(known(adjudge.read(tmp_path / "turned.parquet", classes=CLASSES)), "multipliers").correction
    assert same_but_rounding(found, multipliers(p, y))
    apply_to_file(found, tmp_path / "turned.parquet", tmp_path / "out.parquet")
    assert columns(tmp_path / "out.parquet")["predicted"] == found.predict(p).tolist()


def test_a_case_named_twice_is_refused(tmp_path):
    p, y = cases(40)
    pq.write_table(table(p, id=[1, *range(1, 40)], truth=np.array(CLASSES)[y]), tmp_path / "twice.parquet")
    with pytest.raises(adjudge.InputError, match="names cases more than once"):
        known(adjudge.read(tmp_path / "twice.parquet"))
