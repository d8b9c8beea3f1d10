"""What travels to workers comes back as it went: data, labels, tasks and answers."""

from __future__ import annotations

import pickle
import sys
from dataclasses import replace

import numpy as np
import pytest
import sklearn
import threadpoolctl
from scipy import sparse
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from tests.resampling.learners import Nearest, folds

from adjudge.resampling.isolation.job_files import from_bytes, one_blas_thread, spooled, to_bytes
from adjudge.resampling.run_result import Answer, Course


@pytest.mark.parametrize("learner", [PCA(2), Ridge()])
def test_linear_algebra_gives_the_same_digits_however_many_threads_there_are(learner):
    """OpenBLAS cuts sums among its threads; PCA and ridge regression show it in the last digits unless it has one."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 100)), rng.normal(size=2000)
    found = set()
    for count in (1, 2):
        with threadpoolctl.threadpool_limits(count), one_blas_thread():
            fitted = learner.fit(X, y)
        found.add(np.ascontiguousarray(fitted.components_ if hasattr(fitted, "components_") else fitted.coef_).tobytes())
    assert len(found) == 1


def test_libraries_of_linear_algebra_are_looked_for_again_once_more_is_imported(monkeypatch):
    with one_blas_thread():
        pass
    looked, known = [], threadpoolctl.ThreadpoolController()

    class Looking(threadpoolctl.ThreadpoolController):
        def __init__(self):
            looked.append(1)
            super().__init__()

    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", Looking)
    for _ in range(3):
        with one_blas_thread():
            assert {lib["num_threads"] for lib in known.info() if lib["user_api"] == "blas"} == {1}
    assert not looked
    monkeypatch.setitem(sys.modules, "a_module_that_came_later", sys)
    for _ in range(3):
        with one_blas_thread():
            pass
    assert len(looked) == 1


FRAMES = {
    "rows first": np.ascontiguousarray,
    "columns first": np.asfortranarray,
    "every other": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "sparse": sparse.csr_array,
    "pandas": lambda X: pytest.importorskip("pandas").DataFrame(X, columns=["f", "a", "b"]),
    "polars": lambda X: pytest.importorskip("polars").DataFrame(X, schema=["f", "a", "b"]),
    "lists": lambda X: X.tolist(),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_data_come_back_from_the_spool_as_they_went(kind, tmp_path):
    job = folds(Nearest(), 3)
    X = FRAMES[kind](job.X)
    with spooled(replace(job, X=X), within=tmp_path) as ticket:
        back = ticket.job()
        assert type(back.X) is type(X) or isinstance(back.X, type(X))
        if isinstance(X, np.ndarray):
            assert isinstance(back.X, np.memmap)
            assert back.X.flags.f_contiguous == X.flags.f_contiguous
        dense = (lambda values: values.toarray()) if kind == "sparse" else np.asarray
        assert np.array_equal(dense(back.X), dense(X))
        assert np.array_equal(back.y, job.y)
        assert back.plan.fingerprint == job.plan.fingerprint
        kept = [path.suffix for folder in tmp_path.iterdir() for path in folder.iterdir()]
        assert ".pickle" not in kept  # what only pickle can hold never lies in a folder that is kept
        assert bool(kept) == (kind != "lists")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("y", [np.array(["x", "y"] * 9, dtype=object), np.array(["x", "y"] * 9), np.arange(18) % 2])
def test_labels_keep_their_type(y):
    job = replace(folds(Nearest(), 3), y=y)
    with spooled(job) as ticket:
        back = ticket.job().y
    assert back.dtype == y.dtype
    assert back.tolist() == y.tolist()


def test_a_task_carries_no_arrays():
    job = folds(GaussianNB(), 3)
    big = replace(job, X=np.tile(job.X, (1, 10_000)))
    with spooled(big) as ticket:
        assert len(pickle.dumps(ticket)) < 2000


def test_answers_travel_whole():
    table = folds(Nearest(), 3).answer(1).table
    course = Course((0.1 + 0.2, 1 / 3), (0.5,), "perfect")
    answers = Answer(1, table, None, 0.25), Answer(2, None, "no\nreason \ud800", 1.5), Answer(3, table, None, 0.1, course)
    for answer in (*answers, Answer(4, table, None, 0.1, Course(failure="none"))):
        back = from_bytes(to_bytes(answer))
        assert back.course == answer.course
        assert (back.unit, back.failure, back.seconds) == (answer.unit, answer.failure, answer.seconds)
        assert back.table is answer.table or back.table.equals(answer.table)


def test_settings_of_scikit_learn_travel_along():
    with sklearn.config_context(assume_finite=True), spooled(folds(Nearest(), 2)) as ticket:
        assert ticket.config["assume_finite"] is True
