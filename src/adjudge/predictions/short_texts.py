"""Label cells of text files as Arrow dictionaries: short texts are told apart by their bytes, without hashing each.

A label of up to eight bytes is one number of 64 bits, looked up in a small table: 6 to 11 ns a cell, where Arrow's hashing of
strings takes 20. Columns of long or of many different texts, such as identities, are left to Arrow.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import AnyArray, IntArray
from adjudge.stats.few_values import FEW, Lookup

_BYTES = 8  # of the longest short text
_BLOCK = 1 << 14  # cells worked on at a time, so that they stay in the processor's nearest caches
_MASKS = np.array([(1 << (8 * n)) - 1 for n in range(_BYTES + 1)], dtype=np.uint64)  # of the bytes of so long a text


class LabelCells:
    """The different texts of one column, in the order they came in."""

    def __init__(self) -> None:
        self._keys = np.empty(0, dtype=np.uint64)
        self._texts = pa.array([], pa.string())
        self._short = True

    def encode(self, cells: pa.BinaryArray) -> pa.DictionaryArray:
        """Return cells as a dictionary array of texts; raise ArrowInvalid where some are not UTF-8."""
        codes = self._coded(cells) if self._short and len(cells) else None
        if codes is None:
            self._short = False
            return cells.cast(pa.string()).dictionary_encode()
        return pa.DictionaryArray.from_arrays(pa.array(codes), self._texts)

    def _coded(self, cells: pa.BinaryArray) -> AnyArray | None:
        """Return the place of each cell among the texts; None where they are long or many, or hold the byte 0."""
        _, at, held = cells.buffers()
        offsets = np.frombuffer(at, np.int32)[cells.offset : cells.offset + len(cells) + 1]
        data = np.frombuffer(held, np.uint8)[: offsets[-1]] if held is not None else np.empty(0, np.uint8)
        if np.diff(offsets).max() > _BYTES or np.count_nonzero(data[offsets[0] :]) < data.size - offsets[0]:
            return None
        codes = np.empty(len(cells), dtype=np.int32)
        table = Lookup(self._keys) if self._keys.size else None
        for start in range(0, codes.size, _BLOCK):
            keys = _keys(data, offsets[start : start + _BLOCK + 1].astype(np.int64))
            places = None if table is None else table.places(keys)
            if places is None:  # some are new
                if not self._learn(keys, cells, start):
                    return None
                table = Lookup(self._keys)
                places = table.places(keys)
                assert places is not None
            codes[start : start + keys.size] = places
        return codes

    def _learn(self, keys: AnyArray, cells: pa.BinaryArray, start: int) -> bool:
        """Remember the new texts of a block that begins at `start`; return whether all are still few."""
        distinct, first = np.unique(keys, return_index=True)
        new = np.sort(first[~np.isin(distinct, self._keys)])
        if self._keys.size + new.size > FEW:
            return False
        self._keys = np.append(self._keys, keys[new])
        self._texts = pa.concat_arrays([self._texts, cells.take(pa.array(start + new)).cast(pa.string())])
        return True


def _keys(data: AnyArray, offsets: IntArray) -> AnyArray:
    """Return the bytes of each text as one number, the first byte lowest."""
    starts, lengths = offsets[:-1], np.diff(offsets)
    keys = np.zeros(lengths.size, dtype=np.uint64)
    for i in range(int(lengths.max())):
        keys |= data.take(starts, mode="clip").astype(np.uint64) << np.uint64(8 * i)  # what lies beyond a text is masked below
        starts += 1
    keys &= _MASKS.take(lengths)
    return keys
