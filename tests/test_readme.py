"""The README: short, its questions answered by commands there are, and two of these on the first screen."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from tests.snippets import ROOT, Block, unknown_options

import adjudge
from adjudge.cli import main

README = (ROOT / "README.md").read_text(encoding="utf-8")
QUESTIONS = re.findall(r"^\| (.*\?|One number.*) \| (.*) \| (.*) \|$", README, re.MULTILINE)


def test_it_is_short_and_begins_with_two_commands():
    lines = README.splitlines()
    assert len(lines) <= 250
    first_screen = "\n".join(lines[:30])
    assert all(command in first_screen for command in ("make demo", "make test", "![The report"))


def test_every_command_answers_a_question():
    table = "\n".join(command for _, command, _ in QUESTIONS)
    wanted = [name if name != "correct" else f"correct {sub}" for name in main.commands for sub in _subcommands(name)]
    assert [name for name in wanted if f"adjudge {name}" not in table] == []


def _subcommands(name):
    return getattr(main.commands[name], "commands", [""])


@pytest.mark.parametrize("question", [question for question, *_ in QUESTIONS])
def test_the_answer_to_a_question_is_there(question):
    _, shell, python = next(each for each in QUESTIONS if each[0] == question)
    for command in re.findall(r"`(adjudge .*?)`", shell):
        assert shlex.split(command)
        assert unknown_options(Block("README.md", 0, "sh", f"{command}\n")) == []
    for name in re.findall(r"adjudge\.([\w.]+)\(", python):
        found = adjudge
        for part in name.split("."):
            found = getattr(found, part)
        assert callable(found)


def test_every_option_in_it_exists():
    known = {option for command in _all(main) for parameter in command.params for option in parameter.opts} | {"--help"}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README))
    assert len(named) > 10
    assert named <= known


def _all(group):
    for command in group.commands.values():
        yield from _all(command) if isinstance(command, click.Group) else [command]
