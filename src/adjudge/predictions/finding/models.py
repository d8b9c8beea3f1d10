"""Columns of several models side by side, where one model was looked for: refused, with the call that compares them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

from adjudge._base import argument, command, either, listed
from adjudge._base.errors import SeveralModelsError

_MOST = 4  # models named one by one
_TWO = 2


def refuse_two_models(
    columns: Sequence[str], role: str = "predicted", *, told: str = "", ways: Sequence[Any] = (), sure: bool = True
) -> SeveralModelsError:
    """Return the refusal of columns of decisions, or of scores: how to compare them, and an argument for each by itself.

    `told` names them where they are more than a column a model, `ways` are then the arguments.
    """
    what = "may each be the decision" if role == "predicted" else "may each be the scores"
    told = told or f"{listed(columns)} {what}"
    names = ", ".join(f'"{name}"' for name in columns)
    flags = shlex.quote(",".join(columns))
    call = command(f"adjudge compare FILE --{role} {flags}", python=f"compare(source, {role}=[{names}])")
    parts: list[Any] = [f"{told}: {'two' if len(columns) == _TWO else 'several'} models side by side? "]
    parts += ["Compare them: ", call, ". "] if columns else []
    single = either(ways or [argument(role, name) for name in columns[:_MOST]])
    return SeveralModelsError(*parts, "Evaluate one at a time: ", single, ".", role=role, columns=columns if sure else ())


def alike_but_once(names: Sequence[str]) -> bool:
    """Say whether names differ in one word only, as p_old and p_new do.

    >>> alike_but_once(["p_old", "p_new"]), alike_but_once(["p_old", "risk_new"])
    (True, False)
    """
    parts = [re.split(r"[\W_]+", name.lower()) for name in names]
    return len({len(part) for part in parts}) == 1 and sum(len(set(each)) > 1 for each in zip(*parts, strict=True)) == 1
