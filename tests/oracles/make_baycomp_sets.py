"""Make baycomp_sets.json: Bayesian sign and signed-rank tests over data sets, as baycomp draws them.

Run `python tests/oracles/make_baycomp_sets.py` from the root of the project where baycomp 1.0.3 is installed; it takes a
few minutes. baycomp judges y - x, so x is 0 and y the differences. Without a rope it gives two numbers, which are the
first and the last here.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

DRAWS = 200_000

CASES = [
    # name, differences, rope
    ("ten sets", [0.031, 0.012, -0.004, 0.027, 0.055, 0.009, -0.021, 0.016, 0.038, 0.002], 0.01),
    ("narrow rope", [0.031, 0.012, -0.004, 0.027, 0.055, 0.009, -0.021, 0.016, 0.038, 0.002], 0.001),
    ("wide rope", [0.031, 0.012, -0.004, 0.027, 0.055, 0.009, -0.021, 0.016, 0.038, 0.002], 0.03),
    ("ties, zeros and edges", [0.5, 0.25, 0.25, 0.0, 0.0, -0.25, 0.125, -0.125, 0.5], 0.125),
    ("two sets", [0.02, -0.05], 0.01),
    ("all worse", [-0.3, -0.2, -0.25, -0.4, -0.1], 0.05),
    ("one against many", [0.02, 0.03, 0.02, 0.015, 0.03, -0.6], 0.01),
    ("no rope", [0.031, -0.012, -0.004, 0.027, 0.055, 0.009], 0.0),
]


def three(probabilities: tuple[float, ...]) -> list[float]:
    """Return worse, same and better."""
    worse, *same, better = map(float, probabilities)
    return [worse, same[0] if same else 0.0, better]


def main() -> None:
    """Write the file."""
    from baycomp import SignedRankTest, SignTest  # late: tests read the file and do without

    cases = []
    for seed, (name, differences, rope) in enumerate(CASES):
        y = np.array(differences)
        how = {"rope": rope, "nsamples": DRAWS, "random_state": seed}
        sign = three(SignTest(np.zeros(y.size), y, **how).probs())
        signed_rank = three(SignedRankTest.probs(np.zeros(y.size), y, **how))
        cases.append({"name": name, "differences": differences, "rope": rope, "sign": sign, "signed_rank": signed_rank})
    whole = {"draws": DRAWS, "cases": cases}
    Path(__file__).with_name("baycomp_sets.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
