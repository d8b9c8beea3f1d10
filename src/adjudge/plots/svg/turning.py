"""The script that turns tetrahedra on a page."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from adjudge.plots.partitions import PartitionPicture


def turns(figure: Any) -> bool:
    """Return whether a picture can be turned, so that its page needs the script."""
    return isinstance(figure, PartitionPicture) and figure.turns


@cache
def script() -> str:
    """Return the script: it reads the places of marks from the picture, loads nothing, and holds no data."""
    return files("adjudge.plots.svg").joinpath("turning.js").read_text(encoding="utf-8")
