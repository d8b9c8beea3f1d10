"""The measures of vectors in the simplex, against the shared cases and klaR."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from adjudge import partition
from adjudge.partitions.goodness import goodness

ORACLES = Path(__file__).parents[1] / "oracles"

CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))

KLAR = json.loads((ORACLES / "klar" / "oracle.json").read_text(encoding="utf-8"))["cases"]


def of(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def table(name):
    with (ORACLES / "klar" / f"{name}.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def block(columns, letter, g):
    return np.column_stack([columns[f"{letter}{j}"] for j in range(1, g + 1)])


@pytest.mark.parametrize("case", of("sps_measures"))
def test_the_measures_of_given_vectors(case):
    rows, truth = np.array(case["inputs"]["memberships"], dtype=float), np.array(case["inputs"]["labels"])
    found = goodness(rows, truth, rows.argmax(axis=1))
    assert found.scaled_accuracy == pytest.approx(float(case["expected"]["Ac"]), abs=1e-12)
    assert found.ability_to_separate == pytest.approx(float(case["expected"]["AS"]), abs=1e-12)


@pytest.mark.parametrize("name", KLAR)
def test_the_measures_of_klar_before_scaling(name):
    g, columns, wanted = KLAR[name]["G"], table(name), KLAR[name]["raw"]
    found = partition(columns["true"].astype(int) - 1, block(columns, "m", g)).unscaled
    assert (found.scaled_accuracy, found.ability_to_separate) == pytest.approx((wanted["AC"], wanted["AS"]), abs=1e-12)
    assert (found.confidence, found.correct) == pytest.approx((wanted["CF"], wanted["CR"]), abs=1e-12)
