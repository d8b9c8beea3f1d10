"""Pictures written to files, the same bytes for the same result."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from adjudge._base.errors import InputError
from adjudge._base.files import filling
from adjudge._base.text import quoted

_UNDATED: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}
_DPI = 200
_ROOM = 0.05  # inches around the picture


def save_plot(result: Any, path: str | os.PathLike[str], **style: Any) -> Path:
    """Draw a result with matplotlib, as :func:`adjudge.plots.plot` does, and write it as .svg, .pdf or .png.

    Lines and words of .svg and .pdf stay lines and words. No date is written.
    """
    target, kind = Path(path), Path(path).suffix.lower()
    if kind not in _UNDATED:
        msg = f"Pictures are written as .svg, .pdf or .png; got {quoted(target.name)}."
        raise InputError(msg)
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from adjudge.plots import plot

    with mpl.rc_context({"svg.hashsalt": "adjudge", "svg.fonttype": "none", "pdf.fonttype": 42}), filling(target) as place:
        ax = plot(result, **style)
        figure = ax.get_figure(root=True)
        assert isinstance(figure, Figure)
        try:
            figure.savefig(place, format=kind[1:], metadata=_UNDATED[kind], dpi=_DPI, bbox_inches="tight", pad_inches=_ROOM)
        finally:
            _forget(figure)
    return target


def _forget(figure: Any) -> None:
    """Let pyplot close what it keeps open."""
    from matplotlib import pyplot as plt

    plt.close(figure)
