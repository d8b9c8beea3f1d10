"""Texts as 64-bit numbers that follow from their bytes alone, a column of millions of different ones in a second.

Two lanes take the bytes eight at a time, each mixed as SplitMix64 does (Steele, Lea and Flood 2014, OOPSLA), and are joined.
Different texts have the same number about once in 2**64 pairs. The numbers keep no secret: whoever can list the texts that may
occur can number them all.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from adjudge._base.arrays import AnyArray

_WORD = 8  # bytes taken at a time
_SEEDS = 0x243F6A8885A308D3, 0x13198A2E03707344  # digits of pi
_ODD = 0xD6E8FEB86659FD93
_GOLDEN = 0x9E3779B97F4A7C15


def text_numbers(texts: pa.Array) -> AnyArray:
    """Return the number of each text of an array of strings or bytes; that of a missing one is any."""
    size, wide = len(texts), np.dtype(np.int64 if texts.type in (pa.large_string(), pa.large_binary()) else np.int32)
    if not size:
        return np.zeros(0, dtype=np.uint64)
    _, ends, data = texts.buffers()
    offsets = np.frombuffer(ends, dtype=wide)[texts.offset : texts.offset + size + 1].astype(np.int64)
    first, last = int(offsets[0]), int(offsets[-1])
    held = np.zeros(last - first + _WORD, dtype=np.uint8)
    if last > first:
        held[: last - first] = np.frombuffer(data, dtype=np.uint8)[first:last]
    words = np.ndarray(held.size - _WORD + 1, dtype="<u8", buffer=held.data, strides=(1,))  # one begins at every byte
    starts, lengths = offsets[:-1] - first, np.diff(offsets)
    one, other = (mixed(lengths.astype(np.uint64) ^ np.uint64(seed)) for seed in _SEEDS)
    for begin in range(0, int(lengths.max()), _WORD):
        rows = slice(None) if lengths.min() > begin else np.flatnonzero(lengths > begin)
        left = lengths[rows] - begin
        word = words[starts[rows] + begin]
        word &= np.uint64(2**64 - 1) >> (np.maximum(_WORD - left, 0) * _WORD).astype(np.uint64)
        one[rows] = mixed(one[rows] ^ word)
        other[rows] = mixed(other[rows] + word * np.uint64(_ODD))
    return mixed(one ^ (other << np.uint64(32) | other >> np.uint64(32)))


def mixed(numbers: AnyArray) -> AnyArray:
    """Return numbers of 64 bits without the pattern of others (SplitMix64)."""
    own = numbers + np.uint64(_GOLDEN)
    own = (own ^ (own >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    own = (own ^ (own >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(own ^ (own >> np.uint64(31)))
