"""Messages of the library in the words of the command line: --reject-cost for reject_cost=.

The library speaks to those who call it from Python. Whoever typed a command knows flags, and can do nothing with the name of an
argument. What stands in quotation marks is a user's own word and is left alone.
"""

from __future__ import annotations

import re
from typing import Any

import click

from adjudge._base.errors import AdjudgeError

_NAMES = (
    *("gamma", "alpha", "costs", "reject_cost", "max_rejection", "bounds", "priors", "old"),
    *("positive", "kind", "folds", "level", "measure", "exact", "names"),
    *("by", "groups", "margin", "method", "timeout", "checkpoint", "n_jobs", "n_estimators", "random_state"),
)
_OTHERWISE = {"kind": "--thresholds", "n_jobs": "--jobs", "n_estimators": "--rounds", "random_state": "--seed"}
_PHRASES = {
    "positive= (--positive)": "--positive",
    "bounds=(0, 1)": "--bounds 0,1",
    "goal='errors'": "--kind errors",
    "form='linear', or free the majority's multiplier with last_free=True": "--kind multipliers",
    "with count_priors()": "with --counted",
    "leave it out of measures": "leave it out of --measure",
}
_ANY = "|".join(_NAMES)
_ASSIGNED = re.compile(rf"(?<![\w'\"-])({_ANY})=(?=(.?))")
_SUBJECTS = re.compile(rf"^(?:{_ANY})(?: and (?:{_ANY}))*(?= (?:must|weighs|say|have|is|does)\b)")
_JOINED = re.compile(r"(?<![\w'\"-])(reject_cost|max_rejection)\b(?!['\"])")


class _Telling(click.Command):
    """Tells in flags what the library refuses."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except AdjudgeError as error:
            raise type(error)(in_flags(str(error))) from error


class InFlags(_Telling, click.Group):
    """Commands that tell in flags what the library refuses."""


class CommandInFlags(_Telling):
    """One such command."""


def in_flags(message: str) -> str:
    """Return a message with flags for the names of arguments.

    >>> in_flags("Nothing says what rejecting costs. Pass reject_cost= or max_rejection=0.1.")
    'Nothing says what rejecting costs. Pass --reject-cost or --max-rejection 0.1.'
    >>> in_flags("gamma must be a number, got 'alpha='.")
    "--gamma must be a number, got 'alpha='."
    """
    for phrase, flags in _PHRASES.items():
        message = message.replace(phrase, flags)
    message = _SUBJECTS.sub(lambda found: " and ".join(_flag(name) for name in found[0].split(" and ")), message)
    message = _ASSIGNED.sub(lambda found: _flag(found[1]) + (" " if re.match(r"[\w'\"]", found[2]) else ""), message)
    return _JOINED.sub(lambda found: _flag(found[1]), message)


def _flag(name: str) -> str:
    return _OTHERWISE.get(name, f"--{name.replace('_', '-')}")
