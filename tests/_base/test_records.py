"""Every class is made twice, here and by the standard library, which says what is right."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import FrozenInstanceError, InitVar, field
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge._base.records import dataclass
from adjudge._base.show import Shown

KINDS = {
    "plain": field,
    "default": lambda **more: field(default=7, **more),
    "factory": lambda **more: field(default_factory=lambda: 9, **more),
    "named": lambda **more: field(kw_only=True, **more),
    "named default": lambda **more: field(kw_only=True, default=8, **more),
    "later": lambda **more: field(init=False, **more),
    "fixed": lambda **more: field(init=False, default=5, **more),
    "made": lambda **more: field(init=False, default_factory=lambda: 6, **more),
}


def fill(value, number):
    for name in value.__dataclass_fields__:
        if not hasattr(value, name):
            object.__setattr__(value, name, number)


OWN = {
    "__init__": lambda self, *_, **__: fill(self, 1),
    "__post_init__": lambda self: fill(self, 3),
    "__repr__": lambda _: "own",
    "__str__": lambda _: "in words",
    "__eq__": lambda self, other: isinstance(other, type(self)),
    "__hash__": lambda _: 42,
}
flags = st.fixed_dictionaries({"repr": st.booleans(), "compare": st.booleans(), "hash": st.sampled_from([None, True, False])})
specs = st.lists(st.tuples(st.sampled_from(sorted(KINDS)), flags), max_size=6)
options = st.fixed_dictionaries({"eq": st.booleans(), "slots": st.booleans(), "repr": st.booleans()})


def both(specs, options, own):
    """Make the same class twice; plain fields first, as Python wants it."""
    ordered = sorted(specs, key=lambda spec: spec[0] in {"default", "factory"})
    classes = []
    for decorate in (dataclass, dataclasses.dataclass):
        fields = {f"f{i}": KINDS[kind](**more) for i, (kind, more) in enumerate(ordered)}
        body = {
            "__annotations__": dict.fromkeys(fields, "int") | {"shared": "ClassVar[int]"},
            "__module__": __name__,
            "__doc__": "Made.",
            "shared": 1,
        }
        made = type("Made", (), body | fields | {name: OWN[name] for name in own})
        classes.append(decorate(frozen=True, **options)(made))
    return classes


def outcome(call):
    """Return what a call gives, or the kind of its error."""
    try:
        return call()
    except (TypeError, AttributeError) as error:
        return type(error)


@given(specs, options, st.sets(st.sampled_from(sorted(OWN))), st.lists(st.integers(0, 2), max_size=6))
def test_a_class_does_what_one_of_the_standard_library_does(specs, options, own, given_values):
    ours, theirs = both(specs, options, own)
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    assert ours.__match_args__ == theirs.__match_args__
    assert getattr(ours, "__slots__", None) == getattr(theirs, "__slots__", None)
    assert (ours.__hash__ is None, ours.__doc__) == (theirs.__hash__ is None, theirs.__doc__)
    assert [(f.name, f.type, f.init, f.kw_only) for f in dataclasses.fields(ours)] == [
        (f.name, f.type, f.init, f.kw_only) for f in dataclasses.fields(theirs)
    ]
    names = [name for name, parameter in inspect.signature(theirs).parameters.items() if parameter.kind.name == "KEYWORD_ONLY"]
    named = dict.fromkeys(names, 4)
    a, b = outcome(lambda: ours(*given_values, **named)), outcome(lambda: theirs(*given_values, **named))
    if isinstance(b, type):
        assert a is b
        return
    same, other = ours(*given_values, **named), ours(*[value + 1 for value in given_values], **named)
    their_same, their_other = theirs(*given_values, **named), theirs(*[value + 1 for value in given_values], **named)
    for tell in (told, str if "__str__" in own else told, dataclasses.asdict):
        assert outcome(lambda tell=tell: tell(a)) == outcome(lambda tell=tell: tell(b))
    assert outcome(lambda: (a == same, a == other, a == b, a != same)) == outcome(
        lambda: (b == their_same, b == their_other, b == a, b != their_same)
    )
    if options["eq"] and theirs.__hash__ is not None:
        assert outcome(lambda: hash(a)) == outcome(lambda: hash(b))
    for change in (copy.copy, copy.deepcopy, dataclasses.replace):
        assert outcome(lambda change=change: vars_of(change(a))) == outcome(lambda change=change: vars_of(change(b)))
    for name in ours.__dataclass_fields__:
        if name != "shared":
            with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
                setattr(a, name, 0)
            with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
                delattr(a, name)
    with pytest.raises(FrozenInstanceError):
        a.unknown = 1
    assert vars_of(a) == vars_of(b)


def told(value):
    """Return the repr, but for the place in memory that one has without fields."""
    return repr(value).partition(" object at ")[0]


def vars_of(value):
    return {name: getattr(value, name, "unset") for name in value.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Point(Shown):
    """A result as the project has them."""

    x: float
    tags: list[str] = field(default_factory=list)
    _: dataclasses.KW_ONLY
    unit: str = "m"
    known: ClassVar[int] = 3

    def __post_init__(self):
        if self.x == 99:
            raise ValueError(self.x)


@dataclass(frozen=True)
class Base:
    """Has a subclass."""

    a: int
    held: object = None


@dataclass(frozen=True, slots=True)
class Child(Base):
    """Inherits: left to the standard library."""

    b: int = 2


class Plain(Base):
    """Inherits, and is no dataclass itself."""


@pytest.mark.parametrize("value", [Point(1.5, ["a"], unit="km"), Base(1), Child(1, b=3), Plain(4)])
def test_values_survive_pickling_and_copying(value):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value  # noqa: S301 - our own bytes
    assert copy.deepcopy(value) == copy.copy(value) == value
    assert hash(Base(1)) == hash(Base(1))


def test_defaults_made_by_a_factory_are_not_shared():
    assert Point(1.0).tags is not Point(1.0).tags
    assert "tags: 'list[str]' = <factory>" in str(inspect.signature(Point))


def test_what_follows_a_construction_is_checked():
    with pytest.raises(ValueError, match="99"):
        Point(99)


def test_fields_match_in_order_and_results_keep_the_repr_they_share():
    match Point(1.0, ["t"]):
        case Point(x, tags):
            assert (x, tags) == (1.0, ["t"])
    assert repr(Point(1.0)) == Point(1.0).in_words()
    assert "unit  m" in repr(Point(1.0))
    assert repr(Base(1)) == "Base(a=1, held=None)"


def test_a_value_that_holds_itself_has_a_repr():
    value = Base(1, [])
    value.held.append(value)
    assert repr(value) == "Base(a=1, held=[...])"


def test_an_object_of_a_plain_subclass_takes_attributes_that_are_no_fields():
    value = Plain(1)
    value.note = "kept"
    assert value.note == "kept"
    del value.note
    with pytest.raises(FrozenInstanceError):
        value.a = 2
    with pytest.raises(FrozenInstanceError):
        Child(1).a = 2


def test_a_subclass_made_by_the_standard_library_is_frozen_as_well():
    @dataclasses.dataclass(frozen=True)
    class Other(Base):
        c: int = 3

    assert Other(1) == Other(1, None, 3)
    with pytest.raises(FrozenInstanceError):
        Other(1).c = 4
    with pytest.raises(TypeError, match="non-frozen"):
        dataclasses.dataclass(type("Loose", (Base,), {"__annotations__": {"d": int}, "d": 1}))


def test_a_class_that_compares_in_its_own_way_has_a_hash_as_in_the_standard_library():
    for made in both([("plain", {})], {"eq": True, "slots": True, "repr": True}, {"__eq__"}):
        assert hash(made(1)) == hash((1,))
    for made in both([("plain", {})], {"eq": False, "slots": True, "repr": True}, {"__eq__"}):
        assert made.__hash__ is None


def test_parameters_of_construction_alone_and_classes_that_change_are_left_to_the_standard_library():
    @dataclass(frozen=True)
    class Started:
        size: InitVar[int]
        cells: int = 0

        def __post_init__(self, size):
            object.__setattr__(self, "cells", size * 2)

    @dataclass(slots=True)
    class Loose:
        a: int

    assert Started(4).cells == 8
    loose = Loose(1)
    loose.a = 2
    assert loose == Loose(2)
    assert Loose.__hash__ is None
