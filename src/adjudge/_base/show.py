"""What every result can do for a reader: become plain data, or a picture."""

from __future__ import annotations

import json
import math
import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from adjudge._base.errors import InputError
from adjudge._base.files import write_whole
from adjudge._base.text import safe
from adjudge._base.undefined import Undefined

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Shown:
    """Mixin for frozen result dataclasses."""

    __slots__ = ()
    _untold: ClassVar[tuple[str, ...]] = ()  # fields that plain Python leaves out
    _besides: ClassVar[tuple[str, ...]] = ()  # properties that it has after the fields

    def to_dict(self) -> dict[str, Any]:
        """Return everything that says something as plain Python, ready for strict JSON."""
        names = [f.name for f in fields(self) if f.name not in self._untold]  # type: ignore[arg-type]
        return {name: plain(getattr(self, name)) for name in (*names, *self._besides)}

    def plot(self, ax: Axes | None = None, **style: Any) -> Axes:
        """Draw this result; see :func:`adjudge.plot`."""
        from adjudge.verbs.plot import plot  # an upward import, as those below; see the import contract

        return plot(self, ax, **style)

    def in_words(self) -> str:
        """Return the verdict as text."""
        from adjudge.describe import describe
        from adjudge.render.text import text

        return text(describe(self, figure=False, whole=False))

    __repr__ = in_words  # of results that have no shorter one of their own

    def to_html(self, *, title: str | None = None) -> str:
        """Return one self-contained page; `title` stands in the place of its own."""
        from adjudge.describe import describe
        from adjudge.render.page import page

        return page(describe(self, figure=False, title=title))

    def to_markdown(self, *, title: str | None = None) -> str:
        """Return the verdict, the tables and the findings as Markdown; `title` stands in the place of its own."""
        from adjudge.describe import describe
        from adjudge.render.markdown import markdown

        return markdown(describe(self, figure=False, title=title))

    def to_csv(self) -> str:
        """Return the rows of :meth:`to_frame` as comma-separated text, in which no cell is a formula of a spreadsheet."""
        from adjudge.describe.frames import rows
        from adjudge.render.comma_separated import comma_separated

        return comma_separated(rows(self))

    def to_json(self) -> str:
        """Return the numbers as strict JSON: no NaN, nothing but ASCII."""
        return as_json(self.to_dict())

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the numbers as a frame of pandas, polars or pyarrow: the first that is installed, or the one named."""
        from adjudge.describe.frames import rows
        from adjudge.render.frame import frame

        return frame(rows(self), backend)

    def save(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path:
        """Write it whole or not at all: a page (.html), Markdown (.md) or numbers (.json), by the ending of `path`.

        `title` stands in the place of the title of a page.
        """
        ending = Path(path).suffix.lower()
        if ending not in (".html", ".htm", ".md", ".json"):
            msg = f"Results are saved as .html, .md or .json; got {safe(Path(path).name)}."
            raise InputError(msg)
        if ending == ".json":
            return write_whole(path, self.to_json())
        return write_whole(path, self.to_markdown(title=title) if ending == ".md" else self.to_html(title=title))

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the verdict, the key numbers and the picture."""
        return as_html(self)


def as_html(result: Any) -> str:
    """Return a result as a notebook shows it, one that is no :class:`Shown` as well."""
    from adjudge.describe import describe
    from adjudge.render.notebook import notebook

    return notebook(describe(result, whole=False))


_written = json.JSONEncoder(ensure_ascii=True, allow_nan=False).encode


def as_json(value: Any, line: str = "\n") -> str:
    """Return what `json.dumps(value, indent=2)` does, without NaN; rows of whole numbers cost a tenth of it.

    >>> as_json({"cells": [[3, 1], [0, 4]]}) == json.dumps({"cells": [[3, 1], [0, 4]]}, indent=2)
    True
    """
    inner = line + "  "
    if isinstance(value, dict) and value:
        return "{" + ",".join(f"{inner}{_written(key)}: {as_json(item, inner)}" for key, item in value.items()) + line + "}"
    if isinstance(value, (list, tuple)) and value:
        items = map(str, value) if all(type(item) is int for item in value) else (as_json(item, inner) for item in value)
        return f"[{inner}{f',{inner}'.join(items)}{line}]"
    return _written(value)


def plain(value: Any) -> Any:
    """Return `value` as what JSON can say: no NaN, no infinity, no array."""
    if hasattr(value, "tolist"):
        whole = getattr(getattr(value, "dtype", None), "kind", "") in tuple("biu")  # a table of counts may have a million cells
        return value.tolist() if whole else plain(value.tolist())
    if isinstance(value, (Shown, Undefined)):
        return value.to_dict() if isinstance(value, Shown) else {"value": None, "reason": value.reason}
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list, set, frozenset)):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)
