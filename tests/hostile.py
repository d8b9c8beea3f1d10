"""Names that would do harm if they could: as labels, columns, groups, folds, files, titles and identities they stay words."""

from __future__ import annotations

import re

HTML = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    "</script><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "<!--",
    "-->",
    "<![CDATA[",
    "&lt;b&gt;",
    "{{7*7}}",
    "{%raw%}",
    "${7*7}",
    "`${1}`",
    "javascript:alert(1)",
    "\u2028alert(1)\u2029",
    "\x00",
    "a\x00b",
    "</style><script>",
    "</textarea><script>",
    '<a href="data:text/html,x">',
    "\u202egnp.exe",
    "\ufeff",
    "<math><mtext></p><style><img src onerror=1>",
    "%3Cscript%3E",
    "';alert(1);//",
    '\\";alert(1)//',
    "</svg><script>",
    'xlink:href="javascript:1"',
    'x" style="background:url(//e)"',
    "\ud83d\ude00" if False else "😀",
    "é",
    "e\u0301",
    "𝔘",
    "",
    "   ",
    "\n",
    "\t",
    "a" * 100_000,
    "NaN",
    "None",
    "null",
    "true",
    "-0",
    "1e5",
    "001",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=//e></object><embed src=//e>",
    "<base href=//e/>",
    "<meta http-equiv=refresh content=0;url=//e>",
    "<link rel=stylesheet href=//e>",
    "<form action=//e><input autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<template><script>alert(1)</script></template>",
    "</table></main></body></html>",
    "</option></select><img src=x onerror=alert(1)>",
    "</desc><foreignObject><img src=x onerror=alert(1)></foreignObject>",
    "<use href='data:image/svg+xml,<svg/>#x'/>",
    "</noscript><plaintext>",
    "<!--<script>",
    "--!><script>alert(1)</script>",
    "' autofocus onfocus=alert(1) x='",
    "]]>",
]
CSV = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1+1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    '=HYPERLINK("http://e","x")',
    '"=1"',
    " =1",
    "＝1+1",
    ";=1",
    ",=1",
    "=1\x00",
    "%0A=1",
    "'=1",
]
PATH = [
    "../../etc/passwd",
    "/abs",
    "..\\..\\x",
    "a/b",
    "a\x00/../b",
    "CON",
    "nul.txt",
    ".hidden",
    "-rf",
    "--help",
    "a" * 300,
    "~",
    "$HOME",
    "`id`",
    "|id",
    "http://x/y",
    "\\\\host\\share",
    "C:\\x",
    "x:y",
    "\u2215etc",
    "name.",
    "name ",
    "%2e%2e%2f",
    ".",
    "..",
    "../",
    "/",
    "//",
    "\\",
    "/..",
    "./x",
    "....//x",
    "..;/x",
    "..%c0%afx",
    "%00",
    "a//b",
    "a/../../b",
    "/dev/null",
    "/proc/self/environ",
    "file:///etc/passwd",
    "\\\\?\\C:\\x",
    "\\\\.\\COM1",
    "C:",
    "C:x",
    "PRN",
    "AUX.csv",
    "COM1",
    "LPT9.txt",
    "con.",
    "x::$DATA",
    "x:stream",
    "~root",
    "~/.ssh/id_rsa",
    "$(id)",
    "${HOME}",
    "%HOME%",
    "!x",
    ";id",
    "&id",
    "a b",
    "'a'",
    '"a"',
    "a\nb",
    "*",
    "?",
    "[a-z]",
    "x" * 255 + ".csv",
    "..\u2024/x",
]

VECTORS = list(dict.fromkeys([*HTML, *CSV, *PATH]))
"""All 147, each once."""

DIRECTIONS = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"
ZERO_WIDTH = "\u200b\u200c\u200d\ufeff\u2060\u00ad\u034f\u115f\u3164\uffa0\ufe0f\u180e\u2063\U000e0041\U000e0100"
CONTROLS = "".join(map(chr, [*range(32), *range(127, 160)]))
BLANKS = "\u00a0\u1680\u2000\u2002\u2003\u2009\u200a\u202f\u205f\u2800\u3000"
SURROGATES = "\ud800\udcff\udfff"
OTHERS = "\u2028\u2029\ufff9\ufffe\ue000\U0010ffff"
UNSEEN = [*DIRECTIONS, *ZERO_WIDTH, *CONTROLS, *BLANKS, *OTHERS]
"""Signs that nobody sees, or that change how their neighbours are shown."""
HIDDEN = [f"ab{sign}cd" for sign in UNSEEN]
"""Labels all of which would look like abcd or ab cd."""
REVERSED = [
    "\u202efdp.exe",
    "\u2067ab\u202dcd",
    "ab\u202e",
    "\u05d0\u05d1\u05d2",
    "\u0627\u0644\u0641 12",
    "12 \u05d0",
    "\u05d0\u05d1 \u05d2\u05d3",
]
"""Labels that would turn what stands beside them around, the last four just by their letters."""
MARKS = "\u0301\u0316\u0338\u20dd\u0489\u0324\u035c"
FLOODS = ["z" + MARKS * 90, MARKS + "z", MARKS * 1400, "a" + "\u0301" * 9999]
"""Marks that would grow over the lines above and below, or over what stands before them."""
LOOKALIKES = [
    ["a  b", "a b", "a\u00a0b", "a b ", " a b", "a\tb"],
    ["\u00e9", "e\u0301"],
    ["\u212a", "K"],
    ["x\u202ey", "x\\u202ey"],
    ["\u200b", "", " "],
]
"""Labels that differ only by what nobody sees."""
MATHS = ["$x$", "$\\frac{1}{2}$", "$\\undefined{$", "$$", "a$b", "\\$x$", "$x_{^}$", "x^2_i", "_hidden", "{}", "%s %d"]
"""Labels that matplotlib would read as mathematics."""
MARKDOWN = [
    "a|b", "| a | b |", "`x`", "``", "[x](http://e)", "![x](http://e/x.png)", "[x]: http://e", "<http://e>", "# x", "- x", "1. x", "> x",
    "***", "---", "===", "~~~", "    x", "\tx", "a\n\nb", "*x*", "_x_", "**x**", "~~x~~", "&copy;", "&#35;", "\\|", "\\", "\\`", "[^1]", "http://e/x",
    "www.e.com", "@someone", "#123", ":smile:", "$x$", "a\\\nb", "- [ ] x", "|---|", "a  ", "+ x", "+", "1) x", "x\n===", "me@e.com",
]  # fmt: skip
"""Labels that Markdown would read."""
LONG = [
    "x" * 10_000,
    "x" * 9_999 + "y",
    "y" + "x" * 9_999,
    "many words " * 909 + "x",
    "\u202e" * 10_000,
    "<b>" * 3_333,
    "\u6f22" * 10_000,
]
"""Labels of some 10,000 characters."""


_FOUND = re.compile(f"[{re.escape(''.join({*UNSEEN} - {chr(10)}))}\ud800-\udfff]|(?:^|[\\s>'\"|])[{MARKS}]")


EVERY = list(
    dict.fromkeys(
        [*VECTORS, *HIDDEN, *REVERSED, *FLOODS, *MATHS, *MARKDOWN, *LONG, *(label for group in LOOKALIKES for label in group)]
    )
)
"""All labels above, each once."""


def unseen(text):
    """Return what a text has of signs that nobody sees, and of marks that stand on no letter, with what is around them."""
    return [ascii(text[max(0, found.start() - 40) : found.end() + 20]) for found in _FOUND.finditer(text)]


def letters(labels):
    """Return harmless labels, as many and as different, of the same kind of length."""
    return [f"{'abcdefgh'[i % 8]}{'e' * min(len(label), 40)}{i}" for i, label in enumerate(labels)]
