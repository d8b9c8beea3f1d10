"""Every command that reads rows says at a terminal how many it has read, under the name of the file; elsewhere it says nothing."""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from pathlib import Path
from threading import Thread

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from tests.terminals import MARKS

import adjudge
from adjudge._base.progress import Bar
from adjudge.cli import main

N, M = 330, 210  # rows of the files of all cases, and of others
A, B, C = "a.parquet", "b.parquet", "c.csv"
READS = {
    "evaluate a.parquet": {A: N},
    "evaluate a.parquet --training other.parquet": {A: N, "other.parquet": M},
    "report a.parquet -o page.html": {A: N},
    "report a.parquet b.parquet -o page.html": {A: N, B: N},
    "count a.parquet other.parquet -o all.counts": {A: N, "other.parquet": M},
    "count a.parquet b.parquet --paired -o pairs.counts": {A: N, B: N},
    "gate a.parquet --require accuracy>=0.1": {A: N},
    "gate a.parquet --against b.parquet": {A: N, B: N},
    "threshold a.parquet": {A: N},
    "compare a.parquet b.parquet": {A: N, B: N},
    "compare a.parquet other.parquet --independent": {A: N, "other.parquet": M},
    "compare a.parquet b.parquet c.csv": {A: N, B: N, C: N},
    "partition a.parquet": {A: N},
    "population a.parquet b.parquet": {A: N, B: N},
    "partition a.parquet b.parquet": {A: N, B: N},
    "sample-size a.parquet --half-width 0.05": {A: N},
    "sample-size a.parquet b.parquet --difference 0.05 --measure balanced_accuracy": {A: N, B: N},
    "correct recommend a.parquet": {A: N},
    "correct fit a.parquet --kind multipliers -o fix.json": {A: N},
    "correct fit a.parquet --kind priors --unlabelled other.parquet -o fix.json": {A: N, "other.parquet": M},
    "correct fit a.parquet --kind priors --counted other.parquet -o fix.json": {A: N, "other.parquet": M},
    "correct apply fixed.json a.parquet -o corrected.csv": {A: N},
}
"""Commands, and the files they read with the number of their rows."""
ENDS = {"gate a.parquet --against b.parquet": {0, 1, 3}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, N)
    for name, sharp in ((A, 1.5), (B, 1.0), (C, 0.5)):
        ill = 1 / (1 + np.exp(-(truth * 2 - 1) * sharp - rng.normal(size=N)))
        said, true = (np.array(["well", "ill"])[each] for each in ((ill > 0.5).astype(int), truth))
        table = pa.table({"id": np.arange(N), "truth": true, "predicted": said, "p_ill": ill, "p_well": 1 - ill})
        pq.write_table(table, place / name) if name.endswith("parquet") else pacsv.write_csv(table, place / name)
    table = pq.read_table(place / A).slice(0, M).set_column(0, "id", pa.array(np.arange(M) + N))
    pq.write_table(table, place / "other.parquet")
    adjudge.correct.fit(place / A, "multipliers").save(place / "fixed.json")
    return place


@pytest.fixture
def here(folder, bare):
    bare.chdir(folder)
    bare.setattr("adjudge.predictions.model.PATIENCE", 0)  # so that a bar is shown for small files
    bare.setenv("TERM", "xterm")
    return bare


def told_at_a_terminal(bare, words, ends):
    """Return what a command writes to a standard error that is a pseudo-terminal."""
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    pieces = []

    def listen():
        while piece := _read(ours):
            pieces.append(piece)

    listening = Thread(target=listen)
    listening.start()
    bare.setenv("COLUMNS", "100")
    with os.fdopen(theirs, "w") as terminal, Path(os.devnull).open("w") as nowhere:
        bare.setattr(sys, "stderr", terminal)
        bare.setattr(sys, "stdout", nowhere)
        ended = main.main(words, standalone_mode=False) or 0
    listening.join()
    os.close(ours)
    assert ended in ends
    return MARKS.sub("", b"".join(pieces).decode())


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # the other end was closed
        return b""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("command", READS)
def test_a_terminal_is_told_the_rows_done_of_every_file(command, here):
    shown = told_at_a_terminal(here, command.split(), ENDS.get(command, {0}))
    for name, rows in READS[command].items():
        if name.endswith(".parquet"):
            assert re.search(rf"\w {re.escape(name)} \S+ {rows} of {rows} rows ", shown), name
        else:
            assert f" {name} " in shown  # how many rows a short text has nobody knows before it is read
    most = {
        name: max(int(n) for n in re.findall(rf" {re.escape(name)} \S+ (\d+) of ", shown)) for name in READS[command] if name != C
    }
    assert most == {name: rows for name, rows in READS[command].items() if name != C}  # however many passes there are
    assert shown.endswith("\x1b[2K")  # nothing is left of it


def test_every_command_that_reads_rows_is_tried():
    groups = {"": main.commands, "correct ": main.commands["correct"].commands}
    commands = {before + name: each for before, some in groups.items() for name, each in some.items()}
    reading = {name for name, each in commands.items() if {"predictions", "pilots"} & {given.name for given in each.params}}
    tried = {name for name in commands for each in READS if each.startswith(f"{name} ")}
    assert reading == tried - {"correct"}  # which is a group


@pytest.mark.parametrize("command", [each for each in READS if len(READS[each]) > 1 and "partition" not in each])
def test_nothing_is_said_where_no_terminal_is(command, here):
    assert CliRunner().invoke(main, command.split(), catch_exceptions=False).stderr == ""


VERBS = {
    "evaluate": lambda given, **how: adjudge.evaluate(given[0], **how),
    "report": lambda given, **how: adjudge.report(given[0], **how),
    "count": lambda given, **how: adjudge.count(given[0], **how),
    "count_pairs": lambda given, **how: adjudge.count_pairs(*given, **how),
    "gate": lambda given, **how: adjudge.gate(given[0], "accuracy >= 0.1", against=given[1], **how),
    "thresholds": lambda given, **how: adjudge.thresholds(given[0], **how),
    "compare": lambda given, **how: adjudge.compare(*given, **how),
    "rank": adjudge.rank,
    "compare_partitions": partial(adjudge.compare_partitions, resamples=100),
    "sample_size": lambda given, **how: adjudge.sample_size(given[0], half_width=0.05, **how),
    "population": lambda given, **how: adjudge.population(given[0], cluster="predicted", **how),
    "recommend": lambda given, **how: adjudge.correct.recommend(given[0], **how),
    "fit": lambda given, **how: adjudge.correct.fit(given[0], "multipliers", **how),
}
SOURCES = {"text": lambda _: C, "arrays": lambda name: pq.read_table(name).to_pydict(), "table": pq.read_table}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("kind", SOURCES)
def test_verbs_tell_rows_where_they_are_asked_to_and_answer_the_same(verb, kind, here):
    heard, at = [], Bar.at
    here.setattr(Bar, "at", lambda self, done, **how: (at(self, done, **how), heard.append(self.told))[0])
    both = [SOURCES[kind](A), SOURCES[kind](B)]
    here.setattr("adjudge.predictions.model.someone_watches", lambda: True)
    here.setattr(Bar, "_show", lambda _: None)
    quiet = VERBS[verb](both, progress=False)
    assert heard == []
    found = VERBS[verb](both, progress=True)
    assert found.to_dict() == quiet.to_dict()
    whole = f"{N} rows" if kind == "text" else f"{N} of {N} rows"
    assert whole in heard
    assert heard[0] == ("" if kind == "text" else f"0 of {N} rows")
    assert {int(each.split()[0]) for each in heard if each} <= {0, N}
