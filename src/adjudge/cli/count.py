"""Count predictions: sums that add up, and no single case."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from adjudge.cli.answers import Printed, answer, check_ending, check_places
from adjudge.cli.group import main
from adjudge.cli.options import FILE, FORMAT, columns, listed


@main.command(
    examples=("adjudge count predictions.csv -o hospital.counts", "adjudge count old.csv new.csv --paired -o both.counts"),
)
@click.argument("predictions", type=FILE, nargs=-1, required=True)
@click.option("-o", "--output", type=FILE, required=True, help="The file of counts to write.")
@click.option("--paired", is_flag=True, help="The files are of the same cases: count their predictions jointly, to compare them.")
@click.option("--by-position", is_flag=True, help="With --paired: row i is the same case in every file; no column says so.")
@click.option("--names", metavar="A,B,...", help="With --paired: what to call the files, alike wherever parts are counted.")
@click.option("--cluster-names", is_flag=True, help="Write the names of clusters, too; by default they are numbers.")
@FORMAT
@columns
def count(
    predictions: tuple[Path, ...],
    output: Path,
    *,
    names: str | None,
    cluster_names: bool,
    printed: Printed,
    **asked: Any,
) -> None:
    """Reduce predictions to counts, without single cases.

    Several files, or files of counts, are added up. Evaluate the result with adjudge report FILE.counts, together with the counts
    of other places if there are any. With --paired the files are different classifiers' answers on the same cases, found by a
    column that identifies them (--row): compare them with adjudge compare FILE.counts.
    """
    from adjudge.verbs.count import count

    check_ending(output, (".counts",), "counts")
    check_places(*predictions, what="what was read", written="counts", such_as="all.counts", output=output)
    if cluster_names and asked["paired"]:
        msg = "--cluster-names is of one set of predictions; counts of several (--paired) hold no clusters. Leave it out."
        raise click.UsageError(msg)
    del asked["level"]  # counts have no intervals
    counts = count(*predictions, names=listed(names), progress=True, **asked)
    save: Any = counts.save
    answer(counts, printed=printed, output=output, save=partial(save, cluster_names=True) if cluster_names else save)
