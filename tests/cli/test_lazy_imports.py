from __future__ import annotations

import sys
import threading
from importlib import import_module
from types import ModuleType

import pytest

from adjudge.cli.lazy_imports import lazy_imports

WHOLE = """
import time, {name}.part
from {name} import part
from {name}.part import two
try:
    from {name} import later
except ImportError:
    circular = True
time.sleep(0.02)
later = 3
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package below another, that asks for itself while it is executed."""
    name = f"lazy_imports_{tmp_path.name}"
    inner = tmp_path / name / "inner"
    inner.mkdir(parents=True)
    (inner.parent / "__init__.py").write_text("")
    (inner / "__init__.py").write_text(WHOLE.format(name=f"{name}.inner"))
    (inner / "part.py").write_text("two = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield f"{name}.inner"
    for each in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[each]


def test_a_submodule_is_imported_without_its_package(package):
    lazy_imports(package)
    assert import_module(f"{package}.part").two == 2
    assert "later" not in vars(sys.modules[package])


def test_the_package_is_whole_as_soon_as_a_name_is_asked_for(package):
    lazy_imports(package)
    part = import_module(f"{package}.part")
    whole = import_module(package)
    assert (whole.later, whole.circular, whole.part) == (3, True, part)
    assert type(whole) is ModuleType
    assert sys.modules[package] is whole
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        whole.nothing  # noqa: B018 - the access is the test


def test_its_parent_has_it(package):
    lazy_imports(package)
    parent, _, own = package.rpartition(".")
    assert getattr(sys.modules[parent], own).later == 3


def test_threads_that_ask_at_once_all_get_the_whole(package):
    lazy_imports(package)
    whole, answers = sys.modules[package], []
    threads = [threading.Thread(target=lambda: answers.append(whole.later)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [3] * 4


def test_what_is_imported_already_stays_and_what_is_absent_is_left_alone(package):
    whole = import_module(package)
    lazy_imports(package, f"{package}.absent")
    assert sys.modules[package] is whole
    assert whole.later == 3
    assert f"{package}.absent" not in sys.modules
