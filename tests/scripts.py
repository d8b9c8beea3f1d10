"""What a page runs: our own files, allowed by their hash, and data that is not run at all."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from importlib.resources import files

OURS = [
    files("adjudge.render").joinpath("templates", name).read_text(encoding="utf-8")
    for name in ("turning.js", "sliders.js", "folding.js")
]


def only_ours(page):
    """Check that a page holds no script but our own, each named by its hash in the policy, and data that is sound JSON."""
    policy = unescape(re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page).group(1))
    allowed = re.findall(r"'(sha256-[^']+)'", (re.findall(r"script-src ([^;]+);", policy) or [""])[0])
    run = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert set(run) <= set(OURS)
    assert sorted(allowed) == sorted(f"sha256-{b64encode(sha256(each.encode()).digest()).decode()}" for each in run)
    told = re.findall(r'<script type="application/json" class="data">(.*?)</script>', page, re.DOTALL)
    assert all(json.loads(each) for each in told)
    assert page.count("<script") == len(run) + len(told) == page.count("</script")
