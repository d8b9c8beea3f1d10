"""The peak memory of a script in a process of its own."""

from __future__ import annotations

import subprocess
import sys

_PEAK = """
from pathlib import Path
print(next(line.split()[1] for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")))
"""


def peak_of(script: str, *arguments: object) -> tuple[list[str], int]:
    """Run `script` and return the words it printed and the megabytes it held at most.

    `ru_maxrss` would not do: a process inherits it from the one that started it, here a test worker of any size.
    """
    command = [sys.executable, "-c", script + _PEAK, *map(str, arguments)]
    *words, kilobytes = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return words, int(kilobytes) // 1024
