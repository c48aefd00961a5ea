"""A drive that loses a request, or counts one twice, stops the run of a user."""

from collections.abc import Callable

import pytest
import simpy

from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.flash.drive import FlashDrive
from spindle.sim.disc.flash.sheets import SAMSUNG_960_PRO
from spindle.sim.disc.virtual import FixedService
from spindle.sim.request import READ, access


@pytest.mark.parametrize("build", [
    lambda env: Drive(env, FixedService(1.0, capacity=1 << 20)), lambda env: FlashDrive(env, SAMSUNG_960_PRO),
])  # fmt: skip
def test_requests_of_a_drive_are_done_or_wait_or_are_served(
    env: simpy.Environment, build: Callable[[simpy.Environment], Drive]
) -> None:
    drive = build(env)
    for sector in range(5):
        drive.start(access(READ, 4096 * sector, 4096, Account("")))
    for instant in (0.0, 1e-5, 1e-4, 1.5, 10.0):
        if instant:
            env.run(instant)
        assert drive.faults() == []
    drive.counts.completed -= 1
    (fault,) = drive.faults()
    assert fault == "5 requests issued, 4 completed, 0 wait and 0 are served"
