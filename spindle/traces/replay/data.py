"""Returns a replay as data for JSON: measures, distributions, counters, devices, tiers, and errors of simulation."""

from typing import Any

from spindle.sim.measure.result import ratio
from spindle.traces.replay.answer import ReplayAnswer
from spindle.traces.replay.load import LoadReplayed
from spindle.traces.replay.measures import SHARES, measures, rates, spread_of
from spindle.traces.replay.page import BY_OPERATION
from spindle.traces.replay.replay import DeviceTimes, Times, TraceReplayed, TraceTally, totals_of
from spindle.traces.replay.tiers import TieredStorage

DISTRIBUTION_SHARES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0)
"""Shares of the requests whose quantiles are given."""
VERSION = 2
"""Version of the JSON of answers: raised when a name or a unit changes, with a table in CHANGELOG.md."""


def answer_data(answer: ReplayAnswer, devices: DeviceTimes | None = None) -> dict[str, Any]:
    """Return the question and the results of a replay for JSON, in seconds and bytes."""
    storage = answer.replayed.storage
    tiers = {"tiers": served_data(storage, answer.replayed.seconds)} if isinstance(storage, TieredStorage) else {}
    by_device = {} if devices is None else {"devices": device_data(devices, answer.replayed.seconds)}
    measured = {"measured": measured_data(answer.replayed.tally, devices)} if answer.loop.is_timed else {}
    return {"version": VERSION, "question": answer.head(), **replay_data(answer.replayed), **measured, **tiers,
            **by_device}  # fmt: skip


def load_data(answer: LoadReplayed, devices: DeviceTimes | None = None) -> dict[str, Any]:
    """Return the question and the results of a load for JSON, in seconds and bytes."""
    by_device = {} if devices is None else {"devices": device_data(devices, answer.replayed.seconds)}
    return {"version": VERSION, "question": answer.head(), **replay_data(answer.replayed), **by_device}


def replay_data(replayed: TraceReplayed) -> dict[str, Any]:
    """Return the measures of a replay, distributions, and the counters of drives, arrays and caches, for JSON."""
    storage, tally = replayed.storage, replayed.tally
    flash = totals_of(storage.flash_drives)
    kinds = {"response": tally.all_times, "read": tally.reads, "write": tally.writes}
    return {
        "measures": measures(replayed),
        "distributions": {kind: {f"{share:g}": times.quantile(share) for share in DISTRIBUTION_SHARES}
                          for kind, times in kinds.items() if times.count},
        "drives": {name: {**drive.reading(), "disc_busy": ratio(drive.busy(), replayed.seconds)}
                   for name, drive in storage.drives.items()},
        **({"arrays": totals_of(storage.arrays)} if storage.arrays else {}),
        **({"flash": {**flash, **totals_of(storage.flash_tiers)}} if flash else {}),
        "caches": {f"cache {name}": cached.reading()
                   for name, cached in zip(storage.places.behind, storage.caches, strict=False)},
    }  # fmt: skip


def errors(simulated: Times, measured: Times) -> dict[str, float]:
    """Return the errors of the mean, of percentiles and of the longest, as shares of what was measured; NaN of 0."""
    found, told = (spread_of("requests", "response", times) for times in (simulated, measured))
    return {name: ratio(found[f"response_{name}"] - told[f"response_{name}"], told[f"response_{name}"])
            for name in ("mean", *SHARES, "max")}  # fmt: skip


def is_measured(simulated: Times, measured: Times) -> bool:
    return 0 < simulated.count == measured.count


def measured_data(tally: TraceTally, devices: DeviceTimes | None) -> dict[str, Any]:
    """Return measured responses and the errors of simulated ones, of all requests, by kind, and of each device."""
    kinds = {name: (tally.times_of(op), tally.measured_of(op)) for name, op in BY_OPERATION.items()}
    data: dict[str, Any] = {name: _measured_one(*pair) for name, pair in kinds.items() if is_measured(*pair)}
    found = {} if devices is None else {
        name: {kind: _measured_one(times, devices.measurements_of(name)[kind]) for kind, times in groups.items()
               if is_measured(times, devices.measurements_of(name)[kind])}
        for name, groups in devices.groups().items()}  # fmt: skip
    return {**data, **({"devices": found} if found else {})}


def _measured_one(simulated: Times, measured: Times) -> dict[str, Any]:
    return {**spread_of("requests", "measured", measured), "errors": errors(simulated, measured)}


def device_data(devices: DeviceTimes, seconds: float) -> dict[str, dict[str, float]]:
    """Return the measures of the requests of each device, in *seconds*."""
    kinds = (("all", "responses", "response", ""), ("reads", "reads", "read", "read_"),
             ("writes", "writes", "write", "write_"))  # fmt: skip
    return {name: {key: value for kind, counted, spread, rate in kinds
                   for key, value in {**spread_of(counted, spread, groups[kind]),
                                      **rates(groups[kind], seconds, rate)}.items()}
            for name, groups in devices.groups().items()}  # fmt: skip


def served_data(storage: TieredStorage, seconds: float) -> list[dict[str, Any]]:
    """Return the use of each tier in a replay of *seconds*, and of the drives below: shares of references."""
    below = sum(drive.below for drive in storage.caches)
    count = max(1, below + sum(server.answered for server in storage.servers))
    tiers = [{"blocks": server.tier.blocks, "seconds": server.tier.seconds, "share": server.answered / count,
              "utilisation": server.busy / seconds if seconds else 0.0,
              "queue_seconds": server.waited / server.asked if server.asked else 0.0} for server in storage.servers]
    return [*tiers, {"share": below / count}]
