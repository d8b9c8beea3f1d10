"""Records kept as JSON lines, so that a run that was stopped goes on where it was.

The first line says what the records depend on: seed, repetitions, versions, and a fingerprint of adjudge's sources. Records made
otherwise are not reused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import adjudge
from atlas import peers
from atlas.jobs import Record


def settings(seed: int, repetitions: int) -> Record:
    """Return everything that the numbers depend on."""
    packages = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    ours = {"version": adjudge.__version__, "sources": fingerprint()}
    return {"seed": seed, "repetitions": repetitions, "adjudge": ours, "packages": packages, "peers": peers.installed()}


def fingerprint() -> str:
    """Return a hash of adjudge's sources: other code may give other numbers."""
    digest, folder = hashlib.sha256(), Path(str(adjudge.__file__)).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


class Store:
    """A file of records, one a line, after a line of settings."""

    def __init__(self, path: Path, wanted: Record) -> None:
        self.path, self.wanted = path, wanted
        kept, records = load(path)
        self.dropped = len(records) if kept != wanted else 0
        self.records = {record["key"]: record for record in records} if kept == wanted else {}
        self.replace(self.records.values())

    def has(self, key: str, repetitions: int) -> bool:
        """Return whether a record is there, of that many samples."""
        return self.records.get(key, {}).get("repetitions") == repetitions

    def append(self, record: Record) -> None:
        """Keep a record: one write of one line, on disk before the next begins."""
        self.records[record["key"]] = record
        with self.path.open("ab") as file:
            file.write(line(record))
            file.flush()
            os.fsync(file.fileno())

    def replace(self, records: Iterable[Record]) -> None:
        """Write the file anew, whole or not at all."""
        beside = self.path.with_name(self.path.name + ".new")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_bytes(line(self.wanted) + b"".join(line(record) for record in records))
        beside.replace(self.path)


def line(record: Record) -> bytes:
    """Return a record as one line of JSON."""
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def load(path: Path) -> tuple[Record | None, list[Record]]:
    """Return settings and records; a last line that was cut off in writing is left out."""
    if not path.exists():
        return None, []
    lines = [_read(each) for each in path.read_bytes().split(b"\n")[:-1]]
    whole = [each for each in lines if each is not None]
    return (whole[0], whole[1:]) if whole and lines[0] is not None else (None, [])


def _read(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
