"""The group of commands: which one is meant, and how it ends: one sentence and an exit code for whatever goes wrong.

Nothing but click is imported until a command runs, so that help answers at once.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
import traceback
from pathlib import Path
from typing import Any

import click

from adjudge._base import VERSION, AdjudgeError, safe
from adjudge.cli.help import WIDTH, Helpful
from adjudge.cli.lazy_imports import lazy_imports
from adjudge.cli.wording import flags

_TOO_LARGE = "There is not enough memory for this. Give it more, or a file without long texts and columns that are not needed."


_LEARNING = {"estimate", "trade-off", "compare-learners"}  # commands that fit learners, with as many threads as these take
_DEFAULT = "report"  # what is done with files where no command is named
_DEBUG = "--debug"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FAULT = 70  # the exit code of a fault of our own: EX_SOFTWARE of sysexits.h


class _Command(Helpful, click.Command):
    """Tells what adjudge refuses with its own flags."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        if self.name not in _LEARNING and "numpy" not in sys.modules:
            os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tables are small: more threads would wait, and cost, for nothing
        lazy_imports("scipy.special", "numpy.f2py", "numpy.testing")  # large, and hardly anything in them is used
        try:
            return super().invoke(ctx)
        except AdjudgeError as error:
            told = AdjudgeError(error.in_shell(flags(self)), parameter=error.parameter)
            told.exit_code = error.exit_code
            raise told from error


class _Group(Helpful, click.Group):
    """Turns what adjudge or click refuses into one sentence and exit code 2."""

    command_class = _Command
    group_class = type

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read what is asked: the help where nothing is, and a report where files stand in the place of a command."""
        if args and _DEFAULT in self.commands and self._means_files(ctx, args[0]):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args or ["--help"])

    def _means_files(self, ctx: click.Context, first: str) -> bool:
        """Return whether the first argument is a path, a pattern or an option of a report; refuse what is nothing at all."""
        if first in self.commands:
            return False
        if first.startswith("-"):
            own, theirs = (
                {name for param in command.get_params(ctx) for name in param.opts} for command in (self, self.commands[_DEFAULT])
            )
            name = first.partition("=")[0] if first.startswith("--") else first[:2]
            return name in theirs - own
        if any(sign in first for sign in "./\\*?[") or (first and Path(first).exists()):
            return True
        from difflib import get_close_matches

        near = get_close_matches(first, self.commands, 1)
        msg = f"There is no command and no file '{safe(first)}'.{f' Did you mean {near[0]}?' if near else ''}"
        raise click.UsageError(msg)

    def main(self, args: Any = None, prog_name: str | None = None, *, standalone_mode: bool = True, **extra: Any) -> Any:  # type: ignore[override]
        """Run a command; leave with its exit code unless called from Python with standalone_mode=False."""
        if not standalone_mode:
            return super().main(args, prog_name, standalone_mode=False, **extra)
        gc.set_threshold(50_000)  # what a command loads stays to its end: looking through it again and again finds no garbage
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")  # a label the terminal cannot show is shown by its escape
        given = list(sys.argv[1:] if args is None else args)
        debug = _DEBUG in given[: given.index("--")] if "--" in given else _DEBUG in given
        if debug:
            given.remove(_DEBUG)
        try:
            code = super().main(given, prog_name, standalone_mode=False, **extra)
        except (AdjudgeError, MemoryError) as error:
            code = _refused(str(error), error.exit_code) if isinstance(error, AdjudgeError) else _refused(_TOO_LARGE)
        except click.ClickException as error:
            code = _refused(f"{safe(' '.join(error.format_message().split()), 500)} Try --help.")
        except BrokenPipeError:
            sys.stderr.close()  # the reader of our output has gone; there is no one to tell
            code = 1
        except click.Abort as error:
            code = 130
            for note in getattr(error.__cause__, "__notes__", ()):  # what is kept of the work
                click.echo(f"adjudge: Interrupted. {note}", err=True)
        except Exception as error:  # noqa: BLE001 - what nobody foresaw is a fault of ours, and no one else's to read
            code = _faulted(error, debug=debug)
        sys.exit(code if isinstance(code, int) else 0)


def _faulted(error: Exception, *, debug: bool) -> int:
    """Tell an error that no one turned into a sentence before, and return the exit code."""
    if debug:
        traceback.print_exc()
    if isinstance(error, OSError) and error.errno in _FULL:  # of the standard output: files say it with their names
        return _refused(f"Cannot write: {error.strerror}. Make room, or have it written to another place.")
    what = " ".join(f"{type(error).__name__}: {error}".split())
    told = f"a fault of its own ({safe(what, 300)}). Please report it; adjudge {_DEBUG} COMMAND shows where."
    return _refused(told, _FAULT)


def _refused(sentence: str, code: int = 2) -> int:
    click.echo(f"adjudge: {safe(sentence, len(sentence))}", err=True)
    return code


@click.group(
    cls=_Group,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
    examples=("adjudge predictions.csv", "adjudge compare old.csv new.csv"),
)
@click.version_option(VERSION, prog_name="adjudge")
@click.option(_DEBUG, is_flag=True, expose_value=False, help="Show where a fault of adjudge itself comes from.")
def main() -> None:
    """Evaluate classifiers, with the uncertainty of every number.

    adjudge FILE is short for adjudge report FILE. adjudge COMMAND --help shows the options of a command.
    """
