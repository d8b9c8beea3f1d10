"""The script that turns tetrahedra on a page, and what a page's policy must say to let it run, and it alone."""

from __future__ import annotations

import base64
import hashlib
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


def source() -> str:
    """Return the script as a source for the `script-src` of a Content-Security-Policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script().encode()).digest()).decode()}'"
