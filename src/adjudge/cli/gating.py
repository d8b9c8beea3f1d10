"""The command that lets predictions through or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from adjudge._base.text import safe
from adjudge.cli.counting import without_columns
from adjudge.cli.estimating import tell
from adjudge.cli.group import main
from adjudge.cli.options import ASSURANCE, JSON, PAGE, check_apart, check_page
from adjudge.cli.options import reading as reading_options
from adjudge.judgements.decision import MARGIN

_IN_FILES = "[[rule]] tables with require = 'accuracy >= 0.9', or require = ['accuracy >= 0.9', ...]"


@main.command()
@click.argument("predictions", type=click.Path(path_type=Path))
@click.option("--require", "rules", multiple=True, metavar="RULE", help="Such as 'sensitivity[ill] >= 0.9'; may be repeated.")
@click.option("--rules", "file", type=click.Path(path_type=Path), metavar="FILE", help="A .toml file of rules.")
@click.option("--against", type=click.Path(path_type=Path), metavar="OLD", help="Predictions of the same cases to compare with.")
@click.option("--no-worse-than", "margin", type=float, metavar="D", help=f"How much worse than --against is fine; {MARGIN}.")
@ASSURANCE
@click.option("--measure", metavar="NAME", help="What to compare; the accuracy, or mae for numbers, unless given.")
@click.option("--by-position", is_flag=True, help="Row i is the same case in both files; no column says so.")
@PAGE
@JSON
@reading_options
def gate(
    predictions: Path,
    rules: tuple[str, ...],
    *,
    file: Path | None,
    against: Path | None,
    margin: float | None,
    output: Path | None,
    as_json: bool,
    **asked: Any,
) -> int:
    """Say whether PREDICTIONS meet every requirement, by more than luck.

    A rule is a measure, a sign and a number: 'balanced_accuracy >= 0.8', 'sensitivity[ill] > 90%', 'f1[*] >= 0.7' for every
    class, 'log_loss < 0.4', or 'above chance'. The exit code is 0 where all pass, 1 where one fails, 3 where the evidence is too
    weak to say, and 2 for what cannot be read.
    """
    from adjudge.counts.result import is_counts
    from adjudge.verbs.gate import gate as judged

    check_apart([path for path in (predictions, against, file) if path is not None], output, "what was read")
    check_page(output)
    if against is None and (margin is not None or asked["measure"] is not None or asked["by_position"]):
        msg = "--no-worse-than, --measure and --by-position say how to compare; name with --against what to compare with."
        raise click.UsageError(msg)
    wanted = (*rules, *(() if file is None else _rules_in(file)))
    if not wanted and against is None:
        msg = "Nothing is required. Give --require 'accuracy >= 0.9', --rules FILE, or --against OLD."
        raise click.UsageError(msg)
    if is_counts(predictions):
        asked = without_columns(asked)
    found = judged(predictions, *wanted, against=against, margin=margin, **asked)
    tell(found, [output], output, as_json=as_json)
    return found.exit_code


def _rules_in(path: Path) -> list[str]:
    """Return the rules of a file."""
    import tomllib

    from adjudge._base.errors import InputError

    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        msg = f"{safe(path)} cannot be read as TOML: {safe(str(error), 300)}."
        raise InputError(msg) from error
    tables, plain = told.pop("rule", []), told.pop("require", [])
    each = [row.get("require") if isinstance(row, dict) and set(row) == {"require"} else None for row in _listed(tables)]
    found = [*_listed(plain), *each]
    if told or not found or not all(isinstance(rule, str) for rule in found):
        msg = f"{safe(path)} should hold {_IN_FILES}, and nothing else."
        raise InputError(msg)
    return found


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
