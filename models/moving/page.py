"""A film as one page: a picture that moves, with all that it needs within it."""

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Within:
    """What a page has within it that shows a film in its element ``moving``: a *style*, a *script*, and the *film*."""

    style: str
    script: str
    film: str

    @property
    def policy(self) -> str:
        """By which its script is known to a browser that lets no other run."""
        return _digest(self.script)


def within(film: Mapping[str, Any]) -> Within:
    """What stood in a trace is text, whatever it is."""
    script = "".join(_as_part(FILES / name) for name in MODULES)
    text = json.dumps(film, separators=(",", ":")).replace("<", r"\u003c")
    return Within((FILES / "moving.css").read_text("utf-8"), script, text)


def moving_page(film: Mapping[str, Any]) -> str:
    """Nothing in it is fetched, and no other script runs."""
    parts = within(film)
    style = (FILES / "alone.css").read_text("utf-8") + parts.style
    words = {"style": style, "style_hash": _digest(style), "script": parts.script, "script_hash": parts.policy,
             "film": parts.film}  # fmt: skip
    template = (FILES / "moving.html").read_text("utf-8")
    return re.sub(r"{{ (\w+) }}", lambda match: words[match[1]], template)


def _as_part(module: Path) -> str:
    """A module as a part of one script with those that it imports."""
    return _EXPORT.sub("", _IMPORT.sub("", module.read_text("utf-8")))


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
