"""The command that lists the measures."""

from __future__ import annotations

import click

from adjudge.cli.answers import print_json
from adjudge.cli.group import main
from adjudge.cli.options import JSON


@main.command()
@JSON
def measures(*, as_json: bool) -> None:
    """List every measure with its formula, range and direction."""
    import adjudge

    table = adjudge.measures()
    if as_json:
        print_json(table.to_dict())
    else:
        click.echo(repr(table))
