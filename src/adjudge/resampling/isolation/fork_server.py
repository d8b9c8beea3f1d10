"""One process per task: whatever a learner does to its own, the run goes on.

The caller starts a server afresh (exec, not fork: OpenMP deadlocks in the copy of a process whose threads it has used), which
imports what the learner needs and copies itself once per task. Each copy leads a process group, and dies with its maker.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import sys
import time
import warnings
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.spawn import get_executable
from pathlib import Path
from typing import NoReturn

import pyarrow as pa

from adjudge._base import dataclass, field, safe
from adjudge.resampling.isolation import job_files
from adjudge.resampling.learner import Job, reason
from adjudge.resampling.run_result import Answer

HEAD = struct.Struct("<QQ")
"""Before every message: its number and its length, so that half a message is never taken for a whole one."""
_TICK = 0.1  # seconds between looks at processes that end without closing their pipe
_GRACE = 1.0  # seconds for a process that closed its pipe to end
_PIECE = 1 << 16
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
_PATIENCE = 1.0  # seconds for the server to end by itself
_SERVE = (
    "import os, sys, json; sys.path[:] = json.loads(sys.argv[1]); "
    "from adjudge.resampling.isolation.fork_server import serve; serve(int(sys.argv[2]), int(sys.argv[3])); os._exit(0)"
)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """What is to be done: which tasks, how many at a time, and for how long each at most."""

    ticket: job_files.Ticket
    units: Sequence[int]
    timeout: float | None
    workers: int


def isolated(
    job: Job, units: Sequence[int], *, timeout: float | None = None, workers: int = 1, within: Path | None = None
) -> Iterator[Answer]:
    """Do each task in a process of its own, `workers` at a time, and stop those that take more than `timeout` seconds."""
    with job_files.spooled(job, within=within) as ticket:
        yield from apart(ticket, units, timeout=timeout, workers=workers)


def apart(ticket: job_files.Ticket, units: Sequence[int], *, timeout: float | None = None, workers: int = 1) -> Generator[Answer]:
    """Do the tasks of a spooled job, each in a process of its own; one at a time once the server was lost, to see who did it."""
    left, doubt = list(units), False
    while left:
        before = len(left)
        with _server() as link, suppress(ConnectionError):  # which comes early when the server is lost
            link.sendall(framed(0, pickle.dumps(Order(ticket, tuple(left), timeout, 1 if doubt else workers))))
            for _ in range(before):
                answer = understood(*receive(link))
                left.remove(answer.unit)
                yield answer
        if left and doubt and len(left) == before:
            yield Answer(left.pop(0), None, "the process that watches over the learner was lost twice", 0.0)
        doubt = True


def understood(unit: int, data: bytes) -> Answer:
    """Return the answer in a message, or a failure where it cannot be read."""
    try:
        return job_files.from_bytes(data)
    except (pa.ArrowException, ValueError, KeyError, TypeError) as error:
        return Answer(unit, None, f"the answer came in pieces that cannot be read ({safe(error)})", 0.0)


@contextmanager
def _server() -> Iterator[socket.socket]:
    """Start a server and give out the channel to it; it ends with the channel, and is killed where it does not."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            given = (json.dumps([str(place) for place in sys.path]), str(theirs.fileno()), str(os.getpid()))
            process = subprocess.Popen(  # noqa: S603 - this interpreter and this package
                [os.fsdecode(get_executable()), "-c", _SERVE, *given],
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # Ctrl-C is for the caller, who then ends this one
                env={"OPENBLAS_NUM_THREADS": "1", **os.environ},  # a process without threads is copied safely
            )
        try:
            yield ours
        finally:
            ours.close()
            try:
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def framed(number: int, data: bytes) -> bytes:
    """Return `data` with its number and length before it."""
    return HEAD.pack(number, len(data)) + data


def receive(link: socket.socket) -> tuple[int, bytes]:
    """Return the next message and its number; a channel that ends before raises."""
    number, size = HEAD.unpack(_exactly(link, HEAD.size))
    return number, _exactly(link, size)


def _exactly(link: socket.socket, size: int) -> bytes:
    heard = bytearray()
    while len(heard) < size:
        piece = link.recv(min(size - len(heard), _PIECE))
        if not piece:
            raise ConnectionResetError
        heard += piece
    return bytes(heard)


def serve(channel: int, caller: int) -> None:
    """Do what the caller orders, until it is done or the caller is gone."""
    with socket.socket(fileno=channel) as link, suppress(ConnectionError):
        order = pickle.loads(receive(link)[1])  # noqa: S301 - from the process that started this one
        ticket: job_files.Ticket = order.ticket
        for name in ("sklearn.base", "threadpoolctl", *ticket.imports):
            with suppress(Exception, SystemExit):  # a learner that cannot be imported says so in its answer
                import_module(name)
        job_files.part(ticket.folder, "plan")
        job_files.part(ticket.folder, "y")
        if any((Path(ticket.folder) / f"X{ending}").exists() for ending in (".npy", ".npz")):
            job_files.part(ticket.folder, "X")  # frames are left to the copies, as some bring threads along
        live: list[Child] = []
        try:
            _tend(link, order, live, caller)
        finally:
            for child in live:
                child.end()


def _tend(link: socket.socket, order: Order, live: list[Child], caller: int) -> None:
    """Start a process for each task, as many at a time as there are workers, and send on what they say."""
    waiting = deque(order.units)
    while waiting or live:
        while waiting and len(live) < order.workers:
            read, write = os.pipe()
            sys.stdout.flush()
            sys.stderr.flush()
            unit, maker, foreign = waiting.popleft(), os.getpid(), [link.fileno(), read, *(child.pipe for child in live)]
            with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # no thread of ours runs here
                pid = os.fork()
            if not pid:
                _be_child(order, unit, write, maker, foreign)
            os.close(write)
            os.set_blocking(read, False)
            live.append(Child(unit, pid, read, time.monotonic()))
        heard = select.select([link.fileno(), *(child.pipe for child in live)], [], [], _TICK)[0]
        if link.fileno() in heard or os.getppid() != caller:  # the caller says nothing more, so this is its end
            return
        for child in list(live):
            if (message := child.verdict(order.timeout)) is not None:
                live.remove(child)
                child.end()
                link.sendall(framed(child.unit, message))


def _be_child(order: Order, unit: int, pipe: int, maker: int, foreign: list[int]) -> NoReturn:
    """Do one task, write the answer and be gone; nothing that a learner left behind is waited for."""
    start = time.monotonic()
    try:
        import resource

        import joblib
        from threadpoolctl import threadpool_limits

        os.setsid()  # out of the terminal's reach
        if sys.platform == "linux":  # die with the maker, and be the first to go when memory runs out
            ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
            with suppress(OSError):
                Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if os.getppid() != maker:  # it died before the lines above could see it
            os._exit(1)
        for handle in foreign:
            os.close(handle)
        with threadpool_limits(limits=max(1, joblib.cpu_count() // order.workers), user_api="openmp"):
            data = job_files.to_bytes(order.ticket.answer(unit))
    except BaseException as error:  # noqa: BLE001 - a process that cannot answer at least says why
        data = job_files.to_bytes(Answer(unit, None, reason(error), time.monotonic() - start))
    try:
        rest = memoryview(framed(unit, data))
        while rest:
            rest = rest[os.write(pipe, rest) :]
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(0)


@dataclass(slots=True, eq=False)
class Child:
    """One process at one task."""

    unit: int
    pid: int
    pipe: int
    started: float
    heard: bytearray = field(default_factory=bytearray)
    closed: bool = False
    status: int | None = None

    def verdict(self, timeout: float | None) -> bytes | None:
        """Return the answer, or the failure that stands for it; None while neither is known."""
        self._listen()
        patience = time.monotonic() + (_GRACE if self.closed else 0)  # one that closed its pipe is about to end
        while self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
            elif time.monotonic() >= patience:
                break
            else:
                time.sleep(0.001)
        self._listen()  # what was said between the last word heard and the end
        heard = self.heard
        if len(heard) >= HEAD.size and len(heard) >= (end := HEAD.size + HEAD.unpack_from(heard)[1]):
            return bytes(heard[HEAD.size : end])
        if self.status is not None:
            code = os.waitstatus_to_exitcode(self.status)
            if code >= 0:
                return self._failed(f"the process ended with exit code {code} before it answered")
            name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
            hint = ", as the system does when memory runs out" if -code == signal.SIGKILL else ""
            return self._failed(f"the process was killed by {name}{hint}")
        if self.closed:
            return self._failed("the process cut off its answer and went on; it was stopped")
        if timeout is not None and not self.heard and time.monotonic() - self.started > timeout:
            return self._failed(f"no answer within {timeout:g} s; it was stopped")
        return None

    def end(self) -> None:
        """Kill the process and all it has started, and forget it."""
        for kill in (os.killpg, os.kill):
            with suppress(OSError):
                kill(self.pid, signal.SIGKILL)
        if self.status is None:
            os.waitpid(self.pid, 0)
        os.close(self.pipe)

    def _listen(self) -> None:
        with suppress(BlockingIOError):
            while not self.closed:
                piece = os.read(self.pipe, _PIECE)
                self.heard += piece
                self.closed = not piece

    def _failed(self, why: str) -> bytes:
        return job_files.to_bytes(Answer(self.unit, None, why, time.monotonic() - self.started))
