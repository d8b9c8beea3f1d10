"""A bar for whoever waits at a terminal: what it tells, and that nothing is left of it."""

from __future__ import annotations

import re
import sys
import time
from contextlib import nullcontext

import pytest
from tests.terminals import MARKS, Terminal

from adjudge._base.progress import PATIENCE, Bar, someone_watches, waiting


def test_a_bar_is_shown_at_a_terminal_only(bare):
    assert not someone_watches()
    bare.setattr(sys, "stderr", Terminal())
    assert someone_watches()
    bare.setenv("TERM", "dumb")
    assert not someone_watches()


def test_quick_work_shows_no_bar_and_slow_work_leaves_none(bare):
    bare.setattr(sys, "stderr", Terminal())
    bare.setenv("TERM", "xterm")
    with Bar("reading", 10, unit="rows", after=30) as bar:
        bar.step(10)
    assert sys.stderr.getvalue() == ""
    with Bar("reading", 1000, unit="rows", after=0.01) as bar:
        for _ in range(2000):  # more than was thought
            bar.step(1)
            if "rows" in sys.stderr.getvalue():
                break
            time.sleep(0.005)
    shown = sys.stderr.getvalue()
    assert "reading" in shown
    assert re.search(r"\d rows", MARKS.sub("", shown))
    assert shown.endswith("\x1b[2K")  # the line is wiped


@pytest.mark.parametrize(
    ("total", "before", "unit", "steps", "told"),
    [
        (10, 3, "", [(1, "fold 4")], "4/10 fold 4"),
        (10, 0, "", [(4, "x"), (8, "")], "12/12"),  # an estimate that was too low
        (5000, 0, "rows", [(1500, "")], "1,500 of 5,000 rows"),
        (None, 0, "rows", [(2000, ""), (1, "done")], "2,001 rows done"),
        (None, 0, "", [(1, "drawing")], "drawing"),
    ],
)
def test_what_a_bar_tells(total, before, unit, steps, told, bare):
    bare.setattr(sys, "stderr", Terminal())
    bare.setenv("TERM", "xterm")
    bare.setenv("COLUMNS", "100")
    with Bar("work [bold]", total, before, unit=unit) as bar:
        for n, note in steps:
            bar.step(n, note=note)
    shown = MARKS.sub("", sys.stderr.getvalue())
    assert "work [bold]" in shown
    assert f" {told} " in shown


def test_a_bar_begins_anew_with_every_piece_of_the_work(bare):
    bare.setattr(sys, "stderr", Terminal())
    bare.setenv("TERM", "xterm")
    bare.setenv("COLUMNS", "100")
    with Bar("reading", unit="rows") as bar:
        for name, total, done in (("a.csv", 200, 200), ("b.csv", None, 30), ("c.csv", 50, 60)):
            bar.begin(f"reading {name}", total)
            bar.at(done, note="so far")
            assert bar._progress.tasks[0].total == (None if total is None else max(total, done))
    frames = MARKS.sub("", sys.stderr.getvalue()).split("\r")
    told = [found.groups() for each in frames if (found := re.search(r"reading (\S+) \S+ (.*) so far", each))]
    assert told[0] == ("a.csv", "200 of 200 rows")
    assert told[-1] == ("c.csv", "60 of 60 rows")
    assert not [each for each in frames if "b.csv" in each and "200" in each]  # nothing of the file before


def test_an_error_wipes_the_bar_too(bare):
    bare.setattr(sys, "stderr", Terminal())
    bare.setenv("TERM", "xterm")
    with pytest.raises(KeyError), Bar("work", 2):
        raise KeyError
    assert sys.stderr.getvalue().endswith("\x1b[2K")


def test_only_who_watches_and_has_not_declined_is_shown_how_long_it_takes(bare):
    assert isinstance(waiting("work"), nullcontext)
    bare.setattr(sys, "stderr", Terminal())
    assert isinstance(waiting("work", progress=False), nullcontext)
    shown = waiting("work")
    assert isinstance(shown, Bar)
    assert shown._timer.interval == PATIENCE
    bare.setattr(sys, "stderr", None)
    assert isinstance(waiting("work"), nullcontext)
