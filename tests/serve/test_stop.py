"""The first signal ends a server; more of them, or early ones, do it no harm."""

import asyncio
import signal

import pytest

from spindle.serve.stop import ENDING_SIGNALS, Stop


@pytest.mark.parametrize("each", ENDING_SIGNALS)
def test_a_signal_ends_the_wait_however_early_and_more_change_nothing(each: signal.Signals) -> None:
    before = signal.signal(each, signal.default_int_handler)  # nohup has set it to be ignored

    raised: list[float] = []

    async def serve(stop: Stop) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(0.002, lambda: (raised.append(loop.time()), signal.raise_signal(each)))
        await asyncio.wait_for(stop.wait(), 10)
        assert raised

    with Stop() as stop:
        asyncio.run(serve(stop))
        signal.raise_signal(each)  # nobody waits any more
        asyncio.run(asyncio.wait_for(stop.wait(), 10))
    with Stop() as stop:
        signal.raise_signal(each)  # nobody waits yet
        asyncio.run(asyncio.wait_for(stop.wait(), 10))
    assert signal.signal(each, before) is signal.default_int_handler


def test_a_hang_up_that_is_ignored_stays_so() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Stop():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
