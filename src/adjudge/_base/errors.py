"""Every exception adjudge raises, so callers can catch them by meaning."""

from __future__ import annotations


class AdjudgeError(Exception):
    """Base of every error adjudge raises on purpose."""

    exit_code = 2
    """What the command line leaves with."""


class InputError(AdjudgeError, ValueError):
    """An argument or a data set cannot be used as given."""


class DoubtfulRolesError(InputError):
    """The columns of a data set do not say by themselves which is which."""
