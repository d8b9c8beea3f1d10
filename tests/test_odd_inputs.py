"""Odd tables and files, such as the benchmarks measure: each gets an answer whose numbers agree, or one sentence; nothing warns."""

from __future__ import annotations

import json
import math
from importlib import import_module
from pathlib import Path

import pytest

import adjudge

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def odd(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return import_module("oddtables")


@pytest.mark.slow
def test_posteriors_of_odd_tables_are_distributions(odd):
    for name, table in odd.odd_tables(72, seed=26):
        told = adjudge.accuracy_posteriors(table)
        assert 0 <= told.chance.p_value <= 1, name
        for quantity, posterior in told.posteriors.items():
            interval = posterior.interval(0.95)
            low, high = interval.low, interval.high
            assert 0 <= low <= high <= 1, (name, quantity)
            rounding = 4e-16 * (posterior.pdf(low) + posterior.pdf(high))  # of bounds so near to 1 that no float is nearer
            assert posterior.cdf(high) - posterior.cdf(low) == pytest.approx(0.95, abs=1e-8 + rounding), (name, quantity)
            assert low - 1e-9 <= posterior.median <= high + 1e-9, (name, quantity)
        assert json.loads(told.to_json()), name


@pytest.mark.slow
def test_odd_files_are_reported_with_numbers_that_agree(odd, tmp_path):
    for name, path, roles in odd.odd_files(tmp_path, seed=26):
        report = adjudge.report(path, progress=False, **roles)
        told = json.loads(report.to_json())
        assert "<html" in report.to_html(), name
        for measure, estimate in report.evaluation.estimates.items():
            value, interval = estimate.value, estimate.interval
            if isinstance(value, float) and math.isfinite(value) and interval is not None:
                assert interval.low <= value + 1e-9, (name, measure)
                assert value - 1e-9 <= interval.high, (name, measure)
        assert told, name
