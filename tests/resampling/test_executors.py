"""Tasks on workers of any kind: the same digits everywhere, and a worker that is lost costs its task only."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

import cloudpickle
import joblib
import pytest
from tests.described import mentions
from tests.resampling import learners
from tests.resampling.learners import Deeds, Nearest, digest, folds

from adjudge.resampling import run
from adjudge.resampling.executors import BrokenPoolError, spread
from adjudge.resampling.learner import serial
from adjudge.resampling.run import chosen, in_turn


@contextmanager
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("forkserver")) as executor:
        yield {"executor": executor}


@contextmanager
def threads():
    with ThreadPoolExecutor(3) as executor:
        yield {"executor": executor}


@contextmanager
def loky():
    yield {"n_jobs": 2}


@contextmanager
def joblib_threads():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        yield {}


@contextmanager
def dask():
    distributed = pytest.importorskip("distributed")
    import dask as config

    # a busy machine takes longer than the usual 15 s to bring a lost worker back
    with (
        config.config.set({"distributed.deploy.lost-worker-timeout": "600s", "distributed.comm.timeouts.connect": "300s"}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@contextmanager
def dask_joblib():
    with dask(), joblib.parallel_config(backend="dask"):
        yield {}


@contextmanager
def dask_executor():
    with dask() as client:
        yield {"executor": client.get_executor()}


@contextmanager
def ray():
    os.environ.update(RAY_AUTH_MODE="disabled", RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0")
    cluster = pytest.importorskip("ray")
    from ray.util.joblib import register_ray

    register_ray()
    cluster.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="error", object_store_memory=100_000_000)
    try:
        with joblib.parallel_config(backend="ray", n_jobs=2):
            yield {}
    finally:
        cluster.shutdown()


@pytest.fixture
def by_value():
    """Let classes of the tests travel by value: workers need not know where the tests lie."""
    cloudpickle.register_pickle_by_value(learners)
    yield
    cloudpickle.unregister_pickle_by_value(learners)


@pytest.mark.parametrize(
    "workers", [threads, joblib_threads, *(pytest.param(each, marks=pytest.mark.slow) for each in (processes, loky))]
)
def test_the_same_digits_come_from_any_workers(workers):
    job = folds(Nearest(), 6)
    with workers() as options:
        assert digest(spread(job, job.units, **options)) == digest(serial(job, job.units))


FAR = [
    pytest.param(dask_executor, marks=pytest.mark.slow),
    pytest.param(dask_joblib, marks=pytest.mark.slow),
    pytest.param(ray, marks=pytest.mark.slow),
]


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # clusters warn of ports, semaphores and sockets of their own
@pytest.mark.parametrize("workers", [processes, loky, *FAR])
def test_a_killed_worker_costs_its_task_only(tmp_path, workers, by_value):
    """The worker is killed once in the middle of a unit; the unit is done again."""
    deeds = ("good", "good", "is_killed_once", "good", "good", "good")
    job = folds(Deeds(deeds, tmp_path), 6)
    with workers() as options:
        found = list(spread(job, job.units, **options))
    assert (tmp_path / "killed").exists()
    assert [answer.failure for answer in found] == [None] * 7
    assert digest(found) == digest(serial(job, job.units))


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("workers", [processes, loky, *FAR])
def test_a_unit_that_kills_every_worker_is_told_apart_from_those_beside_it(workers, by_value):
    job = folds(Deeds(("good", "good", "is_killed", "good", "segfaults", "good")), 6)
    with workers() as options:
        found = {answer.unit: answer for answer in spread(job, job.units, **options)}
    failures = {unit: answer.failure for unit, answer in found.items() if answer.failure}
    assert set(failures) == {2, 4}
    assert mentions(failures[2], "SIGKILL", "memory")
    assert failures[4].endswith("SIGSEGV")
    quiet = folds(Deeds(("good",) * 6), 6)
    assert all(found[unit].table.equals(quiet.answer(unit).table) for unit in (0, 1, 3, 5, 6))


@pytest.mark.slow
def test_a_timeout_holds_on_workers_too():
    job = folds(Deeds(("good", "hangs_on")), 2)
    with threads() as options:
        found = {answer.unit: answer.failure for answer in spread(job, [0, 1], timeout=4, **options)}
    assert found[0] is None
    assert found[1].startswith("no answer within 4 s")


class Useless(ThreadPoolExecutor):
    """Workers that do nothing but fail."""

    def submit(self, *_, **__):
        return super().submit(lambda: 1 / 0)


def test_workers_that_never_work_end_the_run_with_their_reason():
    job = folds(Nearest(), 2)
    with (
        Useless(1) as executor,
        pytest.raises(BrokenPoolError, match=r"failed 3 times .*3 units .*ZeroDivisionError"),
    ):
        list(spread(job, job.units, executor=executor))


def named(runner):
    return getattr(runner, "func", runner).__name__


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "in_turn"),
        ({"n_jobs": 1}, "in_turn"),
        ({"n_jobs": 2}, "_where_it_pays"),
        ({"isolate": True}, "isolated"),
        ({"timeout": 3}, "isolated"),
        ({"checkpoint": "run"}, "isolated"),
        ({"checkpoint": "run", "n_jobs": 2}, "isolated"),
        ({"executor": ThreadPoolExecutor(1)}, "spread"),
        ({"executor": ThreadPoolExecutor(1), "checkpoint": "run", "timeout": 2}, "spread"),
    ],
)
def test_what_is_asked_for_says_who_does_the_fits(options, name):
    assert named(chosen(**options)) == name


def test_back_ends_set_up_with_joblib_are_used():
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert named(chosen()) == "spread"


@pytest.mark.parametrize("pays", [False, True])
def test_workers_are_started_when_the_first_fit_says_that_they_pay(monkeypatch, pays):
    asked = []
    monkeypatch.setattr(run, "pays_for_processes", lambda *_: pays)
    monkeypatch.setattr(run, "spread", lambda job, units, **_: asked.append(list(units)) or in_turn(job, units))
    job = folds(Nearest(), 3)
    assert digest(chosen(n_jobs=2)(job, job.units)) == digest(serial(job, job.units))
    assert asked == ([[1, 2, 3]] if pays else [])
