"""What a correction makes of probabilities: corrected ones, and a decision for each case."""

from __future__ import annotations

from adjudge._base.arrays import FloatArray, IntArray
from adjudge.corrections.file import Correction
from adjudge.corrections.rejection import Rejection


def decided(correction: Correction, p: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return corrected probabilities and the place of each decision, -1 for none; `p` holds probabilities that sum to one.

    A rule that rejects leaves probabilities as they are, and may take the scores of one class where they only rank.
    """
    after = p if isinstance(correction, Rejection) else correction.apply(p)
    return after, correction.codes(p)
