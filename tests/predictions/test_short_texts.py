"""Label cells of text files as dictionaries, against Arrow's own encoding."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.predictions.short_texts import LabelCells
from adjudge.stats.few_values import FEW

TEXTS = st.one_of(
    st.sampled_from(["", "no", "yes", "a", "aa", "NA", "ß", "\0", "a\0", "eight888", "nine99999"]), st.text(max_size=9)
)


def encoded(*batches, offset=0):
    encoder, texts = LabelCells(), []
    for batch in batches:
        cells = pa.array([b"before"] * offset + [text.encode() for text in batch], pa.binary()).slice(offset)
        codes = encoder.encode(cells)
        assert codes.type == pa.dictionary(pa.int32(), pa.string())
        texts.append(codes)
    return texts


@given(st.lists(st.lists(TEXTS, max_size=40), min_size=1, max_size=4), st.integers(0, 3))
def test_every_cell_keeps_its_text_whatever_came_before(batches, offset):
    assert [codes.to_pylist() for codes in encoded(*batches, offset=offset)] == batches


@settings(max_examples=30)
@given(st.lists(st.sampled_from(["b", "a", "", "long one of twelve", "dddddddd"]), min_size=1, max_size=30))
def test_texts_are_numbered_in_the_order_they_come_in_as_by_arrow(batch):
    ours = encoded(batch)[0]
    assert ours.dictionary.to_pylist() == pa.array(batch).dictionary_encode().dictionary.to_pylist()


def test_many_blocks_with_new_texts_late_are_those_of_arrow():
    rng = np.random.default_rng(3)
    batch = [f"c{i}" for i in rng.integers(0, 40, 60_000)] + [f"d{i}" for i in rng.integers(0, 3000, 60_000)]
    ours, theirs = encoded(batch)[0], pa.array(batch).dictionary_encode()
    assert ours.equals(theirs)


@pytest.mark.parametrize("n", [FEW, FEW + 1, 3 * FEW])
def test_columns_of_many_different_texts_are_left_to_arrow(n):
    batch = [f"{i}" for i in range(n)] * 2
    first, second = encoded(batch, ["one", "0"])
    assert first.to_pylist() == batch
    assert second.to_pylist() == ["one", "0"]
    assert len(second.dictionary) == (2 if n > FEW - 1 else n + 1)


@pytest.mark.parametrize("cell", [b"\xff", b"ab\xc3", b"\xff" * 12])
def test_bytes_that_are_no_text_are_refused(cell):
    with pytest.raises(pa.ArrowInvalid, match=r"(?i)utf"):
        LabelCells().encode(pa.array([b"no", cell], pa.binary()))


def test_no_cells_have_no_texts():
    assert encoded([])[0].to_pylist() == []
    assert encoded([], [""])[1].to_pylist() == [""]
