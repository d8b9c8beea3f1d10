"""What commands answer must not change: every command of commands.toml against its record, and proof that the comparison can fail."""

from __future__ import annotations

import copy
import json
from collections import Counter
from typing import Any

import pytest
from tests.golden import agreement
from tests.golden.agreement import disagreements, numbers_in
from tests.golden.record import RECORDED, entries, replay

from adjudge.cli import main

ENTRIES = entries()


def recorded(name: str) -> list[dict[str, Any]]:
    return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if e.get("slow") else []) for n, e in ENTRIES.items()])
def test_a_command_answers_as_it_did(name):
    found = disagreements(recorded(name), json.loads(json.dumps(replay(ENTRIES[name]))))
    assert not found, "\n".join([f"{len(found)} leaves differ; commands are {ENTRIES[name]['run']}", *found[:40]])


# What shows nothing in an answer: who works, for how long, and what help and version print.
NOT_RECORDED = {"--jobs", "--timeout", "--isolate", "--checkpoint", "--help", "--version"}


def test_every_command_and_every_option_is_recorded():
    """Options that eight commands or more share, those of reading, need be recorded with one of them."""
    lines = [f"{line} " for entry in ENTRIES.values() for line in entry["run"]]
    options = {
        name: [option.opts for option in command.params if option.param_type_name == "option"]
        for name, command in _commands(main)
    }
    held = Counter(opts[-1] for each in options.values() for opts in each)
    missing = []
    for name, each in options.items():
        own = [line for line in lines if line.startswith(f"{name} ")]
        for opts in each:
            where = own if held[opts[-1]] < 8 else lines
            missing += [f"{name} {opts[-1]}"] * (not any(f" {flag} " in line for flag in opts for line in where))
        missing += [f"{name} is never run"] * (not own)
    assert [each for each in missing if each.split()[-1] not in NOT_RECORDED] == []


def _commands(group, prefix=""):
    for name, command in group.commands.items():
        yield from _commands(command, f"{prefix}{name} ") if hasattr(command, "commands") else [(f"{prefix}{name}", command)]


def test_every_record_has_its_command():
    assert sorted(path.stem for path in RECORDED.glob("*.json")) == sorted(ENTRIES)


# ---- the comparison can fail

FIRST = [
    {
        "exit_code": 0,
        "stderr": "",
        "files": {"page.html": "written"},
        "stdout": {
            "value": 0.857504215851602,
            "cases": 1186,
            "verdict": "better",
            "chance": {"p_value": 2.96e-233, "significant": True},
            "rows": [{"name": "a", "gain": {"mean": 0.5}}, {"name": "b", "gain": {"mean": 0.25}}],
            "findings": [{"code": "A301", "message": "2 cases of 1,186 had probability 0.", "advice": "Smooth them."}],
        },
    }
]


def changed(*path: Any, to: Any) -> list[dict[str, Any]]:
    copied = copy.deepcopy(FIRST)
    value: Any = copied
    for key in path[:-1]:
        value = value[key]
    if to is None:
        del value[path[-1]]
    else:
        value[path[-1]] = to
    return copied


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("exit_code",), 1),
        (("stdout", "value"), 0.857504215851602 * (1 + 1e-8)),
        (("stdout", "cases"), 1187),
        (("stdout", "cases"), 1186.0),
        (("stdout", "verdict"), "worse"),
        (("stdout", "chance", "significant"), False),
        (("stdout", "chance", "significant"), None),
        (("stdout", "chance", "more"), 1),
        (("stdout", "rows", 1), None),
        (("stdout", "rows", 0, "gain", "mean"), 0.500001),
        (("stdout", "findings", 0, "code"), "A302"),
        (("stdout", "findings", 0, "message"), "3 cases of 1,186 had probability 0."),
        (("stdout", "findings", 0, "message"), "2 cases of 1,186 had a probability."),
        (("stdout", "findings", 0, "advice"), ""),
        (("stdout", "findings"), []),
        (("stderr",), "adjudge: something"),
        (("files", "page.html"), None),
    ],
)
def test_one_change_is_noticed(path, to):
    assert len(disagreements(FIRST, changed(0, *path, to=to))) == 1


def test_last_bits_and_other_words_are_no_change():
    assert not disagreements(FIRST, changed(0, "stdout", "value", to=0.857504215851602 * (1 + 1e-10)))
    assert not disagreements(FIRST, changed(0, "stdout", "findings", 0, "message", to="Of 1186 cases 2 were given 0."))


@pytest.mark.parametrize("name", ["compare-two", "gate-refused", "evaluate-text"])
def test_every_single_leaf_of_a_record_counts(name):
    """A digit added to a number, a letter to a text that is no sentence, a number to a sentence: each is seen."""
    steps = recorded(name)
    for path, leaf in _leaves(steps):
        altered = copy.deepcopy(steps)
        holder: Any = altered
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = _altered(leaf)
        assert disagreements(steps, altered), path


def _altered(leaf: Any) -> Any:
    if leaf is None or isinstance(leaf, bool):
        return not leaf
    return f"{leaf} 7.25" if isinstance(leaf, str) else leaf + 1 if isinstance(leaf, int) else leaf + 1e-6


def _leaves(value: Any, path: tuple[Any, ...] = ()):
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from _leaves(value[key], (*path, key))
    else:
        yield path, value


def test_renamed_keys_paths_and_texts_agree(monkeypatch):
    now = copy.deepcopy(FIRST)
    told = now[0]["stdout"]
    told["n_cases"] = told.pop("cases")
    told["judgement"] = {"p": told["chance"].pop("p_value")}
    for row in told["rows"]:
        row["mean_gain"] = row.pop("gain")["mean"]
        row["gain"] = {}
    told["verdict"] = "model a is better"
    assert disagreements(FIRST, now)
    monkeypatch.setattr(
        agreement, "RENAMED", {"cases": "n_cases", "chance.p_value": "judgement.p", "rows.gain.mean": "rows.mean_gain"}
    )
    monkeypatch.setattr(agreement, "RENAMED_TEXTS", {"better": "model a is better"})
    assert not disagreements(FIRST, now)


def test_numbers_in_sentences():
    said = "Right in 85.8% of 1,186 cases (-0.5 to 1e-05, F1, p_2, 10-fold, 3, 4); class 'a1'; x=7."
    assert sorted(numbers_in(said).elements()) == [-0.5, 1e-05, 3, 4, 7, 10, 85.8, 1186]
