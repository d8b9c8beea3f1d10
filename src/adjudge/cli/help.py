"""Help: commands by what they are for, options by what they say, and examples; all within 80 columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import click

WIDTH = 80
COMMANDS = {
    "Evaluate": ("report", "evaluate", "gate", "partition", "population", "estimate", "demo", "measures"),
    "Compare": ("compare", "compare-learners"),
    "Improve": ("correct", "threshold"),
    "Plan": ("sample-size", "trade-off"),
    "Data": ("count",),
}
"""What commands are for, in the order of the help."""
SECTIONS = {
    "Learner and data": ("learner", "params", "data", "target", "leave_out"),
    "Validation plan": ("by", "groups", "repeats", "random_state", "n_jobs", "checkpoint", "timeout", "isolate"),
    "Ensembles": ("ensemble", "rounds", "samme"),
    "Several files": ("paired", "by_position", "independent", "names"),
    "Statistics": (
        "measure", "measures", "margin", "level", "assurance", "interval", "prior", "exact", "folds", "seed"
    ),
    "Input columns": ("truth", "predicted", "scores", "row", "fold", "group", "cluster", "run", "weight", "count", "split"),
    "Reading": (
        "positive", "threshold", "scores_are", "classes", "relabel", "rejected", "missing", "missing_scores", "duplicates",
        "labels_as", "engine",
    ),
    "Output": ("output", "title", "form", "as_json", "save", "save_plan", "no_open"),
}  # fmt: skip
"""Where options stand, by the names of their parameters; those of one command alone come first, under its own heading."""
_OWN, _LAST, _LONGEST = "Options", "Other", 24


class Helpful:
    """What a command and a group of commands have in common: help with examples, and in sections."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        self.examples = tuple(examples)

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what the command does, and below it how it is called."""
        super().format_help_text(ctx, formatter)  # type: ignore[misc]
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(_lines(example, WIDTH - formatter.current_indent))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of a group by what they are for, and the options by sections, their texts below each other."""
        if isinstance(self, click.Group):
            listed = {name: (name, command.get_short_help_str(WIDTH)) for name, command in self.commands.items()}
            headed = {heading: [listed.pop(name) for name in names if name in listed] for heading, names in COMMANDS.items()}
            _write(formatter, headed | {"Commands": list(listed.values())})
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]  # type: ignore[attr-defined]
        of = {name: section for section, names in SECTIONS.items() for name in names}
        if not any(option.name == "data" for option in options):  # without a learner these are about files, and draws
            of |= {"n_jobs": "Reading", "random_state": "Statistics"}
        sections: dict[str, list[tuple[str, str]]] = {section: [] for section in (_OWN, *SECTIONS, _LAST)}
        for option in options:
            general = {"--help", "--version"} & set(option.opts)
            sections[_LAST if general else of.get(str(option.name), _OWN)] += filter(None, [option.get_help_record(ctx)])
        only = [section for section, rows in sections.items() if rows] == [_LAST]
        _write(formatter, {_OWN: sections[_LAST]} if only else sections)


def _lines(example: str, width: int) -> str:
    """Return a command on one line, or on several of which a shell makes one."""
    lines = [""]
    for part in re.split(r" (?=-)", example):
        lines += [] if len(lines[-1]) + len(part) + 3 <= width else ["  "]
        lines[-1] += part if not lines[-1].strip() else f" {part}"
    return "  " + " \\\n  ".join(lines) + "\n"


def _write(formatter: click.HelpFormatter, sections: dict[str, list[tuple[str, str]]]) -> None:
    """Write sections whose second column begins at the same place in all."""
    firsts = [len(first) for rows in sections.values() for first, _ in rows]
    width = max((each for each in firsts if each <= _LONGEST), default=0)
    for heading, rows in sections.items():
        if rows:
            (first, text), *others = rows
            with formatter.section(heading):
                formatter.write_dl([(first.ljust(width), text), *others], col_max=width)
