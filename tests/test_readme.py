"""The README: its commands run in the order in which they stand, and print what it says they print."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from adjudge.cli import main

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
"""Three dots stand for whatever is left out."""


def commands() -> list[tuple[list[str], str]]:
    """Return the commands of the console blocks, and what each is said to print."""
    blocks = re.findall(r"^```console\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    pieces = [piece for block in blocks for piece in re.split(r"^\$ ", block, flags=re.MULTILINE) if piece]
    return [(shlex.split(first, comments=True), told) for first, _, told in (piece.partition("\n") for piece in pieces)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with what the commands read, where they may write."""
    for name in ("examples", "src"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_tour_prints_what_it_says(folder):
    checker, seen = doctest.OutputChecker(), 0
    for (program, *arguments), told in commands():
        assert program == "adjudge"
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
        example = doctest.Example(shlex.join(arguments), told)
        assert checker.check_output(told, result.stdout, FLAGS), checker.output_difference(example, result.stdout, FLAGS)
        seen += 1
    assert seen > 4
    assert (folder / "both.html").stat().st_size > 10_000


def test_every_command_is_in_the_table_of_questions():
    table = "\n".join(re.findall(r"^\| .* \|$", README.partition("## What do you want to know?")[2], re.MULTILINE))
    wanted = [name if name != "correct" else f"correct {sub}" for name in main.commands for sub in _subcommands(name)]
    missing = [name for name in wanted if f"adjudge {name}" not in table]
    assert not missing


def _subcommands(name):
    return getattr(main.commands[name], "commands", [""])


def test_every_flag_in_it_exists():
    known = {option for command in _all(main) for parameter in command.params for option in parameter.opts} | {"--help"}
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", "\n".join(re.findall(r"`adjudge[^`]*`|`--[^`]*`", README))))
    assert told
    assert told <= known


def _all(group):
    for command in group.commands.values():
        yield from _all(command) if hasattr(command, "commands") else [command]


def test_its_links_and_pictures_are_there():
    links = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(links) > 5
    assert not [link for link in links if not (ROOT / link).exists()]
