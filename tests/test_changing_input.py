"""Input that changes while it is read: noticed at the end of every reading, whatever kind of file, process and pass it is."""

from __future__ import annotations

import gzip
import os
import pickle
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.running import run

import adjudge
from adjudge import InputError
from adjudge._base.strict_json import read_json
from adjudge.counts import stored
from adjudge.predictions import file_sources
from adjudge.predictions.file_sources import CsvSource
from adjudge.predictions.sources import in_parts, open_path

N = 600
ROWS = {"y": ["ab"[i % 3 == 0] for i in range(N)], "pred": ["ab"[i % 5 == 0] for i in range(N)]}
TEXT = "y,pred\n" + "".join(f"{y},{p}\n" for y, p in zip(*ROWS.values(), strict=True))


def write(path: Path, text: str = TEXT) -> Path:
    """Write rows as the ending of a name says."""
    if path.suffix == ".parquet":
        columns = list(zip(*(line.split(",") for line in text.split()[1:]), strict=True))
        pq.write_table(pa.table(dict(zip(ROWS, columns, strict=True))), path, row_group_size=100)
    else:
        path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def later(path: Path) -> None:
    """Let a file look written to: clocks of file systems may be too coarse for that."""
    os.utime(path, ns=(0, path.stat().st_mtime_ns + 1))


def grows(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"a,a\n")


def shrinks(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def is_written_again(path: Path) -> None:
    write(path, TEXT.replace("a,a", "b,a"))
    later(path)


def is_replaced(path: Path) -> None:
    write(path.with_name(f"new-{path.name}")).replace(path)


CHANGES = (grows, shrinks, is_written_again, is_replaced, Path.unlink)
ENDINGS = ("csv", "csv.gz", "parquet")


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_changes_between_or_within_readings_is_refused(ending, change, tmp_path):
    for begun in (False, True):
        source = open_path(write(tmp_path / f"a.{ending}"))
        assert list(source.head(9)) == ["y", "pred"]
        rows = source.batches(["y", "pred"], [])
        first = next(rows) if begun else {}
        change(tmp_path / f"a.{ending}")
        with pytest.raises(InputError, match=rf"^a\.{ending} has changed while it was read: "):
            list(rows)
        assert all(len(column) == N for column in first.values())


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_part_read_by_another_process_is_of_the_same_bytes(ending, tmp_path, monkeypatch):
    monkeypatch.setattr(file_sources, "PART", 400)
    monkeypatch.setattr("adjudge.predictions.parquet_source.PART", 100)
    parts = pickle.loads(pickle.dumps(in_parts(open_path(write(tmp_path / f"a.{ending}")))))  # noqa: S301 - our own
    assert len(parts) > 2
    read = [sum(len(block["y"]) for block in part.batches(["y"], [])) for part in parts]
    assert sum(read) == N
    is_written_again(tmp_path / f"a.{ending}")
    with pytest.raises(InputError, match="has changed while it was read"):
        list(parts[1].batches(["y"], []))


def test_only_the_file_that_a_part_reads_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(file_sources, "PART", 1000)
    for name in "ab":
        write(tmp_path / f"{name}.csv")
    first, *_, last = in_parts(open_path(tmp_path))
    is_written_again(tmp_path / "b.csv")
    assert list(first.batches(["y"], []))
    with pytest.raises(InputError, match=r"b\.csv has changed"):
        list(last.batches(["y"], []))


def test_the_fingerprint_is_of_the_rows_that_were_read(tmp_path):
    source = open_path(write(tmp_path / "a.csv"))
    before = source.fingerprint()
    is_written_again(tmp_path / "a.csv")
    assert source.fingerprint() == before
    source = open_path(tmp_path / "a.csv")
    grows(tmp_path / "a.csv")
    with pytest.raises(InputError, match="has changed while it was read"):
        source.fingerprint()


@pytest.mark.parametrize("command", [("evaluate",), ("report", "-o", "{}/a.html"), ("count", "-o", "{}/a.counts")])
def test_a_command_refuses_it_in_one_sentence_and_writes_nothing(command, tmp_path, monkeypatch):
    path, head = write(tmp_path / "a.csv"), CsvSource.head

    def then_grows(self, rows):
        first = head(self, rows)
        grows(path)
        return first

    monkeypatch.setattr(CsvSource, "head", then_grows)
    ended = run(command[0], path, *(part.format(tmp_path) for part in command[1:]))
    assert (ended.exit_code, ended.stdout) == (2, "")
    size = f"it had {len(TEXT):,} bytes and has {len(TEXT) + 4:,}"
    assert ended.stderr == (
        f"adjudge: a.csv has changed while it was read: {size}. Wait until nothing writes to it, then read it again.\n"
    )
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_rows_counted_in_several_processes_are_refused_too(n_jobs, tmp_path, monkeypatch):
    monkeypatch.setattr(file_sources, "PART", 1000)
    monkeypatch.setattr(file_sources, "LARGE", 1)
    from adjudge.counts import counting

    path, done, told = tmp_path / "a.csv", counting.done, []
    scored = [f"{line},{0.1 + i % 7 / 10:.1f}" for i, line in enumerate(TEXT.split()[1:])]
    path.write_text("\n".join(["y,pred,p_b", *scored, ""]), encoding="utf-8")

    def changed(job, parts, workers, tell, **how):
        return done(job, parts, workers, lambda part: (tell(part), told or grows(path), told.append(part)), **how)

    adjudge.evaluate(path, n_jobs=n_jobs, scores="p_b", positive="b")
    monkeypatch.setattr(counting, "done", changed)
    with pytest.raises(InputError, match="has changed while it was read"):
        adjudge.evaluate(path, n_jobs=n_jobs, scores="p_b", positive="b")
    assert told


def test_a_file_of_counts_or_of_json_that_is_written_to_meanwhile_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.counts"
    adjudge.count(write(tmp_path / "a.csv")).save(path)

    class Written(zipfile.ZipFile):
        def infolist(self):
            later(path)
            return super().infolist()

    monkeypatch.setattr(stored.zipfile, "ZipFile", Written)
    with pytest.raises(InputError, match=r"^a\.counts has changed while it was read"):
        adjudge.load_counts(path)
    text, opened = tmp_path / "a.json", Path.open
    text.write_text('{"a": 1}', encoding="utf-8")

    def shrunk(self, *how):
        os.truncate(self, 3)
        return opened(self, *how)

    monkeypatch.setattr(Path, "open", shrunk)
    with pytest.raises(InputError, match=r"a\.json has changed while it was read: it had 8 bytes and has 3\."):
        read_json(text, largest=100)
