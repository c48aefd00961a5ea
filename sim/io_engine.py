"""I/O engines of a host, by fio's names: seconds of a CPU to submit a request to a drive and to complete it.

A request first waits for the CPU of its job and occupies it, and then goes to the drive. When the drive is done, a
thread that polls knows at once; one that sleeps must be woken.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import simpy

from spindle.sim.clock import CPU, Ledger, happen
from spindle.sim.cpu import INTERRUPT, FcfsCpu
from spindle.sim.parameter import ParameterSource, read_sources
from spindle.sim.request import Access, Request
from spindle.sim.units import US

WAKE_SECONDS = 4.4 * US
"""Seconds from an interrupt until the thread that slept runs on."""
WAKING = ("assumed: polling makes single reads 1.7 times as fast (Ren & Trivedi, CHEOPS 2023, abstract): 0.7 times the "
          "6.27 us of a read (Zhong et al., XRP, OSDI 2022, Table 1)")  # fmt: skip


@dataclass(frozen=True)
class IoEngine:
    """Seconds of a CPU for each request: to *submit* it, to *complete* it, and to *wake* a CPU that idles then."""

    submit: float
    complete: float
    wake: float
    sources: Mapping[str, ParameterSource]
    in_kernel: bool = True
    """Requests go through the kernel, and its scheduler."""


AXBOE = ("cited: Axboe, Efficient IO with io_uring (2019), section 9.1: {} reads of 4 KiB a second on one core, not "
         "polled")  # fmt: skip
ENGINES: Mapping[str, IoEngine] = {
    "io_uring": IoEngine(1 / 1.2e6, 0.0, WAKE_SECONDS, read_sources({"submit": AXBOE.format("1.2M"), "wake": WAKING})),
    "libaio": IoEngine(1 / 608e3, 0.0, WAKE_SECONDS, read_sources({"submit": AXBOE.format("608K"), "wake": WAKING})),
    "psync": IoEngine(1.042 * US, WAKE_SECONDS, 0.0, read_sources({
        "submit": "cited: Zhong et al., XRP, OSDI 2022, Table 1: 351 ns to cross into the kernel and back, 199 in the "
                  "system call, 379 in the block layer, 113 in the NVMe driver; without a file system",
        "complete": WAKING})),
    "spdk": IoEngine(1 / 13.85e6, 0.0, 0.0, read_sources({
        "submit": "cited: spdk.io, 80 million I/O per second (6 May 2021): 13.85M reads a second on one core of a Xeon "
                  "Platinum 8380, polled"}), in_kernel=False),
}  # fmt: skip
"""I/O engines by fio's names. Where a source gives the rate of a busy core, all its time counts as submitting.

Only psync's thread sleeps for each request."""


class HostCpus:
    """A host of *cpus* CPUs that uses the I/O *engine*; each request stays with the CPU that was free first."""

    def __init__(self, env: simpy.Environment, engine: IoEngine, cpus: int) -> None:
        self._env, self._engine = env, engine
        self._cpus = [FcfsCpu(env) for _ in range(cpus)]

    def start(self, access: Access, below: Callable[[], Request]) -> Request:
        """Ask for *access*: when a CPU has submitted it, *below* starts it."""
        ledger = Ledger(access.account.name)
        request = Request(self._env, access, ledger)
        cpu = min(self._cpus, key=lambda each: each.free_at)
        submitted = cpu.burst(self._engine.submit, INTERRUPT, CPU, ledger)
        submitted.callbacks.append(lambda _: below().callbacks.append(partial(self._complete, cpu, request, ledger)))
        return request

    def _complete(self, cpu: FcfsCpu, request: Request, ledger: Ledger, done: simpy.Event) -> None:
        assert isinstance(done, Request)
        ledger.charge_all(done.pieces())
        idles = cpu.free_at <= self._env.now
        seconds = self._engine.complete + (self._engine.wake if idles else 0.0)
        if seconds:
            cpu.burst(seconds, INTERRUPT, CPU, ledger).callbacks.append(lambda _: happen(request))
        else:
            happen(request)
