"""Build what is released from what is committed: sdist and wheel, their parts list and their hashes, in dist/.

Everything is built twice, in two places and under two umasks, and must have the same bytes. The wheel is installed in a fresh
environment, with what the lock names and nothing else, and writes the demo's page there.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
UV = ROOT / ".uv/bin/uv"
_PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?: ; (?P<marker>[^\\]+?))?(?: \\)?$")
_HASH = re.compile(r"--hash=sha256:(?P<digest>[0-9a-f]{64})")


def run(*words: str | Path, **how: Any) -> str:
    """Return what a command prints; end with that where it fails."""
    done = subprocess.run(words, check=False, text=True, stdout=subprocess.PIPE, **how)  # noqa: S603 - our own words
    if done.returncode:
        msg = f"{done.stdout}{' '.join(map(str, words))} failed with exit code {done.returncode}."
        raise SystemExit(msg)
    return done.stdout


def built(folder: Path, epoch: str, umask: int) -> dict[str, bytes]:
    """Return the files that are built from the last commit in a folder, by name."""
    source, out = folder / "source", folder / "out"
    source.mkdir(parents=True, mode=0o700)
    archive = folder / "source.tar"
    run("git", "archive", "--output", archive, "HEAD", cwd=ROOT)
    run("tar", "-x", "-f", archive, "-C", source, umask=umask)
    run(UV, "build", "-q", "--out-dir", out, cwd=source, umask=umask, env=os.environ | {"SOURCE_DATE_EPOCH": epoch})
    return {path.name: path.read_bytes() for path in sorted(out.iterdir()) if path.suffix in (".whl", ".gz")}


def parts_list(project: dict[str, Any], lock: str, files: dict[str, bytes], epoch: str) -> dict[str, Any]:
    """Return the software bill of materials (CycloneDX 1.6): the files, and the pinned packages with their hashes."""
    name, version = project["name"], project["version"]
    root = f"pkg:pypi/{name}@{version}"
    hashes = {each: hashlib.sha256(data).hexdigest() for each, data in files.items()}
    parts: list[dict[str, Any]] = []
    for line in lock.splitlines():
        if pinned := _PINNED.match(line):
            reference = f"pkg:pypi/{pinned['name']}@{pinned['version']}"
            part = {"type": "library", "bom-ref": reference, "name": pinned["name"], "version": pinned["version"]}
            marker = [{"name": "adjudge:marker", "value": pinned["marker"]}] if pinned["marker"] else []
            parts.append(part | {"purl": reference, "properties": marker})
        elif kept := _HASH.search(line):
            parts[-1]["properties"].append({"name": "adjudge:sha256", "value": kept["digest"]})
        elif line.strip():
            msg = f"The lock has a line that is neither a pinned package nor a hash: {line}"
            raise SystemExit(msg)
    direct = {re.split(r"[<>=!~; \[]", each, maxsplit=1)[0] for each in project["dependencies"]}
    named = [part["bom-ref"] for part in parts if part["name"] in direct]  # other versions for other Pythons among them
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, ''.join(sorted(hashes.values())))}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(int(epoch), UTC).isoformat(),
            "component": {
                "type": "library",
                "bom-ref": root,
                "name": name,
                "version": version,
                "purl": root,
                "licenses": [{"license": {"id": project["license"]}}],
                "properties": [{"name": f"adjudge:sha256:{each}", "value": digest} for each, digest in hashes.items()],
            },
        },
        "components": parts,
        "dependencies": [{"ref": root, "dependsOn": named}, *({"ref": part["bom-ref"]} for part in parts)],
    }


def tried(wheel: Path, folder: Path) -> None:
    """Install a wheel beside what the lock names, in an environment of its own, and let it write the demo's page."""
    python = folder / "fresh/bin/python"
    run(UV, "venv", "-q", "--python", sys.executable, folder / "fresh")
    run(UV, "pip", "install", "-q", "--python", python, "--require-hashes", "-r", ROOT / "requirements.lock")
    run(UV, "pip", "install", "-q", "--python", python, "--no-deps", wheel)
    run(UV, "pip", "check", "-q", "--python", python)
    run(python.with_name("adjudge"), "demo", "-o", folder / "report.html", cwd=folder)
    if "<svg" not in (folder / "report.html").read_text("utf-8"):
        msg = "The demo of the installed wheel wrote no page."
        raise SystemExit(msg)


def main() -> None:
    """Build twice, compare, check, try, and put everything in dist/."""
    if run("git", "status", "--porcelain", cwd=ROOT):
        print("What is not committed is not released.", file=sys.stderr)  # noqa: T201 - who asked should know
    epoch = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files, again = (built(folder / name, epoch, umask) for name, umask in (("once", 0o022), ("twice", 0o077)))
        if files != again or {Path(name).suffix for name in files} != {".whl", ".gz"}:
            different = [name for name in files | again if files.get(name) != again.get(name)]
            msg = f"Two builds of one commit differ: {', '.join(different) or 'no wheel or no sdist'}."
            raise SystemExit(msg)
        paths = [folder / "once/out" / name for name in files]
        run(ROOT / "build/release/bin/twine", "check", "--strict", *paths)
        tried(next(path for path in paths if path.suffix == ".whl"), folder)
    project = tomllib.loads(run("git", "show", "HEAD:pyproject.toml", cwd=ROOT))["project"]
    told = parts_list(project, run("git", "show", "HEAD:requirements.lock", cwd=ROOT), files, epoch)
    files |= {f"{project['name']}-{project['version']}.cdx.json": json.dumps(told, indent=1).encode() + b"\n"}
    sums = "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(files.items()))
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir()
    for name, data in (files | {"SHA256SUMS": sums.encode()}).items():
        (dist / name).write_bytes(data)
    print(sums, end="")  # noqa: T201 - what was asked for


if __name__ == "__main__":
    main()
