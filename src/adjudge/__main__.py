"""The entry of the command line, also as ``python -m adjudge``: a signal to stop ends it, from the first import to the last line.

Where it comes work stops as for Ctrl-C, temporary files are removed, and the exit code is 128 and the number of the signal.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn

_STOPPED = 128
_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    came: list[int] = []
    ended = False

    def stop(number: int, _frame: Any) -> None:
        if ended:
            os._exit(_STOPPED + number)  # all is done and told; nothing is left to be stopped but the end itself
        came.append(number)
        raise KeyboardInterrupt

    code: Any = _STOPPED + signal.SIGINT
    try:
        for number in _SIGNALS:
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):  # else its maker has it ignored
                signal.signal(number, stop)
        from adjudge.cli import main as commands

        commands(prog_name="adjudge")
    except KeyboardInterrupt:
        pass
    except SystemExit as end:
        code = end.code
    ended = True
    sys.exit(_STOPPED + came[0] if came else code)


if __name__ == "__main__":
    main()
