"""Finds in which order a host sends reads that have no tag yet, from fio's results on a drive of flash."""

from collections.abc import Sequence
from math import log

from spindle.lab.fio.flash_answer import drive_answer
from spindle.lab.fio.load import NR_REQUESTS, TAGS, FioLoad, HostOrder, LoadAnswer
from spindle.lab.fio.points import FioPoint
from spindle.sim.disc.flash.sheet import FlashType
from spindle.sim.request import READ


def host_order(sheet: FlashType, points: Sequence[FioPoint]) -> HostOrder:
    """Return the order for which reads that queue in the host are nearest to *points*; in a tie the simplest.

    Throughput, median and p95 are compared.
    """
    queued = [each for each in points if each.op is READ and TAGS < each.level <= NR_REQUESTS]
    return min(HostOrder, key=lambda order: _order_off(sheet, queued, order))


def _order_off(sheet: FlashType, queued: Sequence[FioPoint], order: HostOrder) -> float:
    off, known = 0.0, dict[FioLoad, LoadAnswer]()
    for point in queued:
        load = FioLoad(READ, point.level, point.size, 0, point.jobs if order is HostOrder.CFQ else 1)
        if load not in known:
            known[load] = drive_answer(load, sheet, order=order)
        off += abs(log(known[load].iops / point.iops))
        off += sum(abs(log(known[load].quantiles[share] / point.quantiles[share]))
                   for share in (0.50, 0.95) if point.quantiles.get(share))  # fmt: skip
    return off
