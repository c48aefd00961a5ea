"""Synthetic traces of personal computers, for the two of Kim's paper on FAC, which are not public.

Made up: they share with those traces only the few numbers that were published.
"""

from workloads.traces.pc.load import LOADS, PcLoad
from workloads.traces.pc.requests import pc_trace

__all__ = ["LOADS", "PcLoad", "pc_trace"]
