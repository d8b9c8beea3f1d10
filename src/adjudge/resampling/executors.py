"""Tasks on many workers: any executor, or whatever joblib was set up with.

A task notes that it was begun and leaves its answer as a file, so that a broken pool costs only what was under way. What was
begun and lost is done again in a process of its own, so that a learner that kills its worker does so once.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import closing
from pathlib import Path

from adjudge._base import AdjudgeError, counted, dataclass, safe
from adjudge.resampling.isolation.fork_server import apart
from adjudge.resampling.isolation.job_files import Ticket, from_bytes, one_blas_thread, spooled, to_bytes
from adjudge.resampling.learner import Job
from adjudge.resampling.run_result import Answer

_TRIES = 3  # how often a task is begun before it is given up, and how often in a row a pool may break without an answer

_LOOK = 0.5  # seconds between a worker's looks at whether the run is still there
_watching: list[threading.Thread] = []  # one per worker, however many tasks it is given


class BrokenPoolError(AdjudgeError):
    """The workers were lost again and again, or could not be used at all."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """One task as it travels: where the job lies, which unit, how careful to be."""

    ticket: Ticket
    timeout: float | None
    alone: bool
    maker: int  # the process that hands tasks out

    def __call__(self, unit: int) -> int:
        """Do it wherever this is called, and leave the answer beside the job."""
        if os.getppid() == self.maker and not _watching:
            _watching.append(threading.Thread(target=_end_with, args=[self.maker], daemon=True))
            _watching[0].start()
        with self.mark(unit).open("ab") as file:
            file.write(b".")
            file.flush()
            times = os.fstat(file.fileno()).st_size  # how often it has begun
        path = self.answered(unit)
        if times <= _TRIES and not path.exists():
            if self.alone or times > 1:
                with closing(apart(self.ticket, [unit], timeout=self.timeout)) as answers:
                    answer = next(answers)
            else:
                answer = self.ticket.answer(unit)
            part = path.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(to_bytes(answer))
            part.replace(path)
        return unit

    def mark(self, unit: int) -> Path:
        """Return where it is noted how often a task has begun."""
        return Path(self.ticket.folder) / f"begun-{unit}"

    def answered(self, unit: int) -> Path:
        """Return where the answer of a task is left."""
        return Path(self.ticket.folder) / f"answer-{unit}.arrow"


def _end_with(maker: int) -> None:
    """End a worker that the run itself has started when the run is killed; joblib's would stay for minutes."""
    while os.getppid() == maker:
        time.sleep(_LOOK)
    os._exit(1)


def spread(
    job: Job,
    units: Sequence[int],
    *,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    timeout: float | None = None,
    isolate: bool = False,
    within: Path | None = None,
) -> Iterator[Answer]:
    """Do the tasks on the executor, or on joblib's workers; with `isolate` or `timeout` each in a process of its own there."""
    with spooled(job, within=within) as ticket, one_blas_thread():
        task, left = Task(ticket, timeout, isolate or timeout is not None, os.getpid()), dict.fromkeys(units)
        if executor is None:
            yield from _in_rounds(task, left, lambda rest: _on_joblib(task, rest, n_jobs))
            return
        try:
            yield from _in_rounds(task, left, lambda rest: _on_executor(task, rest, executor), final=BrokenExecutor)
        except BrokenExecutor:  # it takes no more tasks: finish on this machine
            import joblib

            yield from _taken(task, left, list(left))
            yield from apart(ticket, tuple(left), timeout=timeout, workers=int(joblib.cpu_count()))


def _in_rounds(
    task: Task,
    left: dict[int, None],
    attempt: Callable[[Sequence[int]], Generator[int]],
    *,
    final: type[Exception] | tuple[()] = (),
) -> Iterator[Answer]:
    """Yield answers as tasks finish; after a break, unless it is `final`, hand the rest out again."""
    idle = 0
    while left:
        before, why = len(left), "no answer came back"
        try:
            with closing(attempt(tuple(left))) as finished:
                for unit in finished:
                    yield from _taken(task, left, [unit])
        except final:
            raise
        except Exception as error:  # noqa: BLE001 - learners' errors come as answers; this is the back end's own
            why = f"{type(error).__name__}: {safe(error, 200)}"
        yield from _taken(task, left, list(left))
        for unit in list(left):
            mark = task.mark(unit)
            if mark.exists() and mark.stat().st_size >= _TRIES:
                del left[unit]
                yield Answer(unit, None, f"its worker was lost {_TRIES} times", 0.0)
        idle = idle + 1 if len(left) == before else 0
        if left and idle == _TRIES:
            msg = f"The workers failed {_TRIES} times in a row with {counted(len(left), 'unit')} left to do ({why}). "
            raise BrokenPoolError(msg, "Run here, without n_jobs and executor.")


def _taken(task: Task, left: dict[int, None], units: Sequence[int]) -> Iterator[Answer]:
    """Yield those answers that lie ready, each once."""
    for unit in units:
        path = task.answered(unit)
        if unit in left and path.exists():
            answer = from_bytes(path.read_bytes())  # the file stays: a pool may hand out a task again that it has done
            del left[unit]
            yield answer


def _on_executor(task: Task, units: Sequence[int], executor: Executor) -> Generator[int]:
    """Yield tasks as an executor finishes them; one whose worker was lost is left for the next round."""
    waiting: set[Future[int]] = set()
    try:
        waiting |= {executor.submit(task, unit) for unit in units}
        broken: BaseException | None = None
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                if (error := future.exception()) is None:
                    yield future.result()
                broken = error or broken
        if broken is not None:
            raise broken
    finally:
        for future in waiting:
            future.cancel()


def _on_joblib(task: Task, units: Sequence[int], n_jobs: int | None) -> Generator[int]:
    """Yield tasks as joblib finishes them, or some at a time where a back end gives nothing out before the end."""
    import joblib

    try:
        pool = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    except ValueError:  # said when the back end, ray's for one, cannot
        size = 4 * joblib.effective_n_jobs(n_jobs)
        with joblib.Parallel(n_jobs=n_jobs) as pool:
            for start in range(0, len(units), size):
                yield from pool(joblib.delayed(task)(unit) for unit in units[start : start + size])
    else:
        yield from pool(joblib.delayed(task)(unit) for unit in units)
