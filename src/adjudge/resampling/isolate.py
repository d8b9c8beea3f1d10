"""One process per task: whatever a learner does to its own, the run goes on.

A learner may hang, crash the interpreter, be killed for its memory or end the process on purpose; its task is then
marked with the reason and all others are kept.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import socket
import subprocess
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.spawn import get_executable
from pathlib import Path
from sys import path as search_path

import pyarrow as pa

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError
from adjudge._base.text import safe
from adjudge.resampling.fork_server import Order, framed, receive
from adjudge.resampling.job_files import Ticket, from_bytes, spooled
from adjudge.resampling.units import Answer, Job

_SERVE = (
    "import os, sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from adjudge.resampling.fork_server import serve; serve(int(sys.argv[2]), int(sys.argv[3])); os._exit(0)"
)
_PATIENCE = 1.0  # seconds for the other side to end by itself


def isolated(
    job: Job, units: Sequence[int], *, timeout: float | None = None, workers: int = 1, within: Path | None = None
) -> Iterator[Answer]:
    """Do each task in a process of its own, `workers` at a time, and stop those that take more than `timeout` seconds."""
    check_timeout(timeout)
    with spooled(job, within=within) as ticket:
        yield from apart(ticket, units, timeout=timeout, workers=workers)


def check_timeout(timeout: float | None) -> None:
    """Refuse what is no time, and systems that cannot keep it."""
    if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
        msg = wording(
            parameter("timeout"), f" must be a number of seconds above 0, got {timeout}. Leave it out to wait for every fit."
        )
        raise InputError(msg)
    if not hasattr(os, "fork"):
        msg = "A process per task needs Linux or macOS. Run without isolate, timeout and checkpoint, or with n_jobs."
        raise InputError(msg)


def apart(ticket: Ticket, units: Sequence[int], *, timeout: float | None = None, workers: int = 1) -> Generator[Answer]:
    """Do the tasks of a spooled job, each in a process of its own.

    Should the process that watches over them be lost, the rest is done one at a time: the first that is lost with it
    again is to blame.
    """
    left, doubt = list(units), False
    while left:
        before = len(left)
        for answer in _answers(Order(ticket, tuple(left), timeout, 1 if doubt else workers)):
            left.remove(answer.unit)
            yield answer
        if left and doubt and len(left) == before:
            yield Answer(left.pop(0), None, "the process that watches over the learner was lost twice", 0.0)
        doubt = True


def _answers(order: Order) -> Iterator[Answer]:
    """Yield the answers as they come, and stop early when the other side is lost."""
    with _nursery() as link, suppress(ConnectionError):
        link.sendall(framed(0, pickle.dumps(order)))
        for _ in order.units:
            unit, data = receive(link)
            yield _understood(unit, data)


def _understood(unit: int, data: bytes) -> Answer:
    try:
        answer = from_bytes(data)
    except (pa.ArrowException, ValueError, KeyError, TypeError) as error:
        return Answer(unit, None, f"the answer came in pieces that cannot be read ({safe(error)})", 0.0)
    return answer


@contextmanager
def _nursery() -> Iterator[socket.socket]:
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            command = [
                os.fsdecode(get_executable()),
                "-c",
                _SERVE,
                json.dumps([str(place) for place in search_path]),
                str(theirs.fileno()),
                str(os.getpid()),
            ]
            process = subprocess.Popen(  # noqa: S603 - this interpreter and this package
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the caller, who then ends this one
                env={"OPENBLAS_NUM_THREADS": "1", **os.environ},  # a process without threads is copied safely
            )
        try:
            yield ours
        finally:
            ours.close()
            _stop(process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Wait for the other side, which ends with the channel; kill it where it does not."""
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
