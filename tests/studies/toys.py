"""Runs of nothing, quick enough to be made by the hundred; workers must be able to import them."""

from collections.abc import Mapping
from pathlib import Path

from spindle.sim.error import UserError
from spindle.studies.study import SeedRows, Study, StudyWindow

LENGTH = StudyWindow({"length": 10}, {"length": 1})


def double(base: int, length: int, seed: int, slope: float = 2.0) -> Mapping[str, object]:
    """A result that hangs on all arguments."""
    if slope <= 0.0:
        raise UserError(f"slope must be positive, not {slope!r}")
    return {"answer": slope * base + length + seed / 8, "series": [base, length]}


def counted(base: int, length: int, seed: int, log: str) -> Mapping[str, object]:
    """The same, and a line in the file *log* for each run."""
    with Path(log).open("a") as file:
        file.write(f"{base} {seed}\n")
    return double(base, length, seed)


def read(path: str, length: int, seed: int) -> Mapping[str, object]:
    """What the file *path* has, if it is here."""
    file = Path(path)
    return {"text": file.read_text()} if file.exists() else {}


def growth(rows: SeedRows) -> Mapping[str, float]:
    return {"growth": rows.one(base=3)["answer"] - rows.one(base=1)["answer"], "seed": float(rows[0]["seed"])}


def study(**changes: object) -> Study:
    from spindle.studies.study import Runs

    return Study(**{"name": "growing", "shows": "It grows.", "runs": [Runs(double, LENGTH, base=[1, 3])],
                    "measures": growth, **changes})  # type: ignore[arg-type]  # fmt: skip
