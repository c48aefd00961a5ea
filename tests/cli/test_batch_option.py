"""``spindle sweep --batch`` and ``--part``: the script is run here by a small stand-in for sbatch."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spindle.cli.main import main

SWEEP = ["sweep", "sata_ncq", "--set", "requests=20", "--cache", "1MiB,2MiB", "--seeds", "2"]
SBATCH = """\
#!{python}
import os, subprocess, sys
words = dict(word.split("=", 1) for word in sys.argv[1:] if "=" in word)
print(7 if "--parsable" in sys.argv else "Submitted batch job 8")
assert words.get("--dependency", "afterany:7") == "afterany:7"
first, last = words.get("--array", "0-0").split("-")
for number in range(int(first), int(last) + 1):
    subprocess.run(["sh", "-ec", words["--wrap"]], check=True, stdout=subprocess.DEVNULL,
                   env={{**os.environ, "SLURM_ARRAY_TASK_ID": str(number)}})
"""


def test_the_script_gives_the_table_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["spindle"])
    programs = tmp_path / "programs"
    programs.mkdir()
    spindle = f'#!/bin/sh\nexec {sys.executable} -m spindle "$@"\n'
    for name, text in (("sbatch", SBATCH.format(python=sys.executable)), ("spindle", spindle)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    assert main([*SWEEP, "--store", "kept", "--out", "far table.csv", "--batch", "slurm:3"]) == 0
    script = capsys.readouterr().out
    assert "4 runs in 3 jobs" in script
    environment = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", script], env=environment, check=True, timeout=120)
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [
        "part-1-of-3", "part-2-of-3", "part-3-of-3", "points.sqlite"]
    assert main([*SWEEP, "--workers", "1", "--out", "near.csv"]) == 0
    assert Path("far table.csv").read_text() == Path("near.csv").read_text()


@pytest.mark.parametrize(("words", "says"), [
    ("--part 1/2", "--part is for jobs; --store"),
    ("--part 1/2 --store s --out x.csv", "--part and --out exclude each other"),
    ("--part 3/2 --store s", "not 3/2"), ("--batch slurm --store s", "--batch takes the number of jobs, as slurm:64"),
    ("--batch pbs:3 --store s", "unknown batch system 'pbs'"), ("--batch slurm:3", "--batch is for jobs; --store"),
    ("--batch slurm:x --store s", "--batch must be a whole number"),
    ("--batch slurm:3 --store s --part 1/2", "--batch and --part exclude each other"),
    ("--batch slurm:3 --store s --workers 2", "--batch and --workers exclude each other"),
])  # fmt: skip
def test_no_batch(words: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                  capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main([*SWEEP, *words.split()]) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
