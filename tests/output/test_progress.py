"""A progress bar is drawn on a terminal only; elsewhere what it is given passes."""

import sys
from io import StringIO

import pytest

from spindle.output.progress import progress_bar


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar of these tests needs no thread that looks after it."""
    monkeypatch.setattr("tqdm.tqdm.monitor_interval", 0)


@pytest.mark.parametrize("stream", [None, StringIO()])
def test_without_a_terminal_nothing_is_drawn(
    stream: StringIO | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(progress_bar([3, 4], desc="work")) == [3, 4]
    with progress_bar(desc="work", total=7) as bar:
        bar.update(2)
    assert (list(bar), bar.n, bar.total) == ([], 0.0, None)
    assert (stream is None or stream.getvalue(), capsys.readouterr().out) in ((True, ""), ("", ""))


@pytest.mark.parametrize("leave", [False, True])
def test_a_terminal_has_a_bar(leave: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(progress_bar([3, 4], leave=leave, desc="work", file=terminal, ncols=40)) == [3, 4]
    assert "work:   0%" in terminal.getvalue()
    assert terminal.getvalue().endswith("\n") is leave
    assert list(progress_bar([3], file=(other := Terminal()))) == [3]
    assert not other.getvalue().endswith("\n")
