"""fio's JSON, read strictly: what a job was and took, and one line for what it is not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spindle.lab.flash.fio_answer import FioAnswer, answer, read_kept, read_outputs
from spindle.lab.flash.fio_job import FioJob
from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE


def said(**changes: Any) -> dict[str, Any]:
    """Of 100 random reads of 16 KiB, four under way, of 0.5 ms."""
    job = {"jobname": "x", "error": 0, "job options": {"rw": "randread", "bs": "16k", "iodepth": "4"},
           "read": {"total_ios": 100, "lat_ns": {"mean": 500_000.0}}}  # fmt: skip
    return {"fio version": "fio-3.33", "jobs": [{**job, **changes}]}


def test_a_job_and_what_it_took() -> None:
    found = answer("fio", said())
    assert found == FioAnswer(FioJob(READ, 16384, 4), 100, pytest.approx(0.0005))
    assert found.rate == pytest.approx(4 * 16384 / 0.0005)
    assert found.job.name == "randread 16 KiB, 4 under way"


@pytest.mark.parametrize(("text", "size"), [("4096", 4096), ("4k", 4096), ("256KiB", 1 << 18), ("1m", 1 << 20)])
def test_sizes_as_fio_takes_them(text: str, size: int) -> None:
    assert answer("fio", said(**{"job options": {"rw": "read", "bs": text}})).job == FioJob(READ, size, 1, False)


def test_options_of_all_jobs_and_writes() -> None:
    text = said(**{"job options": {"rw": "write"}, "write": {"total_ios": 20, "lat_ns": {"mean": 1e6}}})
    found = answer("fio", {"global options": {"bs": "64k", "iodepth": "8"}, **text})
    assert (found.job, found.seconds) == (FioJob(WRITE, 65536, 8, False), pytest.approx(0.001))
    assert answer("fio", said(**{"job options": {"rw": "read"}})).job == FioJob(READ, 4096, 1, False), "as fio has it"
    own = answer("fio", {"global options": {"bs": "64k", "iodepth": "8"}, **said()}).job
    assert (own.size, own.depth) == (16384, 4)  # those of the job itself come first


@pytest.mark.parametrize(("text", "why"), [
    ({"jobs": []}, "fio: there must be one job"),
    ({}, "fio: there must be one job"),
    ({"jobs": said()["jobs"] * 2}, "fio: there must be one job"),
    (said(error=5), "fio: fio's job ended with error '5'"),
    (said(**{"job options": {"rw": "randrw"}}), "fio.job options.rw must be one of randread, read"),
    (said(**{"job options": {"rw": ["read"]}}), "fio.job options.rw must be one of randread, read"),
    (said(**{"job options": {"rw": "read", "iodepth": "0"}}), "fio.job options.iodepth must be a number from 1 to"),
    (said(**{"job options": {"rw": "read", "bs": "4q"}}), "fio.job options.bs must be a number from 512 to"),
    (said(**{"job options": 4}), "fio: there is no job options in it"),
    (said(read=None), "fio: there is no read in it"),
    (said(read={"total_ios": 19}), "19 requests were done, and a mean takes 20"),
    (said(read={"total_ios": "many"}), "fio.total_ios must be a number from 0 to 1e+15"),
    (said(read={"total_ios": float("inf")}), "fio.total_ios must be a number from 0 to 1e+15, not 'inf'"),
    (said(**{"job options": {"rw": "read", "iodepth": "257"}}), "options.iodepth must be a number from 1 to 256"),
    (said(**{"job options": {"rw": "read", "bs": "2m"}}), "fio.job options.bs must be a number from 512 to"),
    (said(read={"total_ios": True}), "fio.total_ios must be a number"),
    (said(read={"total_ios": 90}), "fio: there is no lat_ns in it"),
    (said(read={"total_ios": 90, "lat_ns": {"mean": 0}}), "fio.lat_ns.mean must be a number from 1 to"),
    (said(read={"total_ios": 90, "lat_ns": {"mean": float("nan")}}), "fio.lat_ns.mean must be a number from 1 to"),
])  # fmt: skip
def test_what_fio_does_not_say_is_one_line(text: dict[str, Any], why: str) -> None:
    with pytest.raises(UserError) as refused:
        answer("fio", text)
    assert str(refused.value).startswith(why) or why in str(refused.value)
    assert "\n" not in str(refused.value)


def test_what_is_kept_is_read_again(tmp_path: Path) -> None:
    found = read_outputs("nvme0n1", 1 << 30, [said()])
    path = tmp_path / "kept.json"
    path.write_text(found.text())
    assert read_kept(path) == found
    assert found.text().startswith('{\n "drive": "nvme0n1",\n "capacity": 1073741824,\n "fio": [\n  {\n')
    most = read_outputs("n" * 4096, 1 << 30, [said()] * 100)
    path.write_text(most.text())
    assert read_kept(path) == most


@pytest.mark.parametrize(("change", "why"), [
    (lambda text: "{", "must be a JSON object"), (lambda text: "[" * 200_000, "must be a JSON object"),
    (lambda text: "[]", "must be a JSON object"), (lambda text: "{}", "drive must be one line of text"),
    (lambda text: '{"jobs": []}', "spindle drive fit takes it"),
    (lambda text: text.replace("nvme0n1", ""), "drive must be one line of text"),
    (lambda text: text.replace("nvme0n1", "nvme\\n0n1"), "drive must be one line of text"),
    (lambda text: text.replace("nvme0n1", "n" * 4097), "drive must be one line of text"),
    (lambda text: text.replace("1073741824", "-1"), "capacity must be a number of bytes"),
    (lambda text: text.replace("1073741824", "9" * 400), "capacity must be a number of bytes from 67108864 to"),
    (lambda text: text.replace("nvme0n1", "n" * 5000), "drive must be one line of text"),
    (lambda text: json.dumps({**json.loads(text), "fio": [said()] * 101}), "fio has 101 jobs; 100 are the most"),
    (lambda text: text.replace("1073741824", "true"), "capacity must be a number of bytes"),
    (lambda text: json.dumps({**json.loads(text), "fio": [1]}), "fio must be a list"),
    (lambda text: text.replace("randread", "trim"), "fio[0].job options.rw must be one of"),
])  # fmt: skip
def test_a_file_that_was_not_kept_is_one_line(change: Callable[[str], str], why: str, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    path.write_text(change(read_outputs("nvme0n1", 1 << 30, [said()]).text()))
    with pytest.raises(UserError) as refused:
        read_kept(path)
    assert str(refused.value).startswith(f"{path}: ")
    assert why in str(refused.value)
