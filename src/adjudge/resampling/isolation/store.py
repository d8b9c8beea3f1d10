"""A checkpoint: a folder that keeps every finished task, so that a run cut short is taken up where it ended.

It holds `spec.json` (what run this is), a Parquet file per unit, and apart from these what was said of training rows (`_seen`),
failures (`_failed`) and records with the SHA-256 of each file (`_kept`), written last. Nothing in it is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from adjudge._base import Finding, InputError, counted, listed, quoted
from adjudge._base.files import temporary_file
from adjudge._base.strict_json import parsed_json
from adjudge.resampling.identity import differences, identity, is_identity
from adjudge.resampling.isolation.job_files import PREFIX, told
from adjudge.resampling.isolation.kept_tables import opened_table, read_tables
from adjudge.resampling.learner import Job, Runner
from adjudge.resampling.run_result import Answer

_FORMAT = "adjudge checkpoint 1"
_OURS = ("spec.json", "_kept", "_seen", "_failed")
_PART = ".part"
_LARGEST = 1 << 26  # bytes of a record
_LONGEST = 1e12  # seconds that a unit takes
_held: set[int] = set()  # handles that copies of this process must not keep: a lock lives as long as any copy of its handle
_guarded: list[bool] = []


class Checkpoint:
    """The folder, opened by one run at a time."""

    def __init__(self, folder: str | os.PathLike[str], job: Job) -> None:
        self.folder = checked_place(folder)
        self.job, self.units = job, len(job.units)
        self.identity = identity(job)
        self.damaged: list[str] = []  # files whose bytes are not those that were written

    @classmethod
    @contextmanager
    def opened(cls, folder: str | os.PathLike[str], job: Job) -> Iterator[Self]:
        """Give out the folder, made where it is not there; it is locked meanwhile."""
        self, held = cls(folder, job), ExitStack()
        made = not self.folder.exists()
        with held:
            with told(self.folder):
                self.folder.mkdir(exist_ok=True)
                held.enter_context(locked(self.folder / ".lock"))
                self._open(new=made)
            yield self

    def _open(self, *, new: bool) -> None:
        """Make sure that this is the checkpoint of this run, and clear away what a killed one left half done."""
        spec = self.folder / "spec.json"
        names = [] if new or spec.exists() else [path.name for path in self.folder.iterdir()]
        if others := [name for name in names if name not in _OURS and not name.startswith(".")]:
            msg = f"{quoted(str(self.folder))} holds other files ({quoted(others[0])}). Give a new folder as the checkpoint."
            raise InputError(msg)
        for name in ("_kept", "_seen", "_failed"):
            (self.folder / name).mkdir(exist_ok=True)
        for path in self.folder.rglob(f".*{_PART}"):  # of a killed run
            path.unlink()
        for path in self.folder.glob(f"{PREFIX}*"):
            shutil.rmtree(path)
        then = _read_record(spec) if spec.exists() else None
        if then is not None and is_identity(then):
            self._refuse(differences(then, self.identity))
            return
        if spec.exists():  # damaged; the records tell as well which run they belong to
            records = (_read_record(path) for path in (self.folder / "_kept").glob("*.json"))
            of_another = any(record is not None and record.get("run") != self._run for record in records)
            self._refuse(["its spec.json is damaged and its records are of another run"] if of_another else [])
            self.damaged.append("spec.json")
        _write_record(spec, {"format": _FORMAT, "units": self.units, **self.identity})

    def _refuse(self, reasons: Sequence[str]) -> None:
        if reasons:
            msg = f"The checkpoint {quoted(self.folder.name)} belongs to another run: {'; '.join(reasons)}. "
            raise InputError(msg, "Give another folder, or go on with what began this one.")

    @property
    def _run(self) -> str:
        return hashlib.sha256(json.dumps(self.identity, sort_keys=True).encode()).hexdigest()

    def _paths(self, unit: int) -> dict[str, Path]:
        name = f"unit-{unit:0{len(str(self.units))}d}"
        return {
            "unseen": self.folder / f"{name}.parquet",
            "rest": self.folder / "_seen" / f"{name}.parquet",
            "kept": self.folder / "_kept" / f"{name}.json",
            "failed": self.folder / "_failed" / f"{name}.json",
        }

    def keep(self, answer: Answer) -> Answer:
        """Write an answer down for good, and return it as it will be read again."""
        paths = self._paths(answer.unit)
        with told(self.folder):
            if answer.table is None:
                _write_record(paths["failed"], {"unit": answer.unit, "failure": answer.failure, "seconds": answer.seconds})
                return answer
            unseen = pc.equal(answer.table.column("part"), "unseen")  # must never be counted with rows learnt from
            parts = {"rest": answer.table.filter(pc.invert(unseen)), "unseen": answer.table.filter(unseen)}
            parts = {name: part.combine_chunks() for name, part in parts.items() if part.num_rows} or {"unseen": answer.table}
            files, tables = {}, []
            for part, table in parts.items():
                sink = pa.BufferOutputStream()
                pq.write_table(table, sink, write_page_checksum=True, compression="zstd")
                data = bytes(sink.getvalue())
                durably(paths[part], data)
                files[part] = hashlib.sha256(data).hexdigest()
                tables.append(opened_table(data).read(use_threads=False))
            _write_record(paths["kept"], {"run": self._run, "unit": answer.unit, "seconds": answer.seconds, "files": files})
            paths["failed"].unlink(missing_ok=True)
        return Answer(answer.unit, pa.concat_tables(tables), None, answer.seconds)

    def kept(self, unit: int) -> Answer | None:
        """Return an answer that was kept; None where there is none, or none that can be trusted."""
        paths = self._paths(unit)
        if not paths["kept"].exists():
            return None
        record = _read_record(paths["kept"])
        with suppress(OSError, pa.ArrowException, InputError):
            if record is not None and self._knows(record, unit):
                hashes = record["files"]
                files = {part: paths[part].read_bytes() for part in hashes}
                if all(hashlib.sha256(data).hexdigest() == hashes[part] for part, data in files.items()):
                    return Answer(unit, read_tables(files, self.job, unit), None, float(record["seconds"]))
        self.damaged.append(f"unit {unit}")
        paths["kept"].unlink()
        return None

    def _knows(self, record: dict[str, Any], unit: int) -> bool:
        """Return whether a record is of a unit of this run and names no files but its own."""
        hashes, seconds = record.get("files"), record.get("seconds")
        own = record.get("run") == self._run and record.get("unit") == unit
        timed = isinstance(seconds, (int, float)) and 0 <= seconds < _LONGEST
        return own and timed and isinstance(hashes, dict) and bool(hashes) and hashes.keys() <= {"rest", "unseen"}

    def findings(self) -> tuple[Finding, ...]:
        """Return what a reader should know of the state the folder was in."""
        if not self.damaged:
            return ()
        what = f"{counted(len(self.damaged), 'part')} of the checkpoint {quoted(self.folder.name)}"
        told = f"{what} cannot be trusted, as bytes have changed since they were written: {listed(self.damaged, 3)}."
        return (Finding("A650", told, "What was damaged was done again; check the disk.", len(self.damaged)),)


class Kept:
    """A runner that keeps what another one answers, and asks it only for what is not kept yet."""

    def __init__(self, folder: str | os.PathLike[str], runner: Runner) -> None:
        self.folder, self.runner = checked_place(folder), runner
        self.findings: tuple[Finding, ...] = ()  # what was found wrong with the folder, known once the run has begun

    def __call__(self, job: Job, units: Sequence[int]) -> Iterator[Answer]:
        """Yield what is kept, then the rest as it is done; all units of a job are kept, also those not asked for here."""
        asked, every = set(units), job.units
        with Checkpoint.opened(self.folder, job) as checkpoint:
            done = {unit: answer for unit in every if (answer := checkpoint.kept(unit)) is not None}
            self.findings = checkpoint.findings()
            yield from (answer for unit, answer in done.items() if unit in asked)
            left = [unit for unit in every if unit not in done]  # and those that failed, which are tried again
            count = len(done)
            try:
                answers: Any = self.runner(job, left)
                with closing(answers if hasattr(answers, "close") else (answer for answer in answers)) as answers:
                    for answer in answers if left else ():
                        kept = checkpoint.keep(answer)
                        count += kept.failure is None
                        if kept.unit in asked:
                            yield kept
            except KeyboardInterrupt as stop:
                stop.add_note(f"{count} of {len(every)} units are kept in {self.folder}; run again to go on.")
                raise


def seed_in(folder: str | os.PathLike[str]) -> int | None:
    """Return the seed of the run that began a checkpoint, for a run that names none; None where there is no such."""
    record = _read_record(Path(folder) / "spec.json")
    return int(record["seed"]) if record is not None and is_identity(record) else None


def _write_record(path: Path, record: dict[str, Any]) -> None:
    """Write plain data with a hash of themselves."""
    durably(path, json.dumps({**record, "sha256": _own_hash(record)}, indent=1).encode() + b"\n")


def _read_record(path: Path) -> dict[str, Any] | None:
    """Return what :func:`_write_record` wrote; None where it is not there or a byte of it has changed."""
    try:
        data = path.read_bytes() if path.stat().st_size <= _LARGEST else b""
        record = parsed_json(data)
        expected = record.pop("sha256")
        whole = json.dumps({**record, "sha256": expected}, indent=1).encode() + b"\n"
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return record if data == whole and expected == _own_hash(record) else None


def _own_hash(record: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()


# -- files that are whole and on the disk or not there, and one run at a time in a folder ----------------------


def durably(path: Path, data: bytes) -> None:
    """Write `data` so that after a crash, of the machine too, the file is there whole or not at all."""
    with temporary_file(path) as part:
        with part.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    handle = os.open(path.parent, os.O_RDONLY)  # the name in the folder has to be on the disk as well
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def checked_place(path: str | os.PathLike[str]) -> Path:
    """Return where a folder is or can be made, found out before hours are spent on what is to go there."""
    folder = Path(path).absolute()
    if folder.exists() and not folder.is_dir():
        msg = f"{quoted(str(folder))} is a file. Give a folder, new or of an earlier run."
        raise InputError(msg)
    if not folder.parent.is_dir():
        msg = f"There is no folder {quoted(str(folder.parent))} to make {quoted(folder.name)} in. Make it first."
        raise InputError(msg)
    place = folder if folder.exists() else folder.parent
    with told(place), tempfile.TemporaryFile(dir=place):
        return folder


class BusyError(InputError):
    """Another process is at work in the folder."""

    exit_code = 75


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Hold a lock that the system gives back when its holder ends, however it ends; its handle is given out."""
    import fcntl  # not on Windows, where checkpoints were refused before this

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)  # not the file that a link names
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(handle, 32).decode("ascii", "replace").strip()
        os.close(handle)
        who = f"process {holder}" if holder.isdigit() else "another process"
        msg = f"The checkpoint {quoted(path.parent.name)} is in use by {who}. Wait for it, or give another folder."
        raise BusyError(msg) from error
    _held.add(handle)
    if not _guarded:
        os.register_at_fork(after_in_child=_let_go)
        _guarded.append(True)
    try:
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode("ascii"))  # there may be no room for it
        yield handle
    finally:
        _held.discard(handle)
        fcntl.flock(handle, fcntl.LOCK_UN)
        os.close(handle)


def _let_go() -> None:
    """Keep workers that are copied from this process from keeping its lock after it was killed."""
    for handle in _held:
        with suppress(OSError):
            os.close(handle)
    _held.clear()
