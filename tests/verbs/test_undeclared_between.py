"""A comparison of rows that look as if they belonged together: the finding, where it is due and where not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from adjudge import compare
from adjudge.cli import main

C, M = 40, 25
AT = np.repeat(np.arange(C), M)


def sets(spread: float, seed: int = 0) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray], np.ndarray]:
    """Return two sets of which one is better at some accounts and the other at others, and the difference of each case."""
    rng = np.random.default_rng(seed)
    truth, ease = rng.integers(0, 2, C * M), np.repeat(rng.normal(0, spread, C), M)
    right = [rng.random(C * M) < 1 / (1 + np.exp(-1 - sign * ease)) for sign in (1, -1)]
    both = [
        {"id": np.arange(C * M), "truth": truth, "predicted": np.where(own, truth, 1 - truth), "account_id": AT} for own in right
    ]
    return *both, right[0].astype(float) - right[1]


def undeclared(*given, **how) -> list:
    return [each for each in compare(*given, **how).findings if each.code == "A622"]


def test_a_difference_that_varies_between_values_raises_the_finding():
    a, b, d = sets(1.2)
    (finding,) = undeclared(a, b)
    means = d.reshape(C, M).mean(axis=1)
    assert finding.value == pytest.approx(means.var(ddof=1) * M / d.var(), rel=1e-6)
    assert finding.message.startswith("Rows with the same 'account_id' are alike: the difference in accuracy varies")
    assert finding.advice.endswith('pass cluster="account_id".')


def test_rows_that_are_paired_by_identity_in_another_order_are_the_same():
    a, b, _ = sets(1.2)
    mixed = np.random.default_rng(1).permutation(C * M)
    moved, fewer = ({name: values[at] for name, values in b.items()} for at in (mixed, mixed[: C * M // 2]))
    assert undeclared(a, moved)[0].value == undeclared(a, b)[0].value
    own = pd.DataFrame(a).merge(pd.DataFrame(fewer), on="id", suffixes=("", "_b"))
    d = (own.predicted == own.truth).astype(float) - (own.predicted_b == own.truth)
    sums = (d - d.mean()).groupby(own.account_id).sum()
    assert undeclared(a, fewer)[0].value == pytest.approx((sums**2).sum() * C / (C - 1) / len(d) / d.var(ddof=0), rel=1e-6)


def test_columns_of_one_source_are_compared_alike():
    a, b, _ = sets(1.2)
    both = {"truth": a["truth"], "old": a["predicted"], "new": b["predicted"], "account_id": AT}
    (finding,) = undeclared(both, predicted=["old", "new"])
    assert finding.value == undeclared(a, b)[0].value


def test_independent_or_declared_rows_raise_none():
    a, b, _ = sets(0.0)
    assert undeclared(a, b) == []
    a, b, _ = sets(1.2)
    assert undeclared(a, b, cluster="") == []
    assert undeclared(a, a | {"id": a["id"]}) == []  # the same answers: no difference varies


def test_where_rows_were_left_out_nothing_is_known():
    a, b, _ = sets(1.2)
    gaps = pd.DataFrame(a).astype({"predicted": "Int64"})
    gaps.loc[3, "predicted"] = pd.NA
    assert undeclared(gaps, b, missing="drop") == []


def test_a_terminal_names_the_flag(write_csv, capsys):
    a, b, _ = sets(1.2)
    paths = [str(write_csv(each, name=f"{name}.csv")) for name, each in (("a", a), ("b", b))]
    main(["compare", *paths], standalone_mode=False)
    assert "pass --cluster account_id." in " ".join(capsys.readouterr().out.split())
