"""Corrections fitted to files: those of their arrays, and new priors from each place."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.corrections.made import multipliers, table

import adjudge
from adjudge.corrections.fitting import fit_cases, labels_in
from adjudge.corrections.recipes import known


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["multipliers", "softmax", "errors"])
def test_a_file_gives_the_correction_of_its_arrays(kind, small):
    path, p, y = small
    how = {"multipliers": {}, "softmax": {"form": "softmax"}, "errors": {"goal": "errors"}}[kind]
    found, wanted = fit_cases(known(adjudge.read(path)), kind), multipliers(p, y, **how)
    assert found.correction.to_dict() == wanted.to_dict()
    assert found.after["error"] * 300 == pytest.approx(wanted.errors)
    assert found.before["error"] * 300 == pytest.approx(wanted.errors_before)


def test_priors_from_each_place(small, tmp_path):
    path, p, y = small
    data = known(adjudge.read(path))
    given = fit_cases(data, "priors", priors={"c": 0.5, "a": 0.2, "b": 0.3}).correction
    assert given.new.tolist() == [0.2, 0.3, 0.5]
    assert given.old == pytest.approx(np.bincount(y) / 300)
    pq.write_table(table(p[:150]), tmp_path / "unlabelled.parquet")
    estimated = fit_cases(data, "priors", unlabelled=tmp_path / "unlabelled.parquet", old=[0.3, 0.3, 0.4])
    assert estimated.correction.new == pytest.approx(adjudge.estimate_priors(p[:150], old=[0.3, 0.3, 0.4]).priors, rel=1e-12)
    pq.write_table(pa.table({"truth": ["a", "b", "b", "c"] * 5}), tmp_path / "counted.parquet")
    counted = fit_cases(data, "priors", counted=tmp_path / "counted.parquet")
    assert counted.correction.new.tolist() == [0.25, 0.5, 0.25]
    assert counted.priors.cases == 20
    pq.write_table(pa.table({"truth": ["a", "d"]}), tmp_path / "strange.parquet")
    with pytest.raises(adjudge.InputError, match="'d', which is not among the classes"):
        labels_in(tmp_path / "strange.parquet", "truth", ("a", "b", "c"))
    with pytest.raises(adjudge.InputError, match="no column 'class'"):
        labels_in(tmp_path / "strange.parquet", "class", ("a", "b", "c"))
