"""Layers held to the data in the shared folder: no goal that was met is lost."""

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from spindle.lab.verify.answer import verify
from spindle.lab.verify.form import shipped_layers


@pytest.mark.parametrize("name", [
    "serving", "page cache", "loaders", "nvme",
    pytest.param("sata", marks=[pytest.mark.soak, pytest.mark.timeout(3600)]),
])  # fmt: skip
def test_goals_hold_on_the_open_half(name: str, shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_SHARED", str(shared))
    (layer,) = [layer for layer in shipped_layers() if layer.name == name]
    if not layer.data.is_dir():
        pytest.skip(f"no data at {layer.data}")
    for group, goal, points in verify(replace(layer, predict=())).rows():
        errors = [error for point in points if (error := point.error) is not None]
        if goal.must is not None:
            assert fmean(errors) <= goal.must, (group, goal.quantity)
