"""A small tree of modules in place of Spindle's own."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sim.output import modules, reachable


def planted(folder: Path, monkeypatch: pytest.MonkeyPatch, sources: Mapping[str, str]) -> Path:
    """*sources* by path under *folder*, where Spindle's modules are now looked for."""
    for name, text in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(modules, "ROOT", folder)
    monkeypatch.setattr(reachable, "ROOT", folder)
    forget()
    return folder


def forget() -> None:
    """What was read of one tree is not true of another."""
    for each in (*vars(modules).values(), *vars(reachable).values()):
        if hasattr(each, "cache_clear"):
            each.cache_clear()
