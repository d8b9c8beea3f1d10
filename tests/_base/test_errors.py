"""Errors say of which parameter they speak, and survive the way from a worker."""

from __future__ import annotations

import copy
import pickle

import pytest

import adjudge
from adjudge._base.arguments import argument, wording
from adjudge._base.errors import AdjudgeError, InputError

FLAGS = {"missing": "--missing", "level": "--level", "by_position": "--by-position", "relabel": "--relabel", "x": "--x"}


def test_an_error_says_of_which_parameter_it_speaks():
    assert InputError("All is lost.").parameter is None
    assert InputError("All is lost.", parameter="level").parameter == "level"
    assert InputError("Pass ", argument("missing", "drop"), " or ", argument("missing", "class")).parameter == "missing"
    assert InputError("Pass ", argument("truth"), " or ", argument("scores")).parameter is None
    assert InputError(wording("Pass ", argument("truth"))).parameter == "truth"


def test_an_error_takes_parts_and_reads_as_python():
    error = InputError("Pass ", argument("missing", "drop"), ".")
    assert str(error) == 'Pass missing="drop".'
    assert error.in_shell({"missing": "--missing"}) == "Pass --missing drop."
    assert str(InputError("One plain sentence.")) == "One plain sentence."
    assert str(AdjudgeError()) == ""


@pytest.mark.parametrize(
    "error", [InputError("Pass ", argument("x", (0, 1)), parameter="y"), adjudge.DoubtfulRolesError("plain")]
)
@pytest.mark.parametrize("through", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])  # noqa: S301 - our own
def test_errors_survive_the_way_from_a_worker(error, through):
    back = through(error)
    assert type(back) is type(error)
    assert (str(back), back.parameter, back.in_shell(FLAGS)) == (str(error), error.parameter, error.in_shell(FLAGS))
