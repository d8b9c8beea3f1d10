"""Parameters that verbs share are named by their signatures, and documented by their help."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import adjudge
from adjudge._base.signatures import takes_those_of

PASSED_ON = {"plot": "style goes on to matplotlib, whose words it is"}
"""Public callables that take any keyword, and why."""


def public():
    """Return every public callable by its name, those of namespaces and the methods of classes among them."""
    for name in adjudge.__all__:
        value = getattr(adjudge, name)
        yield name, value
        members = value.__all__ if inspect.ismodule(value) else vars(value) if inspect.isclass(value) else ()
        yield from ((f"{name}.{each}", getattr(value, each)) for each in members if not each.startswith("_"))


CALLABLES = {name: value for name, value in public() if callable(value)}


def test_no_public_callable_hides_its_keywords():
    hidden = {
        name
        for name, value in CALLABLES.items()
        if not (inspect.isclass(value) and issubclass(value, Exception))
        and any(each.kind is each.VAR_KEYWORD for each in inspect.signature(value).parameters.values())
    }
    assert hidden == set(PASSED_ON)


VERBS = [
    "evaluate",
    "report",
    "compare",
    "rank",
    "thresholds",
    "recommend",
    "gate",
    "count",
    "count_pairs",
    "compare_partitions",
    "sample_size",
    "population",
]


@pytest.mark.parametrize("name", [*VERBS, "correct.fit"])
def test_verbs_that_read_name_and_document_what_read_takes(name):
    verb = CALLABLES[name]
    shared = {each: one for each, one in inspect.signature(adjudge.read).parameters.items() if one.kind is one.KEYWORD_ONLY}
    taken = inspect.signature(verb).parameters
    assert {each: taken[each].default for each in shared} == {each: one.default for each, one in shared.items()}
    told = pydoc.render_doc(verb, renderer=pydoc.plaintext)
    assert "**" not in told.replace("2**", "")
    for each in ("missing_scores", "labels_as", "relabel", "scores_are"):
        assert f"    {each} : " in told


def test_a_verb_keeps_its_own_word_for_a_parameter_that_both_have():
    def reads(source, *, level=0.5, column=None):
        """Return rows.

        level : float
            Theirs.
        column, other : str
            A column.
        """

    @takes_those_of(reads)
    def verb(source, *, level=0.95, **roles):
        """Return a verdict.

        level : float
            Ours.
        **roles
            See reads,
            which says more.

        The end.
        """
        return level, roles

    assert str(inspect.signature(verb)) == "(source, *, level=0.95, column=None)"
    assert "Theirs" not in verb.__doc__
    assert "column, other : str\n    A column.\n\nThe end." in verb.__doc__
    assert verb(1, column="c") == (0.95, {"column": "c"})
