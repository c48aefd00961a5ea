"""The mechanisms that McBride and Boles name, switched off one by one: caching, fetches, posting, lock, competition."""

from typing import Any

from spindle.models.hp3000.system import SYSTEM
from spindle.studies.ablation import AblatedSystem, Ablation, ablation
from spindle.studies.study import StudyWindow

MACHINE = AblatedSystem(SYSTEM)
WINDOW = StudyWindow({"minutes": 4.0, "warm_up": 2.0}, {"minutes": 1.5, "warm_up": 2.0})
"""A quick look is long enough for all to be logged on and for memory to be full: it has the signs of the whole."""
TWENTY_ONE, HYBRID = "--terminals 21", "--terminals 101"


def _mechanism(name: str, off: str, on: str = HYBRID) -> Ablation:
    return Ablation(name, off, on)


MECHANISMS = (
    _mechanism("disc caching, 21 terminals", "--no-caching", TWENTY_ONE),
    _mechanism("disc caching, 101 terminals", "--no-caching"),
    _mechanism("random fetches of 4 KB, not a block", "--fetch-random 1KiB"),
    _mechanism("sequential fetches of 24 KB", "--fetch-sequential 4KiB"),
    _mechanism("read-ahead of either kind", "--fetch-random 1KiB --fetch-sequential 1KiB"),
    _mechanism("flushing of what was read through", "--flush never"),
    _mechanism("posting behind the program", "--write block-on-write"),
    _mechanism("writes in any order, not the Serial Write Queue", "--write serial"),
    _mechanism("IMAGE logging, under that queue", "--log-record 0", f"{HYBRID} --write serial --log-record 256"),
    _mechanism("Intrinsic Level Recovery, under it", "--ilr-record 0", f"{HYBRID} --write serial --ilr-record 512"),
    _mechanism("a hit of 4 ms, not 8", "--hit-cpu 8ms"),
    _mechanism("the data base locked for the whole call", "--hold cpu-part"),
    _mechanism("the same lock, uncached", "--hold cpu-part", f"{HYBRID} --no-caching"),
    _mechanism("six discs, not one", "--discs 1"),
    _mechanism("six discs, uncached", "--discs 1", f"{HYBRID} --no-caching"),
    _mechanism("8 MB of memory, not 4", "--memory 4MiB"),
    _mechanism("competition for 8 MB, not a part of 1.5 MB", "--cache-memory 1536KiB"),
    _mechanism("competition for 4 MB, not a part of 1.5 MB", "--cache-memory 1536KiB", f"{HYBRID} --memory 4MiB"),
    _mechanism("competition for 4 MB, not a part of 2.5 MB", "--memory 4MiB --cache-memory 2.5MiB",
               f"{HYBRID} --memory 4MiB"),
    _mechanism("eviction by the clock", "--policy fifo"),
)


def run_with_options(options: str, seed: object, minutes: float, warm_up: float, **parameters: Any) -> dict[str, float]:
    return MACHINE.summary(options, ("response_mean",), seed=seed, minutes=minutes, warm_up=warm_up, keep_rows=False,
                           **parameters)


STUDIES = (ablation("hp3000", run_with_options, WINDOW, MECHANISMS),)
