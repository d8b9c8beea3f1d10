"""A correction as a small JSON file, to be kept, read by people and applied elsewhere.

The file holds numbers and labels, never code: reading one that somebody else wrote can be refused, but cannot do anything.
Labels keep their type, because 1, True and "1" are different classes. What is unknown - a key, a kind, a later version - is
refused rather than passed over, since a correction applied by half is worse than none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from adjudge._base.errors import InputError
from adjudge._base.files import write_whole
from adjudge._base.show import plain
from adjudge._base.text import quoted, safe
from adjudge.corrections import stored
from adjudge.corrections.class_numbers import REJECTED
from adjudge.corrections.multipliers import Multipliers
from adjudge.corrections.priors import PriorShift
from adjudge.corrections.rejection import Rejection

Correction: TypeAlias = Multipliers | PriorShift | Rejection

FORMAT, VERSION = "adjudge correction", 1
LARGEST = 1 << 26
"""Bytes a file may have."""
_KEYS = ("format", "version", "kind", "classes", "rule", "findings")


def save_correction(correction: Correction, path: str | os.PathLike[str]) -> Path:
    """Write a correction as a JSON file, whole or not at all.

    Parameters
    ----------
    correction : Multipliers, PriorShift or Rejection
        What :func:`adjudge.fit_multipliers`, :func:`adjudge.fit_rejection`, :func:`adjudge.chow` or a shift of priors gave. A
        rule of least expected cost is a `Rejection` of kind "costs".
    path : path
        Where to write.

    The file keeps the rule, the classes with their types, the rates on the cases it was fitted to and the findings; the table of
    those cases is left out.
    """
    kind = next((name for name, (made, _, _) in _KINDS.items() if isinstance(correction, made)), None)
    if kind is None:
        msg = f"A correction is Multipliers, a PriorShift or a Rejection; got {type(correction).__name__}."
        raise InputError(msg)
    if correction.classes is None:
        msg = "This shift does not name its classes; whose priors are these? Pass PriorShift(..., classes=[...])."
        raise InputError(msg)
    classes = [stored.typed(label) for label in correction.classes]
    stored.check_apart(correction.classes)
    told = {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "classes": classes,
        "rule": _KINDS[kind][1](correction),
        "findings": [plain(finding) for finding in getattr(correction, "findings", ())],
    }
    lines = (f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=True, allow_nan=False)}" for key, value in told.items())
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    if len(text) > LARGEST:
        msg = (
            f"The correction takes {len(text):,} bytes, and files of more than {LARGEST:,} are not read again. Join rare classes."
        )
        raise InputError(msg)
    return write_whole(path, text, such_as="correction.json")


def load_correction(path: str | os.PathLike[str]) -> Correction:
    """Read a correction that :func:`adjudge.save_correction` wrote; anything else is refused.

    The correction applies as the one that was saved, to the last digit. It is plain data: nothing in the file is ever run.
    """
    if not isinstance(path, (str, os.PathLike)):
        msg = f"A correction is read from a path; got {type(path).__name__}."
        raise InputError(msg)
    name = quoted(Path(path).name or os.fspath(path))
    try:
        return _understood(strict_json(Path(path)))
    except InputError as error:
        msg = f"{name} is no correction that can be used: {error} Give a file written by `adjudge correct fit`."
        raise InputError(msg) from error
    except (OSError, ValueError) as error:  # a path may hold what no path can
        msg = f"Cannot read the correction {name}: {getattr(error, 'strerror', None) or safe(error)}."
        raise InputError(msg) from error
    except RecursionError as error:
        msg = f"{name} is no correction that can be used: its brackets are nested too deeply."
        raise InputError(msg) from error


def strict_json(path: Path) -> Any:
    """Return what a file of strict JSON says: a plain file of bounded size, no NaN, no key twice."""
    if path.exists() and not path.is_file():
        msg = "it is no plain file."
        raise InputError(msg)
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        msg = f"it has more than {LARGEST:,} bytes."
        raise InputError(msg)
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, endless digits, endless brackets
        msg = "it is not JSON."
        raise InputError(msg) from error


def read_costs(path: str | os.PathLike[str]) -> Any:
    """Return the costs in a file of strict JSON: {true: {decided: cost}}, with "REJECTED" for no decision, or a table."""
    try:
        told = strict_json(Path(path))
    except OSError as error:
        msg = f"Cannot read the costs {safe(path)}: {error.strerror}."
        raise InputError(msg) from error
    except InputError as error:
        msg = f"{safe(path)} holds no costs: {error}"
        raise InputError(msg) from error
    if not isinstance(told, dict):
        return told
    word = str(REJECTED)
    return {
        true: {REJECTED if key == word else key: cost for key, cost in row.items()} if isinstance(row, dict) else row
        for true, row in told.items()
    }


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        msg = "it says the same thing twice."
        raise InputError(msg)
    return found


def _no_number(text: str) -> Any:
    msg = f"it holds {safe(text)}, which is no number."
    raise InputError(msg)


def _understood(told: Any) -> Correction:
    whole = told if isinstance(told, Mapping) else {}
    if whole.get("format") != FORMAT:
        msg = f'"format" is not {FORMAT!r}.'
        raise InputError(msg)
    if type(whole.get("version")) is not int or whole["version"] != VERSION:
        msg = f"it is of version {safe(whole.get('version'))}, and this adjudge knows version {VERSION}."
        raise InputError(msg)
    stored.exactly(whole, _KEYS, "the file")
    kind = whole["kind"]
    if not isinstance(kind, str) or kind not in _KINDS:
        msg = f"it is of kind {quoted(kind)}; known are {', '.join(_KINDS)}."
        raise InputError(msg)
    _, _, read = _KINDS[kind]
    return read(whole["rule"], stored.labels(whole["classes"]), stored.findings(whole["findings"]))


_KINDS: dict[str, tuple[type[Any], Callable[[Any], dict[str, Any]], Callable[..., Correction]]] = {
    "multipliers": (Multipliers, stored.of_multipliers, stored.multipliers),
    "priors": (PriorShift, stored.of_shift, stored.shift),
    "rejection": (Rejection, stored.of_rejection, stored.rejection),
}
