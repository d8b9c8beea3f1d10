"""Commands that are stopped at a moment of their run: the n-th audit event of the interpreter, not a time on the clock.

`python moments.py` reads requests, a line of JSON each, and answers each with a line; every command runs in a copy of this
process, which has imported the libraries, so that it starts at once, but nothing of adjudge, so that imports are stopped too.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NoReturn

MARK = "ADJUDGE_TEST_RUN"  # in the environment of everything that a command starts


@dataclass(frozen=True)
class Stopped:
    """How a command ended."""

    code: int
    out: str
    err: str
    events: int
    """How many audit events there were; 0 where it could not say any more."""
    here: frozenset[str]
    """All that is in its folder and in that of temporary files."""


class Commands:
    """Runs commands in folders of their own; `warm` imports are made once for all of them."""

    def __init__(self, place: Path, warm: Sequence[str] = ()) -> None:
        self.place, self.runs = place, 0
        env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            [sys.executable, __file__, *warm], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, text=True
        )

    def run(self, arguments: Sequence[str], *, within: Path | None = None, **how: Any) -> Stopped:
        """Run a command, stopped by `number` at the `moment` if there is one.

        `unheard` is where its output goes, or "closed"; `patched` values are set before it starts; `serial` fits one after another.
        """
        self.runs += 1
        beside = self.place / str(self.runs)
        folder = beside / "here" if within is None else within
        for each in (beside, beside / "temporary", folder):
            each.mkdir(exist_ok=True)
        asked = {"arguments": list(arguments), "folder": str(folder), "beside": str(beside), **how}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        code = json.loads(self.process.stdout.readline())
        out, err = ((beside / name).read_text(encoding="utf-8") for name in ("out", "err"))
        there = {str(path.relative_to(root)) for root in (folder, beside / "temporary") for path in root.rglob("*")}
        events = int((beside / "events").read_text(encoding="ascii")) if (beside / "events").exists() else 0
        return Stopped(code, out, err, events, frozenset(there))

    def left(self) -> list[int]:
        """Return the processes that commands have started and that still run."""
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit() and _of(path, str(self.place))]


def _of(process: Path, place: str) -> bool:
    try:
        runs = (process / "stat").read_text(encoding="ascii", errors="replace").rsplit(")", 1)[1].split()[0] != "Z"
        return runs and f"{MARK}={place}".encode() in (process / "environ").read_bytes()
    except OSError:  # ended before or in the middle of the look
        return False


@contextmanager
def commands(place: Path, *warm: str) -> Iterator[Commands]:
    """Give out what runs commands; it ends with them."""
    started = Commands(place, warm)
    try:
        yield started
    finally:
        started.process.stdin.close()  # type: ignore[union-attr]
        started.process.stdout.close()  # type: ignore[union-attr]
        started.process.wait()


def _begin(
    arguments: list[str], folder: str, beside: str, *, unheard: str = "", serial: bool = False, patched: Mapping[str, Any]
) -> None:
    """Make this process one that a shell has started for a command."""
    os.setsid()
    os.chdir(folder)
    for handle, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(f"{beside}/{name}", os.O_CREAT | os.O_WRONLY), handle)
    if unheard == "closed":
        read, write = os.pipe()
        os.dup2(write, 1)
        os.close(read)
    elif unheard:
        os.dup2(os.open(unheard, os.O_WRONLY), 1)
    os.environ |= {"TMPDIR": f"{beside}/temporary", MARK: str(Path(beside).parent)}
    sys.argv = ["adjudge", *arguments]
    for name, value in patched.items():
        module, _, attribute = name.rpartition(".")
        setattr(importlib.import_module(module), attribute, value)
    if serial:
        from adjudge.resampling import run

        run.isolated = lambda job, units, **_: run.in_turn(job, units)


def _run(
    arguments: list[str],
    *,
    beside: str,
    moment: int = 0,
    number: int = signal.SIGINT,
    patched: Mapping[str, Any] = MappingProxyType({}),
    **how: Any,
) -> NoReturn:
    """Run a command in this process and end it."""
    _begin(arguments, beside=beside, patched=patched, **how)
    from adjudge.__main__ import main

    me, events = os.getpid(), 0

    def count(*_: Any) -> None:
        nonlocal events
        events += os.getpid() == me
        if events == moment and os.getpid() == me:
            os.kill(me, number) if number == signal.SIGKILL else os.killpg(0, number)  # as from a terminal

    sys.addaudithook(count)
    code: Any = 70
    try:
        main()
    except SystemExit as end:
        code = end.code
    finally:
        total, moment = events, 0
        with Path(beside, "events").open("w", encoding="ascii") as file:
            file.write(str(total))
        import atexit

        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
        except OSError as error:
            os.write(2, f"ignored at the end: {error}".encode())  # as the interpreter says, with an exit code of its own
        os._exit(code or 0)


def _compile(package: str) -> None:
    """Compile the modules of a package for all copies of this process, as if their bytecode lay on the disk."""
    folder = Path(importlib.util.find_spec(package).origin).parent  # type: ignore[union-attr, arg-type]
    codes = {str(path): compile(path.read_bytes(), str(path), "exec", dont_inherit=True) for path in folder.rglob("*.py")}
    read = SourceFileLoader.get_code
    SourceFileLoader.get_code = lambda self, name: codes.get(self.path) or read(self, name)  # type: ignore[method-assign]


def _serve(asked: IO[str]) -> None:
    for line in asked:
        pid = os.fork()
        if not pid:
            _run(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    _compile("adjudge")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in sys.argv[1:]:
        importlib.import_module(name)
    _serve(sys.stdin)
