"""A thread of Response Probe by hand: which pages it touches, and what its cycles take."""

from random import Random
from typing import Any, cast

import simpy

from models.windows_nt.caller import thread
from models.windows_nt.work.probe_thread import ProbeThread
from sim.account import CPU
from sim.clock import Wait
from sim.cpu import FcfsCpu
from sim.terminal import Transaction
from workloads.probe.bell import Bell
from workloads.probe.script import Thread


class Noted:
    """A process whose pages are all in memory, and that notes which are touched; and a log of cycles."""

    def __init__(self) -> None:
        self.data, self.code = "data", None
        self.set = self
        self.active_at = 0.0
        self.touched: list[int] = []
        self.cycles: list[Transaction] = []

    def start(self, caller: object) -> Wait:
        return
        yield

    def touch(self, section: object, number: int) -> float:
        self.touched.append(number)
        return 0.25

    def record(self, row: Transaction, charges: int) -> None:
        self.cycles.append(row)


def test_a_page_that_is_always_the_same_is_the_nearest_to_its_mean(env: simpy.Environment) -> None:
    noted, caller = Noted(), thread(FcfsCpu(env), "probe", 7)
    script = Thread(cpu=Bell(1.0), think=Bell(0.5), data=Bell(2.5))
    one = ProbeThread(env, script, cast(Any, noted), [], caller, Random(1), quantum=0.5)
    env.process(one.live(0.0, 1.0, 4.0, noted))
    env.run()
    assert noted.touched == [3, 3, 3]
    assert [(row.began, row.ended, row.parts[CPU]) for row in noted.cycles] == [(2.25, 3.5, 1.25)]
