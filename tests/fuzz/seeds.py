"""What a seed stands for: machines before the referee, and runs of the systems; what fails is shrunk and printed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Verbosity, given, seed, settings
from hypothesis.strategies import SearchStrategy

from tests.fuzz.machines import machines
from tests.fuzz.referee import Refused, referee
from tests.fuzz.systems import BRIEF, commands, judge


@dataclass
class Drawn:
    """How many ran, and how many were refused because what was drawn does not go together."""

    ran: int = 0
    refused: int = 0


def draw(number: int, most: int, strategy: SearchStrategy[Any], check: Callable[[Any], None]) -> None:
    """So many of *strategy* for seed *number*; raises what the smallest that fails raises."""
    seed(number)(
        settings(max_examples=most, database=None, deadline=None, suppress_health_check=list(HealthCheck),
                 report_multiple_bugs=False, verbosity=Verbosity.quiet)(given(strategy)(check))
    )()  # fmt: skip


def try_machines(number: int, most: int) -> Drawn:
    """So many machines; the exception of one that fails has its script in a note."""
    drawn = Drawn()

    def check(script: str) -> None:
        try:
            referee(script)
        except Refused:
            drawn.refused += 1
        except Exception as error:
            error.add_note(f"The machine of seed {number}:\n{script}")
            raise
        else:
            drawn.ran += 1

    draw(number, most, machines(), check)
    return drawn


def try_systems(number: int, most: int) -> Drawn:
    """So many commands of each system."""
    drawn = Drawn()

    def check(words: list[str]) -> None:
        refused = bool(judge(words))
        drawn.refused += refused
        drawn.ran += not refused

    for name in BRIEF:
        draw(number, most, commands(name), check)
    return drawn
