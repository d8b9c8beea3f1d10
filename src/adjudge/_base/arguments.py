"""Names of arguments in sentences: Python reads missing="drop", a shell --missing drop."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Self, TypeAlias

from adjudge._base.records import dataclass, field
from adjudge._base.text import safe

_LONGEST = 2000  # an argument that was cut could not be pasted
_NOTHING = ...


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call, with its value where that matters."""

    name: str
    value: Any = _NOTHING
    python: str | None = field(default=None, kw_only=True)  # what Python reads, where it is not the name with its value

    def __str__(self) -> str:
        if self.python is not None:
            return self.python
        return f"{self.name}={'' if self.value is _NOTHING else _literal(self.value)}"

    def in_shell(self, flags: Mapping[str, str]) -> str:
        """Return the flag of this argument and its value; where there is no such flag, what Python reads."""
        flag, value = flags.get(self.name), self.value
        if flag is None:
            return str(self)
        if value is _NOTHING:
            return flag
        if isinstance(value, (Mapping, tuple, list)):
            each = [f"{key}={item}" for key, item in value.items()] if isinstance(value, Mapping) else map(str, value)
            value = ",".join(each)
        return f"{flag} {shlex.quote(safe(value, _LONGEST))}"


@dataclass(frozen=True, slots=True)
class Spelled:
    """What a shell reads, and what Python reads in its place."""

    shell: str
    python: str

    def __str__(self) -> str:
        return self.python

    def in_shell(self, _flags: Mapping[str, str]) -> str:
        """Return what a shell reads, whichever command runs."""
        return self.shell


ANY_SOURCE = "/"
"""Among flags what stands for every file, and how it was read."""


@dataclass(frozen=True, slots=True)
class Source:
    """Predictions that a call is to be given again: a shell names the file and how it was read, Python what it has."""

    name: str
    python: str = "source"

    def __str__(self) -> str:
        return self.python

    def in_shell(self, flags: Mapping[str, str]) -> str:
        """Return the file as the command that runs was given it, if it was; else its name."""
        return flags.get(f"/{self.name}") or flags.get(ANY_SOURCE) or shlex.quote(safe(self.name, _LONGEST))


Part: TypeAlias = str | Argument | Spelled | Source  # of a sentence


class Wording(str):
    """A sentence that may name arguments: as text in the words of Python, and on demand in those of a shell."""

    __slots__ = ("parts",)
    parts: tuple[Part, ...]

    def __new__(cls, *parts: Part) -> Self:
        flat = tuple(piece for part in parts for piece in (part.parts if isinstance(part, Wording) else (part,)))
        text = super().__new__(cls, "".join(str(part) for part in flat))
        text.parts = flat
        return text

    def in_shell(self, flags: Mapping[str, str]) -> str:
        """Return the sentence with the flag of each argument; `flags` are those of a command, by the names of Python."""
        return "".join(part if isinstance(part, str) else part.in_shell(flags) for part in self.parts)

    def of_any_source(self) -> str:
        """Return the sentence as Python reads it, the same wherever the predictions of a call come from."""
        return "".join("source" if isinstance(part, Source) else str(part) for part in self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments named, each once."""
        return tuple(dict.fromkeys(part.name for part in self.parts if isinstance(part, Argument)))

    def to_list(self) -> list[Any]:
        """Return the parts as JSON holds them; :meth:`of_list` makes the sentence of them again."""
        parts = [part if isinstance(part, str) else asdict(part) for part in self.parts]
        return [part if isinstance(part, str) else {k: v for k, v in part.items() if v not in (None, ...)} for part in parts]

    @classmethod
    def of_list(cls, parts: list[Any]) -> Self:
        """Return the sentence that has these parts; parts of another kind raise TypeError."""
        named = [each for part in parts if isinstance(part, dict) for key, each in part.items() if key != "value"]
        if not all(isinstance(each, str) for each in named):
            msg = "an argument has no such name"
            raise TypeError(msg)
        return cls(*(part if isinstance(part, str) else (Spelled if "shell" in part else Argument)(**part) for part in parts))

    def __reduce__(self) -> tuple[type[Wording], tuple[Part, ...]]:
        return (Wording, self.parts)


def wording(*parts: Part) -> str:
    """Return a sentence as Python reads it, that can still be put into the words of a shell as long as it is kept whole."""
    return Wording(*parts)


argument, command = Argument, Spelled
"""What a sentence names: an argument, or a command where Python calls something."""


def switch(name: str, *, on: bool = True) -> Argument:
    """Return an argument that is true or false, and a flag without a value: by_position=True, --by-position."""
    return Argument(name, python=f"{name}={on}")


def parameter(name: str) -> Argument:
    """Return a parameter that a sentence speaks of: "level must be a number", and "--level must be a number" in a shell."""
    return Argument(name, python=name)


def either(arguments: Iterable[Part], word: Part = " or ") -> str:
    """Return arguments with a word between them."""
    return wording(*[part for each in arguments for part in (word, each)][1:])


def together(*arguments: Argument) -> str:
    """Return arguments to be passed in one call."""
    return either(arguments, Spelled(" ", ", "))


def _literal(value: Any) -> str:
    """Return a value as it is written in Python."""
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_literal(key)}: {_literal(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_literal, value))}]"
    if not isinstance(value, str):
        return safe(repr(value), _LONGEST)
    text = safe(value, _LONGEST)
    if text != value and len(value) <= _LONGEST:
        return ascii(value)  # what nobody sees is written by escapes that Python reads again
    return repr(text) if '"' in text or "\\" in text else f'"{text}"'
