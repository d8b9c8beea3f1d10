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
    """Print a result in words, in colour as NO_COLOR and FORCE_COLOR say; in a pipe, byte for byte what `in_words` gives."""
    from adjudge.describe import describe
    from adjudge.render.text import WIDTH, text

    can = _is_terminal() and os.environ.get("TERM") != "dumb"
    colour = not os.environ.get("NO_COLOR") and (bool(os.environ.get("FORCE_COLOR")) or can)
    width = min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST) if _is_terminal() else WIDTH
    document = in_shell(describe(found, figure=False, whole=False))
    click.echo(text(document, width=width, colour=colour), color=colour)


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def waiting(what: str) -> AbstractContextManager[Any]:
    """Return a context that shows how long some work takes, to whoever watches."""
    from adjudge._base.progress import waiting as watched

    return watched(what) if someone_watches() else nullcontext()


def open_page(page: Path) -> bool:
    """Open a page in the browser where a person sits before one; return whether it was.

    Without a display a browser in text mode would take over the terminal.
    """
    display = sys.platform in {"win32", "darwin"} or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not _is_terminal() or os.environ.get("CI") or not display:
        return False
    import webbrowser

    try:
        return webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        return False
