"""Columns of repeated answers: which column says the run, and which one the case that each run answers once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from adjudge._base import DoubtfulRolesError, argument, either, listed
from adjudge.predictions.columns import Column
from adjudge.predictions.model import case_of_runs
from adjudge.predictions.names import clearest


def find_runs(
    columns: Sequence[Column], given: Mapping[str, str | None], found: Mapping[str, str], taken: frozenset[str]
) -> dict[str, str]:
    """Return the columns of runs, of their cases, and of the clusters, beside the sides `given` and `found`; none is `taken`.

    A column is taken for runs by its name where, in the first rows, cases come back and each run answers a case once.
    """
    table, known, run = {column.name: column for column in columns}, {**given, **found}, given["run"]
    named = [known["row"]]
    if given["row"] is None:  # then clusters may be the cases, be they too few to be taken for clusters by their name
        named += [known["cluster"], *clearest("cluster", [name for name in table if name not in taken])]
    cases = [name for name in dict.fromkeys(named) if name is not None]
    if run is None:
        beside = known["fold"] is not None or known["count"] is not None
        free = [] if beside else [name for name in table if name not in {*taken, *known.values()}]
        fitting = [name for name in clearest("run", free) if any(_answers(table[case], table[name]) for case in cases)]
        if len(fitting) > 1:
            ways = either(argument("run", name) for name in fitting[:3])
            msg = f"{listed(fitting)} may each be the run that gave an answer. Say which: "
            raise DoubtfulRolesError(msg, ways, " (", argument("run", ""), " for none).")
        if not fitting:
            return {}
        run = fitting[0]
    case = next((name for name in cases if _answers(table[name], table[run])), cases[0] if cases else None)
    case_of_runs({"run": run, "row": case})
    return {"run": run} if case is None or case == given["row"] else {"run": run, "row": case}


def _answers(case: Column, run: Column) -> bool:
    """Return whether cases come back, each in another run."""
    if case.kind == "vector" or run.kind == "vector" or case.distinct == case.size or run.distinct <= 1:
        return False
    both = list(zip(map(str, case.values.tolist()), map(str, run.values.tolist()), strict=True))
    return len(set(both)) == len(both)
