"""What a person at a terminal gets and a pipe does not: colour, lines of the window's width, a bar, the page opened."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adjudge._base.progress import someone_watches
from adjudge.cli.wording import in_shell

if TYPE_CHECKING:
    from adjudge._base.show import Shown

_NARROWEST, _WIDEST = 60, 120


def say(found: Shown) -> None:
    """Print a result in words; in a pipe, byte for byte what `in_words` gives."""
    from adjudge.describe import describe
    from adjudge.render.text import WIDTH, text

    colour = _colour()
    document = in_shell(describe(found, figure=False, whole=False))
    click.echo(text(document, width=_width() or WIDTH, colour=colour), color=colour)


def _width() -> int | None:
    """Return the columns of the window, within reason; None in a pipe."""
    if not _is_terminal():
        return None
    return min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST)


def _colour() -> bool:
    """Return whether to use colour: as NO_COLOR and FORCE_COLOR say, or where the terminal can."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _is_terminal() and os.environ.get("TERM") != "dumb"


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def waiting(what: str) -> AbstractContextManager[Any]:
    """Return a context that shows how long some work takes, to whoever watches."""
    from adjudge.verbs.watching import waiting as watched

    return watched(what) if someone_watches() else nullcontext()


def open_page(page: Path) -> bool:
    """Open a page in the browser where a person sits before one; return whether it was."""
    if not _is_terminal() or os.environ.get("CI") or not _has_display():
        return False
    import webbrowser

    try:
        return webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        return False


def _has_display() -> bool:
    """Return whether windows can be opened; a browser in text mode would take over the terminal."""
    return sys.platform in {"win32", "darwin"} or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
