"""Random machines keep every law, end, and are the same under any hash seed; the simulator's own faults are found."""

import os
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import Phase, given, seed, settings

from sim.account import Account
from sim.measure.laws import LawBroken
from tests.fuzz.machines import machines
from tests.fuzz.machines_of_seed import try_machines
from tests.fuzz.referee import Refused, referee

ROOT = Path(__file__).parents[2]
SEEDS, MACHINES = 6, 100


@pytest.mark.parametrize("number", range(SEEDS))
def test_no_machine_breaks_a_law(number: int) -> None:
    assert try_machines(number, MACHINES).tried > MACHINES / 2


def outcomes(number: int, most: int) -> str:
    """A digest of all that came out of so many machines of seed *number*."""
    digest = sha256()

    @seed(number)
    @settings(max_examples=most, database=None, deadline=None, phases=[Phase.generate])
    @given(machines())
    def note(script: str) -> None:
        try:
            digest.update(f"{script} {referee(script)!r}".encode())
        except Refused as refused:
            digest.update(f"{script} {refused}".encode())

    note()
    return digest.hexdigest()


def test_machines_are_the_same_whatever_the_hash_seed() -> None:
    work = "from tests.fuzz.test_machines import outcomes; print(outcomes(1, 50))"
    said = [subprocess.run([sys.executable, "-c", work], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": hash_seed},
                           capture_output=True, text=True, check=True).stdout for hash_seed in ("1", "2")]  # fmt: skip
    assert said[0] == said[1]


def test_time_that_is_charged_to_nobody_is_found_in_a_machine_of_twenty_lines() -> None:
    """Otherwise the tests above would say little."""
    charge = Account.charge
    with (
        patch.object(Account, "charge", lambda self, part, begin, end: charge(self, part, begin, end - 1e-6)),
        pytest.raises(LawBroken, match="is not the sum of its parts") as raised,
    ):
        try_machines(0, MACHINES)
    assert len(raised.value.__notes__[0].splitlines()) <= 20
