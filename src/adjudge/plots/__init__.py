"""Figures of results: what is drawn, as plain data that :mod:`adjudge.render` draws."""

from adjudge._base import InputError


class NothingToDrawError(InputError):
    """A result, or this one, has no picture."""
