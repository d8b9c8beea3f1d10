"""Files of rows that came to harm: refused in one sentence that names the file, or read as what they say.

What a checksum can tell (of a gzipped file, of the pages of a Parquet file, of a file of counts) never changes a number. Any
other error, and any warning, fails a test; so does a file that takes long or much memory.
"""

from __future__ import annotations

import gzip
import io
import json
import resource
import sys
import time
import zlib

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv  # as pa.csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from tests.crafted import bytes_changed, bytes_joined

import adjudge
from adjudge import Counts, InputError, compare, count, evaluate, load_counts
from adjudge.cli import main
from adjudge.corrections.streaming import apply_to_file
from adjudge.counts.stored import unpacked
from adjudge.predictions.sources import open_path

MOST_SECONDS, MOST_BYTES = 2.0, 500 << 20
LABELS = np.array(["no", "yes"])
ROLES = {"truth": "truth", "predicted": "predicted", "scores": "p_yes", "scores_are": "probabilities", "row": "case"}
CODECS = ["none", "snappy", "gzip", "zstd", "lz4", "brotli"]


def rows(n=120, seed=40):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    p = np.round(np.clip(0.3 + 0.4 * truth + rng.normal(0, 0.2, n), 0, 1), 3)
    cases = [f"case {at}" for at in range(n)]
    return pa.table({"case": cases, "truth": LABELS[truth], "predicted": LABELS[(p > 0.5).astype(int)], "p_yes": p})


def as_csv(table):
    held = io.BytesIO()
    pa.csv.write_csv(table, held)
    return held.getvalue()


def as_parquet(table, **how):
    held = io.BytesIO()
    pq.write_table(table, held, row_group_size=50, **how)
    return held.getvalue()


SPLIT = {"column_encoding": dict.fromkeys(["case", "truth", "predicted"], "PLAIN") | {"p_yes": "BYTE_STREAM_SPLIT"}}
PARQUET = {
    **{f"{codec}.parquet": {"compression": codec, "store_schema": False} for codec in CODECS},
    **{f"checked {codec}.parquet": {"compression": codec, "write_page_checksum": True} for codec in CODECS},
    "split.parquet": SPLIT | {"use_dictionary": False, "compression": "none", "write_page_checksum": True},
    "second.parquet": {"data_page_version": "2.0", "compression": "zstd", "write_page_checksum": True},
}
KINDS = ["a.csv", "a.csv.gz", "long.csv.gz", "a.counts", *PARQUET]


def good(name, folder):
    """Return the bytes of a file that is whole; a long one is more than one look at its beginning."""
    if name in PARQUET:
        return as_parquet(rows(), **PARQUET[name])
    text = as_csv(rows(4000 if name.startswith("long") else 120))
    if name.endswith(".counts"):
        (folder / "of.csv").write_bytes(text)
        return count(folder / "of.csv", **ROLES).save(folder / name).read_bytes()
    return gzip.compress(text, mtime=0) if name.endswith(".gz") else text


def digest(counts):
    """Return the numbers of counts, whatever their file is called."""
    path = counts.save(digest.path)
    with unpacked(path) as (header, arrays):
        header["about"] = None
        return json.dumps(header, sort_keys=True), {name: values.tobytes() for name, values in arrays.items()}


@pytest.fixture(autouse=True)
def _place(tmp_path):
    (tmp_path / "beside").mkdir()
    digest.path = tmp_path / "beside" / "digest.counts"


def counted(path):
    return load_counts(path) if path.suffix == ".counts" else count(path, **ROLES)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def outcome(ask, path):
    """Return what a verb makes of a file, or None where it refuses it as it should."""
    start, before = time.process_time(), peak()
    try:
        return ask(path)
    except InputError as error:
        said = str(error)
        assert said
        assert said.isprintable(), said
        assert len(said) < 1000, said
        if isinstance(error.__cause__, (pa.ArrowException, OSError, EOFError, zlib.error)):
            assert path.name in said
        return None
    finally:
        assert time.process_time() - start < MOST_SECONDS
        assert peak() - before < MOST_BYTES


def must_be_known(name, data):
    """Return whether a checksum tells that bytes are not those that were written."""
    if not name.endswith(".gz"):
        return name.endswith(".counts") or "write_page_checksum" in PARQUET.get(name, ())
    try:
        gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return True
    return False


def run(name, many, folder, verbs=(counted,)):
    """Return how many mutants of a file are refused, have its numbers, and have others."""
    rng, path, said = np.random.default_rng(zlib.crc32(name.encode())), folder / name, {None: 0, True: 0, False: 0}
    data = good(name, folder)
    other = good("checked zstd.parquet" if rng.random() < 0.5 else "a.csv.gz", folder) if rng.random() < 0.7 else data
    path.write_bytes(data)
    right = digest(counted(path))
    for at in range(many):
        made = bytes_changed(data, rng) if rng.random() < 0.7 else bytes_joined(data, other, rng)
        path.write_bytes(made)
        counts = outcome(counted, path)
        same = None if counts is None else digest(counts) == right
        assert same is not False or not must_be_known(name, made), (name, at)
        said[same] += 1
        for verb in verbs if at % 50 == 0 or (counts is not None and said[same] <= 5) else ():
            outcome(verb, path)
    return said


def evaluated(path):
    return evaluate(load_counts(path)) if path.suffix == ".counts" else evaluate(path, **ROLES)


def compared(path):
    one = load_counts(path) if path.suffix == ".counts" else path
    return None if isinstance(one, Counts) else compare(one, path.with_name("of.csv"), **ROLES)


@pytest.mark.parametrize("name", ["a.csv.gz", "zstd.parquet", "checked none.parquet", "a.counts"])
def test_a_few_damaged_files(tmp_path, name):
    assert run(name, 25, tmp_path)[None] > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", KINDS)
def test_damaged_files_are_refused_or_read_and_nothing_else(tmp_path, name):
    (tmp_path / "of.csv").write_bytes(as_csv(rows(seed=40)))
    assert run(name, 240, tmp_path, (evaluated, compared))[None] > 80


def flipped(path, data, places, ask):
    """Yield what is made of a file with one bit changed, at each of some places another one."""
    for at in places:
        changed = bytearray(data)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        yield outcome(ask, path)


LAYOUTS = {
    "plain": {"use_dictionary": False},
    "dictionary": {"use_dictionary": True},
    "second version": {"data_page_version": "2.0", "use_dictionary": True},
}


@pytest.mark.parametrize("layout", [pytest.param(each, marks=pytest.mark.slow) for each in LAYOUTS] + ["a few of plain"])
def test_every_byte_of_a_parquet_file_with_checksums(tmp_path, layout):
    """Columns are named here: the end of the file, which names them, has no checksum."""
    path, few = tmp_path / "a.parquet", layout.startswith("a few")
    how = LAYOUTS[layout.removeprefix("a few of ")]
    pq.write_table(rows(25), path, compression="none", write_page_checksum=True, store_schema=False, **how)
    data, right = path.read_bytes(), digest(counted(path))
    answers = flipped(path, data, range(0, len(data), 19 if few else 1), counted)
    said = [None if counts is None else digest(counts) == right for counts in answers]
    assert False not in said
    assert said.count(None) > len(said) / 4
    assert said.count(True) > len(said) / 20


@pytest.mark.slow
def test_every_byte_of_a_parquet_file_without_checksums(tmp_path):
    """Nobody can tell, but a place that a dictionary does not have is refused, and not looked up."""
    path, said = tmp_path / "a.parquet", []
    pq.write_table(rows(25).drop_columns("case"), path, compression="none", store_schema=False)
    data = path.read_bytes()
    for at in range(len(data)):
        path.write_bytes(data[:at] + bytes([data[at] ^ 0x1C]) + data[at + 1 :])
        try:
            count(path)
        except InputError as error:
            said.append(str(error))
    assert any("ictionary" in each for each in said)


def run_saved(path):
    adjudge.estimate(GaussianNB(), *load_iris(return_X_y=True), by="5-fold", progress=False).run_result.save(path)


def corrected(path):
    pq.write_table(rows(300).append_column("p_no", pc.subtract(1, rows(300)["p_yes"])), path.with_name("in.parquet"))
    shift = adjudge.PriorShift((0.5, 0.5), (0.2, 0.8), tuple(LABELS))
    apply_to_file(shift, path.with_name("in.parquet"), path)


@pytest.mark.slow
@pytest.mark.parametrize("write", [run_saved, corrected])
def test_what_is_written_here_has_checksums(tmp_path, write):
    path, told = tmp_path / "a.parquet", []
    write(path)
    data, right = path.read_bytes(), digest(count(path))
    for at in range(4, len(data) - 8 - int.from_bytes(data[-8:-4], "little"), 41):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        try:
            assert digest(count(path)) == right
        except InputError as error:
            told.append("CRC" in str(error))
    assert sum(told) > 0.5 * len(told) > 10


def test_a_dataset_of_damaged_pages_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(rows(), path, compression="none", use_dictionary=False, write_page_checksum=True)
    path.write_bytes(path.read_bytes().replace(b"case 77", b"case 76"))
    given = ds.dataset(path)
    with pytest.raises(InputError, match="CRC"):
        count(given, **ROLES)
    assert not given.format.default_fragment_scan_options.page_checksum_verification  # the user's own stay what they are
    (tmp_path / "a.csv").write_bytes(as_csv(rows()))
    assert count(ds.dataset(tmp_path / "a.csv", format="csv"), **ROLES).tally.rows == 120


def test_a_footer_that_contradicts_itself_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(rows(60), path, compression="none", store_schema=False)
    data = path.read_bytes()
    said, footer = 0, len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for at in (at for at in range(footer, len(data)) if data[at] == 2 * 60):  # so many rows, as Thrift writes them
        path.write_bytes(data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :])
        try:
            open_path(path).names  # noqa: B018 - asks the file
        except InputError as error:
            said += "60 rows and that it has" in str(error) or "and that it has 60" in str(error)
    assert said


@pytest.mark.parametrize("name", ["a.csv.gz", "long.csv.gz", "checked gzip.parquet", "checked zstd.parquet"])
def test_the_command_line_says_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    data = bytearray(good(name, tmp_path))
    data[len(data) // 3 : len(data) // 3 + 8] = b"\xff" * 8
    (tmp_path / name).write_bytes(data)
    (tmp_path / "b.csv").write_bytes(as_csv(rows()))
    for words in (["evaluate", name], ["compare", name, "b.csv"], ["count", name, "-o", "c.counts"]):
        found = CliRunner().invoke(main, words)
        assert found.exit_code == 2, words
        assert found.output.startswith(f"adjudge: {name}: cannot be read: ")
        assert found.output.count("\n") == 1
    assert not (tmp_path / "c.counts").exists()
