"""Every fenced block of README and docs runs, with the files it names, and gives what the page shows."""

from __future__ import annotations

import re
from shutil import copytree

import matplotlib.pyplot as plt
import pytest
from tests.snippets import ROOT, Session, blocks, unknown_options

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "examples" / "README.md"]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]

NOT_RUN = {
    ("README.md", "pip install ."): "changes the environment that the tests run in",
    ("docs/engines.md", "$ adjudge report 's3://"): "a bucket, a cluster",
    ("docs/engines.md", "# evaluate.py"): "a Spark cluster; tests/predictions/test_engines.py runs such calls",
    ("docs/engines.md", "spark-submit"): "a Spark cluster",
    ("docs/engines.md", "from dask.distributed"): "a Dask cluster; tests/predictions/test_engines.py runs such calls",
    ("docs/engines.md", "import ray"): "a Ray cluster; tests/predictions/test_engines.py runs such calls",
    ("docs/engines.md", "import ibis"): "ibis is not among the requirements",
    ("docs/estimating.md", "adjudge.estimate(learner, X, y, executor="): "a Dask and a Ray cluster",
}
"""Blocks, by their beginning, that need what the tests do not have, and what that is. Their commands are held against the options there are, their Python is compiled."""

SLOW = {
    ("docs/comparing.md", ""): "compares many files and learners",
    ("docs/ensembles.md", ""): "fits hundreds of models",
    ("docs/estimating.md", "$ adjudge estimate --learner"): "asks the neighbours of every case in ten folds",
    ("docs/estimating.md", "learner = GaussianNB()"): "starts eight processes",
}
"""Blocks that take more than two seconds, and why; `make slow` runs their pages whole."""


def listed(block, blocks_listed):
    """Return the key of a block in a list of blocks, or None."""
    return next((key for key in blocks_listed if key[0] == block.page and block.first.startswith(key[1])), None)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with what the pages name, where they may write."""
    (tmp_path / "examples").mkdir()
    copytree(ROOT / "examples" / "predictions", tmp_path / "examples" / "predictions")
    (tmp_path / "examples" / "data").symlink_to(ROOT / "examples" / "data")
    (tmp_path / "src").symlink_to(ROOT / "src")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    plt.close("all")


def run(page, left_out):
    session = Session()
    faults = [fault for block in blocks(ROOT / page) if listed(block, left_out) is None for fault in session.faults(block)]
    assert not faults, "\n\n".join(faults)


@pytest.mark.parametrize("page", NAMES)
def test_every_block_runs(page, folder):
    run(page, {**NOT_RUN, **SLOW})


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({page for page, _ in SLOW}))
def test_every_block_of_a_slow_page_runs(page, folder):
    run(page, NOT_RUN)


def test_blocks_that_are_left_out_are_sound_and_none_is_listed_in_vain():
    lists = {**NOT_RUN, **SLOW}
    left_out = [block for page in PAGES for block in blocks(page) if listed(block, lists) is not None]
    assert {listed(block, lists) for block in left_out} == set(lists)
    for block in left_out:
        if block.language != "python":
            assert not unknown_options(block)
        elif ">>>" not in block.code:
            compile(block.code, block.place, "exec")


PLANTED = {
    "console": "$ adjudge measures\nname  colour\n",
    "sh": "adjudge evaluate no_such_file.csv\n",
    "python": "1 / 0\n",
    "sql": "SELECT * FROM nothing\n",
    "csv": "no,such,file\n",
    "": "a block without a language\n",
}


@pytest.mark.parametrize("language", PLANTED)
def test_a_block_that_is_wrong_is_noticed(language, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"Text.\n\n```{language}\n{PLANTED[language]}```\n")
    (block,) = blocks(page)
    try:
        faults = Session().faults(block)
    except Exception as error:  # noqa: BLE001 - DuckDB raises what is wrong with SQL
        faults = [str(error)]
    assert len(faults) == 1


@pytest.mark.parametrize(
    ("code", "part"),
    [
        ("$ adjudge compare a.csv b.csv --no-such-option\n", "--no-such-option"),
        ("$ adjudge correct fit a.csv --kinds errors\n", "--kinds"),
    ],
)
def test_an_option_that_is_not_there_is_noticed_without_a_run(code, part, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"```console\n{code}```\n")
    (fault,) = unknown_options(blocks(page)[0])
    assert part in fault


def test_a_fence_that_is_no_block_is_refused(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("- an item\n\n  ```sh\n  adjudge measures\n  ```\n")
    with pytest.raises(ValueError, match=r"page\.md has a fence"):
        blocks(page)


def test_every_finding_is_listed_once():
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    raised = set(re.findall(r'"(A\d{3})"', source))
    listed = re.findall(r"^\| (A\d{3}) \|", (ROOT / "docs" / "findings.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(raised) == sorted(listed)


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all(f"({page.name})" in index for page in PAGES if page.parent.name == "docs" and page.name != "index.md")


def test_every_link_leads_somewhere():
    for page in PAGES:
        links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
        broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
        assert not broken, page
