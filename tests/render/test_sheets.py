"""The rules of one picture: those in use, on light and on dark paper."""

from adjudge.render.sheets import look


def test_only_the_rules_in_use_come_along():
    css = look('<svg><text class="tick">1</text></svg>')
    assert ".adjudge svg .tick{" in css
    assert ".line0{" not in css
    assert ".adjudge .right3 rect{" in look('<svg><g class="right3"><rect/></g></svg>')


def test_dark_paper_by_the_system_and_by_the_notebook():
    css = look("")
    assert "@media screen and (prefers-color-scheme:dark){body:not([data-jp-theme-light=true]" in css
    assert "body:is([data-jp-theme-light=false],[data-vscode-theme-kind=vscode-dark]) .adjudge{--desk:" in css
