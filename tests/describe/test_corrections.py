"""Documents of corrections: what they are made of, what they do, and what became of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import adjudge
from adjudge.corrections.streaming import Corrected
from adjudge.describe import describe

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 3, 200)
P = RNG.dirichlet(np.ones(3), 200) / 2 + np.eye(3)[Y] / 2
FRAME = {"truth": np.array(["a", "b", "c"])[Y], "p_a": P[:, 0], "p_b": P[:, 1], "p_c": P[:, 2]}


@pytest.mark.parametrize(
    ("kind", "how", "headers"),
    [
        ("multipliers", {}, ("Class", "Multiplier")),
        ("priors", {"priors": [0.2, 0.3, 0.5]}, ("Class", "Old prior", "New prior")),
        ("reject", {"gamma": 2, "thresholds": "per-class"}, ("Class", "Rejected below")),
    ],
)
def test_a_fit_shows_its_parts_and_the_rates_of_cases_left_out(kind, how, headers):
    fitted = adjudge.correct.fit(FRAME, kind, **how)
    document = describe(fitted)
    rule, rates = document.tables
    assert rule.header == headers
    assert rates.header[1:] == (("Before", "After") if kind == "priors" else ("Before", "Left out", "In-sample"))
    first = dict((row[0], row[1:]) for row in rates.rows)["accuracy"]  # noqa: C402
    assert first[0] == f"{fitted.before['accuracy']:.4f}"
    assert document.closing


def test_many_classes_are_counted_not_listed():
    document = describe(Corrected(500, 3, 2, tuple(range(30)), np.full(30, 16), ("p",), "REJECTED", Path("out dir/new one.csv")))
    (table,) = document.tables
    assert (len(table.rows), table.rows[-1], table.untold) == (21, ("rejected", "2"), 10)
    assert document.closing[0].in_shell({}) == "Judge it with: adjudge evaluate 'new one.csv' --rejected REJECTED"
    assert str(document.closing[0]) == 'Judge it with: evaluate("new one.csv", rejected="REJECTED")'
