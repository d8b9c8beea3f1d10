"""Settle which block of scores is judged, or refuse and say how to name one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from adjudge._base.arguments import argument, either, together
from adjudge._base.errors import DoubtfulRolesError, InputError
from adjudge._base.text import counted, listed, quoted, safe
from adjudge.predictions.finding.deciding import SAME
from adjudge.predictions.finding.given import Given, given_block, no_probabilities, unscaled
from adjudge.predictions.finding.names import PROBABILITY_WORDS, Template, names_decision, names_truth, words
from adjudge.predictions.finding.sampled import Sampled
from adjudge.predictions.finding.score_blocks import (
    Block,
    best_scaled,
    by_number,
    find_blocks,
    matrix_of,
    nameless_blocks,
    unscaled_templates,
    vector_block,
)

_EXAMPLE = 3


def settle_block(given: Given, table: Mapping[str, Sampled], pool: Sequence[Sampled], holders: Sequence[Sampled]) -> Block | None:
    """Return the block to judge, None when there is none."""
    if given.scores is not None:
        return _given(given, table, holders)
    measured = given.truth is not None and table[given.truth].continuous
    if measured or given.scores_are in ("confidence", "scores"):
        return None
    vectors = [column for column in pool if column.kind == "vector"]
    found = find_blocks(pool, holders, classes=given.classes, asked=given.scores_are)
    found = best_scaled([*found, *_vector_blocks(vectors, holders, given)])
    if not found:
        nameless = nameless_blocks(pool)
        if nameless and holders:
            raise _mismatch(max(nameless, key=lambda t: (len(t.columns), str(t))), holders, given)
        for template in unscaled_templates(pool, holders):
            by_name = {column.name: column for column in pool}
            why = no_probabilities(matrix_of([by_name[name] for name in template.columns.values()]))
            msg = f"{listed(template.columns.values(), 4)} are named by class, but their rows {why}. Say what they are: "
            raise DoubtfulRolesError(
                msg, together(argument("scores", str(template)), argument("scores_are", "scores")), " (or logits)."
            )
        return None
    if given.truth is not None:  # the blocks whose classes are those of the truth
        found = [block for block in found if any(h.name == given.truth for h in block.holders)] or found
    block = _only_one(found, given, table)
    _require_holders(block, holders, given)
    return block


def belongs_to_another(block: Block, given: Given) -> str | None:
    """Return the decision the block belongs to when it is not the one the user named."""
    named = {holder.name: holder for holder in block.holders}
    mine = named.get(given.predicted or "")
    if given.scores is not None or mine is None or block.agreement(mine) > SAME:
        return None
    others = [h for h in block.holders if h.name not in (given.truth, given.predicted) and names_decision(h.name)]
    return next((other.name for other in others if block.agreement(other) > SAME), None)


def refuse_stray_truth(block: Block, holders: Sequence[Sampled]) -> None:
    """Refuse when the column named like the truth holds a class that has no score."""
    if any(names_truth(holder.name) for holder in block.holders):
        return
    for stray in holders:
        unknown = [label for key, label in stray.keys.items() if key not in block.keys]
        if names_truth(stray.name) and unknown and len(unknown) < len(stray.labels):
            msg = (
                f"Column {quoted(stray.name)} looks like the truth but holds {listed(unknown, 3)}, for which there is no "
                f"score beside {listed(block.columns, 4)}. Name the columns with "
            )
            raise DoubtfulRolesError(msg, argument("truth"), " and ", argument("scores"), ".")


def _given(given: Given, table: Mapping[str, Sampled], holders: Sequence[Sampled]) -> Block | None:
    """Return the block that the user named; None for a single column."""
    scores = given.scores
    if scores is None or (not scores.readings and table[scores.columns[0]].kind != "vector"):
        return None
    if scores.readings:
        block = given_block(given, table, holders)
        if block is None:
            raise _mismatch(scores.readings[-1], holders, given)
    else:
        vector = table[scores.columns[0]]
        block = next(iter(_vector_blocks([vector], holders, given)), None)
        if block is None:
            raise unscaled(scores.columns, np.asarray(vector.column.values, dtype=np.float64))
    _require_holders(block, holders, given)
    return block


def _vector_blocks(vectors: Sequence[Sampled], holders: Sequence[Sampled], given: Given) -> list[Block]:
    """Return the vector columns that are scores: of raw ones and probabilities, those that sum to one."""
    trusted = given.scores is not None
    found = [vector_block(v, holders, given.classes, given.scores_are, trusted=trusted) for v in vectors]
    blocks = [block for block in found if block is not None]
    for block in blocks:
        width = block.matrix.shape[1]
        if given.classes and len(given.classes) != width:
            many = f"{counted(width, 'score')} a row, but {len(given.classes)} classes are given"
            msg = f"{quoted(block.columns[0])} holds {many}."
            raise InputError(msg)
    said = [block for block in blocks if words(block.columns[0]) & PROBABILITY_WORDS]
    return best_scaled(blocks if trusted else said or [block for block in blocks if block.holders])


def _only_one(found: Sequence[Block], given: Given, table: Mapping[str, Sampled]) -> Block:
    if len(found) > 1 and given.predicted is not None:
        mine = [block for block in found if block.agreement(table[given.predicted]) > SAME]
        found = mine if len(mine) == 1 else found
    if len(found) == 1:
        return found[0]
    blocks = sorted(found, key=lambda block: block.columns)
    ways = []
    for block in blocks[:4]:
        pairs = ",".join(f"{key}={name}" for key, name in zip(block.keys, block.columns, strict=not block.vector))
        ways.append(argument("scores", block.columns[0] if block.vector else block.pattern or pairs))
    sets = " and ".join(listed(block.columns, 3) for block in blocks[:4])
    told = f"{sets} are each a set of {blocks[0].scale}: two models side by side? Judge one at a time: "
    raise DoubtfulRolesError(told, either(ways), ".")


def _require_holders(block: Block, holders: Sequence[Sampled], given: Given) -> None:
    """Refuse a block whose classes are not the labels of the truth or the decision named."""
    held = {holder.name for holder in block.holders}
    named = [name for name in (given.truth, given.predicted) if name is not None and name not in held]
    if held and not named:
        return
    if not block.vector:
        columns = dict(zip(block.keys, block.columns, strict=True))
        raise _mismatch(Template("", "", columns), [h for h in holders if h.name in named] or holders, given)
    target = _likely([h for h in holders if h.name in named] or holders)
    seen = f", and {quoted(target.name)} holds {listed(target.labels, 4)}" if target else ""
    order = [*target.labels[:_EXAMPLE]] if target else ["a", "b"]
    msg = (
        f"Column {quoted(block.columns[0])} holds {len(block.keys)} scores a row without class names{seen}. "
        "List the classes in the order of the scores, e.g. "
    )
    raise DoubtfulRolesError(msg, argument("classes", order), ".")


def _mismatch(template: Template, holders: Sequence[Sampled], given: Given) -> DoubtfulRolesError:
    spelled = sorted(template.columns, key=by_number)
    columns = [template.columns[text] for text in spelled]
    target = next((h for h in holders if h.name == given.truth), None) or _likely(holders)
    if target is None:
        return DoubtfulRolesError(
            f"No column holds the classes {listed(spelled)} of the scores. Name the truth with ", argument("truth"), "."
        )
    pairs = zip(target.labels, columns, strict=False) if len(target.labels) == len(columns) else [("CLASS", columns[0])]
    example = ",".join(f"{safe(label)}={safe(name)}" for label, name in list(pairs)[:_EXAMPLE])
    return DoubtfulRolesError(
        f"The score columns {listed(columns, 4)} name the classes {listed(spelled, 4)}, but "
        f"{quoted(target.name)} holds {listed(target.labels, 4)}. Scores are not matched by position: "
        "say which is which, e.g. ",
        argument("scores", example),
        ".",
    )


def _likely(holders: Sequence[Sampled]) -> Sampled | None:
    """Return the column a message should speak of: one named like a truth, else like a decision."""
    ranked = sorted(holders, key=lambda h: (not names_truth(h.name), not names_decision(h.name), h.name))
    return ranked[0] if ranked else None
