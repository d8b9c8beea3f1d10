"""Judge files of predictions and write a page; the bundled example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import Printed, answer, check_ending, check_places, open_page
from adjudge.cli.group import main
from adjudge.cli.options import EXACT, FILE, REPORT, comparing, reading
from adjudge.cli.wording import in_shell

_ENDINGS = (".html", ".htm", ".md", ".json")


@main.command(
    examples=("adjudge report predictions.csv", 'adjudge report old.csv new.csv -o both.html --title "Old and new"'),
)
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@REPORT
@comparing
@EXACT
@reading
def report(predictions: tuple[Path, ...], output: Path, *, printed: Printed, **asked: Any) -> None:
    """Evaluate predictions, write a page with all about them.

    PREDICTIONS is a .csv, .csv.gz, .tsv or .parquet file, a folder of them, or a pattern such as 'runs/*/preds.parquet', in
    quotation marks, whose files are one table. Several of the same cases are compared first, as --measure, --margin and the like
    ask, and then evaluated one by one. Files of counts (adjudge count) are added up.
    """
    from adjudge.verbs.report import report

    check_places(*predictions, output=output)
    check_ending(output, _ENDINGS, "a report")
    answer(report(*predictions, progress=True, **asked), printed=printed, output=output)


@main.command(examples=("adjudge demo", "adjudge demo -o dna.html --no-open"))
@REPORT
@click.option("--no-open", is_flag=True, help="Write the page, but do not open it in a browser.")
def demo(output: Path, *, printed: Printed, no_open: bool) -> None:
    """Evaluate the bundled example and open its page.

    It is nearest neighbours on 1,186 DNA sequences; the page is opened at a terminal only.
    """
    from importlib.resources import as_file, files

    from adjudge.verbs.report import report as judged

    with as_file(files("adjudge") / "data" / "dna_knn11.csv") as path:
        example = in_shell(judged(path), report)  # what it shows is what report would say
    answer(example, printed=printed, output=output)
    if not no_open and printed.form == "text" and open_page(output):
        click.echo("Opened it in your browser.")
