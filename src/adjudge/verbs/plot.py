"""Pictures of results with matplotlib, for notebooks and papers: ``plot``, and ``save_plot`` for files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge._base import InputError, Shown, argument, quoted
from adjudge._base.files import filling

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
_DPI = 200
_ROOM = 0.05  # inches around the picture


def plot(result: Any, ax: Axes | None = None, **style: Any) -> Axes:
    """Draw a result with matplotlib.

    Parameters
    ----------
    result : Evaluation, AccuracyPosteriors, Posterior, ConfusionCounts, Curve, Resampled, Comparison, Ranking, Plan, ...
        Every result has a picture; the guide to pictures says which. An evaluation is drawn as its confusion map, or as
        ``kind=`` says: "confusion", "densities", "roc", "precision-recall", "reliability", "scores" (by true class), "lift"
        (cumulative gain) or "partition". A comparison takes ``kind="correct"`` (which set is correct where), and "roc",
        "precision-recall" or "reliability" of all sets over each other. What has no picture of its own is drawn as its numbers.
        Partition spaces of the same cases, in a list or by name in a mapping, are drawn side by side; they take the options of
        :func:`adjudge.plots.partitions.partition_picture`: ``space``, ``lines``, ``classes``, ``rest`` and ``view``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if left out. All pictures have one style; the settings of matplotlib stay as they are.
    **style
        Passed on to matplotlib: to the lines of a curve or a density, to the image of a confusion map,
        to the marks of a partition space.
    """
    from adjudge.judgements.thresholds import Thresholds
    from adjudge.plots import NothingToDrawError
    from adjudge.plots.pictures import options, picture
    from adjudge.render.matplotlib import draw

    how = {name: style.pop(name) for name in options(result) if name in style}
    if "kind" in style:
        msg = f"{type(result).__name__} has one picture; "
        raise InputError(msg, argument("kind", style["kind"]), " is for an Evaluation. Leave it out.")
    if how and isinstance(result, Thresholds):  # what is asked for is judged before it is drawn
        threshold, first = how.pop("threshold", None), result.first(how.pop("of", None))
        used = first.use if first is result.asked else {}
        result, how = result.at(first.threshold if threshold is None else threshold, of=first.of, **used | how), {}
    try:
        figure = picture(result, **how)
    except NothingToDrawError:
        if how or not isinstance(result, Shown):
            raise
        from adjudge.describe import describe
        from adjudge.plots.tables import table_picture

        told = describe(result, figure=False, whole=False)  # what it says, and its key numbers
        header, rows = ((), ()) if told.key is None else (told.key.header, told.key.rows)
        figure = table_picture(type(result).__name__, told.sentences[:2], header, rows)
    return draw(figure.drawing, ax, **style)


def save_plot(result: Any, path: str | os.PathLike[str], **style: Any) -> Path:
    """Draw a result as :func:`plot` does, and write it as .svg, .pdf or .png: the same bytes for the same result.

    Lines and words of .svg and .pdf stay lines and words. No date is written.
    """
    target, kind = Path(path), Path(path).suffix.lower()
    if kind not in _UNDATED:
        msg = f"Pictures are written as .svg, .pdf or .png; got {quoted(target.name)}."
        raise InputError(msg)
    import matplotlib as mpl
    from matplotlib import pyplot as plt
    from matplotlib.figure import Figure

    with mpl.rc_context({"svg.hashsalt": "adjudge", "svg.fonttype": "none", "pdf.fonttype": 42}), filling(target) as place:
        figure = plot(result, **style).get_figure(root=True)
        assert isinstance(figure, Figure)
        try:
            figure.savefig(place, format=kind[1:], metadata=_UNDATED[kind], dpi=_DPI, bbox_inches="tight", pad_inches=_ROOM)
        finally:
            plt.close(figure)
    return target
