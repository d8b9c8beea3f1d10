"""Run the commands of commands.toml and write down all they say: python tests/golden/record.py [--only NAME].

Each entry runs in a folder of its own that holds nothing but the files its commands name. What is written down is the exit code of each command,
what it printed (parsed where it is JSON), and the files it wrote: names of pages, pictures and counts, contents of .json, .csv and .parquet files.
A list of more than 40 numbers or texts (the points of a curve) is kept as its length, its sum, its sum weighted by position, its ends, and a hash of
its texts. Keys are sorted: their order is not recorded.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import json
import math
import os
import re
import shlex
import shutil
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from adjudge.cli import main

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDED = HERE / "recorded"
PLACES = (HERE / "data", ROOT / "src/adjudge/data", ROOT / "examples/data", ROOT / "tests/oracles/klar")

LONG = 40
# All that may differ between two runs of the same numbers: values of these keys (the version of adjudge, or of a file's format), and the folder.
VOLATILE_KEYS = ("version",)


def entries() -> dict[str, dict[str, Any]]:
    """Return what commands.toml lists, by name."""
    return tomllib.loads((HERE / "commands.toml").read_text(encoding="utf-8"))


def replay(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what each command of an entry did, in a fresh folder."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        here = Path.cwd()
        steps: list[dict[str, Any]] = []
        for words in map(shlex.split, entry["run"]):
            made = any(word in step["files"] for step in steps for word in words if word.endswith((".csv", ".parquet")))
            steps.append(_without_fingerprints(_step(words, here)) if made else _step(words, here))
        return [_shortened(_steady(step, (folder, str(here)))) for step in steps]


def _step(words: list[str], folder: Path) -> dict[str, Any]:
    for word in words:
        _fetch(word, folder)
    before = _stamps(folder)
    result = CliRunner(env={"COLUMNS": "100", "NO_COLOR": "1"}).invoke(main, words, prog_name="adjudge")
    step: dict[str, Any] = {"exit_code": result.exit_code, "stdout": _parsed(result.stdout), "stderr": result.stderr}
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        step["crash"] = type(result.exception).__name__
    after = _stamps(folder)
    step["files"] = {name: _content(folder / name) for name in sorted(after) if before.get(name) != after[name]}
    return step


def _without_fingerprints(value: Any) -> Any:
    """Return what is said of a file that a learner's predictions were written to: processors differ in their last bits."""
    if isinstance(value, dict):
        return {key: "..." if key == "fingerprint" else _without_fingerprints(part) for key, part in value.items()}
    return [_without_fingerprints(part) for part in value] if isinstance(value, list) else value


def _fetch(word: str, folder: Path) -> None:
    """Copy a file that a command names, unless an earlier command wrote it."""
    found = next((place / word for place in PLACES if re.fullmatch(r"\w[\w.]*", word) and (place / word).exists()), None)
    if found is not None and not (folder / word).exists():
        (shutil.copytree if found.is_dir() else shutil.copy)(found, folder / word)


def _stamps(folder: Path) -> dict[str, int]:
    return {str(p.relative_to(folder)): p.stat().st_mtime_ns for p in folder.rglob("*") if p.is_file()}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _content(path: Path) -> Any:
    """Return what a file holds that numbers can be compared in; of others nothing but that they are there."""
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return pq.read_table(path).to_pydict()
    if path.suffix == ".csv":
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        return {name: [_cell(row[i]) for row in rows] for i, name in enumerate(header)}
    return "empty" if path.stat().st_size == 0 else "written"


def _cell(text: str) -> str | int | float:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _steady(value: Any, folders: tuple[str, ...]) -> Any:
    """Return a value without what differs from run to run."""
    if isinstance(value, dict):
        return {key: "..." if key in VOLATILE_KEYS else _steady(part, folders) for key, part in value.items()}
    if isinstance(value, list):
        return [_steady(part, folders) for part in value]
    if isinstance(value, str):
        for folder in folders:
            value = value.replace(folder, "FOLDER")
    return value


def _shortened(value: Any) -> Any:
    """Return a value with its long lists of numbers and texts summed up."""
    if isinstance(value, dict):
        return {key: _shortened(part) for key, part in value.items()}
    if not isinstance(value, list) or len(value) <= LONG or not all(isinstance(part, (str, int, float)) for part in value):
        return [_shortened(part) for part in value] if isinstance(value, list) else value
    numbers = [0.0 if isinstance(part, str) else float(part) for part in value]
    return {
        "length": len(value),
        "sum": math.fsum(numbers),
        "sum by position": math.fsum(place * number for place, number in enumerate(numbers, 1)),
        "ends": [value[0], value[-1]],
        "texts": hashlib.sha256("\n".join(part for part in value if isinstance(part, str)).encode()).hexdigest()[:16],
    }


def _record(only: str | None) -> Iterator[str]:
    RECORDED.mkdir(exist_ok=True)
    listed = entries()
    for name, entry in listed.items():
        if only in (None, name):
            begun = time.process_time()
            text = json.dumps(replay(entry), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            (RECORDED / f"{name}.json").write_text(text + "\n", encoding="utf-8")
            yield f"{time.process_time() - begun:6.2f} s {len(text):8,} characters  {name}"
    for path in RECORDED.glob("*.json"):
        if path.stem not in listed:
            path.unlink()
            yield f"removed {path.name}, which no command writes any more"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", help="Record this entry of commands.toml only.")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for line in _record(parser.parse_args().only):
        print(line, flush=True)  # noqa: T201
