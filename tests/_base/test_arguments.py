"""Sentences that name arguments: in the words of Python, in those of a shell, and no flag in a sentence for Python."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge._base.arguments import Wording, argument, command, either, parameter, switch, together, wording

FLAGS = {"missing": "--missing", "level": "--level", "by_position": "--by-position", "relabel": "--relabel", "x": "--x"}


@pytest.mark.parametrize(
    ("part", "python", "shell"),
    [
        (argument("level"), "level=", "--level"),
        (argument("level", 0.9), "level=0.9", "--level 0.9"),
        (argument("missing", "drop"), 'missing="drop"', "--missing drop"),
        (argument("missing", ""), 'missing=""', "--missing ''"),
        (argument("x", (0, 1)), "x=(0, 1)", "--x 0,1"),
        (argument("x", ["a", 1]), 'x=["a", 1]', "--x a,1"),
        (argument("x", 'say "a"'), "x='say \"a\"'", "--x 'say \"a\"'"),
        (argument("x", True), "x=True", "--x True"),
        (argument("relabel", {"yes": 1, 0: "no"}), 'relabel={"yes": 1, 0: "no"}', "--relabel yes=1,0=no"),
        (argument("x", python="count_x()"), "count_x()", "--x"),
        (parameter("level"), "level", "--level"),
        (switch("by_position"), "by_position=True", "--by-position"),
        (switch("level", on=False), "level=False", "--level"),
        (argument("unknown", 1), "unknown=1", "unknown=1"),
        (command("adjudge count A --paired", python="count_pairs(a)"), "count_pairs(a)", "adjudge count A --paired"),
    ],
)
def test_an_argument_is_spelt_for_its_reader(part, python, shell):
    told = Wording("Pass ", part, ".")
    assert told == f"Pass {python}."
    assert told.in_shell(FLAGS) == f"Pass {shell}."


@given(st.text(min_size=1, max_size=50))
def test_what_is_told_can_be_pasted(value):
    python, shell = str(argument("x", value)), argument("x", value).in_shell(FLAGS)
    shown = shlex.split(shell)
    assert len(shown) == 2
    assert ast.literal_eval(python.removeprefix("x=")) == shown[1]
    assert shown[1] == value or not value.isprintable()


def test_wordings_are_joined_and_nested():
    told = wording("Pass ", either([argument("missing", "drop"), argument("missing", "class")]), ".")
    assert told == 'Pass missing="drop" or missing="class".'
    assert Wording("Row 3: ", told).in_shell(FLAGS) == "Row 3: Pass --missing drop or --missing class."
    both = Wording(together(argument("missing", "drop"), argument("level", 0.9)))
    assert (both, both.in_shell(FLAGS)) == ('missing="drop", level=0.9', "--missing drop --level 0.9")


SOURCES = Path(adjudge.__file__).parent

FLAG = re.compile(r"(?<![\w-])(?<!var\()--[a-z][\w-]*(?!\w*:\S)")  # var(--ink) and --ink:#000 are CSS


def flags_in(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of strings that name a flag, but for docstrings and whole commands, command("adjudge ...")."""
    nodes = list(ast.walk(ast.parse(source))) if "--" in source else []
    spared = {node.value for node in nodes if isinstance(node, ast.Expr)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    spared |= {node.args[0] for node in calls if node.func.id == "command"}
    spared |= {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if node not in spared and isinstance(node, ast.JoinedStr | ast.Constant):
            text = _text(node)
            if FLAG.search(text):
                yield node.lineno, text


def _text(node: ast.JoinedStr | ast.Constant) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(_text(part) if isinstance(part, ast.Constant) else "0" for part in node.values)


@pytest.mark.slow
def test_no_sentence_outside_the_command_line_names_a_flag():
    paths = [path for path in SOURCES.rglob("*.py") if "cli" not in path.relative_to(SOURCES).parts]
    assert len(paths) > 100
    assert [(path.name, *found) for path in paths for found in flags_in(path.read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize(
    "planted",
    [
        'msg = "Pass --missing drop."',
        'msg = f"column {name} has gaps; pass --missing=drop."',
        "msg = f'{name} (--split)'",
        'def f():\n    """Doc."""\n    raise InputError("Name it with --row: it is unknown.")',
        'x = "--scores"',
    ],
)
def test_a_flag_that_is_planted_is_found(planted):
    assert len(list(flags_in(planted))) == 1


@pytest.mark.parametrize(
    "fine",
    [
        '"""See --help."""',
        'css = "a{color:var(--ink)}"',
        'css = f"--line{i}:{colour}"',
        'command("adjudge x --y", python="x()")',
        'a = "b--c -- d"',
    ],
)
def test_docstrings_css_and_whole_commands_are_left_alone(fine):
    assert list(flags_in(fine)) == []


def test_a_sentence_is_made_again_of_its_parts():
    told = wording("Pass ", argument("missing", "drop"), " or ", switch("x"), " to ", command("adjudge x", python="x()"), ".")
    again = Wording.of_list(json.loads(json.dumps(told.to_list())))
    assert again == told
    assert again.in_shell(FLAGS) == told.in_shell(FLAGS)
    assert again.parts == told.parts
    for parts in ([{"name": 3}], [{"shell": "a", "python": None}], [{"other": "a"}], [3]):
        with pytest.raises(TypeError):
            Wording.of_list(parts)
