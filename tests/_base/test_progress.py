"""A bar for whoever waits at a terminal: what it tells, and that nothing is left of it."""

from __future__ import annotations

import re
import sys
import time
from contextlib import nullcontext

import pytest
from tests.terminals import MARKS, Terminal, notebook

from adjudge._base.progress import PATIENCE, Bar, in_notebook, someone_watches, stepped, waiting, within_bar


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
            assert bar._view._progress.tasks[0].total == (None if total is None else max(total, done))
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


def test_a_notebook_shows_one_line_that_stays(bare):
    lines = notebook(bare)
    assert in_notebook()
    assert someone_watches()
    with Bar("reading", unit="rows") as bar:
        bar.begin("reading a.csv", 2000)
        bar.at(500)
        bar.at(2000)
    assert lines[0].startswith("reading, 0:00 gone")
    assert lines[1].startswith("reading a.csv: 0 of 2,000 rows, 0:00 gone")
    assert lines[2].startswith("reading a.csv: 500 of 2,000 rows, about 0:00 left")
    assert lines[-1] == "reading a.csv: 2,000 of 2,000 rows"


def test_a_notebook_is_spared_a_line_of_quick_work_and_shown_one_of_slow(bare):
    lines = notebook(bare)
    bare.setattr("adjudge._base.progress._PATIENCE_OF_NOTEBOOKS", 30.0)
    with waiting("work"):
        pass
    assert lines == []
    bare.setattr("adjudge._base.progress._PATIENCE_OF_NOTEBOOKS", 0.01)
    with waiting("work", after=0.01):
        for _ in stepped(range(4)):
            time.sleep(0.05)
    assert lines[0].startswith("work")
    assert lines[-1] == "work: 100%"
    assert any("left" in line for line in lines)


def parts(bare, loops):
    """Return the parts of the whole that a bar tells while nested loops run."""
    told = []
    bare.setattr(sys, "stderr", Terminal())
    bare.setenv("TERM", "xterm")
    with waiting("work", after=30.0) as bar:
        assert within_bar()
        move = bar.at
        bare.setattr(bar, "at", lambda done, **how: (told.append(round(done, 6)), move(done, **how)))
        loops()
    assert not within_bar()
    return told


def test_loops_move_the_bar_and_inner_ones_refine_outer_ones(bare):
    def loops():
        for _ in stepped("ab"):
            for _ in stepped(range(4)):
                pass

    assert parts(bare, loops) == [0.125, 0.25, 0.375, 0.5, 0.5, 0.625, 0.75, 0.875, 1.0, 1.0]


def test_loops_have_shares_and_may_end_early_or_late(bare):
    def loops():
        for name in stepped("ab", [1, 3]):
            for _ in stepped(iter(range(3)), [1.0, 1.0]):  # one more than was thought
                if name == "b":
                    break

    assert parts(bare, loops) == [0.125, 0.25, 0.25, 0.25, 1.0]


def test_loops_yield_all_items_whether_anybody_watches_or_not(bare):
    assert list(stepped(range(3))) == [0, 1, 2]
    assert list(stepped(iter("abc"), [1.0])) == ["a", "b", "c"]
    bare.setattr(sys, "stderr", Terminal())
    bare.setenv("TERM", "xterm")
    with waiting("work", after=30.0):
        assert list(stepped(range(3))) == [0, 1, 2]
        assert list(stepped([])) == []
        assert list(stepped(iter("abc"), [1.0])) == ["a", "b", "c"]
        assert isinstance(waiting("more work"), nullcontext)  # the whole is shown already
        with Bar("reading", 3):
            assert list(stepped(range(2))) == [0, 1]  # no business of a bar that counts


def test_the_time_left_runs_down_between_two_steps(bare):
    now = [100.0]
    bare.setattr("adjudge._base.progress.time.monotonic", lambda: now[0])
    bar = Bar("work", 10, 2)
    assert (bar.left, bar.clock) == (None, "0:00 gone")
    now[0] += 30
    bar.at(4)  # two of ten in half a minute: six more take 90 seconds
    assert bar.clock == "about 1:30 left"
    now[0] += 60
    assert bar.clock == "about 0:30 left"
    now[0] += 4000
    assert bar.left == 0.0
    bar.begin("more", None)
    now[0] += 3725
    assert bar.clock == "1:02:05 gone"


def test_loops_one_after_another_begin_anew(bare):
    def loops():
        for _ in range(2):
            for _ in stepped("ab"):
                pass

    assert parts(bare, loops) == [0.5, 1.0, 0.5, 1.0]


def test_work_after_reading_takes_the_bar_of_the_rows_over(bare):
    lines = notebook(bare)
    with Bar("reading a.csv", 10, unit="rows") as bar:
        bar.at(10)
        with waiting("fitting it"):
            for _ in stepped("ab"):
                pass
        assert not within_bar()
        bar.begin("reading b.csv", 5)
        bar.at(5)
    told = [line.split(",")[0] for line in lines]
    assert told == [
        "reading a.csv: 0 of 10 rows",
        "reading a.csv: 10 of 10 rows",
        "fitting it",
        "fitting it: 50%",
        "fitting it: 100%",
        "reading b.csv: 0 of 5 rows",
        "reading b.csv: 5 of 5 rows",
        "reading b.csv: 5 of 5 rows",
    ]
