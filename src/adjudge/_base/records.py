"""Frozen dataclasses that cost little to define: what `dataclasses.dataclass` would make, of which a command has hundreds.

The standard library compiles up to eight methods for each class, one by one: an eighth of what a report of 1,000 rows cost.
Here only `__init__` is compiled. Classes that are not frozen, or that inherit from a dataclass, are left to the library.
Other than there, a class keeps the `__repr__` that it inherits: results are told in words.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, field, fields, replace
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

_OWN_WAYS = {"__setattr__", "__delattr__", "__slots__", "__getstate__", "__setstate__"}


class _Factory:
    """Stands in a signature for a default that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


def _record(cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, **rest: Any) -> Any:
    """Return a class as `dataclasses.dataclass` would make it."""
    asked = {"frozen": frozen, "eq": eq, "repr": rest.pop("repr", True)}
    if cls is None:
        return partial(_record, slots=slots, **asked, **rest)
    own, teller = cls.__dict__, next(base for base in cls.__mro__ if "__repr__" in base.__dict__)
    made = teller is object or (dataclasses.is_dataclass(teller) and teller.__dataclass_params__.repr)  # type: ignore[attr-defined]
    asked["repr"] = asked["repr"] and made  # one that was written stays, an inherited one too
    derived = any(dataclasses.is_dataclass(base) for base in cls.__bases__)
    if not frozen or rest or derived or _OWN_WAYS & own.keys() or "InitVar" in str(own.get("__annotations__")):
        return dataclasses.dataclass(cls, slots=slots, **asked, **rest)
    cls = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    for name, value in (asked | {"init": True}).items():
        setattr(cls.__dataclass_params__, name, value)  # type: ignore[attr-defined]
    fields = dataclasses.fields(cls)
    methods = {"__init__": _init(cls, fields, slots=slots), "__setattr__": _refusing("assign to", object.__setattr__)}
    methods["__delattr__"] = _refusing("delete", object.__delattr__)
    if asked["repr"]:
        methods["__repr__"] = _repr([field.name for field in fields if field.repr])
    if eq:
        compared = _values([field.name for field in fields if field.compare])
        hashed = _values([field.name for field in fields if (field.compare if field.hash is None else field.hash)])
        if own.get("__hash__") is None and ("__eq__" in own or "__hash__" not in own):  # Python sets None beside __eq__
            setattr(cls, "__hash__", lambda self: hash(hashed(self)))  # noqa: B010 - which replaces that None
        methods["__eq__"] = lambda a, b: compared(a) == compared(b) if b.__class__ is a.__class__ else NotImplemented
    for name, method in methods.items():
        if name not in cls.__dict__:
            setattr(cls, name, method)
    return _slotted(cls, [field.name for field in fields]) if slots else cls


def _init(cls: type, fields: Sequence[Field[Any]], *, slots: bool) -> Callable[..., Any]:
    scope: dict[str, Any] = {"__name__": cls.__module__, "__set__": object.__setattr__, "__factory__": _Factory()}
    plain: list[str] = []
    by_name: list[str] = []
    body, types = [], {}
    for each in fields:
        name = value = each.name
        made = each.default_factory is not MISSING
        has_default = made or each.default is not MISSING
        scope[f"__of_{name}__"] = each.default_factory if made else each.default
        if each.init:
            default = ("=__factory__" if made else f"=__of_{name}__") if has_default else ""
            (by_name if each.kw_only else plain).append(name + default)
            types[name] = each.type
            if made:
                value = f"__of_{name}__() if {name} is __factory__ else {name}"
        elif made or (slots and has_default):
            value = f"__of_{name}__{'()' * made}"
        else:
            continue  # left to __post_init__, or an attribute of the class
        body.append(f"__set__(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(["self", *plain, *(["*", *by_name] if by_name else [])])
    exec(f"def __init__({parameters}):\n " + ("\n ".join(body) or "pass"), scope)  # noqa: S102 - names of our own source
    init: Callable[..., Any] = scope["__init__"]
    init.__annotations__, init.__qualname__ = {**types, "return": None}, f"{cls.__qualname__}.__init__"
    return init


def _refusing(verb: str, change: Callable[..., None]) -> Callable[..., None]:
    """Refuse to change a field; an object whose class inherits, and is no dataclass itself, may have other attributes."""

    def changed(self: Any, name: str, *value: Any) -> None:
        if "__dataclass_fields__" in type(self).__dict__ or name in self.__dataclass_fields__:
            msg = f"cannot {verb} field {name!r}"
            raise FrozenInstanceError(msg)
        change(self, name, *value)

    return changed


def _values(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    return attrgetter(*names) if len(names) > 1 else lambda self: tuple(getattr(self, name) for name in names)


def _repr(names: list[str]) -> Callable[[Any], str]:
    def told(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return recursive_repr()(told)


def _slotted(cls: type, names: list[str]) -> type:
    """Return the class made again with slots, and with what copies and pickles need of one that refuses to be changed."""
    known = [base.__dict__.get("__slots__", ()) for base in cls.__mro__[1:-1]]
    inherited = {each for slots in known for each in ((slots,) if isinstance(slots, str) else slots)}
    body = {name: each for name, each in cls.__dict__.items() if name not in {*names, "__dict__", "__weakref__"}}
    values = _values(names)

    def restore(self: Any, state: list[Any]) -> None:
        for name, value in zip(names, state, strict=True):
            object.__setattr__(self, name, value)

    body["__slots__"] = tuple(name for name in names if name not in inherited)
    body |= {"__qualname__": cls.__qualname__, "__getstate__": lambda self: list(values(self)), "__setstate__": restore}
    return type(cls)(cls.__name__, cls.__bases__, body)


if TYPE_CHECKING:  # types are checked as those of the standard library
    from dataclasses import dataclass
else:
    dataclass = _record

__all__ = ["dataclass", "field", "fields", "replace"]
