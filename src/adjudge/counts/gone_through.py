"""The way to go through predictions where they are."""

from __future__ import annotations

from adjudge.counts.frame_passes import FramePasses
from adjudge.counts.moments import Passes
from adjudge.counts.passes import BlockPasses
from adjudge.counts.reduced import reduces
from adjudge.predictions.engines import LazySource, collect
from adjudge.predictions.model import Predictions
from adjudge.predictions.sources import ColumnsSource
from adjudge.predictions.streams import joined


def passes_of(predictions: Predictions) -> Passes:
    """Return predictions that can be summed over: in their engine where there are many, else in blocks."""
    return FramePasses(predictions) if reduces(predictions) else BlockPasses(_fetched(predictions))


def _fetched(predictions: Predictions) -> Predictions:
    """Return the few rows of a lazy frame as columns at hand: every pass would ask the engine again."""
    source, wanted = predictions.source, predictions.roles.columns
    if not isinstance(source, LazySource):
        return predictions
    table = collect(source.frame.select(*wanted))
    levels = {name: known for name in wanted if (known := source.declared(name)) is not None}
    held = ColumnsSource(source.name, {name: joined(table.column(name)) for name in wanted}, levels=levels)
    return Predictions.of(held, predictions.roles, predictions.reading, predictions.found)
