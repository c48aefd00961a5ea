"""Tests kept machine code that is damaged or cannot be kept, and that Ctrl-C waits for one compilation at most."""

import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

from spindle.sim.jit import AVAILABLE, cache_folder, compile_loop

if not AVAILABLE:
    pytest.skip("numba is not installed; pip install -r requirements-fast.txt", allow_module_level=True)

from numba import config
from numba.core import caching, event

from spindle.sim.kept_code import KeptCode, WaitingInterrupt


def triple(numbers: np.ndarray) -> float:
    return 3.0 * float(numbers.sum())


@pytest.fixture
def kept_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path))
    return cache_folder(Path(__file__).parent, str(tmp_path))


def hits() -> int:
    """How many of the loops that triple() makes came from files; it is called anew, as by another process."""
    loop = compile_loop(triple)
    assert loop(np.arange(4.0)) == 18.0
    return sum(loop.stats.cache_hits.values())  # type: ignore[attr-defined]


@pytest.mark.parametrize("what", ["*.nbi", "*.nbc"])
@pytest.mark.parametrize("left", [0, 20, -10])
def test_what_is_damaged_is_compiled_anew(kept_in: Path, what: str, left: int) -> None:
    assert [hits(), hits()] == [0, 1]
    for file in kept_in.rglob(what):
        file.write_bytes(file.read_bytes()[:left])
    assert [hits(), hits()] == [0, 1]


def test_where_there_is_no_room_nothing_is_kept(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for what in ("load", "flush", "save"):
        monkeypatch.setattr(caching.IndexDataCacheFile, what, full)
    assert [hits(), hits()] == [0, 0]


def test_where_there_is_no_folder_either(kept_in: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object) -> None:
        raise RuntimeError("no locator available")

    monkeypatch.setattr(KeptCode, "__init__", nowhere)
    assert hits() == 0


class Interrupter(event.Listener):  # type: ignore[misc]
    """Somebody presses Ctrl-C as soon as something is compiled."""

    def on_start(self, event: object) -> None:
        signal.raise_signal(signal.SIGINT)

    def on_end(self, event: object) -> None:
        pass


@pytest.fixture
def pressed() -> Iterator[None]:
    with event.install_listener("numba:compile", Interrupter()):
        yield


def test_ctrl_c_waits_until_a_loop_is_compiled(kept_in: Path, pressed: None) -> None:
    before, loop = signal.getsignal(signal.SIGINT), compile_loop(triple)
    with pytest.raises(KeyboardInterrupt):
        loop(np.arange(4.0))
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("what", ["save", "load"])
def test_ctrl_c_waits_until_machine_code_is_read_or_written(
    kept_in: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    reached = []

    def press(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        reached.append(what)

    loop: Any = compile_loop(triple)
    monkeypatch.setattr(caching.IndexDataCacheFile, what, press)
    with pytest.raises(KeyboardInterrupt):
        loop(np.arange(4.0))
    assert reached == [what]


def test_after_it_all_is_as_it_was(kept_in: Path) -> None:
    loop = compile_loop(triple)
    with event.install_listener("numba:compile", Interrupter()), pytest.raises(KeyboardInterrupt):
        loop(np.arange(4.0))
    assert loop(np.arange(4.0)) == 18.0
    assert [hits(), hits()] == [0, 1]


def test_it_need_not_wait_for_those_that_call_it() -> None:
    interrupt, reached = WaitingInterrupt(), []
    with pytest.raises(KeyboardInterrupt), interrupt.waiting():  # noqa: PT012 what is reached is the test
        with interrupt.waiting():
            signal.raise_signal(signal.SIGINT)
            reached.append("inner")
        reached.append("outer")
    assert reached == ["inner"]


def test_it_waits_for_the_rest_of_one_that_has_called_another() -> None:
    interrupt, reached = WaitingInterrupt(), []
    with pytest.raises(KeyboardInterrupt), interrupt.waiting():  # noqa: PT012 what is reached is the test
        with interrupt.waiting():
            pass
        signal.raise_signal(signal.SIGINT)
        reached.append("outer")
    assert reached == ["outer"]


def test_after_a_compilation_that_fails_nothing_waits() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyError), WaitingInterrupt().waiting():
        raise KeyError
    assert signal.getsignal(signal.SIGINT) is before


def test_other_threads_are_never_interrupted() -> None:
    before, seen = signal.getsignal(signal.SIGINT), []

    def work() -> None:
        with WaitingInterrupt().waiting():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [before]


def test_who_does_not_listen_is_not_interrupted() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with WaitingInterrupt().waiting():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
