"""What the sweeps under test compute; apart from the tests, so that a worker need import neither pytest nor pandas."""

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spindle.sim.error import UserError


def measured(seed: int) -> dict[str, float]:
    return {"mean": 9.9 + 0.01 * (seed % 3)}


class Summarised:
    def __init__(self, numbers: Mapping[str, float]) -> None:
        self.numbers = numbers

    def summary(self) -> Mapping[str, float]:
        return self.numbers


def product(a: int = 1, b: int = 1, seed: int = 0, **others: object) -> dict[str, Any]:
    return {"product": a * b, "process": os.getpid()}


def late_first(point: int) -> Summarised:
    """The earlier the point, the later it ends."""
    time.sleep(0.01 * (8 - point))
    return Summarised({"square": float(point * point)})


def touchy(point: int) -> dict[str, float]:
    if point == 3:
        raise UserError("a drive has at least one sector")
    if point == 5:
        raise KeyError("lost")
    return {}


def nested(point: int) -> dict[str, float]:
    from spindle.studies.sweep.sweep import sweep  # imported here, because it needs pandas

    frame = sweep(product, a=range(6), workers=2)
    return {"processes": len(set(frame["process"])), "here": float((frame["process"] == os.getpid()).all())}


def note(folder: Path, point: int) -> None:
    with (folder / "log").open("a") as log:
        log.write(f"{point}\n")


def begun(folder: Path) -> list[int]:
    return sorted(map(int, (folder / "log").read_text().split()))


def tidy(point: int, seed: int) -> dict[str, Any]:
    return {"half": point / 2, "text": f"no. {point}", "odd": point % 2 == 1, "third": None if point % 3 else 1.0,
            "nan": float("nan"), "large": 3**point, "late": {"only": seed} if point > 8 else "x"}  # fmt: skip


def moody(folder: Path, point: int) -> dict[str, int]:
    """Fails at 3 until there is a file that says that it shall not."""
    note(folder, point)
    if point == 3 and not (folder / "mended").exists():
        raise KeyError("lost")
    return {"square": point * point}


def strict(folder: Path, point: int) -> dict[str, int]:
    note(folder, point)
    if point == 20 and not (folder / "mended").exists():
        raise UserError("a drive has at least one sector")
    return {"square": point * point}


def deadly(folder: Path, point: int, always: bool) -> dict[str, int]:
    """Ends its worker at 11, at the first time or always."""
    note(folder, point)
    if point == 11 and (always or begun(folder).count(11) == 1):
        time.sleep(0.3)  # a nanny that has just started a worker gives it up if it dies at once
        os.kill(os.getpid(), signal.SIGKILL)
    return {"square": point * point}


def shout(task: int) -> str:
    return f"{task}!"


def kill(task: int) -> int:
    if task == 2:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGKILL)
    return task


def waits(point: int) -> dict[str, Any]:
    time.sleep(0.02)
    return {"square": point * point, "process": os.getpid()}


def noted(point: int, log: str) -> dict[str, float]:
    with Path(log).open("a") as file:
        file.write(f"{point}\n")
    time.sleep(0.005)
    return {"third": point / 3}
