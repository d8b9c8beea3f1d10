"""Predictions of parts of the cases, and the numbers that follow from their counts."""

import numpy as np
import pytest

from adjudge._base.show import plain


def cases(n, rng, *, classes=("a", "b", "c"), weights=False, digits=2):
    p = rng.dirichlet(np.ones(len(classes)), n).round(digits)
    p[:, -1] = (1 - p[:, :-1].sum(axis=1)).round(digits)
    found = {"truth": rng.choice(classes, n), "predicted": rng.choice(classes, n)}
    found |= {f"p_{label}": p[:, i] for i, label in enumerate(classes)}
    found |= {"fold": rng.integers(0, 3, n), "site": rng.choice(["x", "y"], n)}
    return found | ({"weight": rng.integers(1, 5, n) / 2} if weights else {})


def rows(columns, chosen):
    return {name: np.asarray(values)[chosen] for name, values in columns.items()}


def numbers(found):
    """Return what follows from the counts alone, not from single cases."""
    told = {name: plain(getattr(found, name)) for name in ("estimates", "by_class", "by_fold", "by_group", "over_groups")}
    return told | {kind: {str(label): plain(curve.area) for label, curve in each.items()} for kind, each in found.curves.items()}


def close(a, b):
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            close(a[key], b[key])
    elif isinstance(a, list):
        assert len(a) == len(b)
        for one, other in zip(a, b, strict=True):
            close(one, other)
    elif isinstance(a, float):
        assert a == pytest.approx(b, rel=1e-9, abs=1e-12)
    else:
        assert a == b


def same_clusters(a, b):
    """Hold what was counted of clusters together, bit by bit."""
    assert (a is None) == (b is None)
    if a is None:
        return
    for name in ("keys", "at", "truth", "predicted", "n", "rows", "losses", "scored_n"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    for name in ("scored", "known"):
        for one, other in zip(getattr(a, name) or (), getattr(b, name) or (), strict=True):
            np.testing.assert_array_equal(one, other, err_msg=name)
    assert (a.together, a.exact.keys()) == (b.together, b.exact.keys())
