"""Folders of a checkout and of an installation, the files of source in them, and public names."""

from pathlib import Path

import pytest

import spindle
from spindle import folders
from spindle.version import VERSION


def write(*paths: Path) -> None:
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def test_a_folder_beside_the_package_is_found_where_there_is_none_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "spindle"
    write(package / "ask.py", package / "sim" / "clock.py", tmp_path / "models" / "one" / "system.toml",
          tmp_path / "models" / "one" / "__pycache__" / "a.pyc", tmp_path / "models" / "notebooks" / "a.ipynb",
          tmp_path / "workloads" / "tepe.py", tmp_path / "sim" / "other.py", tmp_path / "docs" / "page.md")  # fmt: skip
    monkeypatch.setattr(folders, "PACKAGE", package)
    assert [folders.folder(name) for name in ("sim", "models")] == [package / "sim", tmp_path / "models"]
    assert sorted(folders.source_files()) == [
        ("ask.py", package / "ask.py"), ("models/one/system.toml", tmp_path / "models" / "one" / "system.toml"),
        ("sim/clock.py", package / "sim" / "clock.py"), ("workloads/tepe.py", tmp_path / "workloads" / "tepe.py"),
    ]  # fmt: skip


def test_public_names_are_imported_when_they_are_asked_for() -> None:
    assert spindle.__getattr__("__version__") == VERSION
    assert spindle.__getattr__("MIB") == 1 << 20
    assert vars(spindle)["MIB"] == 1 << 20
    for name in ("Computor", "clock"):
        with pytest.raises(AttributeError, match=f"^module 'spindle' has no attribute '{name}'$"):
            spindle.__getattr__(name)
    assert {"MIB", "Lru", "__version__", "TOP"} <= {*spindle.__dir__()}
    assert spindle.__dir__() == sorted(spindle.__dir__())
