"""A film as one page: a picture that moves, with all that it needs within it."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

FILES = Path(__file__).parent / "page"
MODULES = ("state.js", "draw.js", "panel.js", "view.js", "start.js")
"""In the order in which each needs those before it."""
SHARED = ("state.js", "draw.js", "panel.js", "view.js", "moving.css")
"""What a page with other contents needs of it."""
_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def moving_page(film: Mapping[str, Any]) -> str:
    """Nothing in it is fetched, no other script runs, and what stood in a trace is text, whatever it is."""
    style = "".join((FILES / name).read_text("utf-8") for name in ("alone.css", "moving.css"))
    script = "".join(_within(FILES / name) for name in MODULES)
    words = {
        "style": style, "style_hash": _digest(style), "script": script, "script_hash": _digest(script),
        "film": json.dumps(film, separators=(",", ":")).replace("<", r"\u003c"),
    }  # fmt: skip
    template = (FILES / "moving.html").read_text("utf-8")
    return re.sub(r"{{ (\w+) }}", lambda match: words[match[1]], template)


def _within(module: Path) -> str:
    """A module as a part of one script with those that it imports."""
    return _EXPORT.sub("", _IMPORT.sub("", module.read_text("utf-8")))


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
