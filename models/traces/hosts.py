"""Those of workloads/traces/replay, under the name by which benchmarks know them."""

from workloads.traces.replay.hosts import Closed, Host, Open

__all__ = ["Closed", "Host", "Open"]
