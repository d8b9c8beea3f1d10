"""Corrections fitted to files: those of their arrays, and new priors from each place."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import accuracy_score, recall_score, zero_one_loss
from tests.corrections.made import multipliers, table
from tests.described import refused

import adjudge
from adjudge.corrections.fitting import fit_cases, labels_in, rates
from adjudge.corrections.labelled import Known, labelled
from adjudge.corrections.recipes import known
from adjudge.predictions.sources import open_path


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["multipliers", "softmax", "errors"])
def test_a_file_gives_the_correction_of_its_arrays(kind, small):
    path, p, y = small
    how = {"multipliers": {}, "softmax": {"form": "softmax"}, "errors": {"goal": "errors"}}[kind]
    alike = labelled(p, y).in_one_order()
    found, wanted = fit_cases(known(adjudge.read(path)), kind), multipliers(alike.p, alike.y, **how)
    assert found.correction.to_dict() == wanted.to_dict()
    assert found.after["error"] * 300 == pytest.approx(wanted.errors)
    assert found.before["error"] * 300 == pytest.approx(wanted.errors_before)


def test_rates_of_decisions_are_those_of_scikit_learn_in_any_order():
    """Sums of costs of cases that come in another order differ in no bit."""
    rng = np.random.default_rng(5)
    y, codes, weight = rng.integers(0, 3, 400), rng.integers(-1, 3, 400), rng.integers(1, 4, 400).astype(float)
    costs = np.array([[0, 1, 0.7, 0.3], [0.2, 0, 0.9, 0.3], [0.1, 0.6, 0, 0.3]])
    p = np.eye(3)[y]
    found = rates(Known(p, y, (0, 1, 2), weight=weight), p, codes, costs, balanced=True)
    kept = codes >= 0
    assert found["rejected"] == pytest.approx(weight[~kept].sum() / weight.sum(), rel=1e-15)
    assert found["accuracy"] == pytest.approx(accuracy_score(y, codes, sample_weight=weight), rel=1e-15)
    assert found["error"] == pytest.approx(
        zero_one_loss(y[kept], codes[kept], sample_weight=weight[kept], normalize=False) / weight.sum()
    )
    assert found["balanced accuracy"] == pytest.approx(
        recall_score(y, codes, labels=[0, 1, 2], average="macro", sample_weight=weight)
    )
    each = [costs[i, 3 if j < 0 else j] * w for i, j, w in zip(y, codes, weight, strict=True)]
    assert found["cost"] == pytest.approx(sum(map(Fraction, each)) / Fraction(weight.sum()), rel=1e-14)
    for _ in range(20):
        turned = rng.permutation(400)
        again = rates(
            Known(p[turned], y[turned], (0, 1, 2), weight=weight[turned]), p[turned], codes[turned], costs, balanced=True
        )
        assert again == found


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
    with refused("classes", "'d'", "not among the classes"):
        labels_in(open_path(tmp_path / "strange.parquet"), "truth", ("a", "b", "c"))
    with pytest.raises(adjudge.InputError, match="no column 'class'"):
        labels_in(open_path(tmp_path / "strange.parquet"), "class", ("a", "b", "c"))
