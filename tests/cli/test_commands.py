"""The command that lists the measures."""

from __future__ import annotations

import json

from tests.cli.running import run


def test_measures_are_listed_with_formula_range_and_direction():
    rows = json.loads(run("measures", "--json").stdout)
    assert {"name", "formula", "range", "direction", "needs"} <= set(rows[0])
    assert "balanced_accuracy" in run("measures").stdout
