"""Layers held to the data in the shared folder: no goal that was met is lost."""

from pathlib import Path
from statistics import fmean

import pytest

from spindle.lab.verify.answer import verify
from spindle.lab.verify.form import shipped_layers


@pytest.mark.usefixtures("shared")
def test_serving_on_both_open_runs(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPINDLE_SHARED", str(shared))
    (layer,) = [layer for layer in shipped_layers() if layer.name == "serving"]
    if not layer.data.is_dir():
        pytest.skip(f"no data at {layer.data}")
    for group, goal, points in verify(layer).rows():
        errors = [error for point in points if (error := point.error) is not None]
        if group != "left out" and goal.must is not None:
            assert fmean(errors) <= goal.must, (group, goal.quantity)
