"""Computes the model's inputs again: the two examples of FAC, Kim's policy, and the share of random requests."""

from collections.abc import Mapping
from typing import Any

from spindle.models.sata_ncq.parameters import NcqParameters
from spindle.models.sata_ncq.studies.access_times import FULL_WINDOW, USE_GROUPS, is_random
from spindle.sim.eviction.fac import DynamicMaximum, Partitions, Reading, identity
from spindle.sim.parameter import change
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study
from spindle.workloads.pc import LOADS, pc_trace


def examples(seed: object, **parameters: Any) -> dict[str, float]:
    """Compute the two examples of Kim's figure 2 and the constants of FAC, whatever the *seed*."""
    change(NcqParameters(), **parameters)
    usual, maximum = Reading(), DynamicMaximum(average=1.0)
    one = DynamicMaximum(average=1000, maximum=2000, counter=5)
    two = DynamicMaximum(average=1500, maximum=2000, counter=10)
    first = Partitions(one, rounding=identity).number(200)
    second = Partitions(two, rounding=identity).number(2200)
    one.note(200)
    two.note(2200)
    counted = 0
    while maximum.average == 1.0:  # until the average is formed from a maximum of 2
        counted = maximum.counter
        maximum.note(2.0)
    return {"first_n": first, "second_n": second, "first_counter": one.counter, "second_average": two.average,
            "second_maximum": two.maximum, "second_counter": two.counter, "law_n": first, "groups": len(USE_GROUPS),
            "partitions": usual.partitions, "counter_max": counted, "new_weight": maximum.average - 1.0}


def random_requests(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """Return the share of requests of *load* that do not begin where the one before ended."""
    before, jumps = None, 0
    for record in pc_trace(change(NcqParameters(), **parameters).load(load), seed, requests):
        jumps, before = jumps + is_random(record, before), record
    return {"random": jumps / requests}


def measure_loads(rows: SeedRows) -> Mapping[str, float]:
    return {f"random_{load}": rows.one(load=load)["random"] for load in LOADS}


STUDIES = (
    Study("loads", [Runs(random_requests, FULL_WINDOW, load=list(LOADS))], measures=measure_loads),
    Study("normalising", [Runs(examples, UNTIMED)], measures=lambda rows: rows.one(), replications=1),
)  # fmt: skip
