"""Processes that do parts of a job: any number gives the same, none outlives who started it, a lost one is told of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from adjudge._base.errors import InputError
from adjudge.counts import workers
from adjudge.counts.workers import LostWorkerError, done, workers_for


class Squares:
    """Squares numbers, remembers their sum, and does worse where it is told to."""

    def __init__(self):
        self.total = 0

    def part(self, number, part):
        if part == "wrong":
            msg = "no number"
            raise InputError(msg)
        if part == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if part == "breaks":
            msg = "broken on purpose"
            raise RuntimeError(msg)
        sys.stdout.write("no answer\n")  # must not be taken for one
        self.total += part
        return number, part * part, os.getpid()

    def rest(self):
        return self.total


@pytest.fixture(autouse=True)
def found_by_workers(monkeypatch):
    """Let workers import this file, as they import adjudge."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(Path(__file__).parent)])
    monkeypatch.setattr(Squares, "__module__", "test_workers")
    monkeypatch.setitem(sys.modules, "test_workers", sys.modules[__name__])


def test_one_worker_is_this_process():
    told = []
    answers, rests = done(Squares(), [1, 2, 3], 1, told.append)
    assert answers == [(0, (i, (i + 1) ** 2, os.getpid())) for i in range(3)]
    assert rests == [6]
    assert told == [answer for _, answer in answers]


def test_threads_do_every_part_once_in_this_process():
    told, job = [], Squares()
    answers, rests = done(job, list(range(20)), 3, told.append, threads=True)
    assert [answer for _, answer in answers] == [(i, i * i, os.getpid()) for i in range(20)]
    assert sum(rests) == sum(range(20))
    assert sorted(told) == [answer for _, answer in answers]
    assert {worker for worker, _ in answers} <= {0, 1, 2}


def test_threads_stop_after_a_part_that_is_refused():
    told = []
    with pytest.raises(InputError, match="no number"):
        done(Squares(), ["wrong", *range(10_000)], 2, told.append, threads=True)
    assert len(told) < 10_000


@pytest.mark.parametrize("several", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_further_parts_follow_from_the_first_answers(several):
    answers, rests = done(Squares(), [1, 2, 3], several, lambda _: None, lambda known: [part for _, (_, part, _) in known])
    assert [answer[:2] for _, answer in answers] == [(0, 1), (1, 4), (2, 9), (3, 1), (4, 16), (5, 81)]
    assert sum(rests) == 6 + 14
    assert len({worker for worker, _ in answers} | {answer[2] for _, answer in answers}) <= 2 * several


@pytest.mark.slow
def test_several_do_every_part_once_and_end():
    told = []
    answers, rests = done(Squares(), list(range(20)), 2, told.append)
    assert [answer[:2] for _, answer in answers] == [(i, i * i) for i in range(20)]
    assert sum(rests) == 190
    assert len(told) == 20
    processes = {worker: answer[2] for worker, answer in answers}
    assert os.getpid() not in processes.values()
    for process in processes.values():
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("part", "kind", "why"), [
    ("wrong", InputError, "no number"),
    ("dies", LostWorkerError, r"ended by signal 9, perhaps for want of memory\. Count in this process: pass n_jobs=1\."),
    ("breaks", LostWorkerError, "ended with exit code 1"),
])  # fmt: skip
def test_what_goes_wrong_in_a_worker_is_told_in_a_sentence(part, kind, why):
    with pytest.raises(kind, match=why):
        done(Squares(), [1, part, 2], 2, lambda _: None)


@pytest.mark.slow
def test_no_worker_outlives_who_started_it(tmp_path):
    code = "import sys, test_workers; test_workers.wait(sys.argv[1])"
    path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
    parent = subprocess.Popen([sys.executable, "-c", code, tmp_path / "pids"], env={**os.environ, "PYTHONPATH": path})
    pids = []
    for _ in range(600):
        pids = (tmp_path / "pids").read_text().split() if (tmp_path / "pids").exists() else []
        if len(pids) == 2:
            break
        time.sleep(0.1)
    parent.kill()
    parent.wait()
    for _ in range(600):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            break
        time.sleep(0.1)
    assert len(pids) == 2
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def wait(path):
    """Start two workers and leave them waiting."""
    started = [workers._started() for _ in range(2)]
    Path(path).with_suffix(".part").write_text(" ".join(str(process.pid) for process in started))
    Path(path).with_suffix(".part").replace(path)
    time.sleep(600)


def test_as_many_as_there_are_cores_and_parts(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)
    assert [workers_for(None, parts) for parts in (1, 7, 8, 20, 400)] == [1, 1, 2, 5, 8]
    assert [workers_for(n, 10) for n in (1, 3, 40, -1, -2, -20)] == [1, 3, 10, 8, 7, 1]
    monkeypatch.setattr(sys, "executable", "")
    assert workers_for(4, 100) == 1
