"""Commands parse, call one verb and print: every command has a public verb, and both take the same arguments."""

from __future__ import annotations

import ast
import inspect
import textwrap

import click
import pytest

import adjudge
from adjudge.cli import main

COMMANDS = {name: command for name, command in main.commands.items() if not isinstance(command, click.Group)} | {
    f"correct {name}": command for name, command in main.commands["correct"].commands.items()
}
VERBS = {"demo": "report", "partition": "compare_partitions", "threshold": "thresholds"}
"""Commands that are not called as their verb is: one example, one or several spaces, one of all thresholds."""
SHELL = {"form", "as_json", "output", "title", "no_open", "save", "save_plan", "cluster_names"}
"""What says how the answer is printed or where it is written: methods of the result in Python."""
CALLED = {
    "predictions": "source",
    "seed": "random_state",
    "jobs": "n_jobs",
    "learner": "learner",
    "data": "X",
    "target": "y",
    "params": "learner",
}
"""What arguments are called in Python, where it is not the name of the flag."""
OWN = {
    "report": {"predictions": "sources"},
    "compare": {"predictions": "a", "independent": "paired"},
    "compare-learners": {"learner": "a", "params": "a", "against": "b", "against_params": "b"},
    "gate": {"file": "rules"},
    "partition": {"predictions": "many", "seed": "rng", "original": None, "lines": None, "show": None, "rest": None},
    "threshold": {"threshold": None, "prevalence": None, "miss_cost": None, "alarm_cost": None},  # of Thresholds.at
    "count": {"predictions": "sources", "level": None},  # counts have no intervals
    "population": {"predictions": "sources"},
    "correct recommend": {"seed": "rng"},
}
PYTHON = {"executor", "progress", "complete", "rng", "random_state", "cv", "y_true", "y_pred", "y_score", "X", "y"}
"""What only Python takes: workers, bars, generators where a command has no chance in it, arrays, and scikit-learn's words."""
ONLY_PYTHON = {
    "compare": {"b", "more", "method"},
    "compare-learners": {"timeout", "isolate", "checkpoint"},
    "trade-off": {"shares"},
    "threshold": {"threshold"},  # the one in use
    "partition": {"resamples", "more"},
    "population": {"correct", "cases"},
    "gate": {"require"},  # as positional rules
}


def verb_of(name):
    home = adjudge
    for part in VERBS.get(name, name.replace("-", "_")).split():
        home = getattr(home, part)
    return home


def arguments_of(verb):
    """Return the parameters of a verb, those by which its predictions are read among them."""
    return dict(inspect.signature(verb).parameters)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "measures"])
def test_a_command_calls_one_verb_of_its_name(name):
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(COMMANDS[name].callback))))
    imports = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and str(node.module).startswith("adjudge.verbs")
    ]
    verbs = {each.name for node in imports for each in node.names if not each.name.startswith("save_")}
    assert verbs == {verb_of(name).__name__}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_public_verb_that_takes_what_it_takes(name):
    own = CALLED | OWN.get(name, {})
    known = set(arguments_of(verb_of(name)))
    for parameter in COMMANDS[name].params:
        called = own.get(parameter.name, parameter.name)
        assert called is None or called in known or parameter.name in SHELL, f"{name} --{parameter.name}"


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("demo", "measures")])
def test_every_argument_of_a_verb_is_one_of_its_command(name):
    own = CALLED | OWN.get(name, {})
    offered = {own.get(parameter.name, parameter.name) for parameter in COMMANDS[name].params}
    missing = set(arguments_of(verb_of(name))) - offered - PYTHON - ONLY_PYTHON.get(name, set())
    assert not missing


@pytest.mark.parametrize("name", COMMANDS)
def test_defaults_are_the_same(name):
    python = arguments_of(verb_of(name))
    for parameter in COMMANDS[name].params:
        one = python.get(parameter.name)
        if one is None or parameter.required or parameter.default is None or one.default in (one.empty, None, ()):
            continue
        if parameter.name == "bounds" or "UNSET" in repr(parameter.default):
            continue
        assert parameter.default == one.default, f"{name} --{parameter.name}"
