"""A fixture for the path at which a test writes a drive file."""

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "drive.yaml"
