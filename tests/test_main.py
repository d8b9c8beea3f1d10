"""The entry of the command line: how signals end it, and which it leaves alone."""

from __future__ import annotations

import os
import signal
import sys

import pytest

import adjudge.cli
from adjudge.__main__ import main


@pytest.fixture
def ended(monkeypatch):
    """A function that runs something in the place of the commands and returns the exit code."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
    before = {number: signal.getsignal(number) for number in usual}

    def put(handlers):
        for number, handler in handlers.items():
            signal.signal(number, handler)

    def run(command, *, fresh=True):
        if fresh:
            put(usual)  # the tests themselves may run where some are ignored
        monkeypatch.setattr(adjudge.cli, "main", lambda **_: command())
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code

    put(usual)
    yield run
    put(before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_work_and_is_the_exit_code_whatever_then_came_of_it(number, ended):
    undone = []

    def works():
        try:
            signal.raise_signal(number)
        finally:
            undone.append(number)

    def says_otherwise():
        try:
            works()
        except KeyboardInterrupt:
            sys.exit(70)

    assert ended(works) == ended(says_otherwise) == 128 + number
    assert undone == [number, number]


def test_without_a_signal_the_exit_code_is_that_of_the_command(ended):
    assert ended(lambda: sys.exit(3)) == 3

    def interrupts_itself():
        raise KeyboardInterrupt

    assert ended(interrupts_itself) == 130


def test_signals_that_its_maker_has_ignored_or_taken_stay_so(ended):
    def mine(*_):
        pass

    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    signal.signal(signal.SIGTERM, mine)
    handlers = []
    ended(lambda: handlers.extend([signal.getsignal(signal.SIGHUP), signal.getsignal(signal.SIGTERM)]), fresh=False)
    assert handlers == [signal.SIG_IGN, mine]


def test_a_signal_after_the_end_ends_at_once(ended, monkeypatch):
    monkeypatch.setattr(os, "_exit", sys.exit)
    ended(lambda: sys.exit(0))
    with pytest.raises(SystemExit, match="143"):
        signal.raise_signal(signal.SIGTERM)
