"""Array aliases, the one way to make an array safe to share, random generators, work done on threads, and the memory there is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from adjudge._base.arguments import parameter, wording
from adjudge._base.errors import InputError

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
AnyArray: TypeAlias = npt.NDArray[Any]

BLOCK = 1 << 16  # rows worked on at a time: the temporaries of one block stay in the processor's cache
STREAMED = 1 << 17  # rows of a file worked on at a time: enough that two threads seldom wait for the interpreter


def frozen(values: npt.ArrayLike, dtype: npt.DTypeLike = np.float64) -> AnyArray:
    """Return a read-only copy of `values`."""
    copy = np.array(values, dtype=dtype)
    copy.setflags(write=False)
    return copy


def blocks(rows: int, columns: int = 1) -> Iterator[slice]:
    """Yield slices of rows whose numbers fit a processor's cache."""
    step = max(BLOCK // columns, 1)
    for start in range(0, rows, step):
        yield slice(start, start + step)


def as_array(values: Any, name: str) -> AnyArray:
    """Return `values` as an array, or refuse rows of different lengths."""
    try:
        return np.asarray(values)
    except ValueError as error:
        msg = " must be one array; got rows of different lengths. Give one value per row, or rows of one length."
        raise InputError(parameter(name), msg) from error


def counts_cases(weight: AnyArray | None) -> bool:
    """Return whether rows count cases: one each without weights, or as many each as whole numbers say; other weights weigh."""
    return weight is None or weight.dtype.kind == "i"


def generator(rng: Any) -> np.random.Generator:
    """Return a source of chance for a seed or a generator, refusing what is neither."""
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        msg = wording(parameter("rng"), f" must be a seed, a whole number of at least 0, or a numpy Generator; got {rng!r}.")
        raise InputError(msg) from error


T = TypeVar("T")


def ahead(items: Iterator[T]) -> Iterator[T]:
    """Yield items, the next of which is made while one is worked on."""
    with ThreadPoolExecutor(1) as pool:
        coming: Future[T | None] = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


def most_memory(root: Path = Path("/")) -> int | None:
    """Return how many bytes of memory this process can have at most, with those it has; None where the system does not say.

    Linux says it: what is free, now or by swapping, its group's limits (cgroups 1 and 2) and that of its address space.
    """
    if sys.platform != "linux":
        return None
    import resource  # which not every system has

    amounts, limits = {}, []
    with suppress(OSError):  # as where /proc is not mounted
        lines = (line.split() for line in (root / "proc/meminfo").read_text().splitlines())
        amounts = {name: int(rest[0]) << 10 for name, *rest in lines if rest}
        own = int((root / "proc/self/statm").read_text().split()[1]) * resource.getpagesize()
        limits += [amounts["MemAvailable:"] + own] if "MemAvailable:" in amounts else []
        for line in (root / "proc/self/cgroup").read_text().splitlines():
            limits += _limits_of_group(root / "sys/fs/cgroup", *line.split(":", 2)[1:])
    swapped = min(limits) + amounts.get("SwapFree:", 0) if limits else None
    space = resource.getrlimit(resource.RLIMIT_AS)[0]
    return min((most for most in (swapped, None if space == resource.RLIM_INFINITY else space) if most is not None), default=None)


def _limits_of_group(mounted: Path, kinds: str, name: str) -> Iterator[int]:
    """Yield the limits of memory of a control group and of those it lies in, as far as they are to be seen."""
    if kinds and "memory" not in kinds.split(","):
        return
    file = "memory.limit_in_bytes" if kinds else "memory.max"
    top = mounted / "memory" if kinds else mounted
    group = top / name.lstrip("/")
    for folder in (group, *group.parents):
        if folder.is_relative_to(top):
            with suppress(OSError):  # a container sees its own group only, and the topmost one has no limit
                limit = (folder / file).read_text().strip()
                yield from [int(limit)] if limit.isdigit() else []
