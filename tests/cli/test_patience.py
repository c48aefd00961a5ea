"""A run whose own code has no answer ends in one line that names it; a long run does not."""

import signal
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import process_time

import pytest
import simpy

from spindle.cli import patience
from spindle.cli.main import main

POLICY = """\
from spindle.sim.eviction.lru import Lru


class Mine(Lru):
    def choose(self, *given):
        {}
        return super().choose(*given)
"""
RUN = ("run", "sata_ncq", "--requests=1000", "--cache=64K", "--policy=mine.py:Mine")
BRIEF = 0.05


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(patience, "MAX_EVENT_SECONDS", BRIEF)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_own_code_that_has_no_answer_is_named(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waiting = POLICY.format("self.wait()") + "    def wait(self):\n        while True: pass\n"
    (place / "mine.py").write_text(waiting)
    assert main(RUN) == 2
    assert capsys.readouterr() == ("", f"spindle: mine.py, line 9: it has no answer after {BRIEF} s of the CPU\n")


def test_a_sweep_names_the_point_too(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "mine.py").write_text(POLICY.format("while True: pass"))
    assert main(["sweep", *RUN[1:], "--seeds=2"]) == 2
    line = f"spindle: mine.py, line 6: it has no answer after {BRIEF} s of the CPU (at policy=mine.py:Mine, "
    assert capsys.readouterr().err.startswith(line)


@pytest.mark.parametrize("more", ["--precision=0.5", "--warm-up=auto"])
def test_so_do_replications(place: Path, capsys: pytest.CaptureFixture[str], more: str) -> None:
    (place / "mine.py").write_text(POLICY.format("while True: pass"))
    assert main([*RUN, more]) == 2
    assert capsys.readouterr().err.startswith(f"spindle: mine.py, line 6: it has no answer after {BRIEF} s of the CPU")


def test_own_code_that_takes_long_in_many_events_may(place: Path) -> None:
    (place / "mine.py").write_text(POLICY.format("sum(range(20_000))"))
    began = process_time()
    assert main(RUN) == 0
    assert process_time() - began > 4 * BRIEF


def busy(seconds: float) -> None:
    begin = process_time()
    while process_time() - begin < seconds:
        pass


def test_what_is_no_code_of_a_user_may_take_long_in_one_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "MAX_EVENT_SECONDS", 0.01)
    env, done = simpy.Environment(), []
    env.timeout(1.0).callbacks.append(lambda event: busy(0.05) or done.append(event))  # type: ignore[union-attr]
    with patience.patience_with_events():
        env.run()
    assert len(done) == 1


def test_own_code_may_take_long_before_a_run_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (patience.MAX_EVENT_SECONDS, patience.REPEAT_SECONDS) == (30.0, 1.0)
    monkeypatch.setattr(patience, "MAX_EVENT_SECONDS", 0.01)
    monkeypatch.setattr("spindle.sim.user_parts.is_own", lambda path: True)
    with patience.patience_with_events():
        busy(0.03)


def test_timers_and_handlers_are_as_they_were_before() -> None:
    """Of another who waits for a hundred seconds of the CPU, and of the clock."""
    for name, timer, block, repeat in (
        (signal.SIGPROF, signal.ITIMER_PROF, patience.patience_with_events(), 30.0),
        (signal.SIGALRM, signal.ITIMER_REAL, patience.patience(30.0), 1.0),
    ):
        def mine(*_: object) -> None: ...

        before = signal.signal(name, mine)
        timer_before = signal.setitimer(timer, 100.0, 50.0)
        try:
            with suppress(KeyError), block:
                inside, first, following = signal.getsignal(name), *signal.getitimer(timer)
                raise KeyError
            left, again = signal.getitimer(timer)
            assert (25.0 < first < 31.0, following) == (True, repeat)
            assert (inside is mine, signal.getsignal(name) is mine) == (False, True)
            assert (90.0 < left < 101.0, again) == (True, 50.0)
        finally:
            signal.setitimer(timer, *timer_before)
            signal.signal(name, before)


def stubborn(times: int) -> None:
    """Go on for ten seconds, and catch what ends it, until it has come so often."""
    while times:
        try:
            busy(10.0)
        except patience.OutOfPatience:
            times -= 1
            if not times:
                raise


def test_a_block_that_takes_too_long_is_ended_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "REPEAT_SECONDS", 0.01)
    with pytest.raises(patience.OutOfPatience, match=r"^it has no answer after 0\.02 s$"), patience.patience(0.02):
        stubborn(3)


def deaf() -> None:
    """Go on after every exception."""
    for _ in range(3):
        with suppress(Exception):
            busy(0.03)


def test_nobody_who_catches_every_exception_goes_on() -> None:
    with pytest.raises(patience.OutOfPatience), patience.patience(0.01):
        deaf()


def test_other_threads_have_no_timers() -> None:
    handlers, found = (signal.SIGALRM, signal.SIGPROF), []

    def work() -> None:
        with patience.patience(0.0001), patience.patience_with_events():
            found.extend(map(signal.getsignal, handlers))

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert found == [*map(signal.getsignal, handlers)]
