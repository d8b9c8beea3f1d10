"""Pictures of results, for notebooks and papers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(result: Any, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw a result with matplotlib.

    Parameters
    ----------
    result : Evaluation, AccuracyPosteriors, Posterior, ConfusionCounts, Curve, Resampled, Comparison, Ranking, Plan, ...
        Nearly every result has a picture. An evaluation is drawn as its confusion map, or as ``kind=`` says: "confusion",
        "densities", "roc", "precision-recall", "reliability" or "partition"; one of numbers as its losses against those of
        the mean. A learner that was estimated is drawn as its folds and what they come to, a comparison as what to believe of
        the difference, a ranking as candidates from best to worst, ensembles as their errors over the rounds, a plan as the
        rows that learn and those that are judged, a textbook test as its difference with limits or as the law of chance with
        what was seen on it, a correction as what it multiplies, rejects or gains.
        Partition spaces of the same cases, in a list or by name in a mapping, are drawn side by side; they take the options of
        :func:`adjudge.plots.partitions.partition_picture`: ``space``, ``lines``, ``classes``, ``rest`` and ``view``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. All pictures have one style; the settings of matplotlib stay as they are.
    **style
        Passed on to matplotlib: to the lines of a curve or a density, to the image of a confusion map,
        to the marks of a partition space.
    """
    from adjudge.plots.mpl import draw

    return draw(result, ax, **style)
