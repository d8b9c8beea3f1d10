"""Python in a process of its own: how long it took and how much it held, without what this one has loaded."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter

_PEAK = """
from pathlib import Path
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")))
"""
"""The most memory a process held, of Linux; `ru_maxrss` would be inherited from this one."""


@dataclass(frozen=True)
class Ran:
    """What a process took, start-up included: by the clock, of the processors, and of memory at most."""

    seconds: float
    busy: float
    """Seconds of all processors together, which do not depend on what else they had to do."""
    megabytes: float


def ran(code: str, *arguments: object, folder: Path | None = None) -> Ran:
    """Run `code` once, in `folder` where one is given, and return what it took."""
    start, busy = perf_counter(), _busy()
    said = run(code + _PEAK, *arguments, folder=folder)
    return Ran(perf_counter() - start, _busy() - busy, int(said.split()[-1]) / 1024)


def job(code: str, *arguments: object) -> Callable[[], str]:
    """Return a function that runs `code` in a process of its own, to be timed."""
    return partial(run, code, *arguments)


def run(code: str, *arguments: object, folder: Path | None = None) -> str:
    """Run `code` and return what it printed."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}  # compiling would weigh most
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=kept, cwd=folder).stdout


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
