"""Numbered findings: what a reader should know before believing a number."""

from __future__ import annotations

from typing import Any

from adjudge._base.records import dataclass
from adjudge._base.show import Shown
from adjudge._base.text import safe


@dataclass(frozen=True, slots=True)
class Finding(Shown):
    """One numbered remark, like a linter's: what was seen, the number behind it, what to do."""

    code: str
    message: str
    advice: str
    value: Any = None

    def __str__(self) -> str:
        return f"{self.code} {self.message} {self.advice}".rstrip()

    def __repr__(self) -> str:
        return safe(self, 2000)
