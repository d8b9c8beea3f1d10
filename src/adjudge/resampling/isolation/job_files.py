"""What travels to workers: a job written down once, tasks that point at it, and answers as bytes."""

from __future__ import annotations

import errno
import json
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from adjudge._base import InputError, counted, dataclass, quoted, replace, safe
from adjudge._base.files import temporary_folder
from adjudge.resampling.identity import imports_of
from adjudge.resampling.learner import Job
from adjudge.resampling.plan import Plan
from adjudge.resampling.run_result import Answer, Course

PREFIX = ".job-"  # how the folder of a spooled job begins: hidden, and swept away when a checkpoint is opened again
_KEY = b"adjudge"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_CUT = "requested and"  # numpy's words when fewer bytes were written than it asked for; it drops the system's number


class FullDiskError(InputError):
    """There is no room for what is to be kept."""

    exit_code = 4


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Turn the system's refusals into what a reader can act on."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in _FULL or _CUT in why:
            free = counted(shutil.disk_usage(folder).free, "byte")
            msg = f"No room in {quoted(str(folder))} ({why}; {free} free). What is done is kept: make room, run again."
            raise FullDiskError(msg) from error
        msg = f"Cannot use the folder {quoted(str(folder))}: {safe(why)}. Give one that can be written to."
        raise InputError(msg) from error


def write_frame(path: Path, values: Any) -> bool:
    """Write a pandas or polars frame, or an array of texts; False where reading it back would give something else."""
    with suppress(Exception):  # whatever Arrow cannot hold, in its many ways of saying so, goes another way
        table: pa.Table
        if type(values) is np.ndarray:
            if values.ndim != 1 or any(type(value) is not str for value in values):
                return False
            kind, table = "texts", pa.table({"": pa.array(list(values), pa.string())})
        else:
            import narwhals.stable.v2 as nw

            frame = nw.from_native(values, eager_only=True)
            kind = frame.implementation.name.lower()
            table = pa.Table.from_pandas(values) if kind == "pandas" else frame.to_arrow()
        table = table.replace_schema_metadata({**(table.schema.metadata or {}), _KEY: json.dumps(kind)})
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        if _same(values, read_frame(path)):
            return True
    path.unlink(missing_ok=True)
    return False


def read_frame(path: Path) -> Any:
    """Return what :func:`write_frame` wrote."""
    with pa.memory_map(str(path)) as source:
        table = pa.ipc.open_file(source).read_all()
    kind = json.loads(table.schema.metadata[_KEY])
    table = table.replace_schema_metadata({key: value for key, value in table.schema.metadata.items() if key != _KEY} or None)
    if kind == "texts":
        return np.array(table.column("").to_pylist(), dtype=object)
    if kind == "pandas":
        return table.to_pandas(use_threads=False)  # the frame is read in processes that are about to be copied
    import narwhals.stable.v2 as nw

    return nw.from_arrow(table, backend=kind).to_native()


def _same(a: Any, b: Any) -> bool:
    """Say whether two frames agree in values, types, names and, as fits add up in its order, memory."""
    if type(a) is np.ndarray:
        return bool(np.array_equal(a, b))
    if type(a) is not type(b) or list(a.columns) != list(b.columns) or list(a.dtypes) != list(b.dtypes):
        return False
    ours, theirs = np.asarray(a).flags, np.asarray(b).flags
    in_order = ours.c_contiguous == theirs.c_contiguous and ours.f_contiguous == theirs.f_contiguous
    return bool(a.equals(b)) and in_order


@dataclass(frozen=True, slots=True, eq=False)
class Ticket:
    """All that a task needs besides its number."""

    folder: str
    learner: bytes
    bare: Job  # the job without its learner, its data and its plan
    config: Mapping[str, Any]  # scikit-learn's settings where the run was started; a worker starts with the defaults
    imports: tuple[str, ...]  # modules that the learner needs, to be imported once rather than in every process

    def job(self) -> Job:
        """Return the job, with its data where they were spooled and a learner of its own."""
        import cloudpickle

        X, y, plan = (part(self.folder, name) for name in ("X", "y", "plan"))
        return replace(self.bare, learner=cloudpickle.loads(self.learner), X=X, y=y, plan=plan)

    def answer(self, unit: int) -> Answer:
        """Do one task here."""
        from sklearn import config_context

        with config_context(**self.config), one_blas_thread():
            return self.job().answer(unit)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let linear algebra, not OpenMP, use one thread: how sums are cut among threads changes their last digits."""
    import threadpoolctl  # noqa: F401 - counted among the modules below

    with _libraries(len(sys.modules)).limit(limits=1, user_api="blas"):
        yield


@lru_cache(maxsize=1)
def _libraries(modules: int) -> Any:  # noqa: ARG001 - what was found is good for as long as nothing more is imported
    """Return the libraries of linear algebra in this process; finding them takes as long as a quick fit."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def spooled(job: Job, *, within: Path | None = None) -> Iterator[Ticket]:
    """Write the job down where all workers see it, or where only pickle can hold it in a private folder; remove it at the end."""
    import cloudpickle  # classes defined at a prompt or in a notebook travel by value
    import joblib
    from sklearn import get_config

    try:
        learner = bytes(cloudpickle.dumps(job.learner))
    except Exception as error:
        what = f"The learner {safe(type(job.learner).__name__)} cannot be sent to another process"
        why = f"{type(error).__name__}: {safe(error)}"
        msg = f"{what} ({why}). Run it here: without n_jobs, executor, isolate, timeout and checkpoint."
        raise InputError(msg) from error
    private, data = Path(gettempdir()), {"X": job.X, "y": job.y}
    try:
        with ExitStack() as made:
            with told(within or private):
                place = made.enter_context(temporary_folder(within or private, PREFIX))
                left = [name for name, values in data.items() if not _written(place, name, values)]
                if left and within is not None:
                    made.close()
                    place = made.enter_context(temporary_folder(private, PREFIX))
                    left = [name for name, values in data.items() if not _written(place, name, values)]
                for name in left:
                    joblib.dump(data[name], place / f"{name}.pickle")
                (place / "plan.json").write_text(json.dumps(job.plan.to_dict()), encoding="utf-8")
            bare: Any = replace(job, learner=None, X=None, y=np.empty(0), plan=None)  # type: ignore[arg-type]
            yield Ticket(str(place), learner, bare, dict(get_config()), imports_of(job.learner))
    finally:
        part.cache_clear()


def _written(place: Path, name: str, values: Any) -> bool:
    """Write values in a form that runs nothing when read; False where there is none."""
    from scipy import sparse

    if type(values) is np.ndarray and not values.dtype.hasobject:
        # Fits add up in the order of memory: keep rows-first or columns-first as it is, so that digits stay.
        np.save(place / f"{name}.npy", values if values.flags.forc else values.copy(order="K"), allow_pickle=False)
        return True
    if sparse.issparse(values) and values.format in {"csr", "csc", "bsr", "dia"} and not values.dtype.hasobject:
        sparse.save_npz(place / f"{name}.npz", values, compressed=False)
        return True
    return write_frame(place / f"{name}.arrow", values)


@lru_cache(maxsize=6)
def part(folder: str, name: Literal["X", "y", "plan"]) -> Any:
    """Return the features, the target or the plan of a spooled job, read once per process."""
    place = Path(folder)
    if name == "plan":
        return Plan.from_dict(json.loads((place / "plan.json").read_text(encoding="utf-8")))
    if (path := place / f"{name}.npy").exists():
        values = np.load(path, mmap_mode="r" if path.stat().st_size else None, allow_pickle=False)
    elif (path := place / f"{name}.npz").exists():
        from scipy import sparse

        values = sparse.load_npz(path)
    elif (path := place / f"{name}.arrow").exists():
        values = read_frame(path)
    else:
        import joblib

        values = joblib.load(place / f"{name}.pickle")
    return np.array(values) if name == "y" else values  # a target in a mapped file would be a type of its own


def to_bytes(answer: Answer) -> bytes:
    """Return an answer as an Arrow stream; reading it back runs no code, whatever a learner put into it."""
    course = None if answer.course is None else asdict(answer.course)
    told = json.dumps({"unit": answer.unit, "failure": answer.failure, "seconds": answer.seconds, "course": course})
    table = (pa.table({}) if answer.table is None else answer.table).replace_schema_metadata({"answer": told})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def from_bytes(data: bytes) -> Answer:
    """Return the answer that :func:`to_bytes` wrote."""
    table = pa.ipc.open_stream(data).read_all()
    told = json.loads(table.schema.metadata[b"answer"])
    failure, course = told["failure"], told["course"]
    if course is not None:
        course = Course(tuple(course["training"]), tuple(course["test"]), course["stopped"], course["failure"])
    table = None if failure is not None else table.replace_schema_metadata(None)
    return Answer(told["unit"], table, failure, told["seconds"], course)
