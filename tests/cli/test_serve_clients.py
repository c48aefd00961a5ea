"""``spindle serve`` under other people's clients, where they are installed: every byte comes back, and fio agrees."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.nbd_client import Served

os.environ["PATH"] += os.pathsep + "/usr/sbin"
SIZE = 8 << 20
PATTERNS = ("write -P 17 4k 128k", "read -P 17 4k 128k", "write -z 8k 4k", "read -P 0 8k 4k", "discard 64k 8k",
            "read -P 17 12k 52k", "aio_write -P 3 1M 64k", "aio_write -P 4 2M 64k", "aio_flush", "read -P 3 1M 64k",
            "read -P 4 2M 64k", "write -f -P 5 0 512", "flush", "read -P 5 0 512")  # fmt: skip


def needs(program: str, package: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not here: apt install {package}")


def run(*words: str, status: int = 0) -> str:
    ran = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    words = ("hp7933", "--speed", "1000", "--size", str(SIZE), "--drives", "2", "--memory", "64K", "--json")
    server = Served(tmp_path_factory.mktemp("served"), *words)
    yield server
    status, out, _ = server.end()
    assert (status, json.loads(out)["malformed"]) == (0, 0)


@pytest.fixture(scope="module")
def flash(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A solid-state drive at its own speed; how late replies are is said at the end, however busy the machine is."""
    server = Served(tmp_path_factory.mktemp("flash"), "intels3700", "--log", "log.csv", "--json")
    yield server
    status, out, _ = server.end()
    said = json.loads(out)
    assert (status, said["malformed"], "replies" in said["lateness"]) == (0, 0, True)


@needs("nbdinfo", "libnbd-bin")
def test_nothing_turns_in_flash(flash: Served) -> None:
    (export,) = json.loads(run("nbdinfo", "--json", flash.uri))["exports"]
    assert (export["export-size"], export["is_rotational"]) == (800_166_076_416, False)
    assert (export["block_size_minimum"], export["can_trim"]) == (512, True)


@needs("qemu-io", "qemu-utils")
def test_flash_keeps_the_patterns_of_qemu_io(flash: Served) -> None:
    out = run("qemu-io", "-f", "raw", *(word for each in PATTERNS for word in ("-c", each)), flash.uri)
    assert "failed" not in out


@needs("fio", "fio")
def test_fio_reads_from_flash_what_it_wrote(flash: Served, tmp_path: Path) -> None:
    out = run("fio", "--name=v", "--ioengine=nbd", f"--uri={flash.uri}", "--rw=randrw", "--bs=16k", "--iodepth=32",
        "--offset=4g", "--size=2m", "--verify=crc32c", "--verify_fatal=1", f"--aux-path={tmp_path}",
        "--verify_state_save=0")  # fmt: skip
    assert "err= 0" in out


@needs("nbdinfo", "libnbd-bin")
def test_nbdinfo_sees_what_it_is(served: Served) -> None:
    (export,) = json.loads(run("nbdinfo", "--json", served.uri))["exports"]
    assert (export["export-name"], export["export-size"], export["is_rotational"]) == ("disc0", SIZE, True)
    assert all(export[f"can_{what}"] for what in ("flush", "fua", "trim", "zero", "df", "multi_conn"))
    assert "disc1" in run("nbdinfo", "--list", served.uri.removesuffix("disc0"))
    run("nbdinfo", served.uri.replace("disc0", "disc7"), status=1)


@needs("qemu-io", "qemu-utils")
def test_qemu_io_reads_the_patterns_that_it_wrote(served: Served) -> None:
    out = run("qemu-io", "-f", "raw", *(word for each in PATTERNS for word in ("-c", each)), served.uri)
    assert "verification failed" not in out
    assert "failed" not in out


@needs("fio", "fio")
def test_fio_verifies_what_it_wrote(served: Served, tmp_path: Path) -> None:
    out = run("fio", "--name=v", "--ioengine=nbd", f"--uri={served.uri.replace('disc0', 'disc1')}", "--rw=randrw",
        "--bs=4k", "--iodepth=8", "--size=2m", "--verify=crc32c", "--verify_fatal=1", f"--aux-path={tmp_path}",
        "--verify_state_save=0")  # fmt: skip
    assert "err= 0" in out


@needs("nbdcopy", "libnbd-bin")
@needs("mke2fs", "e2fsprogs")
def test_a_file_system_goes_in_and_comes_out_sound(served: Served, tmp_path: Path) -> None:
    image, back, tree = tmp_path / "image", tmp_path / "back", tmp_path / "tree"
    tree.mkdir()
    (tree / "file").write_bytes(bytes(range(256)) * 1000)
    run("mke2fs", "-q", "-t", "ext4", "-d", str(tree), str(image), str(SIZE >> 10))
    run("nbdcopy", "--flush", str(image), served.uri)
    run("nbdcopy", served.uri, str(back))
    run("e2fsck", "-fn", str(back))
    assert back.read_bytes() == image.read_bytes()
