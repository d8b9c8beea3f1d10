"""Every command, stopped at moments of all its run, with nobody who reads its output, with no room for it.

However it ends: its exit code, at most a sentence, whole files or none, no temporary ones, and no process left behind.
"""

from __future__ import annotations

import random
import re
import signal
from pathlib import Path

import pytest
from tests.cli.running import run
from tests.disks import room, small_disk
from tests.moments import Commands, commands
from tests.resampling.learners import until

from adjudge.cli import main

pytestmark = pytest.mark.slow

PREDICTIONS = Path(__file__).parents[1] / "examples/predictions"
ONE, OLD = PREDICTIONS / "predictions.csv", PREDICTIONS / "old.csv"
NB = "--learner sklearn.naive_bayes:GaussianNB --data {iris} --target species"
EVERY = {
    "report": f"report {ONE} -o a.html",
    "report of two": f"report {OLD} {ONE} -o a.html",
    "evaluate": f"evaluate {ONE}",
    "gate": f"gate {ONE} --require accuracy>=0.5 -o a.html",
    "partition": f"partition {ONE} -o a.html",
    "population": f"population {PREDICTIONS / 'patients.csv'} -o a.html",
    "estimate": f"estimate {NB} --by 3-fold --checkpoint run --save a.csv --save-plan a.json -o a.html",
    "demo": "demo -o a.html --no-open",
    "measures": "measures",
    "compare": f"compare {OLD} {ONE} -o a.html",
    "compare-learners": f"compare-learners {NB} --against sklearn.naive_bayes:BernoulliNB --by 5-fold -o a.html",
    "correct recommend": f"correct recommend {ONE} --json",
    "correct fit": f"correct fit {ONE} --kind multipliers -o a.json",
    "correct apply": f"correct apply {{correction}} {ONE} -o a.csv",
    "threshold": f"threshold {ONE} --miss-cost 5 -o a.html",
    "sample-size": "sample-size --half-width 0.05 --expected 0.8",
    "trade-off": f"trade-off {NB} --repeats 2 -o a.html",
    "count": f"count {ONE} -o a.counts",
}
WARM = (
    "click",
    "numpy",
    "pyarrow.csv",
    "pyarrow.parquet",
    "pyarrow.compute",
    "scipy.special",
    "scipy.stats",
    "joblib",
    "cloudpickle",
)
LEARNERS = ("sklearn.naive_bayes", "sklearn.model_selection", "threadpoolctl")
MOMENTS = 4


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    with commands(tmp_path_factory.mktemp("runs"), *WARM, *LEARNERS) as started:
        yield started


@pytest.fixture
def asked(request, iris, tmp_path):
    """The arguments of a command."""
    correction = tmp_path / "correction.json"
    assert run("correct", "fit", ONE, "--kind", "multipliers", "-o", correction).exit_code == 0
    return EVERY[request.param].format(iris=iris, correction=correction).split()


def test_every_command_is_here():
    alone = {name for name in main.commands if name != "correct"}
    groups = {f"correct {name}" for name in main.commands["correct"].commands}
    assert {name.removesuffix(" of two") for name in EVERY} == alone | groups


def written(run: Commands, number: int) -> dict[str, bytes]:
    """Return the files of a run but for its checkpoint, which notes times."""
    folder = run.place / str(number) / "here"
    return {str(path.name): path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("asked", EVERY, indirect=True)
def test_stopped_at_any_moment_or_unheard_it_leaves_whole_files_or_none_and_nothing_else(every, asked):
    stopped_at_moments(every, asked, MOMENTS)


def stopped_at_moments(every, asked, moments, **how):
    whole = every.run(asked, unheard="closed", **how)
    assert (whole.code, whole.err) == (1, ""), "of a closed pipe nothing is said"
    assert not [name for name in whole.here if name.startswith(".")]
    expected = written(every, every.runs)
    chance = random.Random(" ".join(asked[:2]))  # noqa: S311
    for at in range(moments):
        number = signal.SIGTERM if at == moments - 2 else signal.SIGINT
        moment = 1 + int(whole.events * 0.98 * (at + chance.random()) / moments)
        stopped = every.run(asked, moment=moment, number=number, **how)
        told = [line for line in stopped.err.splitlines() if line]
        assert stopped.code == 128 + number, (moment, stopped.err)
        assert all(line.startswith("adjudge: Interrupted. ") for line in told), (moment, stopped.err)
        assert stopped.here <= whole.here, moment
        assert written(every, every.runs).items() <= expected.items(), moment
        assert until(lambda: not every.left()), moment


def test_stopped_while_processes_count_parts_of_a_file_none_of_them_stays(every, write_csv):
    rows = range(600)
    path = write_csv(
        {"y": ["ab"[i % 3 == 0] for i in rows], "pred": ["ab"[i % 5 == 0] for i in rows], "p_b": [i % 7 / 10 for i in rows]}
    )
    small = {f"adjudge.predictions.file_sources.{name}": size for name, size in (("LARGE", 1), ("PART", 1000))}
    asked = ["evaluate", str(path), "--jobs", "2", "--scores", "p_b", "--positive", "b"]
    stopped_at_moments(every, asked, MOMENTS, patched=small)


@pytest.mark.parametrize("asked", ["evaluate", "measures"], indirect=True)
@pytest.mark.parametrize("form", ["text", "json"])
def test_no_room_for_the_output_is_one_sentence(every, asked, form):
    ended = every.run([*asked, *(["--json"] if form == "json" and "measures" not in asked else [])], unheard="/dev/full")
    assert ended.code == 2
    assert ended.err == "adjudge: Cannot write: No space left on device. Make room, or have it written to another place.\n"


WRITES = {
    "report": ("a.html", f"report {ONE} -o"),
    "markdown": ("a.md", f"report {ONE} -o"),
    "count": ("a.counts", f"count {ONE} -o"),
    "correct fit": ("a.json", f"correct fit {ONE} --kind multipliers -o"),
    "correct apply": ("a.csv", f"correct apply {{correction}} {ONE} -o"),
    "correct apply zipped": ("a.csv.gz", f"correct apply {{correction}} {ONE} -o"),
    "correct apply to parquet": ("a.parquet", f"correct apply {{correction}} {ONE} -o"),
    "estimate": ("a.csv", f"estimate {NB} --by 3-fold --save-plan {{disk}}/plan.json --save"),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_disk_that_is_full_at_any_write_keeps_what_was_there(name, iris, tmp_path):
    correction = tmp_path / "correction.json"
    assert run("correct", "fit", ONE, "--kind", "multipliers", "-o", correction).exit_code == 0
    with small_disk(tmp_path / "disk", size=1024) as disk:
        file, command = WRITES[name]
        arguments = [*command.format(correction=correction, iris=iris, disk=disk).split(), disk / file]
        assert run(*arguments).exit_code == 0
        written = {path.name: path.read_bytes() for path in disk.iterdir()}
        pages = sum(-(-len(data) // 4096) for data in written.values())
        for free in sorted({0, pages - 1}):
            for before in written:
                (disk / before).write_text("old", encoding="utf-8")
            with room(disk, pages=free):
                ended = run(*arguments)
                assert (ended.exit_code, ended.stdout) == (2, ""), free
                assert re.fullmatch(r"adjudge: .*No space left on device.*\n", ended.stderr), ended.stderr
                assert {path.name: path.read_bytes() for path in disk.iterdir()} == {
                    ".filler": (disk / ".filler").read_bytes()
                } | dict.fromkeys(written, b"old")
        assert run(*arguments).exit_code == 0
        assert {path.name: path.read_bytes() for path in disk.iterdir()} == written
