"""One process per task: whatever a learner does, its own unit alone is lost, and the reason is told."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tests.resampling.learners import Deeds, Nearest, digest, folds, gone, until

from adjudge import InputError
from adjudge.resampling.isolation import fork_server
from adjudge.resampling.isolation.fork_server import isolated
from adjudge.resampling.learner import serial

KINDS = {
    "raises": r"^RuntimeError: no convergence$",
    "exits": r"^SystemExit: 7$",
    "interrupts": r"^KeyboardInterrupt$",
    "hangs": r"^no answer within 4 s; it was stopped$",
    "hangs_on": r"^no answer within 4 s; it was stopped$",
    "segfaults": r"^the process was killed by SIGSEGV$",
    "aborts": r"^the process was killed by SIGABRT$",
    "ends_itself": r"^the process ended with exit code 3 before it answered$",
    "is_killed": r"^the process was killed by SIGKILL, as the system does when memory runs out$",
    "eats_memory": r"^MemoryError",
    "closes_everything": r"^the process ended with exit code 0 before it answered$",
    "unpicklable": r"is not among the classes 'a', 'b', 'c'$",
    "wrong_length": r"^predict gave shape \(5,\) for 6 cases; expected \(6,\)$",
    "wrong_shape": r"^predict_proba gave shape \(6, 2\) .* expected numbers of shape \(6, 3\)$",
    "texts": r"^predict_proba gave shape \(6, 3\) and type <U",
    "nan": r"^predict_proba gave 18 values that are not finite",
    "unknown_class": r"^predict gave 'z', which is not among the classes",
    "doubled_class": r"^classes_ names some of them twice",
    "leaves_a_process": None,
    "other_order": None,
    "forgets_a_class": None,
    "good": None,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("deeds")


@pytest.fixture(scope="module")
def answers(place):
    """One run in which every fold misbehaves in a way of its own."""
    job = folds(Deeds(tuple(KINDS), place), len(KINDS))
    found = {
        answer.unit: answer for answer in isolated(job, job.units, timeout=4, workers=4)
    }  # others go on beside those that hang
    assert sorted(found) == list(job.units)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind, why in KINDS.items() if why is not None])
def test_a_learner_that_misbehaves_costs_its_own_unit_and_says_why(answers, kind):
    answer = answers[list(KINDS).index(kind)]
    assert answer.table is None
    assert re.search(KINDS[kind], answer.failure), answer.failure


@pytest.mark.slow
@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind, why in KINDS.items() if why is None])
def test_all_other_units_are_as_if_nothing_had_happened(answers, kind):
    unit = list(KINDS).index(kind)
    quiet = folds(Deeds(tuple(kind if kind == "forgets_a_class" else "good" for kind in KINDS)), len(KINDS))
    assert answers[unit].failure is None
    assert answers[unit].table.equals(quiet.answer(unit).table)


@pytest.mark.slow
def test_the_unit_that_sees_all_rows_is_kept_too(answers):
    quiet = folds(Deeds(("good",) * len(KINDS)), len(KINDS))
    assert answers[len(KINDS)].table.equals(quiet.answer(len(KINDS)).table)


@pytest.mark.slow
def test_what_a_learner_started_is_ended_with_it(answers, place):
    pid = int((place / "left").read_text(encoding="ascii"))
    assert until(lambda: gone(pid))


@pytest.mark.slow
def test_threads_and_openmp_of_the_caller_do_no_harm():
    """OpenMP deadlocks in a copy of a process that has used it; the caller has, and other threads of it go on."""
    learner = make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=3, early_stopping=False))
    job = folds(learner, 3)
    here = digest(serial(job, job.units))
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert digest(isolated(job, job.units, timeout=120, workers=2)) == here
    finally:
        stop.set()
        thread.join()


@pytest.mark.slow
def test_a_learner_that_kills_the_process_above_it_costs_its_own_unit():
    job = folds(Deeds(("good", "kills_its_maker", "good")), 3)
    found = {answer.unit: answer.failure for answer in isolated(job, job.units, workers=2)}
    assert [unit for unit, failure in found.items() if failure] == [1]
    assert sorted(found) == [0, 1, 2, 3]
    assert found[1].endswith("lost twice")


SCRIPT = """
from sklearn.naive_bayes import GaussianNB
from adjudge.resampling.isolation.fork_server import isolated
from tests.resampling.learners import folds
class Own(GaussianNB):
    "Defined in the main script, which has no guard against being run again."
print("begun")
job = folds(Own(), 3)
print([answer.failure for answer in isolated(job, job.units)])
"""


@pytest.mark.slow
def test_a_plain_script_may_define_the_learner_and_is_not_run_again(tmp_path):
    script = tmp_path / "plain.py"
    script.write_text(SCRIPT, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=env)
    assert run.stdout.splitlines() == ["begun", "[None, None, None, None]"]


def test_an_answer_cut_to_pieces_is_a_failure_not_an_error():
    assert fork_server.understood(4, b"\x00nonsense").failure.startswith("the answer came in pieces")


def test_a_learner_that_cannot_travel_is_refused_in_one_sentence():
    learner = Nearest()
    learner.pause = threading.Lock()
    job = replace(folds(Nearest(), 2), learner=learner)
    with pytest.raises(InputError, match=r"learner Nearest cannot be sent"):
        next(isolated(job, job.units))


def test_no_units_need_no_process(monkeypatch):
    monkeypatch.setattr(fork_server.subprocess, "Popen", None)
    assert list(isolated(folds(Nearest(), 2), [])) == []
