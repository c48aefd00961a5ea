"""A sweep in a store whose disc fails at every call in turn: ``python -m tests.faults.store_faults FOLDER``."""

import sys
import warnings
from pathlib import Path

from spindle.sim.error import UserError
from spindle.studies.sweep import stored_sweep as stored
from spindle.studies.sweep.sweep import sweep
from tests.faults.faulty import Fault, try_faults

POINTS = range(4)
RAN: list[int] = []

stored.source = lambda: "as it was"  # Spindle may be edited while it is tested


def square(point: int) -> dict[str, float]:
    RAN.append(point)
    return {"square": point * point}


def made(folder: Path) -> list[float]:
    frame = sweep(square, workers=1, progress=False, store=folder / "store", out=folder / "table.csv", point=POINTS)
    return list(frame["square"])


def broken(fault: Fault, folder: Path) -> bool:
    """One line or none; and afterwards all is there, hardly a point was done twice, and nothing lies about."""
    RAN.clear()
    said: list[str] = []

    def do() -> None:
        try:
            made(folder)
        except UserError as error:
            said.append(str(error))

    hit = fault.during(folder, do)
    assert all(len(each.splitlines()) == 1 for each in said), (fault, said)
    table = folder / "table.csv"
    assert not table.exists() or table.read_text().count("\n") == len(POINTS) + 1, f"{fault}: half a table"
    assert made(folder) == [point * point for point in POINTS], fault
    assert len(RAN) <= len(POINTS) + 1, f"{fault}: {len(RAN)} points were computed, {said}"
    there = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    assert there == ["store", "store/points.sqlite", "table.csv"], (fault, there)
    return hit


if __name__ == "__main__":
    warnings.simplefilter("error")  # nothing was damaged, so nothing is to be set aside
    print(try_faults(Path(sys.argv[1]), broken))
