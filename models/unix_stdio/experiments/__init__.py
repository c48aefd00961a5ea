"""What the lecture's programs are tried with, and how it is drawn."""

from models.unix_stdio.experiments.adaptation import adaptation, draw_adaptation
from models.unix_stdio.experiments.blocks import draw_rate_vs_block, rate_vs_block
from models.unix_stdio.experiments.breakdown import breakdown
from models.unix_stdio.experiments.device_reads import device_reads, draw_device_reads
from models.unix_stdio.experiments.memory_pyramid import draw_memory_pyramid, memory_pyramid
from models.unix_stdio.experiments.rates import draw_rates, rates
from models.unix_stdio.experiments.risk import (
    at_risk,
    draw_at_risk,
    draw_power_failure,
    power_failure,
    remark_power_failure,
)
from models.unix_stdio.experiments.strides import draw_strides, remark_strides, strides
from sim.study.system import Experiment

__all__ = ["EXPERIMENTS", "breakdown"]

EXPERIMENTS = (
    Experiment(
        "rates", "The programs of the lecture: bytes a second, and what the lecture printed; a step of the grid is a "
        "factor of a hundred.", rates, draw_rates,
    ),
    Experiment(
        "rate_vs_block", "Bytes a second against the block: R + size x U rises to a plateau at 1/U; stdio gives small "
        "blocks what only large ones have without it.", rate_vs_block, draw_rate_vs_block,
    ),
    Experiment(
        "device_reads", "How many reads the disc is asked for, against the largest window of read-ahead: with a stride "
        "more, because there a window rarely grows.", device_reads, draw_device_reads,
    ),
    Experiment(
        "strides", "Bytes a second against the stride, 64 bytes at a time: from the page cache with stdio and without, "
        "and from the disc.",
        strides, draw_strides, remark_strides,
    ),
    Experiment(
        "adaptation", "Reads of the disc while 10 MB are fetched for the first time: with a stride the first megabyte "
        "takes most of them, page by page, until the kernel finds the pattern in its cache.",
        adaptation, draw_adaptation,
    ),
    Experiment(
        "memory_pyramid", "What it takes to find a byte on each level of the lecture's machine; below the line it "
        "survives a failure of the power.", memory_pyramid, draw_memory_pyramid,
    ),
    Experiment(
        "at_risk", "Bytes that the program believes written and that a failure of the power would lose: nothing while "
        "it waits for the disc, everything while the kernel waits for better times.", at_risk, draw_at_risk,
    ),
    Experiment(
        "power_failure", "The power fails at a random moment of the first minute: the mean share that is lost of what "
        "the program had written.", power_failure, draw_power_failure, remark_power_failure,
    ),
)  # fmt: skip
