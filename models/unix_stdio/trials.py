"""What the lecture's claims are judged by: its programs on its machine, and a few on the machine of 2026.

Nothing in them is drawn by chance but the moment of a power failure; *length* shortens the synchronous programs.
"""

from collections.abc import Mapping
from itertools import islice, pairwise
from typing import Any

from models.unix_stdio.machines import LECTURE, VIRTUAL_2026
from models.unix_stdio.run import Choices, perform
from sim.disc.sheets import HITACHI_7K1000C
from sim.parameter import changed
from sim.study.system import Trial
from sim.units import KIB, MIB
from workloads.stdio import programs
from workloads.stdio.calls import Call

LONG = 60.0
"""Seconds that a synchronous program gets to show its rate."""


def alike(parameters: Mapping[str, object]) -> dict[str, object]:
    """Those *parameters* that the machine of 2026 has as the lecture's; of the rest its own are known."""
    return {name: value for name, value in parameters.items()
            if getattr(VIRTUAL_2026, name, None) == getattr(LECTURE, name, None)}  # fmt: skip


def of(
    name: str, seed: object = 1, choices: Choices | None = None, given: Mapping[str, Any] | None = None,
    seconds: float = 1000.0, warm: bool = False, **changes: Any,
) -> Mapping[str, float]:  # fmt: skip
    """What a run of program *name*, with *changes*, gives; *given* are parameters of the machine."""
    return perform(programs()[name].changed(**changes), seed, seconds, warm, choices, **(given or {})).extras


def synchronous(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """w01 and w02 on the lecture's disc, and how near their calls come to R + size x U."""
    seconds = max(2.0, LONG * length)
    w01 = of("w01", seed, given=parameters, seconds=seconds)
    blocks = {block: of("w02", seed, given=parameters, seconds=seconds, block=block)
              for block in (512, 64 * KIB, MIB, 10 * MIB)}  # fmt: skip
    chosen = changed(LECTURE, **parameters)
    law = [found["us_per_call"] / 1e6 / (chosen.write_request + block * chosen.write_byte)
           for block, found in blocks.items()]  # fmt: skip
    rates = {block: found["rate"] for block, found in blocks.items()}
    plateau = rates[64 * KIB] > 50 * rates[512] and rates[10 * MIB] < 2 * rates[MIB]
    whole = blocks[10 * MIB]
    return {
        "w01": w01["rate"], "w02": rates[512], "w02_64k": rates[64 * KIB], "w02_whole": rates[10 * MIB],
        "law": sum(law) / len(law), "plateau": float(plateau), "w01_at_risk": w01["most_at_risk"],
        "transfer_limits": float(10 * MIB * chosen.write_byte > 0.9 * whole["elapsed"]),
    }  # fmt: skip


def mechanical(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """w01 and w02 on a 7200 rpm drive with its data sheet, and a journal; nothing of it is fitted."""
    seconds, drive = max(2.0, LONG * length), Choices(drive=HITACHI_7K1000C)
    return {
        "w01": of("w01", seed, drive, parameters, seconds)["rate"],
        "w02": of("w02", seed, drive, parameters, seconds)["rate"],
        "w02_64k": of("w02", seed, drive, parameters, seconds, block=64 * KIB)["rate"],
        "w02_whole": of("w02", seed, drive, parameters, seconds, block=10 * MIB)["rate"],
    }


def cached(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """w03 to w06, and what they leave at risk."""
    found = {name: of(name, seed, given=parameters) for name in ("w03", "w04", "w05", "w06")}
    rate = {name: each["rate"] for name, each in found.items()}
    sync = synchronous(seed, length, **parameters)
    order = [rate["w06"], rate["w04"], rate["w05"], rate["w03"], sync["w02"], sync["w01"]]
    return {
        **rate,
        "size": found["w03"]["calls"],
        "w03_device_writes": found["w03"]["device_writes_meanwhile"],
        "w04_device_writes": found["w04"]["device_writes_meanwhile"],
        "w05_calls": found["w05"]["system_calls"],
        "w05_call_bytes": 10 * MIB / found["w05"]["system_calls"],
        "stdio_between": float(rate["w03"] < rate["w05"] < rate["w04"]),
        "order": float(all(one > other for one, other in pairwise(order))),
        "w05_over_w03": rate["w05"] / rate["w03"],
        "w06_over_w05": rate["w06"] / rate["w05"],
        "risky": float(found["w03"]["most_at_risk"] > 0 == sync["w01_at_risk"]),
        "written_later": float(found["w04"]["safe_after"] > 0 and found["w04"]["device_bytes"] >= 10 * MIB),
    }


def reading(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """r01, r06 and r08 from the disc, and r01 by stdio."""
    r01, r06, r08 = (of(name, seed, given=parameters) for name in ("r01", "r06", "r08"))
    fread = of("r01", seed, given=parameters, call=Call.FREAD)
    w03 = of("w03", seed, given=parameters)
    first, second, *_ = islice(programs()["r06"].offsets(), 2)
    return {
        "read_faster": float(r01["rate"] > w03["rate"]),
        "fread_bytes": 10 * MIB / fread["system_calls"],
        "sequential_easier": float(r01["in_disc"] < r06["in_disc"] and r01["device_reads"] < r06["device_reads"]),
        "stride": float(second - first),
        "confused": float(r06["device_reads"] > r01["device_reads"]),
        "adapts": float(r06["last_reads"] > 2 * r06["first_reads"]),
        "stdio_slower": float(r08["rate"] < r06["rate"]),
        "amplification": r08["amplification"],
    }


def pyramid(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Whether each level is slower than the one above it: seconds for a byte that is found there."""
    from models.unix_stdio.levels import levels

    seconds = [each.seconds for each in levels(changed(LECTURE, **parameters))]
    return {"slower_downwards": float(all(above < below for above, below in pairwise(seconds)))}


def device_reads(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Requests that reading 10 MB takes, by the window of read-ahead in KiB; as on a loop device on Linux 6.18."""
    def reads(name: str, window: int, stride: int = 0) -> float:
        given = {**alike(parameters), "read_ahead": window * KIB, "request": 1280 * KIB}
        return of(name, seed, Choices(VIRTUAL_2026), given, block=512, stride=stride)["device_reads"]

    return {
        "sequential_128": reads("r01", 128), "sequential_1024": reads("r01", 1024),
        "stride_1m_64": reads("r06", 64, MIB), "stride_1m_128": reads("r06", 128, MIB),
        "stride_64k_128": reads("r06", 128, 64 * KIB), "stride_64k_8192": reads("r06", 8192, 64 * KIB),
    }  # fmt: skip


def machine_of_2026(seed: object, length: float = 1.0, **parameters: object) -> Mapping[str, float]:
    """Programs that nothing was fitted to, on the virtual machine of 2026: microseconds a call."""
    def us(name: str, warm: bool = False, **changes: Any) -> float:
        return of(name, seed, Choices(VIRTUAL_2026), alike(parameters), warm=warm, **changes)["us_per_call"]

    return {
        "w02_512": us("w02", size=MIB), "w02_64k": us("w02", block=64 * KIB), "w06_512": us("w06", block=512),
        "w06_1024": us("w06", block=1024), "w04_64": us("w04", block=64),
        "fread_512": us("r01", True, call=Call.FREAD, block=512), "stride_4k": us("r06", True, block=4 * KIB),
        "r08_over_r06": us("r06", True) / us("r08", True),
        "fwrite_calls": of("w06", seed, Choices(VIRTUAL_2026), alike(parameters))["system_calls"],
    }  # fmt: skip


TRIALS: Mapping[str, Trial] = {
    "synchronous": synchronous, "mechanical": mechanical, "cached": cached, "reading": reading, "pyramid": pyramid,
    "device_reads": device_reads, "machine_of_2026": machine_of_2026,
}  # fmt: skip
