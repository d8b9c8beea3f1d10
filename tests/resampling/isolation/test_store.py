"""A checkpoint: what is kept is kept for good, what is damaged is never believed, what is foreign is refused.

Its files are whole or not there, its lock ends with the holder, and places that cannot be used are refused.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from tests.described import facts
from tests.disks import room, small_disk
from tests.resampling.learners import Deeds, Nearest, digest, folds
from tests.sparing import some

import adjudge
from adjudge import InputError
from adjudge.resampling import identity
from adjudge.resampling.identity import described
from adjudge.resampling.isolation.job_files import FullDiskError, spooled
from adjudge.resampling.isolation.store import BusyError, Checkpoint, Kept, checked_place, durably, locked, seed_in
from adjudge.resampling.learner import serial
from adjudge.resampling.plans import plan
from adjudge.resampling.run import chosen, in_turn, job_of


def nothing_to_do(job, units):
    assert list(units) == []
    return iter(())


@pytest.fixture
def job():
    return folds(Nearest(), 4)


@pytest.fixture
def folder(tmp_path, job):
    """A finished checkpoint."""
    list(Kept(tmp_path / "run", serial)(job, job.units))
    return tmp_path / "run"


def test_a_finished_run_is_read_back_digit_by_digit(folder, job):
    assert digest(Kept(folder, nothing_to_do)(job, job.units)) == digest(serial(job, job.units))


def test_a_bootstrap_keeps_all_its_parts(tmp_path, job):
    boot = replace(job, plan=plan("bootstrap-3", job.X, job.y, random_state=1))
    kept = list(Kept(tmp_path / "run", serial)(boot, boot.units))
    again = list(Kept(tmp_path / "run", nothing_to_do)(boot, boot.units))
    assert digest(again) == digest(kept)
    rows = [sorted(answer.table.to_pylist(), key=lambda row: (row["part"], row["row"])) for answer in kept]
    assert rows == [
        sorted(answer.table.to_pylist(), key=lambda row: (row["part"], row["row"])) for answer in serial(boot, boot.units)
    ]


@pytest.mark.slow
def test_the_folder_itself_can_be_evaluated_and_holds_unseen_cases_alone(folder, job):
    truth, predicted = [], []
    for answer in serial(job, range(len(job.plan))):
        truth += answer.table["truth"].to_pylist()
        predicted += answer.table["predicted"].to_pylist()
    found = adjudge.evaluate(folder)
    assert found.estimates["accuracy"].value == np.mean(np.array(truth) == np.array(predicted))
    parts = {part for path in folder.glob("*.parquet") for part in pq.read_table(path)["part"].to_pylist()}
    assert parts == {"unseen"}


def test_nothing_in_the_folder_is_a_pickle_and_nothing_is_left_over(folder):
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert names == [
        ".lock",
        *(f"_kept/unit-{unit}.json" for unit in range(5)),
        "_seen/unit-4.parquet",
        "spec.json",
        *(f"unit-{unit}.parquet" for unit in range(4)),
    ]


def test_a_failure_is_kept_with_its_reason_and_tried_again(tmp_path):
    bad = folds(Deeds(("good", "raises", "good")), 3)
    list(Kept(tmp_path / "run", serial)(bad, bad.units))
    told = json.loads((tmp_path / "run/_failed/unit-1.json").read_text(encoding="utf-8"))
    assert (told["unit"], told["failure"]) == (1, "RuntimeError: no convergence")

    def mended(job, units):
        assert list(units) == [1]
        return serial(replace(job, learner=Deeds(("good",) * 3)), units)

    assert [answer.failure for answer in Kept(tmp_path / "run", mended)(bad, bad.units)] == [None] * 4
    assert not list((tmp_path / "run/_failed").iterdir())


def changes(job):
    """The same job, changed in one respect each, and what the refusal must name."""
    return {
        r"the data differ \(SHA-256 \w{12}, now \w{12}\)\.": replace(job, X=job.X + 1),
        r"the data differ": replace(job, y=job.y[::-1].copy()),
        r"the learner differs \(pause was 0.0, now 0.5\)\.": replace(job, learner=Nearest(pause=0.5)),
        r"class was tests\.resampling\.learners\.Nearest, now sklearn": replace(job, learner=GaussianNB()),
        r"class was .*Nearest, now sklearn\.pipeline\.Pipeline": replace(job, learner=make_pipeline(Nearest())),
        r"the seed was 0, now 5\.": replace(job, seed=5),
        r"the plan differs \(fingerprint \w{12}, now \w{12}\)": replace(job, plan=folds(Nearest(), 2).plan),
        r"scores were asked for as 'auto', now 'none'": replace(job, scores="none"),
    }


@pytest.mark.parametrize("names", list(changes(folds(Nearest(), 4))))
def test_a_checkpoint_of_another_run_is_refused_and_the_difference_named(folder, job, names):
    with pytest.raises(InputError, match=rf"'run' .*another run: .*{names}"):
        list(Kept(folder, serial)(changes(job)[names], job.units))


def test_another_version_is_refused(folder, job, monkeypatch):
    monkeypatch.setattr(identity, "VERSION", "9.9")
    with pytest.raises(InputError, match=r"adjudge was 0\.\d+\.\d+, now 9\.9\."):
        list(Kept(folder, serial)(job, job.units))


def test_changed_code_of_the_learner_is_refused(folder, job, monkeypatch):
    monkeypatch.setattr(identity, "_code", lambda _: "0" * 12)
    with pytest.raises(InputError, match=r"learner differs \(code .*\w{12}, .*000000000000\)"):
        list(Kept(folder, serial)(job, job.units))


@pytest.mark.slow
def test_identity_is_the_same_in_another_process(job):
    """Frames and texts too: a run is resumed by another process than began it."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"a": [1.5, 2.5], "b": ["x", "y"]}
    here = [
        identity.digest(value)
        for value in (job.X, pandas.DataFrame(columns), polars.DataFrame(columns), ["x", "y"], np.array(["x", None]))
    ]
    code = (
        "import pandas, polars, numpy as np; from adjudge.resampling.identity import digest; "
        "from tests.resampling.learners import folds, Nearest; columns = {'a': [1.5, 2.5], 'b': ['x', 'y']}; "
        "print([digest(v) for v in (folds(Nearest(), 4).X, pandas.DataFrame(columns), polars.DataFrame(columns), ['x', 'y'], "
        "np.array(['x', None]))])"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout
    assert told.strip() == str(here)
    assert len(set(here)) == len(here)


def damaged(data: bytes):
    """Every way to cut a file short and to turn round one bit of each byte."""
    yield from (data[:size] for size in range(len(data)))
    for at in range(len(data)):
        turned = bytearray(data)
        turned[at] ^= 1 << (at % 8)
        yield bytes(turned)


@pytest.mark.slow
@pytest.mark.parametrize("name", some(["_kept/unit-2.json", "unit-2.parquet", "_seen/unit-4.parquet"], 3))
def test_a_file_cut_anywhere_or_with_any_byte_changed_is_never_believed(folder, job, name):
    unit = int(name.split("-")[1].split(".")[0])
    path, record = folder / name, folder / f"_kept/unit-{unit}.json"
    good, kept = path.read_bytes(), record.read_bytes()
    with Checkpoint.opened(folder, job) as checkpoint:
        for data in damaged(good):
            record.write_bytes(kept)
            path.write_bytes(data)
            assert checkpoint.kept(unit) is None
        record.write_bytes(kept)
        path.write_bytes(good)
        assert checkpoint.kept(unit) is not None


def test_a_damaged_unit_is_done_again_with_a_finding(folder, job):
    path = folder / "unit-2.parquet"
    good = path.read_bytes()
    path.write_bytes(good[:-9])
    asked = []

    def noted(job, units):
        asked.extend(units)
        return serial(job, units)

    runner = Kept(folder, noted)
    assert digest(runner(job, job.units)) == digest(serial(job, job.units))
    assert asked == [2]
    assert path.read_bytes() == good
    (finding,) = runner.findings
    assert (finding.code, finding.value) == ("A650", 1)
    assert facts(finding.message)[:2] == ["1", "'run'"]
    assert "'unit 2'" in finding.message


def test_a_damaged_spec_is_written_again_for_the_same_run_and_refused_to_another(folder, job):
    spec = folder / "spec.json"
    good = spec.read_bytes()
    spec.write_bytes(good[:40])
    with pytest.raises(InputError, match=r"spec\.json is damaged .*another run"):
        list(Kept(folder, serial)(replace(job, seed=3), job.units))
    runner = Kept(folder, nothing_to_do)
    assert len(list(runner(job, job.units))) == 5
    assert spec.read_bytes() == good
    assert runner.findings[0].value == 1


def test_a_run_killed_before_anything_was_written_can_begin_again(tmp_path, job):
    (tmp_path / "run/_kept").mkdir(parents=True)
    (tmp_path / "run/.spec.json.part").write_bytes(b"{")
    (tmp_path / "run/.job-abc").mkdir()
    assert digest(Kept(tmp_path / "run", serial)(job, job.units)) == digest(serial(job, job.units))
    assert not (tmp_path / "run/.spec.json.part").exists()
    assert not (tmp_path / "run/.job-abc").exists()


def test_the_seed_of_a_run_that_named_none_is_found_again(folder, tmp_path):
    assert seed_in(folder) == 0
    assert seed_in(tmp_path) is None


def test_a_second_run_in_the_same_folder_is_refused_by_the_name_of_the_first(folder, job):
    with Checkpoint.opened(folder, job), pytest.raises(BusyError, match=rf"'run' .*in use .*{os.getpid()}\b"):
        list(Kept(folder, serial)(job, job.units))
    assert len(list(Kept(folder, nothing_to_do)(job, job.units))) == 5


@pytest.mark.slow
def test_a_learner_asked_by_name_through_the_public_verb_goes_on_with_the_same_seed(tmp_path):
    """Without a seed the first run draws one; the second must not draw another."""
    job = folds(GaussianNB(), 4)
    first = job_of(GaussianNB(), job.X, job.y, "4-fold")
    list(Kept(tmp_path / "run", serial)(first, first.units))
    again = job_of(GaussianNB(), job.X, job.y, "4-fold", random_state=seed_in(tmp_path / "run"))
    assert digest(Kept(tmp_path / "run", nothing_to_do)(again, again.units)) == digest(serial(first, first.units))


def options(**given):
    return {"n_jobs": None, "executor": None, "timeout": None, "isolate": False, **given}


@pytest.mark.slow
def test_the_runner_chosen_for_a_checkpoint_keeps_goes_on_and_says_what_was_damaged(tmp_path):
    job = folds(GaussianNB(), 4)
    expected = digest(in_turn(job, job.units))
    first = Kept(tmp_path / "run", chosen(checkpoint=tmp_path / "run", **options()))
    assert isinstance(first, Kept)
    assert digest(first(job, job.units)) == expected
    path = tmp_path / "run/unit-1.parquet"
    path.write_bytes(path.read_bytes()[:100])
    again = Kept(tmp_path / "run", chosen(checkpoint=tmp_path / "run", **options()))
    assert digest(again(job, job.units)) == expected
    assert [finding.code for finding in first.findings] == []
    assert [finding.code for finding in again.findings] == ["A650"]


def test_what_a_function_closed_over_is_part_of_the_learner():
    def taking(k, step=1):
        def columns(Z, by=step):
            return Z[:, :k:by]

        return columns

    assert described(taking(4)) == described(taking(4))
    assert described(taking(4)) != described(taking(1))
    assert described(taking(4)) != described(taking(4, 2))


def test_a_copy_of_the_process_does_not_keep_the_lock(tmp_path):
    read, write = os.pipe()
    with suppress(OSError), locked(tmp_path / ".lock") as handle:  # which cannot be closed again in the end
        pid = os.fork()
        if not pid:
            os.write(write, b"!")
            signal.pause()
        try:
            assert os.read(read, 1) == b"!"
            os.close(handle)  # as when the holder is killed: nothing is unlocked on purpose
            with locked(tmp_path / ".lock"):
                pass
        finally:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(read)
            os.close(write)


@contextmanager
def files_no_longer_than(size):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_without_room_the_half_file_is_removed_and_the_run_goes_on_later(tmp_path, job):
    with (
        files_no_longer_than(1500),
        pytest.raises(FullDiskError, match=r"No room .*run' \(File too large; [\d,]+"),
    ):
        list(Kept(tmp_path / "run", serial)(job, job.units))
    assert not list((tmp_path / "run").rglob("*.part"))
    assert not list((tmp_path / "run").glob("*.parquet"))
    assert digest(Kept(tmp_path / "run", serial)(job, job.units)) == digest(serial(job, job.units))


def test_no_room_for_the_data_of_the_workers_is_told_too(tmp_path, job):
    with (
        files_no_longer_than(200),
        pytest.raises(FullDiskError, match=r"No room .*\(.*[\d,]+ bytes? free\)"),
        spooled(job, within=tmp_path),
    ):
        pytest.fail("written all the same")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_disk_that_is_full_at_any_write_keeps_what_was_there_and_the_run_goes_on_later(tmp_path, job):
    expected = digest(serial(job, job.units))
    with small_disk(tmp_path / "disk", size=256) as disk:
        durably(disk / "kept", b"old")
        free, refused, full = 0, 0, True
        while full:
            with room(disk, pages=free), suppress(FullDiskError):
                list(Kept(disk / "run", serial)(job, job.units))
                full = False
            refused += full
            assert not list(disk.rglob("*.part"))
            if (disk / "run").exists():
                assert digest(Kept(disk / "run", serial)(job, job.units)) == expected
                shutil.rmtree(disk / "run")
            free += 1
        assert refused >= 12  # there are as many files
        assert [(path.name, path.read_bytes()) for path in disk.iterdir()] == [("kept", b"old")]


@pytest.mark.slow
def test_files_that_may_be_no_longer_than_any_of_a_run_are_without_room_each(tmp_path, job, folder):
    sizes = sorted({path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.name != ".lock"})
    for number, size in enumerate(sizes):
        run = tmp_path / str(number)
        with files_no_longer_than(size - 1), pytest.raises(FullDiskError, match="No room"):
            list(Kept(run, serial)(job, job.units))
        assert not list(run.rglob("*.part"))
        assert digest(Kept(run, serial)(job, job.units)) == digest(serial(job, job.units))


def test_a_checkpoint_that_vanishes_or_becomes_a_file_meanwhile_is_told(tmp_path, job):
    for name, then in (("gone", lambda _: None), ("file", lambda path: path.write_bytes(b"x"))):
        folder = tmp_path / name

        def run(job, units, folder=folder, then=then):
            shutil.rmtree(folder)
            then(folder)
            return serial(job, units)

        with pytest.raises(InputError, match=rf"Cannot use the folder '.*{name}': (No such file|Not a directory)"):
            list(Kept(folder, run)(job, job.units))


def test_a_link_planted_in_the_folder_is_not_written_through(tmp_path, job):
    precious = tmp_path / "precious"
    precious.write_text("kept", encoding="utf-8")
    (tmp_path / "run").mkdir()
    (tmp_path / "run/.lock").symlink_to(precious)
    with pytest.raises(InputError, match="Cannot use the folder"):
        list(Kept(tmp_path / "run", serial)(job, job.units))
    (tmp_path / "run/.lock").unlink()
    (tmp_path / "run/.spec.json.part").symlink_to(precious)  # a guessed name
    assert digest(Kept(tmp_path / "run", serial)(job, job.units)) == digest(serial(job, job.units))
    assert precious.read_text(encoding="utf-8") == "kept"


def test_who_may_read_a_checkpoint_follows_the_umask(tmp_path, job):
    before = os.umask(0o027)
    try:
        list(Kept(tmp_path / "run", serial)(job, job.units))
    finally:
        os.umask(before)
    modes = {path.is_dir(): path.stat().st_mode & 0o777 for path in (tmp_path / "run").rglob("*")}
    assert modes == {True: 0o750, False: 0o640}


def test_a_place_that_cannot_be_used_is_refused_before_anything_is_fitted(tmp_path, job):
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.tex").touch()
    with pytest.raises(InputError, match=r"file' is a file\."):
        Kept(tmp_path / "file", serial)
    with pytest.raises(InputError, match=r"no folder '.*missing' .*'run'"):
        Kept(tmp_path / "missing/run", serial)
    with pytest.raises(InputError, match=r"full' holds other files \('thesis\.tex'\)"):
        list(Kept(tmp_path / "full", nothing_to_do)(job, []))


@pytest.mark.parametrize("name", ["run", "."])
def test_a_place_that_may_only_be_read_is_refused(name):
    """As root may write everywhere, the test becomes somebody else for a moment."""
    place = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
    place.chmod(0o555)
    user = os.geteuid()
    try:
        os.seteuid(user or 65534)
        with pytest.raises(InputError, match=r"Cannot use .*': Permission denied\."):
            checked_place(place / name)
    finally:
        os.seteuid(user)
        shutil.rmtree(place)
