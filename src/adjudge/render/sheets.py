"""Style sheets: that of the page, and for one picture among other people's words the rules of it that the picture needs."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from adjudge.plots import style

WRAPPER = "adjudge"  # the class that all rules stay within
_DARK = "prefers-color-scheme:dark"
_LIGHT_THEMES = "[data-jp-theme-light=true],[data-vscode-theme-kind=vscode-light]"
_DARK_THEMES = "[data-jp-theme-light=false],[data-vscode-theme-kind=vscode-dark]"
_PROPERTIES = re.compile(r"(fill|stroke|font|paint-order|opacity|dominant-baseline|--)[\w-]*|display:none")
_SELECTOR = re.compile(r"(svg|text|line|rect|path|circle|g)?((\.[\w-]+)*)")
_SHEET = re.compile(r"([^{}]+)\{((?:[^{}]|\{[^{}]*\})*)\}")


@cache
def template(name: str) -> str:
    """Return a file of the templates' folder."""
    return files("adjudge.render").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def sheet() -> str:
    """Return the style sheet of a page."""
    return style.css() + "".join(map(template, ("page.css", "sliders.css"))).replace("FONTS", style.FONTS)


def look(markup: str) -> str:
    """Return the rules for what `markup` draws: on light paper, and on dark where the reader's system or notebook has it."""
    used = _classes(markup)
    copied = {name for symbol in re.findall(r"<g id=.*?</g>", markup, re.DOTALL) for name in _classes(symbol)}
    light, dark = ([rule for rule in rules if _wanted(rule[0], used)] for rules in _rules())
    own = template("notebook.css").replace("\n", "")
    by_system = _set(dark, f"body:not({_LIGHT_THEMES}) .{WRAPPER}", copied)
    by_notebook = _set(dark, f"body:is({_DARK_THEMES}) .{WRAPPER}", copied)
    return f"{own}{_set(light, f'.{WRAPPER}', copied)}@media screen and ({_DARK}){{{by_system}}}{by_notebook}"


def _classes(markup: str) -> set[str]:
    return {name for names in re.findall(r'class="([^"]*)"', markup) for name in names.split()}


def _wanted(selector: str, used: set[str]) -> bool:
    """Tell whether a selector names shapes of a picture only, and classes that are there."""
    parts = [_SELECTOR.fullmatch(part) for part in selector.split()]
    return selector == ":root" or all(part is not None and set(part[2].split(".")[1:]) <= used for part in parts)


def _set(rules: list[tuple[str, str]], within: str, copied: set[str]) -> str:
    """Return rules that reach what is within only; copies of symbols are in nothing that a selector could see."""
    placed = {":root": within} | {f".{name}": f".{name}" for name in copied} | {name: name for name in copied}
    return "".join(f"{placed.get(selector, f'{within} {selector}')}{{{body}}}" for selector, body in rules)


@cache
def _rules() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the rules of shapes as (selector, body), first for light paper, then those that differ on dark paper."""
    light, dark = list[tuple[str, str]](), list[tuple[str, str]]()
    for selectors, body in _SHEET.findall(re.sub(r"/\*.*?\*/|\n", "", sheet())):
        on_dark = _DARK in selectors.replace(" ", "")
        for names, rule in _SHEET.findall(body) if on_dark else [(selectors, body)]:
            each = [part for part in rule.split(";") if part]
            if all(_PROPERTIES.fullmatch(part.split(":")[0]) or _PROPERTIES.fullmatch(part) for part in each):
                (dark if on_dark else light).extend((name, rule) for name in names.split(",") if not name.startswith("@"))
    return light, dark
