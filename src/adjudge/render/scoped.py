"""The look of one picture among other people's words: the rules of the page that it needs, and none that reach beyond it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from adjudge.plots import style

WRAPPER = "adjudge"
"""The class that all rules stay within."""
_DARK = "prefers-color-scheme:dark"
_LIGHT_THEMES = "[data-jp-theme-light=true],[data-vscode-theme-kind=vscode-light]"
_DARK_THEMES = "[data-jp-theme-light=false],[data-vscode-theme-kind=vscode-dark]"
_PROPERTIES = re.compile(r"(fill|stroke|font|paint-order|opacity|dominant-baseline|--)[\w-]*|display:none")
_SELECTOR = re.compile(r"(svg|text|line|rect|path|circle|g)?((\.[\w-]+)*)")
_SHEET = re.compile(r"([^{}]+)\{((?:[^{}]|\{[^{}]*\})*)\}")


def look(markup: str) -> str:
    """Return the rules for what `markup` draws: on light paper, and on dark where the reader's system or notebook has it."""
    used = _classes(markup)
    copied = {name for symbol in re.findall(r"<g id=.*?</g>", markup, re.DOTALL) for name in _classes(symbol)}
    light, dark = (list(_wanted(rules, used)) for rules in _rules())
    by_system = _set(dark, f"body:not({_LIGHT_THEMES}) .{WRAPPER}", copied)
    by_notebook = _set(dark, f"body:is({_DARK_THEMES}) .{WRAPPER}", copied)
    return f"{_own()}{_set(light, f'.{WRAPPER}', copied)}@media screen and ({_DARK}){{{by_system}}}{by_notebook}"


def _classes(markup: str) -> set[str]:
    return {name for names in re.findall(r'class="([^"]*)"', markup) for name in names.split()}


def _set(rules: list[tuple[str, str]], within: str, copied: set[str]) -> str:
    return "".join(f"{_within(selector, within, copied)}{{{body}}}" for selector, body in rules)


def _within(selector: str, within: str, copied: set[str]) -> str:
    """Return a selector that reaches what is within only; copies of symbols are in nothing that a selector could see."""
    if selector == ":root":
        return within
    return selector if selector.removeprefix(".") in copied else f"{within} {selector}"


def _wanted(rules: tuple[tuple[str, str], ...], used: set[str]) -> Iterator[tuple[str, str]]:
    for selectors, body in rules:
        if all(_PROPERTIES.fullmatch(each.split(":")[0]) or _PROPERTIES.fullmatch(each) for each in body.split(";") if each):
            for selector in selectors.split(","):
                if selector == ":root" or _speaks_of(selector, used):
                    yield selector, body


def _speaks_of(selector: str, used: set[str]) -> bool:
    """Tell whether a selector names shapes of a picture only, and classes that are there."""
    parts = [_SELECTOR.fullmatch(part) for part in selector.split()]
    return all(part is not None and set(part[2].split(".")[1:]) <= used for part in parts)


@cache
def _rules() -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
    """Return the rules of the page as (selectors, body), first for light paper, then those that differ on dark paper."""
    sheet = style.css() + "".join(map(_file, ("page.css", "sliders.css"))).replace("FONTS", style.FONTS)
    light: list[tuple[str, str]] = []
    dark: list[tuple[str, str]] = []
    for selector, body in _SHEET.findall(re.sub(r"/\*.*?\*/|\n", "", sheet)):
        if _DARK in selector.replace(" ", ""):
            dark += _SHEET.findall(body)
        elif not selector.startswith("@"):
            light.append((selector, body))
    return tuple(light), tuple(dark)


@cache
def _own() -> str:
    return _file("notebook.css").replace("\n", "")


def _file(name: str) -> str:
    return files("adjudge.render").joinpath("templates", name).read_text(encoding="utf-8")
