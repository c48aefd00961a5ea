"""Each system's run keeps the laws of its own parts, too: what miscounts stops it."""

from collections.abc import Callable

import pytest
import simpy

from spindle.models.buffer_pool.run import run as buffer_pool
from spindle.models.hp3000.caching.disc_cache import DiscCache
from spindle.models.hp3000.caching.posting import Posting
from spindle.models.hp3000.run import run as hp3000
from spindle.models.kv_cache.run import run as kv_cache
from spindle.models.max_iv.cache import Fhl
from spindle.models.max_iv.run import run as max_iv
from spindle.models.ml_loader.run import run as ml_loader
from spindle.models.sata_ncq.run import run as sata_ncq
from spindle.models.unix_stdio.run import run as unix_stdio
from spindle.models.windows_nt.run import run as windows_nt
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.virtual import FixedService
from spindle.sim.machine import Machine
from spindle.sim.measure.load import Load, Window
from spindle.sim.measure.observer import Observer
from spindle.sim.measure.result import Result
from spindle.sim.parts import LawBroken
from spindle.sim.request import Op, access
from spindle.sim.units import GIB, Bytes
from spindle.traces.replay.storage import CachedDrive

RUNS: dict[str, Callable[[Observer | None], Result]] = {
    "hp3000": lambda watch: hp3000(5, minutes=1.0, warm_up=0.0, watch=watch),
    "max_iv": lambda watch: max_iv(2, minutes=2.0, warm_up=0.0, watch=watch),
    "windows_nt": lambda watch: windows_nt(seconds=4.0, watch=watch),
    "unix_stdio": lambda watch: unix_stdio("w04", size=Bytes(100_000), watch=watch),
    "sata_ncq": lambda watch: sata_ncq(requests=100, watch=watch),
    "ml_loader": lambda watch: ml_loader(steps=20, watch=watch),
    "buffer_pool": lambda watch: buffer_pool(1, minutes=0.003, warm_up=0.001, watch=watch),
    "kv_cache": lambda watch: kv_cache(minutes=0.5, warm_up=0.1, hbm=Bytes(GIB), watch=watch),
}


class Miscounts(Observer):
    """Adds *more* to what a part of class *kind* has counted of *counter*, before anything happens."""

    def __init__(self, kind: type, counter: str, more: float = 1) -> None:
        self._kind, self._counter, self._more = kind, counter, more

    def attend(self, machine: Machine, load: Load, window: Window) -> None:
        part = next(part for _, part in machine.all_parts() if isinstance(part, self._kind))
        counts = part.counts if isinstance(part, Drive) else part
        setattr(counts, self._counter, getattr(counts, self._counter) + self._more)


@pytest.mark.parametrize(
    ("system", "kind", "counter", "law"),
    [
        ("hp3000", DiscCache, "hits", "cache of disc 1: .* requests"),
        ("max_iv", Fhl, "late_hits", "fhl: .* requests"),
        ("sata_ncq", CachedDrive, "_misses", "writes of cache: .* requests"),
    ],
)
def test_a_cache_that_miscounts_stops_the_run(system: str, kind: type, counter: str, law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        RUNS[system](Miscounts(kind, counter))


@pytest.mark.parametrize("system", RUNS)
def test_a_drive_that_miscounts_stops_the_run(system: str) -> None:
    with pytest.raises(LawBroken, match="utilisation law, seconds in service against services"):
        RUNS[system](Miscounts(Drive, "seek"))


@pytest.mark.parametrize("system", RUNS)
def test_every_system_has_intervals_events_and_progress(system: str) -> None:
    told: list[float] = []

    class Told(Observer):
        def progress(self, now: float, end: float) -> None:
            told.append(now)

    result = RUNS[system](Told())
    assert len(result.intervals) == 1
    assert result.events > 50
    assert len(told) >= 2
    assert told == sorted(told)
    assert result.summary() == pytest.approx(RUNS[system](None).summary(), nan_ok=True, rel=0, abs=0)


def test_a_post_that_waits_for_nothing_breaks_the_law() -> None:
    env = simpy.Environment()
    posting, drive = Posting(env, serial=True), Drive(env, FixedService(1.0))
    for sector in range(2):
        posting.post(drive, access(Op.WRITE, sector, 1, Account("posting")), lambda: None)
    posting.check()
    posting._under_way = 0
    with pytest.raises(LawBroken, match="1 posts wait, and none is under way"):
        posting.check()
    posting._waiting.clear()
    with pytest.raises(LawBroken, match="2 posts are pending, 0 wait and 0 are under way"):
        posting.check()
