"""Some measures of one set of predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from adjudge._base.show import Shown
from adjudge.estimates.estimate import Estimate


@dataclass(frozen=True, slots=True)
class Selected(Shown):
    """Measures that were asked for by name, each with its interval."""

    estimates: tuple[Estimate, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates by the names of their measures."""
        return {estimate.measure: estimate.to_dict() for estimate in self.estimates}
