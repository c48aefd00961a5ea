"""Random machines, and runs of the systems, keep every law and end; they are the same under any hash seed.

A few of each: ``make fuzz`` goes through the same seeds, for longer.
"""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import pytest

from spindle.sim.clock import Account
from spindle.sim.parts import LawBroken
from tests.fuzz.machines import machines
from tests.fuzz.referee import Refused, referee
from tests.fuzz.seeds import draw, try_machines, try_systems
from tests.samples import sample

ROOT = Path(__file__).parents[2]
SEEDS, MACHINES, RUNS = 2, sample(15, 40), 2


@pytest.mark.parametrize("number", range(SEEDS))
def test_no_machine_breaks_a_law(number: int) -> None:
    assert try_machines(number, MACHINES).ran > MACHINES / 2


@pytest.mark.parametrize("number", [1, 2])
def test_systems_run_or_refuse_in_one_line(number: int) -> None:
    assert try_systems(number, RUNS).ran > RUNS


def outcomes(number: int, most: int) -> str:
    """A digest of all that came out of at most *most* machines of seed *number*."""
    digest = sha256()

    def note(script: str) -> None:
        try:
            digest.update(f"{script} {referee(script)!r}".encode())
        except Refused as refused:
            digest.update(f"{script} {refused}".encode())

    draw(number, most, machines(), note)
    return digest.hexdigest()


def test_machines_are_the_same_whatever_the_hash_seed() -> None:
    work = "from tests.fuzz.test_machines import outcomes; print(outcomes(1, 8))"
    said = [subprocess.run([sys.executable, "-c", work], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": hash_seed},
                           capture_output=True, text=True, check=True).stdout for hash_seed in ("1", "2")]  # fmt: skip
    assert said[0] == said[1]


STACKED = """
env = Environment()
drive = Drive(env, FixedService(0.1, 0.0, 50_000), Fcfs(), "drive")
lower_memory = SharedMemory(env, 2048, Lru())
lower = BlockCache(env, drive, 512, lower_memory, None, CacheWriteBack(0.02, 1.0, 512, 1024), None, "lower")
upper_memory = SharedMemory(env, 2048, Lru())
upper = BlockCache(env, lower, 512, upper_memory, None, CacheWriteBack(0.02, 1.0, 512, 1024), None, "upper")
machine = Machine(env, {"drive": drive, "lower": lower, "upper": upper}, FcfsCpu(env), SystemCalls(0.0, 0.0))
software = DrawnSoftware(machine, [File("file", upper, [Span(0, 5120)])], [Hint.NONE])
user = Script("user", (Loop((Call((Deed("write", 0, 0, 512),), "call"),), 1),), 1, 1e9)
load = Terminals([user], software.perform)
window = Window()
"""


def test_the_referee_waits_until_the_lowest_of_several_caches_has_written() -> None:
    """After a second in the upper one, and another in the lower one, the drive writes from 2.04 s on (seed 5000189)."""
    assert referee(STACKED).end < 1.0


def test_time_that_is_charged_to_nobody_is_found_in_a_machine_of_twenty_lines() -> None:
    """Otherwise the tests above would say little."""
    charge = Account.charge
    with (
        patch.object(Account, "charge", lambda self, part, begin, end: charge(self, part, begin, end - 1e-6)),
        pytest.raises(LawBroken, match="are not the sum of its phases") as raised,
    ):
        try_machines(0, MACHINES)
    assert len(raised.value.__notes__[0].splitlines()) <= 20
