"""How a command ends: places to write checked before the work, files written all or none, the answer printed.

A person at a terminal gets colour, lines of the window's width, a bar and the page opened; a pipe does not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from adjudge._base import InputError, Shown, safe
from adjudge._base.files import check_place, write_together, write_whole
from adjudge._base.progress import waiting
from adjudge._base.show import as_json
from adjudge.cli.wording import in_shell

_NARROWEST, _WIDEST = 60, 120
PAGES, PICTURES = (".html", ".htm"), (".svg", ".png", ".pdf")


class Printed(NamedTuple):
    """How a result is printed, and what its page is called."""

    form: str = "text"  # or markdown, json, csv
    title: str | None = None


def answer(
    result: Any,
    *,
    printed: Printed,
    output: Path | None = None,
    save: Callable[[Path], Any] | None = None,
    files: Mapping[Path, Callable[[Path], Any]] | None = None,
    written: Path | None = None,
    more: Mapping[str, Any] | None = None,
    lines: Iterable[str] = (),
) -> None:
    """Write the result to `output`, by `save` if given, and `files`, all or none; print it and what was written.

    `written` is a file that the verb wrote; `more` is printed beside the numbers as JSON, `lines` below the words.
    """
    anywhere = in_shell(result, source="PREDICTIONS")  # JSON is the same whoever reads the rows
    kept, result = in_shell(result, kept=True), in_shell(result)
    writers = ({} if output is None else {output: save or partial(_write, kept, anywhere, printed.title)}) | dict(files or {})
    with waiting("drawing the page"):
        if len(writers) == 1:
            for target, write in writers.items():
                write(target)
        else:
            write_together(writers)
    if printed.form != "text":
        _print(anywhere if printed.form == "json" else kept, printed, dict(more or {}))
        return
    say(result)
    paths = (*([] if written is None else [written]), *writers)
    for line in (*lines, *(f"\nWrote {safe(path, 1000)}" for path in paths)):
        click.echo(line)


def _print(result: Any, printed: Printed, more: dict[str, Any]) -> None:
    """Print a result as a program reads it: nothing else goes to the standard output."""
    if printed.form == "json":
        print_json(result.to_dict() | more if more else result.to_dict())
    elif printed.form == "csv":
        rows = result.to_csv()
        if _is_terminal():  # which would do what is in labels; a file and a pipe get them as they are
            rows = "\n".join(safe(row, len(row)) for row in rows.split("\n"))
        click.echo(rows, nl=False, color=True)  # which keeps what looks like colour in a label
    else:
        from adjudge.describe import describe
        from adjudge.render.markdown import markdown

        click.echo(markdown(in_shell(describe(result, figure=False, title=printed.title), kept=True)), nl=False)


def _write(result: Any, anywhere: Any, title: str | None, place: Path) -> Any:
    """Write a picture, Markdown, JSON, or else a page, by the ending of a name."""
    ending = place.suffix.lower()
    if ending in PICTURES:
        from adjudge.verbs.plot import save_plot

        return save_plot(result, place)
    if ending == ".json":
        return write_whole(place, anywhere.to_json())
    return write_whole(place, result.to_markdown(title=title) if ending == ".md" else result.to_html(title=title))


def print_json(value: Any) -> None:
    """Print strict JSON: no NaN, nothing but ASCII."""
    click.echo(as_json(value))


def check_ending(output: Path | None, endings: tuple[str, ...], writes: str) -> None:
    """Refuse a name that promises something else than what a command `writes`."""
    if output is not None and output.suffix.lower() not in endings:
        shown = [ending for ending in endings if ending != ".htm"]
        listed = f"{', '.join(shown[:-1])} or {shown[-1]}" if len(shown) > 1 else shown[0]
        msg = f"-o writes {writes}: give a name that ends in {listed}; got {safe(output.name)}."
        raise click.UsageError(msg)


def check_places(
    *read: Path | None, what: str = "the predictions", written: str = "page", such_as: str = "report.html", **places: Path | None
) -> None:
    """Refuse places that cannot be written to, or where something is that is `read`, before the work, not after it.

    Each place is named by its option; `written` is what would be written there, and `what` what is read.
    """
    given = {name: path for name, path in places.items() if path is not None}
    known = [path for path in read if path is not None and path.exists()]
    for path in given.values():
        if path.exists() and any(path.samefile(each) for each in known):
            msg = f"The {written} would replace {what} in {safe(path)}. Choose another place to write to."
            raise InputError(msg)
        check_place(path, such_as=such_as)
    if len({path.absolute() for path in given.values()}) < len(given):
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        raise InputError(flags, " need a file each; two of them name the same.")


def say(shown: Shown) -> None:
    """Print a result in words, in colour as NO_COLOR and FORCE_COLOR say; in a pipe, byte for byte what `in_words` gives."""
    from adjudge.describe import describe
    from adjudge.render.text import WIDTH, text

    can = _is_terminal() and os.environ.get("TERM") != "dumb"
    colour = not os.environ.get("NO_COLOR") and (bool(os.environ.get("FORCE_COLOR")) or can)
    width = window() or WIDTH
    click.echo(text(in_shell(describe(shown, figure=False, whole=False)), width=width, colour=colour), color=colour)


def window() -> int | None:
    """Return how many columns a terminal has room for, within reason; None in a pipe."""
    import shutil

    return min(max(shutil.get_terminal_size().columns, _NARROWEST), _WIDEST) if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def open_page(page: Path) -> bool:
    """Open a page in the browser where a person sits before one; return whether it was."""
    # without a display a browser in text mode would take over the terminal
    display = sys.platform in {"win32", "darwin"} or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not _is_terminal() or os.environ.get("CI") or not display:
        return False
    import webbrowser

    try:
        return webbrowser.open(page.resolve().as_uri())
    except webbrowser.Error:
        return False
