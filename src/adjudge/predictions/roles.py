"""Which column plays which part: the answer, as a value that can be printed."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from adjudge._base import Finding, Shown, dataclass, field, safe

Scale: TypeAlias = Literal["probabilities", "percentages", "votes", "logits", "confidence", "scores"]
"""What the score columns hold.

probabilities, percentages, votes and logits become probabilities; `confidence` is the probability of the
decision taken; `scores` only rank.
"""

AN_ARRAY, BESIDE_MODEL = "(an array)", "(beside a model)"
"""What the evidence of the truth ends with, where it was no column of a file or frame."""
_SELDOM = ("count", "cluster", "run")
_EVIDENCE = 600  # characters of a sentence shown


@dataclass(frozen=True, slots=True)
class Roles(Shown):
    """The columns by the part they play, and the evidence for each."""

    truth: str
    predicted: str | None = None
    scores: tuple[tuple[Any, str], ...] = ()
    """(class, column) pairs; one pair for a vector column or for the score of the positive class."""
    scale: Scale = "probabilities"
    row: str | None = None
    fold: str | None = None
    group: str | None = None
    weight: str | None = None
    split: str | None = None
    """The column that tells test rows from training rows; the rows of one part are the source's only ones already."""
    count: str | None = None
    """The column that says how many cases each row stands for, in a table of one row per combination of the others."""
    cluster: str | None = None
    """The column of what rows belong to, such as patients: the clusters, and not the rows, are independent."""
    suspected: tuple[str, ...] = ()
    """Columns without such a name or values, but whose rows may belong together; the group may be one."""
    run: str | None = None
    """The column of runs, seeds or annotators, each of which answers every case once: rows of one `row` are its answers."""
    evidence: dict[str, str] = field(default_factory=dict)
    """role -> one sentence; for the reader only."""
    numeric: bool | None = None
    """Whether numbers are predicted rather than classes; None where nobody looked for the roles."""
    findings: tuple[Finding, ...] = ()
    """What was remarked while the roles were found; whoever reads takes it from here."""

    def __post_init__(self) -> None:
        if self.run is not None and self.cluster is None:  # the answers to a case belong together
            object.__setattr__(self, "cluster", self.row)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that has a role, once."""
        sides = (self.row, self.fold, self.group, self.weight, self.count, self.cluster, self.run)
        one = (self.truth, self.predicted, *(name for _, name in self.scores), *sides)
        return tuple(dict.fromkeys(name for name in one if name is not None))

    def unasked(self, role: str) -> str | None:
        """Return the column of a role that nobody named: its own name or its values gave it the role."""
        why = self.evidence.get(role, "(given)")
        return None if why.endswith("(given)") else getattr(self, role)

    def to_dict(self) -> dict[str, Any]:
        """Return the roles as plain Python; a count, clusters and runs where there are some."""
        told = {name: value for name, value in Shown.to_dict(self).items() if name != "suspected"}
        return {name: value for name, value in told.items() if name not in _SELDOM or value is not None}

    def __str__(self) -> str:
        return "\n".join(f"{role:<10} {safe(what, _EVIDENCE)}" for role, what in self.evidence.items()) or self.in_words()
