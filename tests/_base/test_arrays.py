"""Arrays that are safe to share, seeds that are refused, and items made ahead of time."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge import InputError
from adjudge._base.arrays import ahead, frozen, generator, most_memory


def test_a_frozen_array_is_a_copy_that_cannot_be_written():
    values = np.arange(3.0)
    kept = frozen(values)
    values[0] = 9
    assert kept.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="read-only"):
        kept[0] = 1


@pytest.mark.parametrize("seed", [-1, "x", 0.5])
def test_what_is_no_seed_is_refused(seed):
    with pytest.raises(InputError, match="rng must be a seed"):
        generator(seed)


def test_a_generator_is_taken_as_it_is():
    rng = np.random.default_rng(1)
    assert generator(rng) is rng


def test_items_come_in_order_and_errors_where_they_happen():
    def items():
        yield from (1, 2)
        msg = "third"
        raise RuntimeError(msg)

    coming = ahead(items())
    assert [next(coming), next(coming)] == [1, 2]
    with pytest.raises(RuntimeError, match="third"):
        next(coming)


FREE = {
    "proc__meminfo": "MemTotal: 9000 kB\nMemAvailable: 1000 kB\nSwapFree: 100 kB\nHugePages_Total: 0\n",
    "proc__self__statm": "50 10 5 1 0 5 0\n",
    "proc__self__cgroup": "4:memory,cpu:/a/b\n3:pids:/a\n0::/c\n",
}


class TestMostMemory:
    """The least of what is free, what the group of the process may have and the limit of its address space."""

    @pytest.fixture
    def system(self, tmp_path, monkeypatch):
        monkeypatch.setattr("sys.platform", "linux")
        resource = pytest.importorskip("resource")
        monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
        monkeypatch.setattr(resource, "getpagesize", lambda: 4096)

        def system(**files):
            for name, text in files.items():
                path = tmp_path / name.replace("__", "/").replace("_of_", ".")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return tmp_path

        return system

    def test_what_is_free_and_what_it_has(self, system):
        assert most_memory(system(**FREE)) == 1100 * 1024 + 10 * 4096

    @pytest.mark.parametrize(
        ("file", "text", "most"),
        [
            ("sys__fs__cgroup__memory_of_max", "5000\n", 5000),
            ("sys__fs__cgroup__c__memory_of_max", "6000\n", 6000),
            ("sys__fs__cgroup__c__memory_of_max", "max\n", None),
            ("sys__fs__cgroup__other__memory_of_max", "7000\n", None),
            ("sys__fs__cgroup__memory__a__memory_of_limit_in_bytes", "8000\n", 8000),
            ("sys__fs__cgroup__memory__a__b__memory_of_limit_in_bytes", "9223372036854771712\n", None),
        ],
    )
    def test_limits_of_groups_beside_swap(self, system, file, text, most):
        free = most_memory(system(**FREE))
        assert most_memory(system(**{file: text})) == (free if most is None else most + 100 * 1024)

    def test_the_limit_of_the_address_space(self, system, monkeypatch):
        monkeypatch.setattr("resource.getrlimit", lambda _: (4321, -1))
        assert most_memory(system(**FREE)) == 4321

    def test_a_system_that_does_not_say(self, system, monkeypatch):
        assert most_memory(system()) is None
        monkeypatch.setattr("sys.platform", "darwin")
        assert most_memory(system(**FREE)) is None
