"""Sends requests to a drive in arrays and to a Drive on SimPy's clock, for comparisons."""

import numpy as np
import simpy

from spindle.sim.clock import Account, Wait, pause
from spindle.sim.disc.drive import Drive, Scheduler
from spindle.sim.disc.kernel.arrays import Floats
from spindle.sim.disc.kernel.drives import Incoming, LoopedDrives, no_requests
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.request import READ, WRITE, access


def responses(drives: LoopedDrives, *asked: Incoming) -> Floats:
    served = [drives.serve(each) for each in asked] + [drives.serve(no_requests(), last=True)]
    return np.concatenate([each.responses for each in served if each is not None])


def asked_of(disc: DiscType, scheduler: Scheduler, asked: Incoming) -> tuple[Drive, list[float]]:
    """A drive that was asked at the same instants, and its responses in their order."""
    drive, account, times = Drive(simpy.Environment(), disc, scheduler), Account("host"), list[float]()

    def host() -> Wait:
        for _, write, first, length, when in zip(*(column.tolist() for column in asked), strict=True):
            yield pause(drive.env, max(0.0, when - drive.env.now))
            request = drive.start(access(WRITE if write else READ, first, length, account))
            request.callbacks.append(lambda _, came=drive.env.now: times.append(drive.env.now - came))

    drive.env.process(host())
    drive.env.run()
    return drive, times
