"""Runs that are killed, interrupted or left by their parent, stopped when they have got somewhere, not by the clock."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.described import mentions
from tests.moments import commands
from tests.resampling.learners import digest, gone, until
from tests.resampling.long_run import UNITS, job

from adjudge.resampling.isolation.store import Kept
from adjudge.resampling.learner import serial

SCRIPT = Path(__file__).with_name("long_run.py")


def begin(*arguments):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, SCRIPT, *map(str, arguments)]
    folder = Path(arguments[0])  # files, as a pipe stays open while any worker holds its end
    with folder.with_suffix(".out").open("w") as out, folder.with_suffix(".err").open("w") as err:
        return subprocess.Popen(command, stdout=out, stderr=err, env=env, start_new_session=True)


def kept(folder):
    return len(list(Path(folder, "_kept").glob("unit-*.json")))


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unbroken") / "run"
    told = digest(Kept(folder, serial)(job(), job().units))
    return told, contents(folder)


def killed_and_resumed(folder, hows, chance):
    """Kill the run whenever it has kept a few more units, until it ends; return how often, and what it said."""
    kills = 0
    while True:
        run = begin(folder, hows[kills % len(hows)])
        goal = kept(folder) + chance.randint(3, 5)
        until(lambda run=run, goal=goal: run.poll() is not None or kept(folder) >= goal)
        run.kill()
        run.wait()
        if run.returncode == 0:
            return kills, folder.with_suffix(".out").read_text(encoding="utf-8").strip()
        assert run.returncode == -signal.SIGKILL, folder.with_suffix(".err").read_text(encoding="utf-8")
        kills += 1


SLOW = pytest.mark.slow


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hows", "series"),
    [
        (("apart", "here"), 0),
        *((hows, series) for hows in (("here",), ("apart",)) for series in (1, 2)),
        (("loky", "here"), 3),
    ],
)
def test_killed_at_any_point_and_run_again_it_ends_bit_by_bit_as_if_unbroken(tmp_path, unbroken, hows, series):
    kills, said = killed_and_resumed(tmp_path / "run", hows, random.Random(series))  # noqa: S311
    assert kills >= 2
    assert (said, contents(tmp_path / "run")) == unbroken


KILLS = 100
COMMAND = "estimate --learner sklearn.naive_bayes:GaussianNB --data {data} --target y --by 5-fold --checkpoint run"
WARM = ("cli", "verbs.estimate", "predictions.finding.find", "predictions.fitted", "describe.learner", "render.text")


@pytest.mark.slow
def test_the_command_killed_at_a_hundred_moments_of_its_run_ends_as_if_unbroken(tmp_path, write_csv):
    """All is real but that fits are done one after another by the command itself: killed at any audit event of its run."""
    data = write_csv({"x": [(7 * i) % 30 + 9 * (i % 2) for i in range(60)], "y": ["ill" if i % 2 else "well" for i in range(60)]})
    arguments, chance, kills, chains = COMMAND.format(data=data).split(), random.Random(26), 0, 0  # noqa: S311
    warm = ("sklearn.naive_bayes", "joblib", "cloudpickle", *(f"adjudge.{name}" for name in WARM))
    with commands(tmp_path, *warm) as started:
        whole = started.run(arguments, serial=True)
        assert whole.code == 0, whole.err
        expected = contents(tmp_path / "1/here/run")
        while kills < KILLS:
            chains += 1
            folder = tmp_path / f"chain-{chains}"
            code = -signal.SIGKILL
            while code:
                moment = chance.randrange(1, whole.events)
                ended = started.run(arguments, within=folder, moment=moment, number=signal.SIGKILL, serial=True)
                code, kills = ended.code, kills + (ended.code != 0)
                assert code in (0, -signal.SIGKILL), ended.err
            assert (ended.out, ended.here) == (whole.out, whole.here)
            assert contents(folder / "run") == expected


@pytest.fixture(params=["apart"])
def stuck(tmp_path, request):
    """A run whose first two fits hang, and the processes they hang in."""
    (tmp_path / "pids").mkdir()
    run = begin(tmp_path / "run", request.param, "tells_its_number", tmp_path / "pids")
    assert until(lambda: len(list((tmp_path / "pids").iterdir())) == 2)
    yield run, [int(path.name.split("-")[1]) for path in (tmp_path / "pids").iterdir()]
    if run.poll() is None:
        run.kill()
    run.wait()


@pytest.mark.slow
@pytest.mark.parametrize("stuck", ["apart", pytest.param("loky", marks=SLOW)], indirect=True)
def test_a_killed_parent_leaves_no_orphans(stuck):
    run, pids = stuck
    assert not any(gone(pid) for pid in pids)
    run.kill()
    run.wait()
    assert until(lambda: all(gone(pid) for pid in pids))


@pytest.mark.slow
def test_an_interrupted_run_ends_at_once_without_orphans_and_says_what_is_kept(stuck, tmp_path):
    run, pids = stuck
    os.killpg(run.pid, signal.SIGINT)
    run.wait(timeout=30)
    errors = (tmp_path / "run.err").read_text(encoding="utf-8")
    assert run.returncode == -signal.SIGINT
    assert mentions(errors, f"0 of {UNITS + 1} units", f"{tmp_path / 'run'}")
    assert until(lambda: all(gone(pid) for pid in pids))


def test_what_takes_time_is_measured_by_a_clock_that_never_jumps():
    """A clock that is set back must not keep a hanging fit alive, nor one set forward end a good one."""
    sources = list(Path(sys.modules["adjudge.resampling"].__file__).parent.rglob("*.py"))
    assert "store.py" in [path.name for path in sources]
    assert not [path.name for path in sources if "time.time(" in path.read_text(encoding="utf-8")]
