"""Judge files of predictions and write a page; the bundled example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import answer, check_ending, check_places, open_page
from adjudge.cli.group import main
from adjudge.cli.options import EXACT, FILE, JSON, OUTPUT, comparing, reading
from adjudge.cli.wording import in_shell

_ENDINGS = (".html", ".htm", ".md", ".json")


@main.command()
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@OUTPUT
@JSON
@comparing
@EXACT
@reading
def report(predictions: tuple[Path, ...], output: Path, *, as_json: bool, **asked: Any) -> None:
    """Evaluate files of PREDICTIONS: print the verdict and write one self-contained page.

    PREDICTIONS is a .csv, .csv.gz, .tsv or .parquet file, a folder of them, or a pattern such as 'runs/*/preds.parquet', in
    quotation marks, whose files are one table. Several of the same cases are compared first, as --measure, --margin and the like
    ask, and then evaluated one by one; so are several models in one file, --predicted a,b. Files of counts (adjudge count) are
    added up.
    """
    from adjudge.verbs.report import report

    check_places(*predictions, output=output)
    check_ending(output, _ENDINGS, "a report")
    answer(report(*predictions, progress=True, **asked), as_json=as_json, output=output)


@main.command()
@OUTPUT
@JSON
@click.option("--no-open", is_flag=True, help="Write the page, but do not open it in a browser.")
def demo(output: Path, *, as_json: bool, no_open: bool) -> None:
    """Evaluate the bundled example: nearest neighbours on 1,186 DNA sequences. At a terminal, open the page in a browser."""
    from importlib.resources import as_file, files

    from adjudge.verbs.report import report as judged

    with as_file(files("adjudge") / "data" / "dna_knn11.csv") as path:
        example = in_shell(judged(path), report)  # what it shows is what report would say
    answer(example, as_json=as_json, output=output)
    if not no_open and not as_json and open_page(output):
        click.echo("Opened it in your browser.")
