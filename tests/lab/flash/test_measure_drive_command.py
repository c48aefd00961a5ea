"""``spindle measure --drive``: what it asks of fio, what it writes, and mistakes in one line."""

import json
import os
import shutil
from pathlib import Path
from shlex import split

import pytest

from spindle.cli import measure_drive
from spindle.cli.arguments import HELP_FOLDER
from spindle.cli.fields import take_fields
from spindle.cli.main import main
from spindle.lab.fit.sheet_number import ASSUMED, FITTED, SheetNumber
from spindle.lab.flash import fio_job
from spindle.lab.flash import page as judging
from spindle.lab.flash import target as targets
from spindle.lab.flash.fio_answer import MeasuredFlash, read_outputs
from spindle.lab.flash.fio_job import GRID, IN_SEQUENCE, WRITE_JOBS
from spindle.lab.flash.knobs import FlashKnobs
from spindle.lab.flash.page import JudgedFlash, JudgedJob
from spindle.lab.flash.run_fio import measure
from spindle.sim.disc.sheet_file.sheet import read_sheet
from spindle.sim.error import UserError
from tests.lab.flash.known import KNOWN, fio

Said = pytest.CaptureFixture[str]
LARGE = 64 << 20
FAKE = """#!/bin/sh
echo "$@" >> asked
for word in "$@"; do case $word in --output=*) cp answer.json "${word#--output=}";; esac; done
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a fio that says the same whatever it is asked, and a large file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.json").write_text(json.dumps(fio(KNOWN, GRID[:1])[0]))
    put_fio(tmp_path, FAKE.replace("asked", f"{tmp_path}/asked").replace("answer.json", f"{tmp_path}/answer.json"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr("sys.platform", "linux")
    (tmp_path / "big").write_bytes(b"")
    os.truncate(tmp_path / "big", LARGE)
    monkeypatch.setattr(targets, "WHOLE_FILE_SHARE", 0.0)
    return tmp_path


def put_fio(place: Path, text: str) -> None:
    (place / "bin").mkdir(exist_ok=True)
    (place / "bin" / "fio").write_text(text)
    (place / "bin" / "fio").chmod(0o755)


def made_up(found: MeasuredFlash) -> JudgedFlash:
    """A fit that takes no time; each prediction is 20 % off."""
    knobs = FlashKnobs(1e-5, 5e-5, 1e-5, 5e8, 1, 4, 2, 4)
    numbers = (SheetNumber("flash.read_us", "50", FITTED, 48.0, 52.0), SheetNumber("flash.ways", "2", ASSUMED))
    kinds = [judging._kind(job) for job in (*GRID, *IN_SEQUENCE, *WRITE_JOBS)]
    jobs = tuple(JudgedJob(each, 1.2 * each.seconds, kind) for each, kind in zip(found.answers, kinds, strict=False))
    return JudgedFlash(knobs.sheet("mine", found.capacity), numbers, jobs)


def test_each_job_is_asked_and_the_sheet_is_written(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    monkeypatch.setattr(judging, "judge", made_up)
    monkeypatch.setattr(JudgedFlash, "contradiction", lambda flash: 0.2)
    assert main(split("measure --drive big --seconds 0.1 --kept kept.json --out mine.yaml")) == 0
    asked = [line.split() for line in (place / "asked").read_text().splitlines()]
    assert len(asked) == len(GRID) + len(IN_SEQUENCE)
    for words in asked:
        assert {"--readonly", "--direct=1", f"--filename={place}/big", "--runtime=100ms"} <= set(words)
    assert {"--rw=randread", "--bs=4096", "--iodepth=1"} <= set(asked[0])
    page = capsys.readouterr().out
    assert "held out: 12 jobs, off by 20.0% on average, at most 20.0%\nThat is more than 10%" in page
    assert "Some requests were up to 20% faster with more under way" in page
    assert max(map(len, page.splitlines())) <= 88
    sheet = read_sheet(place / "mine.yaml").disc
    assert (sheet.name, sheet.layout.capacity) == ("mine", LARGE)
    assert main(["check", "mine.yaml"]) == 0
    assert main(split("measure --drive --from kept.json --out again.yaml --json")) == 0
    capsys.readouterr()
    assert (place / "again.yaml").read_text() == (place / "mine.yaml").read_text()


def test_numbers_as_json_and_the_sheet_printed(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    monkeypatch.setattr(judging, "judge", made_up)
    monkeypatch.setattr(JudgedFlash, "contradiction", lambda flash: 0.0)
    monkeypatch.setattr(fio_job, "WRITE_JOBS", ())
    assert main(split("measure --drive=big --write-too --destroy big --seconds 0.1 --out mine.yaml --json")) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["numbers"]["flash.read_us"] == {"value": "50", "source": "fitted", "bears": "48 to 52"}
    assert found["jobs"][0]["error"] == pytest.approx(0.2)
    assert main(split("measure --drive big --seconds 0.1")) == 0
    out = capsys.readouterr().out
    assert out.startswith("# mine: 67,108,864 bytes\n")
    assert "\nflash:\n  channels: 4\n" in out


@pytest.mark.parametrize(("words", "why"), [
    ("--drive", "measure --drive needs the PATH of a drive, or --from FILE.json"),
    ("--drive none", "--drive: cannot open none: No such file or directory"),
    ("--drive .", "--drive: . is a folder; name a device"),
    ("--drive /dev/null", "--drive: /dev/null is neither a block device nor a file"),
    ("--drive small", "--drive: small has 5 B; less than 64 MiB would be read from memory"),
    ("--drive big --seconds 0", "--seconds must be a number from 0.1 to 600, not 0.0"),
    ("--drive big --seconds x", "--seconds must be a number"),
    ("--drive big --write-too", "--write-too destroys all that is on big; confirm it: --destroy big"),
    ("--drive big --write-too --destroy other", "--write-too destroys all that is on big; confirm it: --destroy big"),
    ("--drive big --destroy big", "--destroy is for confirming --write-too, without which"),
    ("--drive big --out big", "--out would overwrite big"),
    ("--drive big --json", "--json is for a drive file; --out names it"),
    ("--drive big --from kept.json", "--from and --drive exclude each other"),
    ("--drive --from kept.json --seconds 3", "--from and --seconds exclude each other"),
    ("--drive --from none.json", "cannot read none.json"), ("--drive --from small", "small: must be a JSON object"),
    ("--drive big --secnds 1", "unknown option '--secnds': did you mean --seconds"),
])  # fmt: skip
def test_a_mistake_is_one_line(words: str, why: str, place: Path, capsys: Said) -> None:
    (place / "small").write_text("12345")
    assert main(["measure", *split(words)]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert why in err
    assert not (place / "asked").exists()


def test_fio_that_fails_says_why_in_its_last_line(place: Path, capsys: Said) -> None:
    put_fio(place, "#!/bin/sh\necho 'fio: one'\necho 'fio: engine libaio not loadable' >&2\nexit 1\n")
    assert main(["measure", "--drive", "big"]) == 2
    assert capsys.readouterr().err == (
        "spindle: fio, randread 4 KiB, 1 under way: fio: engine libaio not loadable\n")  # fmt: skip
    put_fio(place, "#!/bin/sh\nprintf 'no \\377\\n' >&2\nexit 1\n")
    assert main(["measure", "--drive", "big"]) == 2
    assert capsys.readouterr().err.endswith("1 under way: no \ufffd\n"), "what is no text is told as far as it is"
    (place / "answer.json").write_bytes(b"{\xff")
    put_fio(place, FAKE.replace("asked", f"{place}/asked").replace("answer.json", f"{place}/answer.json"))
    assert main(["measure", "--drive", "big"]) == 2
    assert "fio, randread 4 KiB, 1 under way: must be a JSON object" in capsys.readouterr().err
    put_fio(place, "#!/bin/sh\nexit 0\n")
    assert main(["measure", "--drive", "big"]) == 2
    assert "fio, randread 4 KiB, 1 under way: must be a JSON object" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not here: apt install fio")
def test_fio_itself_is_understood(tmp_path: Path) -> None:
    """The real one, where the folder's file system reads past the page cache."""
    path = tmp_path / "a:b"
    path.write_bytes(os.urandom(1 << 20) * 64)
    try:
        found = measure(targets.target(str(path), False), [GRID[2]], 0.1, list)
    except UserError as error:
        pytest.skip(f"no direct reads in {tmp_path}: {error}")
    (answer,) = found.answers
    assert (answer.job, found.capacity) == (GRID[2], LARGE)
    assert answer.seconds > 0.0


def test_what_is_needed_is_said(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    monkeypatch.setenv("PATH", str(place))
    assert main(["measure", "--drive", "big"]) == 2
    assert main(["measure", "--drive", "nbd://127.0.0.1/disc0"]) == 2
    monkeypatch.setattr("sys.platform", "darwin")
    assert main(["measure", "--drive", "big"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert ["apt install fio" in lines[0], "apt install fio" in lines[1], "needs Linux" in lines[2]] == [True] * 3


def test_holes_and_what_is_mounted_are_refused(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = place / "mounts"
    mounts.write_text(f"proc /proc proc\n{place}/big /mnt/a\\040b ext4\n")
    monkeypatch.setattr(targets, "MOUNTS", mounts)
    assert targets.target("big", False).capacity == LARGE
    with pytest.raises(UserError, match=r"big is mounted on /mnt/a\\040b, and writes would destroy it"):
        targets.target("big", True)
    mounts.write_text(f"{place}/bigger /mnt\n")
    opened, flags = os.open, list[int]()
    monkeypatch.setattr(os, "open", lambda path, how: flags.append(how) or opened(path, how))
    assert targets.target("big", True).capacity == LARGE
    assert targets.target("big", False).capacity == LARGE
    assert flags == [os.O_RDWR, os.O_RDONLY]
    monkeypatch.setattr(targets, "WHOLE_FILE_SHARE", 0.95)
    with pytest.raises(UserError, match="only 0 B of big are on its drive; write all of it first"):
        targets.target("big", False)


def test_a_disc_with_an_arm_is_told_apart() -> None:
    texts = fio(KNOWN, GRID)
    for text in texts:
        options = text["jobs"][0]["job options"]
        text["jobs"][0]["read"]["lat_ns"]["mean"] = 8e6 * int(options["iodepth"]) ** 0.7
    with pytest.raises(UserError, match=r"a disc with an arm: 4 KB take 8 ms, and with 32 under way come 2\.8 times"):
        judging.judge(read_outputs("sda", 1 << 30, texts))
    with pytest.raises(UserError, match="23 of the 24 jobs that a fit takes are missing: randread 4 KiB, 2 under way"):
        judging.judge(read_outputs("sda", 1 << 30, texts[:1]))


def test_the_examples_of_the_help_are_understood() -> None:
    for line in HELP_FOLDER.joinpath("measure_drive.txt").read_text("utf-8").partition("examples:\n")[2].splitlines():
        asked = take_fields("measure --drive", measure_drive.MeasureDriveOptions, split(line)[2:])
        assert (asked.drive == "") != (asked.from_ == "")
