"""How fast is the exact AUC? Against one np.sort of the same scores, scikit-learn and other libraries.

NumPy's AVX-512 sort is about seven times slower than its AVX2 sort on AMD Zen 4, which hurts us and not
scikit-learn (github.com/numpy/x86-simd-sort/issues/6); the ratio to np.sort shows it on any machine.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.metrics import roc_auc_score

from adjudge.stats.ranking import auc
from peers import area_jobs
from rows import Row, at_least, at_most, beside
from timing import best

REPEATS = 5


def rows(n: int = 10_000_000) -> list[Row]:
    """Return one row per kind of scores and peer."""
    rng = np.random.default_rng(20240717)
    positive = rng.random(n) < 0.3
    logits = rng.standard_normal(n) + positive
    chances = 1 / (1 + np.exp(-logits))
    kinds = {
        "float32 probabilities": chances.astype(np.float32),
        "float64 probabilities": chances,
        "float32 logits": logits.astype(np.float32),
    }
    return [row for kind, scores in kinds.items() for row in _against_all(f"exact AUC, {n:.0e} {kind}", scores, positive)]


def _against_all(name: str, scores: np.ndarray, positive: np.ndarray) -> list[Row]:
    ours = partial(auc, scores, positive)
    quick = best({"ours": ours, "sort": partial(np.sort, scores)}, REPEATS)
    # The others take seconds where we take fractions of one: two turns are enough.
    slow = best({"ours": ours, "sklearn": partial(roc_auc_score, positive, scores)} | area_jobs(scores, positive), 2)
    mine, sklearn = min(quick["ours"], slow.pop("ours")), slow.pop("sklearn")
    return [
        at_most(2.5, name, mine, "np.sort", quick["sort"]),
        at_least(15, name, mine, "sklearn roc_auc_score", sklearn),
        *(beside(name, mine, peer, theirs) for peer, theirs in slow.items()),
    ]
