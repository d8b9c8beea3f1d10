"""What every other package may rely on; knows nothing of them. Arrays, files and progress are asked for by module."""

from adjudge._base.arguments import (
    Argument,
    Part,
    Source,
    Wording,
    argument,
    command,
    either,
    parameter,
    switch,
    together,
    wording,
)
from adjudge._base.errors import AdjudgeError, DoubtfulRolesError, InputError
from adjudge._base.findings import Finding
from adjudge._base.levels import check_whole, checked_level, honest, share
from adjudge._base.records import dataclass, field, fields, replace
from adjudge._base.show import Shown, as_html, plain
from adjudge._base.text import counted, first_few, left_to_right, listed, probable, quoted, safe, spelt_apart, unlinked
from adjudge._base.undefined import Undefined, ratio

VERSION = "0.1.0"
__all__ = [
    "VERSION", "AdjudgeError", "Argument", "DoubtfulRolesError", "Finding", "InputError", "Part", "Shown", "Source",
    "Undefined", "Wording", "argument", "as_html", "check_whole", "checked_level", "command", "counted", "dataclass",
    "either", "field", "fields", "first_few", "honest", "left_to_right", "listed", "parameter", "plain", "probable", "quoted",
    "ratio", "replace", "safe", "share", "spelt_apart", "switch", "together", "unlinked", "wording",
]  # fmt: skip
