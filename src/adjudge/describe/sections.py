"""The sections of a page, one function for each kind of result."""

from __future__ import annotations

import re
from functools import singledispatch
from typing import Any

from adjudge.describe.document import Section
from adjudge.plots.labels import named


@singledispatch
def sections(result: Any) -> tuple[Section, ...]:
    """Return the sections of a result; :mod:`adjudge.describe.description` has those of results without their own."""
    raise NotImplementedError(type(result))


def base_name(name: str) -> str:
    r"""Return the last part of a path of any system: readers of a page need no folder or host of ours.

    >>> base_name("/srv/me/a.csv"), base_name("\\\\host\\share\\b.csv")
    ('a.csv', 'b.csv')
    """
    parts = [part for part in re.split(r"[/\\]", str(name)) if part.strip(". ")]
    return named([parts[-1]])[0] if parts else "predictions"
