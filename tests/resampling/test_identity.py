"""What makes two runs the same run: packages and code that the learner comes from among it."""

from __future__ import annotations

import importlib
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import scipy
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from adjudge import InputError, estimate
from adjudge.resampling.identity import differences, identity, installed_version
from adjudge.resampling.run import job_of

Y = np.arange(20) % 2
X = np.random.default_rng(0).normal(size=(20, 2)) + Y[:, None]


def versions(learner):
    return identity(job_of(learner, X, Y, "2-fold", random_state=0))["versions"]


@pytest.fixture
def learner_of(tmp_path, monkeypatch):
    """Write modules, and return a learner that one of them defines."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def made(**modules):
        for name, text in modules.items():
            sys.modules.pop(name, None)
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        importlib.invalidate_caches()
        return importlib.import_module("tried_learner").Learner()

    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    yield made
    sys.dont_write_bytecode = before
    for name in ("tried_learner", "tried_base"):
        sys.modules.pop(name, None)


BASE = """
    from sklearn.naive_bayes import GaussianNB
    class Base(GaussianNB):
        pass
"""
LEARNER = """
    from tried_base import Base
    class Learner(Base):
        pass
"""


def test_learners_of_scikit_learn_need_no_other_package():
    assert set(versions(make_pipeline(StandardScaler(), GaussianNB()))) == {"adjudge", "scikit-learn", "numpy"}


@pytest.mark.slow
def test_another_version_of_the_package_of_a_learner_is_refused(learner_of, tmp_path):
    options = {"by": "2-fold", "random_state": 0, "checkpoint": tmp_path / "run.adj", "progress": False}
    text = "__version__ = '{}'\n" + textwrap.dedent(BASE).replace("Base", "Learner")
    learner = make_pipeline(StandardScaler(), learner_of(tried_learner=text.format("1.0")))
    assert versions(learner)["tried_learner"] == "1.0"
    estimate(learner, X, Y, **options)
    estimate(learner, X, Y, **options)
    sys.modules["tried_learner"].__version__ = "1.1"  # as after an update that left this file as it was
    with pytest.raises(InputError, match=r"tried_learner was 1\.0, now 1\.1"):
        estimate(learner, X, Y, **options)


def test_a_learner_whose_base_was_changed_is_another(learner_of):
    then = identity(job_of(learner_of(tried_base=BASE, tried_learner=LEARNER), X, Y, "2-fold", random_state=0))
    again = identity(job_of(learner_of(tried_base=BASE, tried_learner=LEARNER), X, Y, "2-fold", random_state=0))
    changed = learner_of(tried_base=BASE + "    # another thought\n", tried_learner=LEARNER)
    now = identity(job_of(changed, X, Y, "2-fold", random_state=0))
    assert differences(then, again) == []
    (told,) = differences(then, now)
    assert told.startswith("the code of tried_base was ")


def test_installed_packages_are_told_by_their_installed_version():
    assert installed_version("scipy") == scipy.__version__
    assert installed_version("no_such_package") is None


@pytest.mark.slow
def test_a_base_defined_in_a_script_counts_as_code_of_the_learner(tmp_path):
    script = """
        from sklearn.naive_bayes import GaussianNB
        from adjudge.resampling.identity import described
        class Base(GaussianNB):
            kept = {}
        class Learner(Base):
            pass
        print(described(Learner())["code"])
    """
    codes = []
    for value in (1, 1, 2):
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(script.format(value)), encoding="utf-8")
        codes.append(subprocess.run([sys.executable, path], capture_output=True, text=True, check=True).stdout.strip())
    assert codes[0] == codes[1] != codes[2]
    assert codes[0] != "None"
