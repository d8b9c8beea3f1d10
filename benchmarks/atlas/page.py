"""The page of the atlas: how it was made, tables of adjudge beside its peers, heat maps, and where adjudge is weak."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path

from atlas.jobs import Record
from atlas.level_sections import chance, comparisons, gates, ranks
from atlas.pictures import pictures
from atlas.sections import clusters, made, many_classes, peers_beside, scores_and_losses, two_classes, weak


def write(out: Path, settings: Record, records: Sequence[Record]) -> Path:
    """Write coverage.md and its pictures, and return the page's path."""
    folder = out / "coverage"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    drawn = pictures(folder, records)
    parts = [
        made(settings, records),
        weak(records),
        two_classes(records, drawn),
        peers_beside(records),
        many_classes(records, drawn),
        scores_and_losses(records, drawn),
        clusters(records, drawn),
        chance(records, drawn),
        comparisons(records, drawn),
        gates(records, drawn),
        ranks(records),
    ]
    page = out / "coverage.md"
    page.write_text("\n\n".join(_wrapped(part) for part in parts if part) + "\n", encoding="utf-8")
    return page


def _wrapped(section: str) -> str:
    """Return a section with its paragraphs and lists filled to one width; tables and pictures stay as they are."""
    return "\n\n".join(block if block[0] in "|!#" else _filled(block) for block in section.split("\n\n"))


def _filled(block: str) -> str:
    items = [" ".join(item.split()) for item in f"\n{block}".split("\n- ")]
    lead, bullets = items[0], [f"- {item}" for item in items[1:]]
    fill = {"width": 150, "break_long_words": False, "break_on_hyphens": False}
    return "\n".join(
        [*([textwrap.fill(lead, **fill)] if lead else []), *(textwrap.fill(b, subsequent_indent="  ", **fill) for b in bullets)]
    )
