"""Workers that do the parts of one job: interpreters started for it, which get parts and send answers back through pipes.

A worker runs none of the user's program and ends when the pipe from whoever started it does. With one worker all is done here.
Jobs that spend their time in libraries, which do not hold the interpreter, are done by threads: these start at once.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from itertools import count
from threading import Event, Lock
from typing import Any, Protocol

from adjudge._base import AdjudgeError, InputError, argument

_PARTS = 4  # that a process has at the least, where nobody says how many there shall be: its start takes as long as one
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_IO_THREADS")
_START = "import sys; sys.path[:] = {path!r}; from adjudge.counts.workers import work; work()"


class Job(Protocol):
    """What a worker does with part after part; it remembers what it has not sent back yet."""

    def part(self, number: int, part: Any) -> Any:
        """Return what is known of one part."""

    def rest(self) -> Any:
        """Return what is known of all parts together that this worker had."""


class LostWorkerError(AdjudgeError):
    """A process that was counting ended before its answer came."""


def workers_for(n_jobs: int | None, parts: int, *, threads: bool = False) -> int:
    """Return how many workers do so many parts; negative numbers count from that of the cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    wanted = n_jobs if n_jobs is not None else min(cores, parts if threads else parts // _PARTS)
    wanted = wanted if wanted >= 0 else cores + 1 + wanted
    there = bool(sys.executable) and not getattr(sys, "frozen", False)  # else there is no interpreter to start
    return max(1, min(wanted, parts)) if there or threads else 1


def done(
    job: Job,
    parts: Sequence[Any],
    workers: int,
    told: Callable[[Any], None],
    then: Callable[[Sequence[tuple[int, Any]]], Sequence[Any]] = lambda _: (),
    *,
    threads: bool = False,
) -> tuple[list[tuple[int, Any]], list[Any]]:
    """Return, for each part, which worker had it and its answer, and the rest of each worker; `told` hears every answer.

    What `then` makes of all answers are further parts, for the same workers; their answers follow.
    """
    here = workers == 1 or threads
    jobs = [job, *(deepcopy(job) for _ in range(workers - 1))] if here else []
    sent = b"" if here else pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
    started = [] if here else [_started() for _ in range(workers)]
    by_part: list[Any] = []
    talking, failed = Lock(), Event()

    def ask(worker: int, asked: tuple[int, Any] | None = None) -> Any:
        if not here:
            return _answer(started[worker], asked)
        return jobs[worker].rest() if asked is None else jobs[worker].part(*asked)

    def drive(worker: int, numbers: Iterator[int], several: dict[int, Any]) -> None:
        while not failed.is_set() and (number := next(numbers)) in several:
            by_part[number] = worker, ask(worker, (number, several[number]))
            with talking:
                told(by_part[number][1])

    def by_all(pool: ThreadPoolExecutor, task: Callable[..., Any], *args: Any) -> list[Any]:
        if workers == 1:
            return [task(0, *args)]
        futures = [pool.submit(task, worker, *args) for worker in range(workers)]
        try:
            return [future.result() for future in futures]
        except BaseException:
            failed.set()
            _end(started)  # so that no thread waits for an answer
            raise

    try:
        for process in started:
            with suppress(BrokenPipeError):  # it is gone, as its answer will tell
                process.stdin.write(sent)  # type: ignore[union-attr]
        with ThreadPoolExecutor(workers) as pool:
            for go_on in (False, True):
                numbered = dict(enumerate(then(by_part) if go_on else parts, len(by_part)))
                by_part += [None] * len(numbered)
                by_all(pool, drive, count(len(by_part) - len(numbered)), numbered)
            return by_part, by_all(pool, ask)
    finally:
        _end(started)


def _started() -> subprocess.Popen[bytes]:
    environment = {**os.environ, **dict.fromkeys(_ONE_THREAD, "1"), "PYTHONHASHSEED": "0"}
    command = [sys.executable, "-c", _START.format(path=sys.path)]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, start_new_session=True, **pipes)  # noqa: S603 - our own; Ctrl-C is not for it


def _answer(process: subprocess.Popen[bytes], asked: Any) -> Any:
    """Ask a worker and return its answer; raise what it found wrong with its part."""
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        pickle.dump(asked, process.stdin, pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()
        answer = pickle.load(process.stdout)  # noqa: S301 - our own worker wrote it
    except (OSError, EOFError, ValueError, pickle.UnpicklingError) as error:
        code = process.wait()
        why = f"by signal {-code}, perhaps for want of memory" if code < 0 else f"with exit code {code}"
        msg = f"A process that counted a part of the rows ended {why}. Count in this process: pass "
        raise LostWorkerError(msg, argument("n_jobs", 1), ".") from error
    if isinstance(answer, InputError):
        raise answer
    return answer


def _end(started: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


def work() -> None:
    """Do parts as they come in, until none does: what a process started here runs."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what is printed by mistake is no answer
        import pyarrow as pa

        pa.set_cpu_count(1)
        with suppress(EOFError, BrokenPipeError):
            job: Job = pickle.load(sys.stdin.buffer)  # noqa: S301 - whoever started it wrote it
            while (asked := pickle.load(sys.stdin.buffer)) is not None:  # noqa: S301
                try:
                    answer = job.part(*asked)
                except InputError as error:
                    answer = error
                pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
                answers.flush()
            pickle.dump(job.rest(), answers, pickle.HIGHEST_PROTOCOL)
