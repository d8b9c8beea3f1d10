"""What is run: cells of the grid, then the worst of them again on fresh seeds. Each makes one record."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from atlas import clusters, coverage, levels, ours
from atlas.cells import Cell, Run

Record = dict[str, Any]
FRESH = 4
"""How many times as many samples confirm a worst cell; of levels half as many."""


@dataclass(frozen=True, slots=True)
class Job:
    """A cell to run, or some questions of a cell to ask again on a fresh seed."""

    cell: Cell
    repetitions: int
    again: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """What names the record."""
        return f"{self.cell.key} | fresh: {', '.join(self.again)}" if self.again else self.cell.key


def run(job: Job, seed: int) -> Record:
    """Return the record of a job, the same wherever and whenever it is run."""
    family, fresh = job.cell.family, {"fresh": list(job.again)} if job.again else {}
    record: Record = {"key": job.key, "family": family, "n": job.cell.n, **job.cell.setting, **fresh}
    record["repetitions"] = job.repetitions
    if family == "clusters":
        record["intervals"], record["levels"] = clusters.clusters(_asked(job, seed, ()))
        return record
    kind, known = ("intervals", coverage.FAMILIES) if family in coverage.FAMILIES else ("levels", levels.FAMILIES)
    ask, names = known[family]
    record[kind] = ask(_asked(job, seed, names))
    return record


def _asked(job: Job, seed: int, names: tuple[str, ...]) -> Run:
    if not job.again:
        return Run(job.cell, job.repetitions, seed, names)
    spoken_of = {question.split(" ")[0] for question in job.again}  # "f1 passes" is about f1
    only = tuple(name for name in names if name in spoken_of) or names
    return Run(job.cell, job.repetitions, seed + 1, only, alone=True)


def planned(cells: Iterable[Cell], asked: int) -> list[Job]:
    """Return the jobs of the first round."""
    return [Job(cell, cell.repetitions(asked)) for cell in cells]


def confirming(cells: Sequence[Cell], records: Sequence[Record]) -> list[Job]:
    """Return the worst cell of every measure and of every claim, to be run again; rows in clusters and ranks stay as they are."""
    known, by_key = {cell.key: cell for cell in cells}, {record["key"]: record for record in records}
    again: dict[str, list[str]] = {}
    for (_, name), (_, key) in sorted(worst(records).items()):
        again.setdefault(key, []).append(name)
    jobs = []
    for key, names in again.items():
        times = FRESH if known[key].family in coverage.FAMILIES else FRESH // 2
        jobs.append(Job(known[key], times * by_key[key]["repetitions"], tuple(names)))
    return jobs


def worst(records: Sequence[Record]) -> dict[tuple[str, str], tuple[float, str]]:
    """Return, by family and question, how often adjudge was wrong at worst, and in which cell."""
    found: dict[tuple[str, str], tuple[float, str]] = {}
    for record in records:
        if "fresh" in record or record["family"] in ("clusters", "rank"):
            continue
        for name, wrong in wrongs(record).items():
            at = record["family"], name
            found[at] = max(found.get(at, (-1.0, "")), (wrong, record["key"]))
    return found


def wrongs(record: Record) -> dict[str, float]:
    """Return how often adjudge was wrong, by question: the truth left out, or a false claim made."""
    found = {}
    for name, each in record.get("intervals", {}).items():
        _, answered, below, above, _ = each["methods"][ours.NAME]
        found |= {name: (below + above) / answered} if answered >= record["repetitions"] / 4 else {}
    for claim, methods in record.get("levels", {}).items():
        _, answered, made = methods.get(ours.NAME, (0, 0, 0))
        found |= {claim: made / answered} if answered else {}
    return found
