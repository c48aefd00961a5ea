"""The bar: points done, rate and time left on a terminal and in a notebook, nothing elsewhere; and Ctrl-C."""

import os
import pty
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from spindle.studies.sweep.sweep import sweep

ROOT = Path(__file__).parents[3]
DRIVER = """
import sys, time
from spindle.studies.sweep import stored_sweep as stored
from spindle.studies.sweep.sweep import sweep

stored.source = lambda: "as it was"  # Spindle may be edited while it is tested

def wait(point, seconds):
    time.sleep(seconds)
    with open("log", "a") as log:
        log.write(f"{point}\\n")
    return {"square": point * point}

if __name__ == "__main__":
    workers, points, seconds, *store = sys.argv[1:]
    try:
        sweep(wait, workers=int(workers), store=store[0] if store else None,
              point=range(int(points)), seconds=float(seconds))
    except KeyboardInterrupt as stop:
        print(f"<{stop}>")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "driver.py").write_text(DRIVER)
    return tmp_path


def command(*arguments: object) -> list[str]:
    return [sys.executable, "driver.py", *map(str, arguments)]


def square(point: int) -> dict[str, float]:
    return {"square": point * point}


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def test_on_a_terminal(folder: Path) -> None:
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (25, 100))
    done = subprocess.run(command(1, 30, 0.02), cwd=folder, env=ENVIRONMENT, stderr=theirs, check=True, timeout=60)
    os.close(theirs)
    said = b""
    try:
        while part := os.read(ours, 65536):
            said += part
    except OSError:  # how Linux says that nobody writes any more
        pass
    assert done.returncode == 0
    assert b"30/30" in said
    assert b"point/s" in said
    assert b"<00:00" in said


def test_where_nobody_watches(capfd: pytest.CaptureFixture[str]) -> None:
    sweep(square, workers=1, point=range(5))
    assert capfd.readouterr() == ("", "")


def test_in_a_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shell = type("ZMQInteractiveShell", (), {})()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    sweep(square, workers=1, point=range(5))
    shown = capsys.readouterr()
    assert "5/5" in shown.out
    assert shown.err == ""  # which a notebook shows as if something were wrong
    sweep(square, workers=1, point=range(5), progress=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_it_soon_and_says_how_to_go_on(folder: Path, workers: int) -> None:
    driver = subprocess.Popen(command(workers, 200, 0.1, "store"), cwd=folder, env=ENVIRONMENT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    log = folder / "log"
    while not log.exists() or log.read_text().count("\n") < 4:
        time.sleep(0.02)
    driver.send_signal(signal.SIGINT)
    said, errors = driver.communicate(timeout=20)
    kept = f"interrupted; what was finished is kept in {folder}/store: do the same again to go on from there"
    assert (said, errors) == (f"<{kept}>\n", "")
    finished = set(log.read_text().split())
    assert len(finished) < 200
    subprocess.run(command(workers, 20, 0.1, "store"), cwd=folder, env=ENVIRONMENT, check=True, timeout=60)
    lines = log.read_text().split()
    assert len(lines) - len(set(lines)) <= workers  # nothing twice but what was being written when it was stopped


def test_ctrl_c_of_what_is_not_kept(folder: Path) -> None:
    driver = subprocess.Popen(command(2, 200, 0.1), cwd=folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)  # fmt: skip
    while not (folder / "log").exists():
        time.sleep(0.02)
    driver.send_signal(signal.SIGINT)
    assert driver.communicate(timeout=20) == ("<interrupted>\n", "")
