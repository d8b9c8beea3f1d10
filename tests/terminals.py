"""A terminal that nobody sits at, and what the surroundings must not say of it."""

from __future__ import annotations

import io
import re
import sys
from types import SimpleNamespace

MARKS = re.compile(r"\x1b\[[0-9;]*m")
UNSAID = {"NO_COLOR", "FORCE_COLOR", "TERM", "COLUMNS", "DISPLAY", "WAYLAND_DISPLAY", "CI"}


class Terminal(io.StringIO):
    """What says that it is a terminal, and keeps what is written."""

    def isatty(self):
        return True


def notebook(monkeypatch):
    """Let IPython say that this is a notebook, and return the lines that it is given to show, each as often as it changes."""
    lines = []

    def display(data, *, raw, display_id):
        assert raw
        assert display_id
        lines.append(data["text/plain"])
        return SimpleNamespace(update=lambda data, **_: lines.append(data["text/plain"]))

    shell = type("ZMQInteractiveShell", (), {})()
    fake = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", fake.display)
    monkeypatch.setattr("adjudge._base.progress._OFTEN", 0.0)
    return lines
