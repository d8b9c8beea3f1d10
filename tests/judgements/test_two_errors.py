"""The textbook difference of two error rates."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import adjudge
from adjudge import InputError

CASES = json.loads((Path(__file__).parents[1] / "oracles" / "cases.json").read_text(encoding="utf-8"))
KNOWN = [case for case in CASES if case["quantity"] == "error_difference_interval"]


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case["id"])
def test_against_the_reference(case):
    given, expected = dict(case["inputs"]), case["expected"]
    found = adjudge.error_difference(given["errors1"], given["n1"], given["errors2"], given["n2"], level=given["level"])
    near = {"abs": case["tolerance"]["atol"], "rel": case["tolerance"]["rtol"]}
    assert found.d == pytest.approx(float(expected["d"]), **near)
    assert found.sd == pytest.approx(float(expected["sd"]), **near)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(map(float, expected["interval"])), **near)
    assert found.p_positive == pytest.approx(float(expected["prob_d_positive"]), **near)


def test_there_are_references():
    assert len(KNOWN) == 3


def test_rates_that_do_not_vary_leave_the_probability_undefined():
    found = adjudge.error_difference(0, 10, 0, 20)
    assert (found.d, found.sd) == (0, 0)
    assert math.isnan(found.p_positive)
    assert "neither rate varies" in found.p_positive.reason


@pytest.mark.parametrize(
    "given", [(-1, 10, 1, 10), (11, 10, 1, 10), (1, 0, 1, 10), (1.5, 10, 1, 10), ("1", 10, 1, 10), (1, 10, 1, True)]
)
def test_what_counts_no_errors_is_refused(given):
    with pytest.raises(InputError, match="whole numbers"):
        adjudge.error_difference(*given)
