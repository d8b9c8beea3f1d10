"""Whatever a user reads says what the field says: training cases, not cases learnt from; intervals, not limits.

Read are the string literals of the package, the docstrings of public names, the texts of pages, the templates, the documentation, the examples and
the help of every command. What a word means elsewhere (a side, a title, a capacity) is listed with its reason.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import adjudge
from adjudge.cli import main

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "adjudge"

# A word that is not used -> what to say, and a sentence in which it is to be noticed.
WORDS: dict[str, tuple[str, str]] = {
    r"\blimits?\b": ("interval, bounds", "95% limits of the accuracy"),
    r"\bright(ly)?\b": ("correct", "both right in 12 cases"),
    r"\bassign(ed|s)\b": ("predicted", "12 cases assigned to 'ill'"),
    r"\bcall(ed|ing)\b": ("predicted, declared, named", "A case is called positive."),
    r"\blearnt\b|\blearn(s|ing)? from\b": ("training cases, trained on", "cases it learnt from"),
    r"\bjudge[sd]?\b": ("tested, evaluated, compared", "a case judged twice"),
    r"\bbeliev\w*|\bbelief\b": ("posterior, caveats, use", "Before you believe it"),
    r"\btold\b|\btells? [\w ]+ apart\b": ("significantly different, separated, reported", "cannot be told apart"),
    r"\bdealt\b": ("assigned to folds", "cases are dealt anew"),
    r"\bno say\b": ("held out", "cases that had no say"),
    r"\bsaid\b": ("predicted, reported", "the class it is said to be"),
    r"\b(not|never) seen\b": ("held-out cases", "on cases it had not seen"),
    r"\bof which\b": ("a sentence of its own", "12 cases, of which 3 are ill"),
    r", were (it|they|the|all)\b|\bwere it not\b": ("if", "could not pass, were all of them correct"),
    r"\btruly\b|\bdecided as\b": ("true class, predicted as", "truly ill"),
    r"\bmend(s|ed|ing|able)?\b": ("correction, improved without retraining", "Can it be mended?"),
    r"\blaws?\b": ("distribution", "the law of the difference"),
    r"\brope\b": ("equivalence margin (ROPE)", "a rope of 0.01"),
    r"\bhappened\b|\bpromised\b": ("observed, intended", "how often it happened"),
    r"(?<!scaled )\baccuracy \(?Ac\b|\bseparation\b": ("scaled accuracy (Ac), ability to separate (AS)", "accuracy Ac 0.58"),
    r"(?<!train-test )(?<!adjudge )\btrade-off\b": ("train-test trade-off", "the trade-off of a learner"),
    r"\bone simplex\b": ("standardised partition space", "every case in one simplex"),
    r"\btoo careful\b": ("underconfident", "The probabilities are too careful."),
    r"\bnobody\b|\beverybody\b": ("no case, every case; not measured", "Nobody is predicted positive."),
    r"\bvery (cases|ones)\b": ("these cases", "on the very cases it was fitted to"),
    r"\bis no (rule|correction)\b": ("is not a rule, cannot be used as a correction", "'accuracy' is no rule."),
    r"\bowed to the groups?\b": ("comes from the groups", "Part of it is owed to the groups."),
    r"\btook no part in\b": ("held-out cases", "cases that took no part in fitting it"),
    r"\blike reasons\b|\btill then\b": ("similar reasons, until then", "12 more are undefined for like reasons."),
    r"\bLeave it, for\b": ("No correction is recommended for", "Leave it, for accuracy: no gain is likely."),
}

# Where a phrase with such a word may stand, and why.
ALLOWED: list[tuple[str, str, str]] = [
    ("src/*", r"^right$", "a side of an array or of a page, or the colour of correct cells"),
    ("src/*", r"\b(to|on) the right\b", "a side"),
    ("*texts.json", r"\b(to the|further) right\b", "a side"),
    ("*texts.json", r"fiducial limits|confidence limits about|the law of succession", "the title of a paper"),
    ("src/*", r"^trade-off$", "the name of a command, and of a figure"),
    ("src/adjudge/_base/progress.py", r"fields\[told\]", "code inside a template of another library"),
    ("src/adjudge/predictions/names.py", r"assigned\(", "a name that other programs give a column of decisions"),
    ("docs/cost.md", r"\b[Ll]imits?\b", "the capacity of a program"),
    ("docs/cost.md", r"assigned to folds", "which fold a case is in"),
    ("docs/benchmarks.md", r"\| the limit \|", "the capacity of a program"),
    ("help trade-off", r"Usage: adjudge\s+trade-off", "the name of the command"),
    ("help", r"^  trade-off\b", "the name of a command"),
    ("docs/command-line.md", r"`trade-off`", "the name of a command"),
    ("CHANGELOG.md", r"(?s)### Renamed\n.*?\n(?=### )", "what was renamed is named as it was"),
]


def misused(place: str, text: str, used: set[str] | None = None) -> list[str]:
    """Return the words of a text that should be others, with what to say, where they do not stand in an allowed phrase."""
    for where, phrase, _ in ALLOWED:
        if fnmatch(place, where):
            text, times = re.subn(phrase, " ", text, flags=re.MULTILINE)
            if times and used is not None:
                used.add(f"{where} {phrase}")
    case = {r"\brope\b": 0}
    return [
        f"{place}: {each.group()!r} in {' '.join(text[max(0, each.start() - 40) : each.end() + 40].split())!r}: say {say}"
        for word, (say, _) in WORDS.items()
        for each in re.finditer(word, text, case.get(word, re.IGNORECASE))
    ]


def literals(source: str, public: frozenset[str]) -> Iterator[str]:
    """Yield the strings of a module, with {} for what is put into them, and the docstrings of names that are public."""
    tree, left_out = ast.parse(source), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            shown = getattr(node, "name", "") in public
            for part in node.body:
                if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant) and not shown:
                    left_out.add(id(part.value))
                if shown and isinstance(node, ast.ClassDef) and isinstance(part, ast.FunctionDef) and part.name[0] != "_":
                    yield ast.get_docstring(part) or ""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            left_out |= {id(part) for part in node.values}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


def words_of(template: str, name: str) -> Iterator[str]:
    """Yield what a template shows: the text between the tags of HTML, the strings of a script; style sheets show nothing."""
    if name.endswith(".html"):
        yield re.sub(r"(?s)<[^>]*>|\{[{%].*?[%}]\}", " ", template)
    elif name.endswith(".js"):
        code = re.sub(r"//.*", "", template)
        yield from re.findall(r'"([^"\n]*)"', code) + re.findall(r"`([^`]*)`", code)


def texts() -> Iterator[tuple[str, str]]:
    """Yield what users read, each with where it stands."""
    public = frozenset(adjudge.__all__)
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(ROOT).as_posix()
        yield from ((place, text) for text in literals(path.read_text(encoding="utf-8"), public))
    for path in sorted((SOURCE / "render" / "templates").iterdir()):
        place = path.relative_to(ROOT).as_posix()
        yield from ((place, text) for text in words_of(path.read_text(encoding="utf-8"), path.name))
    told = json.loads((SOURCE / "describe" / "texts.json").read_text(encoding="utf-8"))
    yield from (("src/adjudge/describe/texts.json", text) for family in told.values() for text in family.values())
    pages = [*(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md"]
    for path in (*sorted(pages), ROOT / "CITATION.cff", ROOT / "pyproject.toml"):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".toml":
            text = re.findall(r"^description = .*$", text, re.MULTILINE)[0]
        yield path.relative_to(ROOT).as_posix(), text
    for path in sorted((ROOT / "examples").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        names = frozenset(node.name for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
        yield from (
            (path.relative_to(ROOT).as_posix(), each)
            for each in (*literals(text, names), ast.get_docstring(ast.parse(text)) or "")
        )
    yield from helps(main, ())


def helps(command: click.Command, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the help of a command and of those below it."""
    yield " ".join(("help", *names)), CliRunner().invoke(main, [*names, "--help"], prog_name="adjudge").output
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            below = command.get_command(click.Context(command), name)
            assert below is not None
            yield from helps(below, (*names, name))


def test_users_read_the_words_of_the_field():
    used: set[str] = set()
    read = list(texts())
    found = [each for place, text in read for each in misused(place, text, used)]
    assert not found, "\n".join(found)
    assert used == {f"{where} {phrase}" for where, phrase, _ in ALLOWED}  # none of them is idle
    places = {place for place, _ in read}
    assert len(read) > 4_000
    assert {
        "help correct fit",
        "docs/comparing.md",
        "src/adjudge/render/templates/sliders.html",
        "examples/prior_shift.py",
    } <= places


@pytest.mark.parametrize("word", WORDS)
def test_each_word_is_noticed(word):
    assert misused("docs/any.md", f"So {WORDS[word][1]}, as before.")


PLANTED = '''
"""A module, of which nobody reads this."""
class Shown:
    """What has limits."""
    field: int
    """A case that was judged."""
    def method(self):
        """Return what is believed."""
        return f"{self.field} cases were dealt {1:.2f}"
    def _method(self):
        """Return the limits."""
def inner():
    """Return the limits."""
    raise ValueError("no class can be told from the rest")
'''


def test_planted_words_are_noticed_where_users_read_them():
    found = [each for text in literals(PLANTED, frozenset({"Shown"})) for each in misused("src/any.py", text)]
    assert sorted(each.split("'")[1] for each in found) == ["believed", "dealt", "judged", "limits", "told"]
    page = '<p class="right">{{ limits }} of the limits</p>'
    assert len([each for text in words_of(page, "page.html") for each in misused("page.html", text)]) == 1
    script = 'const limits = "95% limits"; // limits\n'
    assert len([each for text in words_of(script, "page.js") for each in misused("page.js", text)]) == 1


def test_a_phrase_is_allowed_only_in_its_place():
    assert misused("docs/cost.md", "The limit is 4,194,304 scores.") == []
    assert misused("docs/comparing.md", "The limit is 4,194,304 scores.")
    assert misused("src/any.py", "It lies to the right, and is right.") != misused("src/any.py", "It lies to the right.") == []
