"""Parameters that several verbs share, listed and documented once: where another function takes them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])


def takes_those_of(other: Callable[..., Any], catch_all: str = "**roles") -> Callable[[_F], _F]:
    """Return a decorator by which a verb shows the keyword parameters of another function in place of its `catch_all`.

    ``inspect.signature``, ``help()`` and completion then name each of them; the verb itself stays what it is.
    """

    def shown(verb: _F) -> _F:
        signature = inspect.signature(verb)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        names = {each.name for each in own}
        theirs = [each for each in inspect.signature(other).parameters.values() if each.kind is each.KEYWORD_ONLY]
        parameters = [*own, *(each for each in theirs if each.name not in names)]
        verb.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        if verb.__doc__ is not None and other.__doc__ is not None:  # neither is there under python -OO
            wanted = {each.name for each in theirs} - {name for called, _ in _paragraphs(verb.__doc__) for name in called}
            told = "".join(text for called, text in _paragraphs(other.__doc__) if wanted & set(called))
            ours = rf"(?m)^{re.escape(catch_all)}\n(?:    .*\n)+"
            verb.__doc__ = re.sub(ours, lambda _: told, inspect.cleandoc(verb.__doc__) + "\n", count=1)
        return verb

    return shown


def _paragraphs(text: str) -> list[tuple[list[str], str]]:
    """Return what a docstring says of its parameters: their names, and the lines about them."""
    found = re.finditer(r"(?m)^(\w[\w, ]*) : .*\n(?:    .*\n)+", inspect.cleandoc(text) + "\n")
    return [(re.split(r", ", each[1]), each[0]) for each in found]
