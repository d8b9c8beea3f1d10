"""The command that puts classifiers into the standardised partition space."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge.cli.estimating import tell
from adjudge.cli.group import main
from adjudge.cli.options import JSON, check_apart
from adjudge.cli.options import columns as reading_options

_PICTURES = (".svg", ".png", ".pdf")
_OUTPUT = click.option("-o", "--output", type=click.Path(path_type=Path), help="A page (.html) or a picture (.svg, .png, .pdf).")


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("--depth", type=int, default=1, show_default=True, help="Classes of highest membership that name a region.")
@click.option("--convention", type=click.Choice(["paper", "klar"]), default="paper", show_default=True, help="How to scale.")
@click.option("--original", is_flag=True, help="Draw memberships as they came, not scaled.")
@click.option("--lines", type=click.Choice(["accuracy", "separation"]), help="Draw the distances that make up Ac or AS.")
@click.option("--show", metavar="A,B,...", help="The classes to draw, one to four; one is drawn against the rest.")
@click.option("--rest", is_flag=True, help="Give the classes not shown a corner of their own.")
@click.option("--by-position", is_flag=True, help="Row i is the same case in every file; no column says so.")
@click.option("--names", metavar="A,B,...", help="What to call the files; their own names unless given.")
@click.option("--seed", type=int, default=0, show_default=True, help="For the bootstrap that limits come from.")
@_OUTPUT
@JSON
@reading_options
def partition(
    predictions: tuple[Path, ...],
    *,
    depth: int,
    convention: Any,
    by_position: bool,
    names: str | None,
    seed: int,
    level: float,
    output: Path | None,
    as_json: bool,
    original: bool,
    lines: Any,
    show: str | None,
    rest: bool,
    **roles: Any,
) -> None:
    """Put the cases of one or several files of PREDICTIONS into a simplex whose corners are the classes.

    Files need the probabilities of all classes, or scores of all classes (--scores-are scores). Memberships are scaled to what
    the assignments are worth, so that classifiers of any kind can be compared: Ac, how near cases lie to the corners of their
    true classes, and AS, of the assigned ones.
    """
    from adjudge.verbs.compare_partitions import compare_partitions

    check_apart(predictions, output)
    drawn = {"space": "original" if original else "scaled", "lines": lines, "classes": _split(show), "rest": rest}
    if output is None and (original or lines or show or rest):
        msg = "--original, --lines, --show and --rest say how to draw; name a page or a picture with -o."
        raise click.UsageError(msg)
    _check_ending(output)
    found = compare_partitions(
        [str(path) for path in predictions],
        names=_split(names),
        depth=depth,
        convention=convention,
        by_position=by_position,
        level=level,
        rng=seed,
        **roles,
    )
    found = found.drawn(**drawn)
    picture = output if output is not None and output.suffix.lower() in _PICTURES else None
    if picture is not None:
        from adjudge.plots.saving import save_plot

        save_plot(found, picture)
    tell(found, [output], None if picture else output, as_json=as_json)


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _check_ending(output: Path | None) -> None:
    if output is not None and output.suffix.lower() not in (*_PICTURES, ".html", ".htm"):
        msg = f"-o takes a name that ends in .html, .svg, .png or .pdf; got {output.name}."
        raise click.UsageError(msg)
