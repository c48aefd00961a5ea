"""That of workloads/traces/replay, under the name by which benchmarks know it."""

from workloads.traces.replay.replay import replay_trace

__all__ = ["replay_trace"]
