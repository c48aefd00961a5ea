"""What was put into the model, read back from it: the algorithm by its two examples, the share of random requests."""

from typing import Any

from models.sata_ncq.access_times import GROUPS
from models.sata_ncq.parameters import NcqParameters
from sim.eviction.fac import Reading
from sim.eviction.partitions import DynamicMaximum, Partitions, unrounded
from sim.parameter import changed
from workloads.traces.pc import pc_trace


def examples(seed: object, **parameters: Any) -> dict[str, float]:
    """The two examples of figure 2 and what the algorithm is defined by, whatever the *seed*."""
    changed(NcqParameters(), **parameters)
    usual, maximum = Reading(), DynamicMaximum(average=1.0)
    one = DynamicMaximum(average=1000, maximum=2000, counter=5)
    two = DynamicMaximum(average=1500, maximum=2000, counter=10)
    first = Partitions(one, rounding=unrounded).number(200)
    second = Partitions(two, rounding=unrounded).number(2200)
    one.note(200)
    two.note(2200)
    counted = 0
    while maximum.average == 1.0:  # until the average is formed from a maximum of 2
        counted = maximum.counter
        maximum.note(2.0)
    return {"first_n": first, "second_n": second, "first_counter": one.counter, "second_average": two.average,
            "second_maximum": two.maximum, "second_counter": two.counter, "law_n": first, "groups": len(GROUPS),
            "partitions": usual.partitions, "counter_max": counted, "new_weight": maximum.average - 1.0}


def random_requests(load: str, requests: int, seed: object, **parameters: Any) -> dict[str, float]:
    """The share of requests of *load* that do not begin where the one before ended."""
    end, jumps = None, 0
    for record in pc_trace(changed(NcqParameters(), **parameters).load(load), seed, requests):
        jumps, end = jumps + (record.first != end), record.first + record.length
    return {"random": jumps / requests}
