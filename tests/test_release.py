"""What is released beside the files: a list of all parts, the same for the same files, from the lock alone."""

from __future__ import annotations

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
FILES = {"a.whl": b"wheel", "a.tar.gz": b"sdist"}


@pytest.fixture(scope="module")
def release():
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci/release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_pinned_package_and_hash_is_listed(release):
    told = release.parts_list(PROJECT, LOCK, FILES, "1700000000")
    parts = told["components"]
    assert {f"{part['name']}=={part['version']}" for part in parts} == set(re.findall(r"^\S+==\S+", LOCK, re.MULTILINE))
    held = [each["value"] for part in parts for each in part["properties"] if each["name"] == "adjudge:sha256"]
    assert held == re.findall(r"sha256:([0-9a-f]{64})", LOCK)
    assert told["metadata"]["timestamp"] == "2023-11-14T22:13:20+00:00"
    direct = next(each["dependsOn"] for each in told["dependencies"] if each["ref"].startswith("pkg:pypi/adjudge@"))
    names = {re.match(r"[a-z0-9-]+", each)[0] for each in PROJECT["dependencies"]}
    assert {each.removeprefix("pkg:pypi/").partition("@")[0] for each in direct} == names
    assert len({part["bom-ref"] for part in parts}) == len(parts)


def test_the_same_files_have_the_same_list_and_others_another(release):
    one, same, other = (
        json.dumps(release.parts_list(PROJECT, LOCK, FILES | more, "1700000000")) for more in ({}, {}, {"a.whl": b"another"})
    )
    assert one == same != other


@pytest.mark.parametrize("line", ["numpy>=2", "-e .", "numpy==2.0 --index-url elsewhere", "--extra-index-url elsewhere"])
def test_a_lock_with_anything_else_is_refused(release, line):
    with pytest.raises(SystemExit, match="neither a pinned package nor a hash"):
        release.parts_list(PROJECT, f"{LOCK}{line}\n", FILES, "0")


def test_locks_name_no_place():
    for lock in ROOT.glob("requirements*.lock"):
        assert "://" not in lock.read_text("utf-8"), lock.name
