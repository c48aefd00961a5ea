"""Estimates the mean time of a request on flash by a formula, with which a fit begins; the simulation corrects it.

With one request under way, and where one part is busy all the time, the formula equals the model; in between it is an
approximate mean value analysis (Schweitzer's), which is mostly within a few percent of the model.
"""

import numpy as np
from numpy.typing import NDArray

from spindle.lab.flash.knobs import UNIT

Numbers = NDArray[np.float64]
ESTIMATE_TURNS = 14
IN_STEP_SHARE = 0.1
"""Share of its wait that counts for a part that all requests pass in turn, for they reach it one after another."""
MAX_BUSY = 0.999


def estimate(knobs: Numbers, sizes: Numbers, depths: Numbers) -> Numbers:
    """Estimate seconds, by columns for jobs of *sizes* and *depths*, by rows for *knobs*: FlashKnobs' fields."""
    command, read, unit, rate, queues, channels, ways, stripe = (each[:, None] for each in np.atleast_2d(knobs).T)
    units = sizes / UNIT
    stripes, together = np.maximum(1.0, units / stripe), np.minimum(units, stripe)
    dies = channels * ways
    on_die = read + together * unit
    link, bus, die = sizes / rate, units * unit / channels, stripes * on_die / dies
    alone = command + np.maximum(np.maximum(1.0, stripes / dies) * on_die, bus) + link
    parts = [(command / queues, command / queues, IN_STEP_SHARE), (link, link, IN_STEP_SHARE),
             (bus, np.maximum(together * unit, bus), 1.0), (die, np.maximum(on_die, die), 1.0)]  # fmt: skip
    least = np.maximum(alone, depths * np.maximum.reduce([np.broadcast_to(each[0], die.shape) for each in parts]))
    others = 1.0 - 1.0 / depths
    waits = [(demand * (depths - 1.0), share * service) for demand, service, share in parts]
    seconds = alone
    for _ in range(ESTIMATE_TURNS):
        waited = np.zeros_like(die)
        for demand, wait in waits:
            busy = np.minimum(demand / seconds, MAX_BUSY)
            waited += wait * busy / 2.0 / (1.0 - busy * others)
        seconds = 0.5 * (seconds + np.maximum(alone + waited, least))
    result: Numbers = seconds
    return result
