"""The walks of docs/architecture.md are those of the code, its table has every package, and tests mirror the modules."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from adjudge.cli import main

ROOT = Path(__file__).parents[1]
SOURCES, TESTS = ROOT / "src" / "adjudge", ROOT / "tests"
TOLD = (ROOT / "docs" / "architecture.md").read_text("utf-8")
LEARNER = ["--learner", "sklearn.naive_bayes:GaussianNB", "--data", "learn.csv", "--target", "c"]
MORE = {
    "report a.csv": ["-o", "page.html"],
    "compare a.csv b.csv": [],
    "estimate": LEARNER,
    "correct recommend a.csv": [],
    "correct fit a.csv": ["--kind", "multipliers", "-o", "again.json"],
    "correct apply fit.json a.csv": ["-o", "corrected.csv"],
    "partition a.csv": ["-o", "partition.html"],
}
"""What each command of a walk needs besides."""
WITHOUT_TESTS = {
    "__init__.py": "it hands out public names on first use: tests/test_startup.py",
    "plots/__init__.py": "an error without logic of its own",
}
WALKS = {
    command: re.findall(r"`([a-z_.]+)`", chain)
    for command, chain in re.findall(r"^- `adjudge ([^`]+)`: ((?:`[a-z_.]+`\s*(?:->\s*)?)+)", TOLD, re.MULTILINE)
}


def entered(arguments: list[str]) -> list[str]:
    """Run a command twice and return the modules of adjudge whose functions the second run calls, by their first call."""
    order: dict[str, None] = {}

    def told(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if event == "call" and name.startswith("adjudge.") and frame.f_code.co_name != "<module>":
            order.setdefault(name.removeprefix("adjudge."))

    CliRunner().invoke(main, arguments)  # which imports, so that only calls are seen
    before = sys.getprofile()
    sys.setprofile(told)
    try:
        ran = CliRunner().invoke(main, arguments)
    finally:
        sys.setprofile(before)
    assert ran.exit_code == 0, ran.output
    return list(order)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with two files of predictions of the same cases, a correction, and data for a learner."""
    place, rng = tmp_path_factory.mktemp("walks"), np.random.default_rng(0)
    truth = rng.integers(0, 3, 90)
    for name in ("a.csv", "b.csv"):
        p = rng.dirichlet(np.ones(3), 90)
        p[np.arange(90), truth] += 0.5
        p /= p.sum(axis=1, keepdims=True)
        rows = [
            f"{i},{'abc'[t]},{'abc'[row.argmax()]},{','.join(map(str, row))}"
            for i, (t, row) in enumerate(zip(truth, p, strict=True))
        ]
        (place / name).write_text("\n".join(["id,truth,predicted,p_a,p_b,p_c", *rows]), "utf-8")
    rows = [f"{t + rng.normal()},{'abc'[t]}" for t in truth]
    (place / "learn.csv").write_text("\n".join(["x,c", *rows]), "utf-8")
    made = CliRunner().invoke(
        main, ["correct", "fit", str(place / "a.csv"), "--kind", "multipliers", "-o", str(place / "fit.json")]
    )
    assert made.exit_code == 0, made.output
    return place


def test_every_walk_is_run():
    assert set(WALKS) == set(MORE)
    assert min(map(len, WALKS.values())) >= 7


@pytest.mark.parametrize("command", MORE)
def test_a_walk_enters_its_modules_in_the_order_told(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    order = entered([*command.split(), *MORE[command]])
    assert [name for name in order if name in WALKS[command]] == WALKS[command]


def test_a_walk_that_is_not_the_codes_is_found(folder, monkeypatch):
    monkeypatch.chdir(folder)
    order = entered(["correct", "fit", "a.csv", *MORE["correct fit a.csv"]])
    walk = WALKS["correct fit a.csv"]
    for wrong in ([*walk, "judgements.eligibility"], [walk[1], walk[0], *walk[2:]]):
        assert [name for name in order if name in wrong] != wrong


def test_a_report_is_nine_modules_from_the_command_to_the_page():
    walk = WALKS["report a.csv"]
    assert (walk[0], walk[-1]) == ("cli.report", "render.page")
    assert len(walk[1:-1]) <= 9


def test_every_module_that_is_named_is_there():
    packages = "|".join(path.name for path in SOURCES.iterdir() if path.is_dir())
    named = set(re.findall(rf"`((?:{packages})\.[a-z_.]+)`", TOLD))
    assert len(named) > 30
    places = {name: SOURCES / Path(*name.split(".")) for name in named}
    assert [name for name, path in places.items() if not (path.with_suffix(".py").exists() or path.is_dir())] == []


def test_the_table_has_every_package():
    rows = re.findall(r"^\| `([a-z_.]+)` \|", TOLD, re.MULTILINE)
    packages = [".".join(path.parent.relative_to(SOURCES).parts) for path in SOURCES.rglob("*/__init__.py")]
    assert sorted(rows) == sorted(packages)


def untested(sources: Path, tests: Path) -> list[str]:
    """Return the modules with a function or a class that no test is named after."""
    modules = [
        path.relative_to(sources)
        for path in sources.rglob("*.py")
        if re.search(r"^(?:def|class) ", path.read_text("utf-8"), re.MULTILINE)
    ]
    return sorted(str(path) for path in modules if not (tests / path.parent / f"test_{path.stem.strip('_')}.py").exists())


def test_every_module_with_logic_has_a_test_of_its_name():
    assert untested(SOURCES, TESTS) == sorted(WITHOUT_TESTS)


def test_a_module_without_a_test_is_found(tmp_path):
    for path in ("src/one/made.py", "src/one/bare.py", "src/one/told.py", "tests/one/test_made.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("X = 1\n" if path.endswith("told.py") else "def f(): ...\n")
    assert untested(tmp_path / "src", tmp_path / "tests") == ["one/bare.py"]
