"""Runs are found by name where cases come back and each run answers a case once; what is no run is left alone."""

from __future__ import annotations

import pytest

from adjudge import DoubtfulRolesError, InputError, evaluate, read

CASES = {"truth": [0, 0, 1, 1] * 3, "predicted": [0, 1, 1, 1] * 3}
IDS, RUNS = [1, 2, 3, 4] * 3, [1] * 4 + [2] * 4 + [3] * 4


@pytest.mark.parametrize(
    "name", ["run", "Run ID", "seed", "attempt", "annotator", "sample_index", "epoch", "trial", "repetition"]
)
def test_names_of_runs(name):
    roles = read(CASES | {"id": IDS, name: RUNS}).roles
    assert (roles.run, roles.row, roles.cluster) == (name, "id", "id")


def test_the_case_may_be_the_cluster_and_another_identity_that_of_answers():
    assert read(CASES | {"prompt": IDS, "run": RUNS}).roles.row == "prompt"
    roles = read(CASES | {"id": list(range(12)), "prompt": IDS, "run": RUNS}).roles
    assert (roles.row, roles.cluster) == ("prompt", "prompt")
    assert read(CASES | {"id": IDS, "patient": [1, 1, 2, 2] * 3, "run": RUNS}).roles.cluster == "patient"


@pytest.mark.parametrize(
    "columns",
    [
        {"id": list(range(12)), "run": RUNS},  # no case comes back
        {"id": IDS, "seed": [1, 2] * 6},  # a seed meets a case twice
        {"id": IDS, "fold": RUNS, "seed": RUNS},  # folds tell them apart already
        {"seed": RUNS},
    ],
)
def test_what_is_no_run(columns):
    assert read(CASES | columns).roles.run is None


def test_given_unwanted_doubtful_and_without_cases():
    assert read(CASES | {"id": IDS, "v": RUNS}, run="v").roles.run == "v"
    with pytest.raises(InputError, match="names cases more than once"):
        evaluate(CASES | {"id": IDS, "run": RUNS}, run="")
    with pytest.raises(DoubtfulRolesError, match="may each be the run"):
        read(CASES | {"id": IDS, "seed": RUNS, "trial": RUNS})
    with pytest.raises(InputError, match="name what identifies the case with row"):
        read(CASES | {"run": RUNS}, run="run")
    with pytest.raises(InputError, match="is no single answer"):
        read(CASES | {"id": IDS, "run": RUNS, "n": [2] * 12}, run="run", count="n")
