"""Every number against others': mpmath's scaling in the shared cases, and what klaR answered."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from adjudge import InputError, memberships, partition

ORACLES = Path(__file__).parents[1] / "oracles"

CASES = json.loads((ORACLES / "cases.json").read_text(encoding="utf-8"))

KLAR = json.loads((ORACLES / "klar" / "oracle.json").read_text(encoding="utf-8"))["cases"]

SCALED = {name: case for name, case in KLAR.items() if "model" in case["bscal"]}


def of(quantity):
    return [pytest.param(case, id=case["id"]) for case in CASES if case["quantity"] == quantity]


def numbers(values):
    return np.array([[float(cell) for cell in row] for row in values])


def table(name):
    with (ORACLES / "klar" / f"{name}.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def block(columns, letter, g):
    return np.column_stack([columns[f"{letter}{j}"] for j in range(1, g + 1)])


@pytest.mark.parametrize("case", of("sps_scaling"))
def test_the_shared_scalings(case):
    given, expected = case["inputs"], case["expected"]
    found = partition(given["labels"], given["memberships"], depth=given["depth"])
    assert np.allclose(found.scaled, numbers(expected["scaled"]), rtol=1e-9, atol=1e-12)
    assert found.scaled_accuracy == pytest.approx(float(expected["Ac"]), abs=1e-12)
    assert found.ability_to_separate == pytest.approx(float(expected["AS"]), abs=1e-12)
    assert found.unscaled.scaled_accuracy == pytest.approx(float(expected["unscaled_Ac"]), abs=1e-12)
    assert found.unscaled.ability_to_separate == pytest.approx(float(expected["unscaled_AS"]), abs=1e-12)
    assert found.correct == pytest.approx(float(expected["overall_correctness"]), abs=1e-15)
    assert np.allclose(found.correctness, [float(rate) for rate in expected["correctness_rate"]], rtol=1e-15)


@pytest.mark.parametrize("case", of("sps_scaling"))
def test_the_regions_of_the_shared_scalings(case):
    given, expected = case["inputs"], case["expected"]["regions"]
    found = {
        "-".join(str(code + 1) for code in region.order): region
        for region in partition(given["labels"], given["memberships"], depth=given["depth"]).regions
    }
    assert found.keys() == expected.keys()
    for name, region in found.items():
        wanted = expected[name]
        p = [region.frequencies[code] for code in region.order]
        assert region.n == int(wanted["N"])
        assert p == pytest.approx([float(value) for value in wanted["p"]], abs=1e-15)
        assert region.correct == p[0]
        assert region.mean == pytest.approx(float(wanted["mean"][0]), rel=1e-14)
        assert region.alpha == pytest.approx(region.mean * float(wanted["alpha_plus_beta"]), rel=1e-12)
        assert region.alpha + region.beta == pytest.approx(float(wanted["alpha_plus_beta"]), rel=1e-12)
        if 0 < p[0] < 1:
            assert region.scaled_alpha + region.scaled_beta == pytest.approx(float(wanted["N_s"]), rel=1e-12)
        assert region.parent is None


@pytest.mark.parametrize("case", of("rank_membership"))
def test_ranks_that_sum_to_one(case):
    found = memberships([case["inputs"]["m"]], ordinal=True)
    assert found[0] == pytest.approx([float(value) for value in case["expected"]["normalised"]], rel=1e-14)


@pytest.mark.parametrize("name", SCALED)
def test_klar_scales_the_same(name):
    g, columns, wanted = KLAR[name]["G"], table(name), KLAR[name]["bscal"]
    found = partition(columns["true"].astype(int) - 1, block(columns, "m", g), convention="klar")
    assert np.array_equal(found.predicted, columns["assigned"].astype(int) - 1)
    assert np.abs(found.scaled - block(columns, "s", g)).max() < 1e-9
    measured = wanted["ucpm_original_assignment"]
    assert (found.scaled_accuracy, found.ability_to_separate) == pytest.approx((measured["AC"], measured["AS"]), abs=1e-9)
    assert (found.confidence, found.correct) == pytest.approx((measured["CF"], measured["CR"]), abs=1e-9)


@pytest.mark.parametrize("name", SCALED)
def test_klar_fits_the_same_regions(name):
    g, columns = KLAR[name]["G"], table(name)
    found = partition(columns["true"].astype(int) - 1, block(columns, "m", g), convention="klar")
    assert [region.order for region in found.regions] == [(code,) for code in range(g)]
    for region, wanted in zip(found.regions, SCALED[name]["bscal"]["model"], strict=True):
        assert region.correct == pytest.approx(wanted["CR"], abs=1e-12)
        assert region.mean == pytest.approx(wanted["pm"], rel=1e-12)
        assert np.nan_to_num(region.variance) == pytest.approx(wanted["S"], rel=1e-3 if wanted["S"] < 1e-20 else 1e-9, abs=1e-30)
        assert region.alpha + region.beta == pytest.approx(wanted["NM"], rel=1e-9)
        if not np.isnan(region.scaled_alpha):
            assert region.scaled_alpha + region.scaled_beta == wanted["N"]


@pytest.mark.parametrize("name", [name for name in SCALED if (ORACLES / "klar" / f"{name}_new.csv").exists()])
def test_klar_scales_new_cases_the_same(name):
    g, columns, new = KLAR[name]["G"], table(name), table(f"{name}_new")
    space = partition(columns["true"].astype(int) - 1, block(columns, "m", g), convention="klar")
    found = space.apply(block(new, "m", g), new["true"].astype(int) - 1)
    assert np.abs(found.scaled - block(new, "s", g)).max() < 1e-9
    assert np.array_equal(space.apply(block(new, "m", g)).scaled, found.scaled)


def test_klar_stops_where_a_class_is_never_assigned():
    assert "error" in KLAR["deg_missing_region"]["bscal"]
    columns = table("deg_missing_region")
    with pytest.raises(InputError, match="never predicted"):
        partition(columns["true"].astype(int) - 1, block(columns, "m", 3), convention="klar")
