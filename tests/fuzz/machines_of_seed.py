"""The machines that a seed stands for, each before the referee; the one that fails is shrunk and printed."""

from dataclasses import dataclass

from hypothesis import HealthCheck, Verbosity, given, seed, settings

from tests.fuzz.machines import machines
from tests.fuzz.referee import Refused, referee


@dataclass
class Drawn:
    """How many machines ran, and how many could not be put together."""

    tried: int = 0
    refused: int = 0


def try_machines(number: int, most: int) -> Drawn:
    """So many machines of seed *number*; raises, with the script in a note, what the smallest that fails raises."""
    drawn = Drawn()

    @seed(number)
    @settings(max_examples=most, database=None, deadline=None, suppress_health_check=list(HealthCheck),
              report_multiple_bugs=False, verbosity=Verbosity.quiet)  # fmt: skip
    @given(machines())
    def judge(script: str) -> None:
        try:
            referee(script)
        except Refused:
            drawn.refused += 1
        except Exception as error:
            error.add_note(f"The machine of seed {number}:\n{script}")
            raise
        else:
            drawn.tried += 1

    judge()
    return drawn
