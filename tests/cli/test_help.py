"""Help that is read once: grouped, within 80 columns, with examples that run."""

from __future__ import annotations

import csv
import re
import shlex
from importlib.resources import files
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from tests.cli.running import run

from adjudge.cli import main
from adjudge.cli.help import COMMANDS, SECTIONS
from adjudge.cli.options import FORMATS

NESTED = [("correct", name) for name in main.commands["correct"].commands]
EVERY = [(), *((name,) for name in main.commands), *NESTED]
EXAMPLES = [
    (example, names)
    for names in EVERY
    for example in (
        main if not names else main.commands[names[0]] if len(names) == 1 else main.commands["correct"].commands[names[1]]
    ).examples
]


def command_of(names):
    command = main
    for name in names:
        command = command.commands[name]
    return command


def help_of(names, columns="80"):
    return CliRunner(env={"COLUMNS": columns}).invoke(main, [*names, "--help"], prog_name="adjudge").stdout


@pytest.mark.parametrize("columns", ["80", "200"])
@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_help_fits_80_columns(names, columns):
    assert max(map(len, help_of(names, columns).splitlines())) <= 80


@pytest.mark.parametrize("names", EVERY, ids=" ".join)
def test_summaries_are_whole_sentences(names):
    command = command_of(names)
    if isinstance(command, click.Group):
        told = help_of(names)
        for name, each in command.commands.items():
            assert f"  {name} " in told
            assert f" {each.help.splitlines()[0]}\n" in told  # not cut, on one line
        assert "..." not in told.partition("\n")[2]


def test_every_command_stands_under_one_heading():
    listed = [name for names in COMMANDS.values() for name in names]
    assert sorted(listed) == sorted(main.commands)
    assert "\nCommands:" not in help_of(())


def test_options_stand_under_one_heading_each():
    named = [name for names in SECTIONS.values() for name in names]
    assert len(set(named)) == len(named)
    known = {param.name for names in EVERY for param in command_of(names).params}
    assert set(named) <= known  # nothing of options that are gone
    told = help_of(("compare-learners",))
    heading = {line.strip().split()[0]: at for at, line in enumerate(told.splitlines()) if line.startswith(("  --", "  -o"))}
    lines = told.splitlines()
    assert heading["--learner"] > lines.index("Learner and data:")
    assert lines.index("Validation plan:") < heading["--jobs"] < lines.index("Statistics:")
    assert "  --jobs" in help_of(("report",)).partition("\nReading:")[2].partition("\nOutput:")[0]  # there it counts files


@pytest.mark.parametrize("names", [names for names in EVERY if names], ids=" ".join)
def test_two_examples_each_name_the_command_first(names):
    examples = command_of(names).examples
    assert len(examples) == 2
    for example in examples:
        begins = " ".join(["adjudge", *names]) if names != ("correct",) else "adjudge correct "
        assert example.startswith(begins)
        assert " ".join(shlex.split(example, posix=True)) == " ".join(shlex.split(help_example(names, example)))


def help_example(names, example):
    """Return an example as the help shows it, over as many lines as it takes."""
    block = help_of(names).partition("Examples:\n")[2].partition("\n\n")[0]
    joined = [" ".join(line.split()) for line in block.replace("\\\n", " ").splitlines()]
    assert " ".join(example.split()) in joined
    return joined[joined.index(" ".join(example.split()))]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with the files that examples name, made of the bundled example."""
    place = tmp_path_factory.mktemp("examples")
    text = (files("adjudge") / "data" / "dna_knn11.csv").read_text(encoding="utf-8").splitlines()
    header, *cases = list(csv.reader(text[:401]))
    own = [header.index(name) for name in header if name != "predicted" and not name.startswith("p_")]
    for name, every in (("predictions.csv", 0), ("old.csv", 0), ("new.csv", 11), ("other.csv", 7)):
        with (place / name).open("w", newline="", encoding="utf-8") as file:  # some cases get the answers of the case before
            rows = [cases[at - bool(every and at % every == 0)] for at in range(len(cases))]
            told = [
                [case[i] if i in own else said[i] for i in range(len(header))] for case, said in zip(cases, rows, strict=True)
            ]
            csv.writer(file).writerows([header, *told])
    with (place / "two.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["truth", "p_ill", "p_well"])
        writer.writerows(
            [
                ("ill" if at % 5 < 2 else "well", p / 100, 1 - p / 100)
                for at in range(200)
                for p in [(37 * at) % 60 + 40 * (at % 5 < 2)]
            ]
        )
    for name, every in [("subjects.csv", "abcdef"), *((f"s{i}.csv", f"{i}") for i in range(1, 6))]:
        with (place / name).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["subject", "truth", "predicted"])
            writer.writerows(
                [(one, ["no", "yes"][at % 2], ["no", "yes"][(at % 7 > 0) == (at % 2)]) for one in every for at in range(20)]
            )
    with (place / "train.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["x", "y", "species"])
        writer.writerows([((31 * at) % 17 + at % 3, (7 * at) % 13, "abc"[at % 3]) for at in range(120)])
    return place


@pytest.mark.slow
@pytest.mark.parametrize(("example", "names"), EXAMPLES, ids=[example for example, _ in EXAMPLES])
def test_examples_run(example, names, folder, monkeypatch):
    monkeypatch.chdir(folder)
    if names == ("correct", "apply"):
        assert run("correct", "fit", "predictions.csv", "--kind", "multipliers", "-o", "fix.json").exit_code == 0
    result = run(*shlex.split(example)[1:])
    assert result.exit_code in ((0, 1, 3) if names == ("gate",) else (0,)), result.output
    assert result.stdout


@pytest.mark.parametrize(("example", "names"), EXAMPLES, ids=[example for example, _ in EXAMPLES])
def test_examples_can_be_read(example, names):
    words = shlex.split(example)[1:]
    for name in names if names != ("correct",) else ("correct", words[1]):
        assert words.pop(0) == name
    if names:
        command = command_of(names if names != ("correct",) else ("correct", example.split()[2]))
        command.make_context("adjudge", words, resilient_parsing=False)


PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
SHOWN = [
    line.removeprefix("$ ")
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for line in block.splitlines()
    if "$ adjudge" in line
]


@pytest.mark.slow
@pytest.mark.parametrize("line", SHOWN)
def test_the_commands_of_the_documentation_run(line, folder, monkeypatch):
    monkeypatch.chdir(folder)
    result = run(*shlex.split(line)[1:])
    assert result.exit_code == 0, result.output
    assert result.stdout


def test_the_documentation_names_every_command_section_and_format():
    named = re.findall(r"`([a-z-]+(?: [a-z]+)?)`", PAGE.partition("## Commands")[2].partition("## Options")[0])
    assert {" ".join(names) for names in EVERY} - {"", "correct"} <= set(named)
    assert re.findall(r"^\| ([A-Z][a-z ]+) \| .* \| `", PAGE, re.MULTILINE) == list(SECTIONS)
    assert re.findall(r"^\| `([a-z]+)` \|", PAGE, re.MULTILINE) == list(FORMATS)
    known = {flag for names in EVERY for param in command_of(names).params for flag in param.opts}
    assert set(re.findall(r"--[a-z][a-z-]+", PAGE)) <= known | {"--help"}
