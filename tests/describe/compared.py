"""Comparisons and rankings to tell: of sets of answers, and made by hand."""

import numpy as np

from adjudge.estimates.estimate import Interval
from adjudge.judgements.comparison import Comparison
from adjudge.judgements.ranking import Optimism, Ranked, Ranking
from adjudge.stats.student import StudentDistribution

N = 401
RNG = np.random.default_rng(3)
TRUTH = RNG.integers(0, 2, N)


def said(share, seed, truth=TRUTH):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(truth)) < share, truth, 1 - truth)


def kept(predicted, truth=TRUTH, **more):
    return {"truth": truth, "predicted": predicted, "case": np.arange(len(truth)), **more}


def by_hand(worse=0.02, same=0.08, better=0.90, **given):
    """A comparison with nothing behind its numbers but what is given."""
    fields = {
        "measure": "accuracy",
        "names": ("a.csv", "b.csv"),
        "values": (0.862, 0.839),
        "difference": 0.023,
        "interval": Interval(0.006, 0.04, 0.95, "by hand"),
        "margin": 0.01,
        "level": 0.95,
        "method": "paired t of the losses of the cases",
        "cases": 500,
        "distribution": StudentDistribution(0.023, 0.009),
    }
    return Comparison(**{"worse": worse, "same": same, "better": better, **fields, **given})


def ranked(groups, observed=0.9, corrected=0.89, p_best=0.97, up=True):
    names = list(dict.fromkeys(name for group in groups for name in group))
    rows = tuple(Ranked(i + 1, name, observed - 0.01 * i, None, p_best if not i else 0.01, (1,)) for i, name in enumerate(names))
    compared = {(a, b): by_hand(names=(a, b)) for i, a in enumerate(names) for b in names[i + 1 :]}
    found = Optimism(observed, corrected, len(names), max(0.0, observed - corrected if up else corrected - observed))
    return Ranking("accuracy", rows, groups, compared, dict.fromkeys(compared, 0.5), found, 0.95, 0.01, 500, "by hand", up)
