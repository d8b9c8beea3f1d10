"""Sentences that name arguments: in the words of Python and of a shell, no flag in those for Python, no name written by hand."""

from __future__ import annotations

import ast
import inspect
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
from adjudge._base.text import safe

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
    assert ast.literal_eval(python.removeprefix("x=")) == value
    assert shown[1] == safe(value, 1000)  # what nobody sees cannot be typed


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


SPEAKERS = re.compile(r"wording|Finding|\w+Error")  # what is called with a sentence; errors of Python's own are left alone
PYTHONS = {"AttributeError", "FrozenInstanceError", "KeyError", "OSError", "RuntimeError", "TypeError", "ValueError"}
NAMED = re.compile(r"(?<![\w.])(0|[A-Za-z_]\w*)=(?!=)")
ORDINARY = re.compile(r"a (?!and |is |must )|one |rows? |column |count takes|difference\(\)|partition needs|reliability needs")
"""Openings whose first word is also the name of a parameter, but not meant as one."""


def parameters() -> set[str]:
    """Return the names of the parameters of whatever is public: functions, classes and methods."""
    known = [getattr(adjudge, name) for name in adjudge.__all__]
    known += [each for owner in known if inspect.isclass(owner) or inspect.ismodule(owner) for each in vars(owner).values()]
    written = (getattr(each, "__func__", each) for each in known)
    functions = [each.__init__ if inspect.isclass(each) else each for each in written]
    return {name for each in functions if inspect.isfunction(each) for name in inspect.signature(each).parameters} - {
        "self",
        "cls",
    }


def names_in(source: str, known: set[str]) -> Iterator[tuple[int, str]]:
    """Yield line and text of sentences that open with a parameter's name, or hold `name=`, as text that no shell can change."""
    for call, around in _calls(ast.parse(source), ()):
        own = {each.arg for function in around[1:] for each in ast.walk(function) if isinstance(each, ast.arg)}
        for at, part in enumerate(call.args if call.func.id not in PYTHONS else ()):
            for text in _sentences(part, around[-1]):
                first = re.match(r"\w+", text)
                opens = at == 0 and first is not None and first[0] in known | own and not ORDINARY.match(text)
                if opens or any(each in known | own | {"0"} for each in NAMED.findall(text)):
                    yield call.lineno, text


def _calls(node: ast.AST, around: tuple[ast.AST, ...]) -> Iterator[tuple[ast.Call, tuple[ast.AST, ...]]]:
    """Yield the calls with a sentence, and the module and the functions that each is in."""
    if isinstance(node, ast.Module | ast.FunctionDef):
        around = (*around, node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and SPEAKERS.fullmatch(node.func.id):
        yield node, around
    for each in ast.iter_child_nodes(node):
        yield from _calls(each, around)


def _sentences(node: ast.AST, function: ast.AST) -> Iterator[str]:
    """Yield the texts of an argument; a name is what it was last set to before."""
    if isinstance(node, ast.JoinedStr | ast.Constant):
        yield _text(node)
    elif isinstance(node, ast.Name):
        sets = [each for each in ast.walk(function) if isinstance(each, ast.Assign) and each.lineno < node.lineno]
        values = {each.lineno: each.value for each in sets if node.id in (getattr(name, "id", None) for name in each.targets)}
        yield from _sentences(values[max(values)], function) if values else ()
    elif isinstance(node, ast.IfExp | ast.BinOp | ast.Starred | ast.Tuple):
        for each in ast.iter_child_nodes(node):
            yield from _sentences(each, function)


@pytest.mark.slow
def test_every_sentence_names_parameters_so_that_a_shell_reads_flags():
    paths, known = [path for path in SOURCES.rglob("*.py") if "cli" not in path.relative_to(SOURCES).parts], parameters()
    assert {"missing", "level", "kind", "X", "measures"} < known
    assert [(path.name, *found) for path in paths for found in names_in(path.read_text(encoding="utf-8"), known)] == []


@pytest.mark.parametrize(
    "planted",
    [
        'msg = f"kind must be one of {known}; got {kind}."\nraise InputError(msg)',
        'raise InputError("kind must be text.")',
        'raise DoubtfulRolesError(f"kind[{at}] is missing", ".")',
        'def f(inner):\n    msg = "inner must be a number."\n    raise InputError(msg) from None',
        "told = \"Some are missing. Pass missing='drop'.\"\nraise InputError(told)",
        'raise InputError(msg, f"or pass missing={value!r}.")',
        'raise InputError("A" if few else "missing=drop")',
        'msg = wording("Pass ", "missing=", ".")',
        'Finding("A100", "Some are missing.", "Pass missing= to drop them.")',
        'msg = f"Leave {name}= out."\nraise InputError(msg)',
        'told = "Pass missing=."\nraise InputError(told if few else "None.")',
    ],
)
def test_a_name_that_is_planted_is_found(planted):
    assert len(list(names_in(planted, {"kind", "missing"}))) == 1


@pytest.mark.parametrize(
    "fine",
    [
        'raise InputError(parameter("kind"), " must be text.")',
        'raise InputError(msg, argument("missing", "drop"), ".")',
        'msg = "Kinds are few."\nraise InputError(msg)',
        'raise TypeError("kind must be text.")',
        'msg = "x == kind, not missing == 3."\nraise InputError(msg)',
        'msg = "the kind is missing"\nraise InputError(msg)',
        'def f(column):\n    msg = f"column {column} is empty."\n    raise InputError(msg)',
    ],
)
def test_names_made_of_parts_and_ordinary_words_are_left_alone(fine):
    assert list(names_in(fine, {"kind", "missing"})) == []


def test_a_sentence_is_made_again_of_its_parts():
    told = wording("Pass ", argument("missing", "drop"), " or ", switch("x"), " to ", command("adjudge x", python="x()"), ".")
    again = Wording.of_list(json.loads(json.dumps(told.to_list())))
    assert again == told
    assert again.in_shell(FLAGS) == told.in_shell(FLAGS)
    assert again.parts == told.parts
    for parts in ([{"name": 3}], [{"shell": "a", "python": None}], [{"other": "a"}], [3]):
        with pytest.raises(TypeError):
            Wording.of_list(parts)


@pytest.mark.parametrize("label", ["a\u200b", "\u202eb", "a  b", "\x1b[2J", "e\u0301\u200d", 'a"b', "a\\b", "plain"])
def test_a_label_is_written_so_that_python_reads_it_again(label):
    told = str(argument("relabel", {label: "a"}))
    assert told.isprintable()
    assert ast.literal_eval(told.partition("=")[2]) == {label: "a"}
