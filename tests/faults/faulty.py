"""Scripts whose calls of the system fail, one after the other: shim.c in front of the C library."""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from errno import EIO, ENOSPC
from itertools import count
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CALLS = ("write", "read", "sync", "truncate", "rename", "unlink", "mkdir", "open")
FAULTS = ((ENOSPC, True), (EIO, False))
"""A disc that is full stays so; another fails once."""
EVERY = "SPINDLE_FAULTS"
"""The variable that is set if each call is to fail once; else some are left out, the more the later they come."""


@dataclass(frozen=True)
class Fault:
    """The *number*-th *call* fails with *error*, and if it *lasts* all that follow."""

    call: str
    error: int
    lasts: bool
    number: int

    def during(self, folder: Path, do: Callable[[], None]) -> bool:
        """*do* with this fault of the files below *folder*; whether there was such a call at all."""
        shim = ctypes.CDLL(None)
        shim.fault_arm(self.call.encode(), self.error, self.number, self.lasts, str(folder).encode())
        try:
            do()
        finally:
            seen = shim.fault_seen()
            shim.fault_arm(b"", 0, 0, 0, b"/")
        return bool(seen > self.number)


def try_faults(top: Path, do: Callable[[Fault, Path], bool]) -> int:
    """*do* each fault in a folder of its own below *top*, until it says that there is no such call; how many."""
    every, tried = bool(os.environ.get(EVERY)), 0
    for call in CALLS:
        for error, lasts in FAULTS:
            number = 0
            for place in count():
                folder = top / f"{call}-{error}-{place}"
                folder.mkdir()
                if not do(Fault(call, error, lasts, number), folder):
                    break
                shutil.rmtree(folder)
                tried += 1
                number += 1 if every else 1 + number
    return tried


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("no C compiler on Linux, so that no call of the system can be made to fail")
    library = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return library


def perform(shim: Path, module: str, *arguments: object, **environment: str) -> str:
    """What the module *module* prints behind the shim; it must end well."""
    variables = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONPATH": str(ROOT),
                 "PYTHONDONTWRITEBYTECODE": "1", **environment}  # fmt: skip
    ended = subprocess.run([sys.executable, "-m", module, *map(str, arguments)], env=variables, capture_output=True,
                           text=True, check=False)  # fmt: skip
    assert (ended.returncode, ended.stderr) == (0, "")
    return ended.stdout
