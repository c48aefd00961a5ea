"""Machine code of loops is kept apart for other sources, and numba is left as the user set it."""

from pathlib import Path

import numpy as np
import pytest

from sim.jit import AVAILABLE, SIM, compiled, folder

needs_numba = pytest.mark.skipif(not AVAILABLE, reason="numba is not installed; pip install -r requirements-fast.txt")


def test_other_sources_have_another_folder(tmp_path: Path) -> None:
    (tmp_path / "disc" / "compiled").mkdir(parents=True)
    file = tmp_path / "disc" / "compiled" / "arm.py"
    places = set()
    for text in ("LATEST = 1", "LATEST = 2", "LATEST = 1"):
        file.write_text(text)
        (tmp_path / "other.py").write_text(f"{len(places)}")
        folder.cache_clear()
        places.add(folder(tmp_path, ""))
    assert len(places) == 2
    assert {place.parent for place in places} == {tmp_path / "__pycache__"}


def test_a_folder_may_be_chosen(tmp_path: Path) -> None:
    assert folder(SIM, str(tmp_path)).parent == tmp_path


@needs_numba
def test_numba_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from numba import config

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))

    def double(numbers: np.ndarray) -> float:
        return 2.0 * numbers.sum()

    assert compiled(double)(np.arange(4.0)) == 12.0
    assert str(tmp_path) == config.CACHE_DIR
    assert list(folder(SIM, str(tmp_path)).rglob("*.nbi"))
