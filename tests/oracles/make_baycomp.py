"""Make baycomp.json: the Bayesian correlated t test by baycomp, which shares no code with ours.

Run `python tests/oracles/make_baycomp.py` from the root of the project where baycomp is installed.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np

ROPES = (0.0, 0.005, 0.01, 0.05)
SPREADS = (1e-4, 0.01, 0.1)
DESIGNS = {"10 folds": (10, 1), "10 x 10 folds": (10, 10)}
OTHERS = {"5 folds": (5, 1), "2 x 10 folds": (10, 2), "2 folds": (2, 1)}


def main() -> None:
    """Write one case per design, spread and region of practical equivalence."""
    rng = np.random.default_rng(20261116)
    wanted = [*product(DESIGNS.items(), SPREADS, ROPES), *product(OTHERS.items(), (0.02,), ROPES)]
    cases = [case(name, *design, spread, rope, rng) for (name, design), spread, rope in wanted]
    cases += [judged("10 folds, all alike", 10, 1, rope, np.full(10, 0.02)) for rope in (0.01, 0.05)]
    told = {
        "baycomp": version("baycomp"),
        "convention": "two_on_single(zeros, d, rope, runs); no rope: no middle",
        "cases": cases,
    }
    Path(__file__).with_name("baycomp.json").write_text(json.dumps(told) + "\n", encoding="utf-8")


def case(name: str, folds: int, runs: int, spread: float, rope: float, rng: np.random.Generator) -> dict[str, object]:
    """Return one case with differences drawn around a small mean."""
    d = rng.normal(rng.normal(0, 0.02), spread, folds * runs).round(6)
    return judged(f"{name}, spread {spread}, rope {rope}", folds, runs, rope, d)


def judged(name: str, folds: int, runs: int, rope: float, d: np.ndarray) -> dict[str, object]:
    """Return what baycomp says of differences."""
    from baycomp import two_on_single

    left, *middle, right = (float(p) for p in two_on_single(np.zeros(d.size), d, rope=rope, runs=runs))
    return {
        "id": name, "differences": d.tolist(), "folds": folds, "rope": rope,
        "left": left, "middle": middle[0] if middle else None, "right": right,
    }  # fmt: skip


if __name__ == "__main__":
    main()
