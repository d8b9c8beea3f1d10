"""No file that a command writes, and nothing a program reads, names a folder, the home, the user or the machine."""

from __future__ import annotations

import base64
import gzip
import io
import json
import os
import platform
import shlex
import shutil
import socket
import zipfile
import zlib
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cli.running import run

GOLDEN = Path(__file__).parent / "golden" / "data"
TELLTALE = "quokka"  # of all names of folders, of the home, of the user and of the machine, and nothing else
LEARNER = "--learner sklearn.naive_bayes:GaussianNB --data IN/learn.csv --target kind --leave-out site --leave-out note"
COMMANDS = """
report IN/two.csv --positive ill -o OUT/a.html --format text
report IN/three.csv IN/three_new.csv --by-position -o OUT/b.html --json
report IN/wards.csv --group ward -o OUT/wards.html --format csv
report IN/patients.csv -o OUT/patients.md --format markdown
report IN/parts --positive ill -o OUT/parts.html --json
report IN/two.counts -o OUT/two.counts.html --json
evaluate IN/two.parquet --training IN/training.csv --json
evaluate IN/two.csv.gz --format markdown
evaluate IN/numbers.csv --json
compare IN/two.csv IN/two_new.csv -o OUT/compared.html --json
compare IN/two.csv IN/two_new.csv IN/two_third.csv -o OUT/three.md --format markdown
compare IN/pair.counts --json
count IN/two.csv -o OUT/c.counts --json
count IN/wards.csv --group ward -o OUT/d.counts --json
count IN/patients.csv --cluster patient --cluster-names -o OUT/e.counts --json
count IN/two.csv IN/two_new.csv --paired -o OUT/f.counts --json
count IN/numbers.csv -o OUT/g.counts --json
gate IN/two.csv --require accuracy>=0.1 -o OUT/gate.html --json
gate IN/two_new.csv --against IN/two.csv --no-worse-than 0.5 --measure accuracy -o OUT/against.html --json
threshold IN/two.csv -o OUT/threshold.html --json
partition IN/three.csv -o OUT/space.svg --json
partition IN/three.csv -o OUT/space.pdf --json
partition IN/two.csv IN/two_new.csv -o OUT/spaces.html --json
population IN/patients.csv --cluster patient -o OUT/population.png --json
sample-size IN/two.csv --half-width 0.03 -o OUT/size.html --json
correct fit IN/two.csv --kind multipliers -o OUT/fit.json --json
correct fit IN/two.csv --kind priors --unlabelled IN/unlabelled.csv -o OUT/priors.json --json
correct apply IN/fix.json IN/two.csv -o OUT/applied.csv --json
correct apply IN/fix.json IN/two.csv -o OUT/applied.csv.gz --json
correct apply IN/fix.json IN/two.csv -o OUT/applied.parquet --json
correct recommend IN/three.csv -o OUT/recommended.json --json
trade-off LEARNER --repeats 2 -o OUT/shares.html --json
estimate LEARNER --by 3-fold --checkpoint OUT/kept --save OUT/held.parquet --save-plan OUT/plan.json -o OUT/learner.html --json
estimate LEARNER --by 3-fold --checkpoint OUT/kept --save OUT/held.csv --json
compare-learners LEARNER --against sklearn.tree:DecisionTreeClassifier --by 5x2-fold -o OUT/learners.html --json
demo --no-open -o OUT/demo.html --json
""".strip().splitlines()
"""Every command that writes a file; what it prints is held to the same, but for words at a terminal."""


def inside(data, name):
    """Yield the bytes of a file and of all that is packed into it."""
    yield data
    if data[:2] == b"\x1f\x8b":
        yield from inside(gzip.decompress(data), name)
    if data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            for member in packed.infolist():
                yield repr((member.filename, member.comment, member.extra)).encode()
                yield from inside(packed.read(member), member.filename)
    if data[:4] == b"PAR1":
        table = pq.read_table(io.BytesIO(data))
        yield repr(
            (table.schema.metadata, table.schema.names, table.to_pydict(), pq.ParquetFile(io.BytesIO(data)).metadata)
        ).encode()
        schema = (table.schema.metadata or {}).get(b"ARROW:schema")
        yield base64.b64decode(schema) if schema else b""
    if data[:4] == b"%PDF":
        for part in data.split(b"stream")[1:]:
            packed = zlib.decompressobj()
            try:
                yield packed.decompress(part.lstrip(b"\r\n"))
            except zlib.error:  # what stands between two streams
                continue


@pytest.fixture
def told(tmp_path, monkeypatch):
    """Return a folder of files with a home, a user and a machine all of whose names are telltale, as is its own."""
    home = tmp_path / f"{TELLTALE}-home"
    there = home / f"{TELLTALE}-work"
    for folder in (there / "in", there / "out"):
        folder.mkdir(parents=True)
    for name in ("HOME", "USERPROFILE", "XDG_CACHE_HOME", "TMPDIR"):
        monkeypatch.setenv(name, str(home))
    for name in ("USER", "LOGNAME", "USERNAME", "LNAME", "HOSTNAME", "COMPUTERNAME"):
        monkeypatch.setenv(name, f"{TELLTALE}-{name.lower()}")
    host = f"{TELLTALE}-machine"
    uname = type("uname", (), {"nodename": host, "sysname": "Linux", "release": "1", "version": "1", "machine": "x86_64"})
    for module, name in ((socket, "gethostname"), (socket, "getfqdn"), (platform, "node")):
        monkeypatch.setattr(module, name, lambda *_: host)
    monkeypatch.setattr(os, "uname", uname)
    for path in GOLDEN.iterdir():
        (shutil.copytree if path.is_dir() else shutil.copy)(path, there / "in" / path.name)
    for words in ("count {}/two.csv -o {}/two.counts", "count --paired {}/two.csv {}/two_new.csv -o {}/pair.counts"):
        assert run(*words.replace("{}", str(there / "in")).split()).exit_code == 0
    assert run("correct", "fit", there / "in" / "two.csv", "--kind", "priors", "--priors", "ill=0.1,well=0.9",
               "-o", there / "in" / "fix.json").exit_code == 0  # fmt: skip
    return there


@pytest.mark.slow
@pytest.mark.parametrize("given", ["from the root", "from above"])
def test_no_output_names_a_folder_the_home_the_user_or_the_machine(given, told, monkeypatch):
    within = told if given == "from the root" else Path(told.name)
    monkeypatch.chdir(told.parent)
    printed = {}
    for line in COMMANDS:
        words = line.replace("LEARNER", LEARNER).replace("IN/", f"{within / 'in'}/").replace("OUT/", f"{within / 'out'}/")
        ended = run(*shlex.split(words.replace(">=", "'>='")))
        assert ended.exit_code in (0, 1), (line, ended.output)
        if "--format text" not in line:
            printed[line] = ended.stdout
        if "--json" in line:
            json.loads(ended.stdout)
    written = {str(path.relative_to(told)): path.read_bytes() for path in (told / "out").rglob("*") if path.is_file()}
    assert len(written) > sum(" -o " in line for line in COMMANDS)
    named = [name for name, text in printed.items() if TELLTALE in text.lower()]
    for name, data in written.items():
        spellings = [TELLTALE.encode(), TELLTALE.encode("utf-16-le"), base64.b64encode(TELLTALE.encode())]
        named += [name for each in inside(data, name) if any(word in each.lower() for word in spellings)]
    assert not named
