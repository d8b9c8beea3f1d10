"""The special functions of SciPy, imported when the first of them is asked for: many answers need none.

They are taken from the compiled module that holds them. A command imports nothing else of `scipy.special` (`cli.lazy_imports`),
most of which is documentation; anywhere else the package is imported whole, and the functions are the same.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """Return a function by the name that it has in `scipy.special`."""
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        function = getattr(import_module("scipy.special._ufuncs"), name)
    except (ImportError, AttributeError):  # a function in Python, or a release of SciPy that keeps it elsewhere
        function = getattr(import_module("scipy.special"), name)
    globals()[name] = function
    return function
