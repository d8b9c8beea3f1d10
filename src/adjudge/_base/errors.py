"""Every exception adjudge raises, so callers can catch them by meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudge._base.arguments import Part, Wording


class AdjudgeError(Exception):
    """Base of every error adjudge raises on purpose.

    Its sentence may come in parts, some of them arguments: Python reads ``missing="drop"``, a shell ``--missing drop``.

    >>> from adjudge._base.arguments import argument
    >>> error = InputError("Some scores are missing. Pass ", argument("missing_scores", "drop"), ".")
    >>> print(error, error.parameter)
    Some scores are missing. Pass missing_scores="drop". missing_scores
    """

    exit_code = 2
    """What the command line leaves with."""

    parameter: str | None
    """The parameter that the error speaks of, if it is just one."""

    def __init__(self, *parts: Part, parameter: str | None = None) -> None:
        super().__init__(*parts)
        self.wording = Wording(*parts)
        named = self.wording.names
        self.parameter = parameter if parameter is not None or len(named) != 1 else named[0]

    def __str__(self) -> str:
        return str(self.wording)

    def in_shell(self, flags: Mapping[str, str]) -> str:
        """Return the sentence in the words of a shell; `flags` are those of a command, by the names of Python."""
        return self.wording.in_shell(flags)


class InputError(AdjudgeError, ValueError):
    """An argument or a data set cannot be used as given."""


class DoubtfulRolesError(InputError):
    """The columns of a data set do not say by themselves which is which."""


class SeveralModelsError(DoubtfulRolesError):
    """Columns hold what several models said side by side, of which one was to be found."""

    def __init__(self, *parts: Part, role: str = "predicted", columns: Sequence[str] = ()) -> None:
        super().__init__(*parts)
        self.role = role
        """What these columns are of each model: predicted or scores."""
        self.columns = tuple(columns)
        """The columns, one a model; none where it is doubtful that each is of a model."""
