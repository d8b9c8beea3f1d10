"""A terminal that nobody sits at, and what the surroundings must not say of it."""

from __future__ import annotations

import io
import re

MARKS = re.compile(r"\x1b\[[0-9;]*m")
UNSAID = {"NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "DISPLAY", "WAYLAND_DISPLAY", "CI"}


class Terminal(io.StringIO):
    """What says that it is a terminal, and keeps what is written."""

    def isatty(self):
        return True
