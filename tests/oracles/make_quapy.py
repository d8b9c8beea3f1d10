"""Make quapy_emq.json: class priors by QuaPy's expectation maximisation, which shares no code with ours.

Run `python tests/oracles/make_quapy.py` from the root of the project where quapy is installed.
"""

from __future__ import annotations

import json
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np

STEPS = (1, 2, 5, 20, 100)
SETTLED = 20_000
DESIGNS = ((2, 30, 2.0), (2, 60, 0.7), (3, 50, 1.5), (4, 80, 1.0), (6, 60, 2.5))  # classes, cases, distance of the means


def main() -> None:
    """Write one case per design: posteriors of normal classes with moved priors, and QuaPy's priors after so many steps."""
    rng = np.random.default_rng(20261116)
    told = {"quapy": version("quapy"), "convention": "EMQ.EM(old, posteriors)", "cases": [case(*d, rng) for d in DESIGNS]}
    Path(__file__).with_name("quapy_emq.json").write_text(json.dumps(told) + "\n", encoding="utf-8")


def case(k: int, n: int, distance: float, rng: np.random.Generator) -> dict[str, object]:
    """Return one case: unit normal classes on a line, exact posteriors rounded to five digits."""
    old, new = (rng.dirichlet(np.full(k, 3.0)).round(3) for _ in range(2))
    old[-1], new[-1] = 1 - old[:-1].sum(), 1 - new[:-1].sum()
    x = rng.normal(distance * rng.choice(k, n, p=new))
    density = old * np.exp(-((x[:, None] - distance * np.arange(k)) ** 2) / 2)
    p = (density / density.sum(axis=1, keepdims=True)).round(5)
    p[:, -1] = np.maximum(1 - p[:, :-1].sum(axis=1), 0)
    after = {str(steps): priors(old, p, steps) for steps in STEPS}
    return {
        "id": f"{k} classes, {n} cases",
        "p": p.tolist(),
        "old": old.tolist(),
        "after": after,
        "settled": priors(old, p, SETTLED),
    }


def priors(old: np.ndarray, p: np.ndarray, steps: int) -> list[float]:
    """Return QuaPy's priors after so many steps."""
    from quapy.method.aggregative import EMQ

    EMQ.MAX_ITER = steps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns where it was told to stop
        found: list[float] = EMQ.EM(old, p, epsilon=-1.0)[0].tolist()
    return found


if __name__ == "__main__":
    main()
