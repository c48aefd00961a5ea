"""The types are right: mypy --strict, which takes a core half a minute from an empty folder, beside the other tests."""

import pytest

from tests.typed import mypy


@pytest.mark.timeout(600)
def test_mypy_has_no_complaint(capfd: pytest.CaptureFixture[str]) -> None:
    assert mypy() == 0, capfd.readouterr().out
