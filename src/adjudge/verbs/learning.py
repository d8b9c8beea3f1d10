"""What learners are tried on: arrays as they are, or the columns of a file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from adjudge._base.arguments import argument
from adjudge._base.errors import InputError
from adjudge.resampling.features import read_features, understanding_text
from adjudge.resampling.plan import Plan


def learning_cases(
    learners: Sequence[Any], X: Any, y: Any, by: Any, *, groups: Any = None, leave_out: Sequence[str] = ()
) -> tuple[list[Any], Any, Any, Any, Any]:
    """Return learners, X, y, plan and groups, where X may be the path of a file and y, groups and `leave_out` its columns.

    Learners of a file with columns of text are put behind an encoder, which is fitted anew in each fold. A plan may be the path
    of a .json file.
    """
    if isinstance(by, (str, os.PathLike)) and os.fspath(by).endswith(".json"):
        by = Plan.load(by)
    if not isinstance(X, (str, os.PathLike)):
        if leave_out:
            raise InputError(argument("leave_out"), " names columns of a file; leave columns of a table out of X itself.")
        return list(learners), X, y, by, groups
    if not isinstance(y, str) or not (groups is None or isinstance(groups, str)):
        msg = "Of a file, y and groups are the names of columns, such as y='species'."
        raise InputError(msg)
    cases = read_features(X, target=y, groups=groups, leave_out=leave_out)
    return [understanding_text(learner, cases) for learner in learners], cases.X, cases.y, by, cases.groups
