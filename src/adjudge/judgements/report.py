"""Everything that is judged of one set of predictions, or of several of the same cases: what a page shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from adjudge._base import Finding, Shown, dataclass, field, plain
from adjudge.judgements.evaluation import Evaluation
from adjudge.judgements.next_steps import NextStep, between
from adjudge.metrics.by_name import ByMeasure

if TYPE_CHECKING:
    from adjudge.judgements.comparison import Comparison
    from adjudge.judgements.ranking import Ranking
    from adjudge.judgements.recommendation import Recommendations
    from adjudge.judgements.resampled import Resampled
    from adjudge.judgements.tally_estimates import GroupsJudged
    from adjudge.judgements.thresholds import Thresholds
    from adjudge.partitions.space import PartitionSpace


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report(ByMeasure, Shown):
    """A complete result: rendering it computes nothing.

    ``evaluations`` has one for each set of predictions, the best first where they are ranked, each with its recommended
    corrections, partition, thresholds and groups. ``comparison`` is there where there are several.
    """

    names: tuple[str, ...]
    evaluations: tuple[Evaluation, ...]
    comparison: Comparison | Ranking | None = None
    learner: Resampled | None = None  # the learner whose predictions were judged, where it was judged by resampling
    title: str | None = None  # of its page, in the place of its own

    next_steps: tuple[NextStep, ...] = field(init=False, repr=False)
    """What to do, the most important first: of two sets which to use, and what to do about that one."""

    def __post_init__(self) -> None:
        from adjudge.judgements.comparison import Comparison  # which one set does not need

        two = self.comparison if isinstance(self.comparison, Comparison) else None
        told = self.evaluation.next_steps if two is None else between(two, self.evaluations)
        object.__setattr__(self, "next_steps", told)

    def _by_measure(self) -> Mapping[str, Any]:
        return self.evaluation.estimates

    @property
    def evaluation(self) -> Evaluation:
        """The first evaluation."""
        return self.evaluations[0]

    @property
    def recommendations(self) -> tuple[Recommendations, ...]:
        """What corrections would gain for the first set of predictions."""
        return self.evaluation.recommendations or ()

    @property
    def partition(self) -> PartitionSpace | None:
        """The cases of the first set in the standardised partition space."""
        return self.evaluation.partition

    @property
    def thresholds(self) -> Thresholds | None:
        """What every threshold does on the scores of the first set."""
        return self.evaluation.thresholds

    @property
    def groups(self) -> GroupsJudged | None:
        """How each group of the first set fares, and whether groups differ; None without groups."""
        return self.evaluation.groups

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before relying on the numbers, each once: of the comparison or the learner, then of every set."""
        first = self.comparison if self.learner is None else self.learner
        every = (each for part in (first, *self.evaluations) if part is not None for each in part.findings)
        return tuple({(finding.code, finding.message): finding for finding in every}.values())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python, ready for JSON."""
        if self.comparison is None:
            return self.evaluation.to_dict() if self.learner is None else self.learner.to_dict()
        each = [{"name": name} | evaluation.to_dict() for name, evaluation in zip(self.names, self.evaluations, strict=True)]
        return {
            "next_steps": plain(self.next_steps),
            type(self.comparison).__name__.lower(): self.comparison.to_dict(),
            "evaluations": each,
        }
