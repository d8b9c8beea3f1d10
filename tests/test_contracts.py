"""Every import contract is seen to break: a violation of each, planted in a copy of the sources, is found and named."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLANTED = {
    "flow": ("adjudge.stats.binomial", "adjudge.counts.confusion"),
    "acyclic": ("adjudge.stats.numerics", "adjudge.stats.binomial"),
    "renderers": ("adjudge.render.markdown", "adjudge.judgements.evaluation"),
    "describing": ("adjudge.describe.gate", "adjudge.stats.binomial"),
    "commands": ("adjudge.cli.report", "adjudge.judgements.evaluation"),
    "engines": ("adjudge.counts.confusion", "polars"),
    "frames": ("adjudge.estimates.intervals", "pyarrow"),
    "sklearn": ("adjudge.judgements.evaluation", "sklearn"),
    "maths": ("adjudge.stats.distribution", "narwhals"),
}
"""An import that each contract forbids: from where, of what."""


def test_every_contract_finds_a_planted_violation(tmp_path):
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    assert {each["id"] for each in contracts} == set(PLANTED)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for importer, imported in PLANTED.values():
        path = tmp_path / "src" / Path(*importer.split(".")).with_suffix(".py")
        path.write_text(f"{path.read_text('utf-8')}\nimport {imported}\n", "utf-8")
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"]
    found = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src"), "COLUMNS": "500"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    broken = found.stdout.partition("Broken contracts")[2]
    for contract in contracts:
        section = broken.partition(f"\n{contract['name']}\n")[2]
        assert section, f"{contract['id']} kept"
        importer, imported = PLANTED[contract["id"]]
        if contract["type"] != "acyclic_siblings":  # which names packages
            assert f"{importer} -> {imported}" in section
