"""Work done beside other work: NumPy and Arrow let go of the interpreter while they compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

T = TypeVar("T")


def ahead(items: Iterator[T]) -> Iterator[T]:
    """Yield items, the next of which is made while one is worked on."""
    with ThreadPoolExecutor(1) as pool:
        coming: Future[T | None] = pool.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = pool.submit(next, items, None)
            yield item


class InTurn:
    """Calls made in another thread, one after the other in the order given; at most one waits.

    What a call raises is raised by the next one, or at the end of the ``with`` block.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._last: Future[Any] | None = None

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._wait()
        self._last = self._pool.submit(function, *arguments)

    def _wait(self) -> None:
        if self._last is not None:
            self._last.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown()
        if kind is None:
            self._wait()
