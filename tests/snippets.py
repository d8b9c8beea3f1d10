"""Run the fenced blocks of a page in the order in which they stand, as a reader would who copies them.

Commands run in this process and must print what the page shows; a comment ``# exit code 3`` says how a command ends that does not end with 0.
Python runs with or without prompts, in one namespace for the page. SQL runs in DuckDB, over the tables of that namespace.
A block of CSV is the beginning of a bundled file.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

import click
from click.testing import CliRunner

from adjudge.cli import main

ROOT = Path(__file__).parents[1]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
"""Three dots stand for whatever is left out."""

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: str
    line: int
    language: str
    code: str

    @property
    def first(self) -> str:
        """Return its first line, by which lists name it."""
        return self.code.strip().partition("\n")[0]

    @property
    def place(self) -> str:
        """Return where it stands."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A line of a shell, what the page shows as its output, and how it ends."""

    line: str
    shown: str
    exit_code: int

    @property
    def words(self) -> list[str]:
        """Return its words; a pattern without quotation marks becomes the files it names, as in a shell."""
        words = []
        for word in shlex.split(self.line, comments=True, posix=False):
            plain = "".join(shlex.split(word))
            words += (
                (sorted(str(path) for path in Path().glob(plain)) or [plain])
                if "*" in word and not re.search("[\"']", word)
                else [plain]
            )
        return words


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page; a fence that is no block of its own is an error."""
    text = page.read_text(encoding="utf-8")
    if "```" in FENCED.sub("", text):
        msg = f"{page.name} has a fence that opens or closes no block."
        raise ValueError(msg)
    name = page.relative_to(ROOT).as_posix() if page.is_relative_to(ROOT) else page.name
    return [Block(name, text.count("\n", 0, each.start()) + 1, each[1], each[2]) for each in FENCED.finditer(text)]


def commands(block: Block) -> list[Command]:
    """Return the commands of a block: after a dollar in a console, else a line each; a backslash goes on in the next line."""
    code = block.code.replace("\\\n", " ")
    if block.language == "console":
        pieces = [piece.partition("\n") for piece in re.split(r"^\$ ", code, flags=re.MULTILINE) if piece.strip()]
    else:
        pieces = [(line, "", "") for line in code.splitlines() if line.partition("#")[0].strip()]
    ends = (re.search(r"#.*\bexit code (\d)", line) for line, _, _ in pieces)
    return [Command(line, shown, int(end[1]) if end else 0) for (line, _, shown), end in zip(pieces, ends, strict=True)]


@dataclass
class Session:
    """What a page has made so far: names in Python, and files in the folder of this process."""

    names: dict[str, object] = field(default_factory=lambda: {"__name__": "__main__"})

    def faults(self, block: Block) -> list[str]:
        """Return what goes wrong in a block, each with its place."""
        ways = {"console": self._shell, "sh": self._shell, "python": self._python, "sql": self._sql, "csv": self._csv}
        if block.language not in ways:
            return [f"{block.place}: a block of {block.language or 'no language'}; known are {', '.join(ways)}."]
        return [f"{block.place}: {fault}" for fault in ways[block.language](block)]

    def _shell(self, block: Block) -> list[str]:
        return [fault for command in commands(block) for fault in self._command(command)]

    def _command(self, command: Command) -> list[str]:
        program, *arguments = command.words
        if program == "cd":
            os.chdir(arguments[0])
            return []
        if program != "adjudge":
            return unknown_program(program, arguments)
        result = CliRunner().invoke(main, arguments)
        if result.exit_code != command.exit_code:
            return [f"{command.line}\nended with {result.exit_code}, not {command.exit_code}\n{result.output}"]
        if command.shown.strip() and not doctest.OutputChecker().check_output(command.shown, result.stdout, FLAGS):
            return [
                f"{command.line}\n"
                + doctest.OutputChecker().output_difference(doctest.Example(command.line, command.shown), result.stdout, FLAGS)
            ]
        return []

    def _python(self, block: Block) -> list[str]:
        if ">>>" not in block.code:
            try:
                exec(compile(block.code, block.place, "exec", dont_inherit=True), self.names)  # noqa: S102 - pages are ours
            except Exception as error:  # noqa: BLE001 - whatever it is, the page must not raise it
                return [f"{type(error).__name__}: {error}"]
            return []
        examples = doctest.DocTestParser().get_doctest(block.code, {}, block.page, block.page, block.line)
        examples.globs = self.names
        said: list[str] = []
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(examples, out=said.append, clear_globs=False)
        return said

    def _sql(self, block: Block) -> list[str]:
        import duckdb
        import pyarrow as pa

        connection = duckdb.connect()
        for name, value in self.names.items():
            if isinstance(value, pa.Table):
                connection.register(name, value)
        statements = [each.strip() for each in re.sub(r"--.*", "", block.code).split(";")]
        return [f"no rows from {each}" for each in statements if each and not connection.sql(each).fetchall()]

    def _csv(self, block: Block) -> list[str]:
        files = (path.read_text(encoding="utf-8") for path in (ROOT / "examples" / "predictions").glob("*.csv"))
        return [] if any(text.startswith(block.code) for text in files) else ["no bundled file begins so"]


def unknown_program(program: str, arguments: list[str]) -> list[str]:
    """Return what is wrong with a command other than adjudge: `make` needs its target, `python` its file."""
    if program == "make":
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        return [f"make has no target {target}" for target in arguments if target not in targets]
    if program == "python":
        return [] if (ROOT / arguments[0]).exists() else [f"there is no {arguments[0]}"]
    return [f"no one knows how to run {program}"]


def unknown_options(block: Block) -> list[str]:
    """Return what is wrong with commands that are not run: each must be one there is, with options that it has."""
    faults = []
    for each in commands(block):
        program, *arguments = each.words
        command: click.Command = main
        while isinstance(command, click.Group) and arguments and arguments[0] in command.commands:
            command = command.commands[arguments.pop(0)]
        if program != "adjudge":
            continue
        try:
            command.make_parser(click.Context(command)).parse_args(arguments)
        except click.UsageError as error:
            faults.append(f"{block.place}: {each.line}: {error.message}")
    return faults
