"""Results and errors in the words of the command that runs: --missing drop where Python reads missing="drop"."""

from __future__ import annotations

import copy
import shlex
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from adjudge._base import Wording
from adjudge._base.arguments import ANY_SOURCE

_T = TypeVar("_T")
_CALLED = {
    "X": "data",
    "ensembles": "ensemble",
    "goal": "kind",
    "measures": "measure",
    "method": "interval",
    "n_estimators": "rounds",
    "n_jobs": "jobs",
    "paired": "independent",
    "random_state": "seed",
    "rng": "seed",
    "y": "target",
}
"""What Python calls otherwise than the command line."""
_READING = {
    "truth", "predicted", "scores", "row", "fold", "group", "cluster", "run", "weight", "count", "split", "positive", "rejected",
    "relabel", "classes", "scores_are", "missing", "missing_scores", "duplicates", "labels_as", "engine",
}  # fmt: skip
"""Options that say how a file is read: whoever reads it again gives them again."""


def flags(command: click.Command) -> dict[str, str]:
    """Return the flags of a command by the names that Python has for them."""
    options = [option for option in command.params if isinstance(option, click.Option)]
    own = {flag.removeprefix("--").replace("-", "_"): flag for option in options for flag in option.opts if flag.startswith("--")}
    stored = {str(option.name): option.opts[-1] for option in options if option.name not in own}
    return {name: own[called] for name, called in _CALLED.items() if called in own} | stored | own


def _given(context: click.Context, *, kept: bool) -> dict[str, str]:
    """Return the files that the command was given by their own names, each as it was typed with the options to read it.

    What is `kept` in a file names no folder: others may read it.
    """
    words: list[str] = []
    for option in context.command.params:
        typed = option.name in _READING and context.get_parameter_source(str(option.name)) is ParameterSource.COMMANDLINE
        words += [option.opts[-1], str(context.params[str(option.name)])] if typed else []
    files = context.params.get("predictions") or ()
    paths = [files] if isinstance(files, Path) else files
    typed_as = {path.name: path.name if kept else str(path) for path in paths}
    return {f"/{name}": shlex.join([f"./{each}" if each.startswith("-") else each, *words]) for name, each in typed_as.items()}


def in_shell(result: _T, command: click.Command | None = None, *, source: str | None = None, kept: bool = False) -> _T:
    """Return a result whose sentences name the flags of a command, of the one that runs unless given.

    Calls name the files that the command was given and how they were read, or `source` in place of them; `kept` in a file they
    name no folders.
    """
    context = click.get_current_context(silent=True)
    if command is None and context is None:
        return result
    if command is not None:
        known = flags(command) | ({} if source is None else {ANY_SOURCE: source})
    else:
        assert context is not None
        known = flags(context.command) | (_given(context, kept=kept) if source is None else {ANY_SOURCE: source})
    done: dict[int, tuple[Any, Any]] = {}  # by identity: what it was, which keeps it alive, and what it became

    def told(value: Any) -> Any:
        """Copy what holds a sentence that names arguments, and nothing else; what is shared stays shared."""
        if isinstance(value, Wording):
            return value.in_shell(known)
        if type(value) not in (tuple, list, dict) and (not is_dataclass(value) or isinstance(value, type)):
            return value
        if id(value) not in done:
            done[id(value)] = (value, value)  # for one that holds itself
            held = _held(value)
            changed = {name: new for name, each in held.items() if (new := told(each)) is not each}
            done[id(value)] = (value, _changed(value, held, changed) if changed else value)
        return done[id(value)][1]

    translated: _T = told(result)
    return translated


def _held(value: Any) -> dict[Any, Any]:
    """Return what a collection holds; of a result its fields."""
    if isinstance(value, (tuple, list, dict)):
        return value if isinstance(value, dict) else dict(enumerate(value))
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _changed(value: Any, held: dict[Any, Any], changed: dict[Any, Any]) -> Any:
    if isinstance(value, (tuple, list, dict)):
        return held | changed if isinstance(value, dict) else type(value)((held | changed).values())
    twin = copy.copy(value)
    for name, each in changed.items():
        object.__setattr__(twin, name, each)  # results are frozen, and this one is not known to anyone yet
    return twin
