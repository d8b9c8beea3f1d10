"""Packages that are executed only when something in them is asked for, so that a command starts sooner."""

from __future__ import annotations

import importlib.util
import sys
from threading import RLock
from types import ModuleType
from typing import Any

_LOCK = RLock()


class _PutOff(ModuleType):
    """A package that is executed when a name is asked for that it does not have yet.

    `importlib.util.LazyLoader` would execute a package for the sake of a submodule; here submodules are imported by themselves.
    """

    def __getattr__(self, name: str) -> Any:
        with _LOCK:  # another thread waits until the package is complete
            if self.__dict__.pop("_waiting", False) and self.__spec__ is not None and self.__spec__.loader is not None:
                self.__spec__.loader.exec_module(self)
                self.__class__ = ModuleType  # type: ignore[assignment]
            return ModuleType.__getattribute__(self, name)


def lazy_imports(*names: str) -> None:
    """Import packages when something in them is asked for; those that are imported already stay as they are."""
    for name in names:
        spec = None if name in sys.modules else importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            continue
        module = importlib.util.module_from_spec(spec)
        module.__class__ = _PutOff
        module.__dict__["_waiting"] = True
        sys.modules[name] = module
        parent, _, own = name.rpartition(".")
        setattr(sys.modules[parent], own, module)
