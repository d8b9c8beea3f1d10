"""What is to be learnt, and what makes two runs the same run: data, learner, plan, seed and versions."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CellType
from typing import Any

import numpy as np

from adjudge._base import VERSION, InputError, counted, listed, parameter, quoted, safe
from adjudge._base.arrays import AnyArray, as_array
from adjudge.predictions.labels import LARGEST_EXACT, text_of
from adjudge.resampling.learner import Job

MOST_SHARE = 0.5  # share of different values from which on whole numbers are no classes
_SHOWN = 12  # digits of a hash that a reader compares
_MOST_SEED = 1 << 128
_TWO = 2


def identity(job: Job) -> dict[str, Any]:
    """Return what a run is, as plain data whose every difference has a name; modules without a version are told by their code."""
    versions = {"adjudge": VERSION, "scikit-learn": version("scikit-learn"), "numpy": version("numpy")}
    for module in imports_of(job.learner):
        package = module.partition(".")[0]
        if package == "sklearn" or package in sys.stdlib_module_names:
            continue
        if (known := installed_version(package)) is not None:
            versions[package] = known
        elif (code := _code(sys.modules.get(module))) is not None:
            versions[f"the code of {module}"] = code
    return {
        "data": digest(job.X, job.y),
        "learner": described(job.learner),
        "plan": job.plan.fingerprint,
        "seed": job.seed,
        "scores": job.scores,
        "versions": versions,
    }


def installed_version(package: str) -> str | None:
    """Return the version a package was installed with, or the one it names itself, e.g. where it was not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        named = getattr(sys.modules.get(package), "__version__", None)
        return None if named is None else str(named)


def imports_of(learner: Any) -> tuple[str, ...]:
    """Return the modules where the learner, the learners in it and what they inherit from are defined."""
    parts = [learner]
    if hasattr(learner, "get_params") and not isinstance(learner, type):
        parts += [value for value in learner.get_params(deep=True).values() if hasattr(value, "get_params")]
    named = dict.fromkeys(base.__module__ for part in parts for base in type(part).__mro__)
    return tuple(name for name in named if name not in {"__main__", "builtins"})


def is_identity(told: Mapping[str, Any]) -> bool:
    """Return whether plain data, whoever wrote them, say what a run is as :func:`identity` does."""
    texts = all(isinstance(told.get(name), str) for name in ("data", "plan", "scores"))
    versions, seed = told.get("versions"), told.get("seed")
    named = isinstance(versions, dict) and all(isinstance(each, str) for each in versions.values())
    return texts and named and "learner" in told and type(seed) is int and 0 <= seed < _MOST_SEED


def differences(then: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Say in words in which respects two runs are not the same."""
    reasons = []
    if then["data"] != now["data"]:
        reasons.append(f"the data differ (SHA-256 {safe(then['data'][:_SHOWN])}, now {now['data'][:_SHOWN]})")
    if then["learner"] != now["learner"]:
        reasons.append(f"the learner differs ({_told(then['learner'], now['learner'])})")
    if then["seed"] != now["seed"]:
        reasons.append(f"the seed was {then['seed']}, now {now['seed']}")
    elif then["plan"] != now["plan"]:
        reasons.append(f"the plan differs (fingerprint {safe(then['plan'][:_SHOWN])}, now {now['plan'][:_SHOWN]})")
    if then["scores"] != now["scores"]:
        reasons.append(f"scores were asked for as {quoted(then['scores'])}, now {now['scores']!r}")
    for name, current in now["versions"].items():
        if (kept := then["versions"].get(name)) != current:
            reasons.append(f"{name} was {safe(kept)}, now {current}")
    return reasons


def _told(then: Any, now: Any, name: str = "") -> str:
    """Return the first respect in which two descriptions of learners differ."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in dict.fromkeys([*then, *now]):
            if then.get(key) != now.get(key):
                return _told(then.get(key), now.get(key), f"{name}.{key}" if name else str(key))
    return f"{safe(name.replace('params.', '') or 'it')} was {safe(then)}, now {safe(now)}"


def described(value: Any) -> Any:
    """Return a learner or one of its parameters as plain data: what it is, what it was given, the code it is made of."""
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    if isinstance(value, dict):
        return {str(key): described(item) for key, item in value.items()}
    if hasattr(value, "get_params") and not isinstance(value, type):
        params = {name: described(given) for name, given in sorted(value.get_params(deep=False).items())}
        return {"class": _named(type(value)), "code": _code(type(value)), "params": params}
    if callable(value) and hasattr(value, "__qualname__"):
        # Beside its code a function carries its defaults, what it closed over and the object it is bound to. Functions among
        # these are told by their code alone, since they may hold one another.
        cells = [cell.cell_contents for cell in getattr(value, "__closure__", None) or () if cell != CellType()]
        bound = getattr(value, "__self__", None)
        defaults = [getattr(value, "__defaults__", None), getattr(value, "__kwdefaults__", None)]
        parts = [*defaults, *cells, None if inspect.ismodule(bound) or isinstance(bound, type) else bound]
        holds = [_code(part) if inspect.isroutine(part) else described(part) for part in parts]
        return {"callable": _named(value), "code": _code(value), "holds": holds}
    return {"class": _named(type(value)), "code": _code(type(value)), "content": digest(value)}


def _named(kind: Any) -> str:
    return f"{getattr(kind, '__module__', '')}.{kind.__qualname__}"


def _code(what: Any) -> str | None:
    """Return a hash of the module that defines `what`; of `what` alone where the module is a script or a notebook."""
    try:
        if not inspect.ismodule(what) and getattr(what, "__module__", "__main__") == "__main__":
            parts = [kind for kind in what.__mro__ if kind.__module__ == "__main__"] if isinstance(what, type) else [what]
            source = "".join(map(inspect.getsource, parts)).encode()
        else:
            source = Path(inspect.getsourcefile(what) or "").read_bytes()
    except (OSError, TypeError):  # made at a prompt, or compiled
        return None
    return hashlib.sha256(source).hexdigest()[:_SHOWN]


def digest(*values: Any) -> str:
    """Return the SHA-256 of arrays, sparse matrices, frames or whatever else the data are."""
    total = hashlib.sha256()
    for value in values:
        _add(total, value)
    return total.hexdigest()


def _add(total: Any, value: Any) -> None:
    from scipy import sparse

    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        total.update(f"{value.dtype.str} {value.shape};".encode())
        total.update(np.ascontiguousarray(value).data if value.size else b"")
    elif sparse.issparse(value) and value.format in {"csr", "csc"}:
        total.update(f"{value.format} {value.shape};".encode())
        for part in (value.data, value.indices, value.indptr):
            _add(total, part)
    else:
        import joblib

        # joblib goes through every part of an object; frames and lists give the same hash in another process
        total.update(f"{_named(type(value))} {joblib.hash(value, hash_name='sha1')};".encode())


def row_count(X: Any) -> int:
    """Return how many rows there are, whatever holds them."""
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape):
        return int(shape[0])
    if shape is not None or not hasattr(X, "__len__") or isinstance(X, (str, bytes, Mapping, AbstractSet)):
        raise InputError(parameter("X"), f" must be a table with one row per case; got {type(X).__name__}.")
    return len(X)


def numbers_of(y: Any) -> AnyArray:
    """Return a numeric target, refusing what is not a finite number per case."""
    values = _flat(y)
    if values.dtype.kind not in "iufb" or not np.all(np.isfinite(values)):
        kind = f"type {values.dtype}" if values.dtype.kind not in "iufb" else "missing or infinite numbers"
        msg = f"The learner predicts numbers, but y holds {kind}; give one finite number per case."
        raise InputError(msg)
    return values.astype(np.float64)


def classes_of(y: Any) -> tuple[AnyArray, tuple[Any, ...]]:
    """Return the labels as one array and the classes, sorted; refuse missing labels and what cannot be a label."""
    values = _flat(y)
    gone = lacking(values)
    if gone.any():
        msg = f" lacks a label in {counted(int(gone.sum()), 'row')} (first: row {int(np.argmax(gone))}); leave those rows out."
        raise InputError(parameter("y"), msg)
    if values.dtype.kind not in "biufU":  # of types that learners do not take or take for something else
        held = {"str" if isinstance(v, str) else type(v).__name__ for v in values.tolist()} if values.dtype.kind == "O" else set()
        kinds = sorted(held) or [str(values.dtype)]
        if len(kinds) > 1:
            msg = f" mixes labels of types {', '.join(kinds)}; give labels of one type, e.g. all as text."
            raise InputError(parameter("y"), msg)
        if kinds != ["str"]:
            size = " of more than 64 bits" if kinds == ["int"] else ""
            text = "label.decode()" if "S" in values.dtype.str or kinds == ["bytes"] else "str(label)"
            msg = f" holds labels of type {kinds[0]}{size}; give numbers, truth values or text, e.g. [{text} for label in y]."
            raise InputError(parameter("y"), msg)
    classes = np.unique(values)
    if values.dtype.kind == "f" and np.any(classes != np.floor(classes)):
        msg = "The learner predicts classes, but y holds fractions. Give labels, or a learner of numbers (a regressor)."
        raise InputError(msg)
    if values.dtype.kind == "f" and np.abs(classes).max() >= LARGEST_EXACT:
        odd = classes[np.argmax(np.abs(classes))]
        msg = f" holds the label {odd:g}: from 2^53 on floating point does not distinguish whole numbers. Give integers or text."
        raise InputError(parameter("y"), msg)
    if classes.size < _TWO:
        raise InputError(parameter("y"), f" holds one class only, {listed(classes.tolist())}; there is nothing to predict.")
    if len({text_of(label) for label in classes.tolist()}) < classes.size:
        msg = f"Two classes are written alike among {listed(classes.tolist())}; rename one of them."
        raise InputError(msg)
    return values, tuple(classes.tolist())


def are_classes(y: Any) -> bool:
    """Return whether a target looks like classes rather than numbers, for plans made without a learner."""
    values = _flat(y)
    if values.dtype.kind not in "iuf":
        return True
    if values.dtype.kind == "f" and np.any(values != np.floor(values)):
        return False
    return np.unique(values).size <= max(_TWO, MOST_SHARE * values.size)


def _flat(y: Any) -> AnyArray:
    """Return the target as an array of one value per case, numbers as numbers whatever they came in."""
    hidden = int(np.ma.getmaskarray(y).sum()) if isinstance(y, np.ma.MaskedArray) else 0
    if hidden:
        raise InputError(parameter("y"), f" is masked in {counted(hidden, 'row')}; leave those rows out.")
    values = as_array(y, "y")
    if values.ndim == _TWO and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        msg = f" must have one value per case; got shape {values.shape}. Evaluate one target at a time."
        raise InputError(parameter("y"), msg)
    if not values.size:
        raise InputError(parameter("y"), " is empty; give one value per case.")
    if values.dtype == np.longdouble:
        return values.astype(np.float64)
    if values.dtype.kind != "O":
        return values
    kinds = {type(v) for v in values.tolist()}
    if not all(issubclass(kind, (bool, int, float, np.bool, np.integer, np.floating)) for kind in kinds):
        return values
    made = np.array(values.tolist())
    whole = all(issubclass(kind, (int, np.integer)) for kind in kinds)
    return values if whole and made.dtype.kind not in "biu" else made  # beyond 64 bits they are not numbers a learner can take


def lacking(values: AnyArray) -> AnyArray:
    """Tell where a value is missing: None, NaN, or pandas' NA, which is neither like nor unlike itself."""
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.size, dtype=bool)
    missing = np.ones(values.size, dtype=bool)
    for at, value in enumerate(values.tolist()):
        with suppress(ArithmeticError):  # of a Decimal that may not even be compared
            unlike = value is None or value != value  # noqa: PLR0124 - NaN is unlike itself
            missing[at] = bool(unlike) if isinstance(unlike, (bool, np.bool)) else True
    return missing
