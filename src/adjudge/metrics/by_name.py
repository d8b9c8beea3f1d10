"""Estimates by the names of their measures: ``result["auc"]``, ``result.auc``, and what completion offers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from adjudge._base import InputError, safe
from adjudge.metrics.catalogue import find


class ByMeasure:
    """Mixin for results with estimates by measure: each is an item and an attribute, by its name or an alias.

    Fields and methods of the result come before a measure of the same name.
    """

    __slots__ = ()

    def _by_measure(self) -> Mapping[str, Any]:
        """Return the estimates by the names of their measures."""
        estimates: Mapping[str, Any] = object.__getattribute__(self, "estimates")
        return estimates

    def __getitem__(self, name: str) -> Any:
        estimates = self._by_measure()
        wanted = name if name in estimates else find(name, "name").name
        if wanted in estimates:
            return estimates[wanted]
        msg = f"{safe(wanted)} was not computed from these predictions; there are {', '.join(estimates)}."
        raise InputError(msg, parameter="name")

    def __contains__(self, name: object) -> bool:
        return name in self._by_measure()

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_measure())

    def __getattr__(self, name: str) -> Any:
        msg = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name.startswith("_"):  # asked for by copying and pickling before there are fields
            raise AttributeError(msg)
        try:
            return self[name]
        except InputError as error:
            told = f"{msg}. {error}"
            raise AttributeError(told) from error

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._by_measure()})
