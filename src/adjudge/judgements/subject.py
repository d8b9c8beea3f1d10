"""Which class is to be spoken of by itself: the one looked for, or one that the accuracy of all others would hide."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.counts.confusion import ConfusionCounts

RARE = 0.2
"""Below this share of an equal one, 1 / K, a class of K is rare: of two classes below 10% of the cases."""
_TWO = 2


def subject(counts: ConfusionCounts, positive: Any) -> Any:
    """Return the class to speak of by itself: the positive one, or of two the rarer one where it is rare; else None."""
    if positive is not None:
        return positive
    present = counts.k == _TWO and bool(np.all(counts.support > 0))
    at = int(np.argmin(counts.support))
    return counts.classes[at] if present and is_rare(counts, at) else None


def is_rare(counts: ConfusionCounts, at: int) -> bool:
    """Return whether a class has less than a fifth of an equal share of the cases."""
    return bool(0 < counts.support[at] < RARE * counts.n / counts.k)
