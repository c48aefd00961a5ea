"""Tests ``spindle serve`` by real connections to a real process; lateness, which depends on the machine, is not tested.
"""

import json
import socket
from contextvars import copy_context
from pathlib import Path
from shlex import split
from signal import SIGHUP, SIGINT, SIGKILL
from time import sleep
from types import SimpleNamespace

import pytest

from spindle.cli import serve
from spindle.cli.main import main
from spindle.serve.address import SocketFile, TcpPort
from spindle.serve.plan import ServePlan
from spindle.sim.disc.raid.layout import RaidType
from tests.cli.nbd_client import Client, Served
from tests.serve.wire import FLUSH, READ, TRIM, WRITE, ZEROES, command
from tests.traces.conftest import SHEET

Said = pytest.CaptureFixture[str]
FAST = ("--speed", "1000")
SAME = ("measures", "distributions")
FUA = 1


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    # A server looks through the objects of its process once; among those of all tests it would take a second.
    monkeypatch.setattr("spindle.serve.session.gc", SimpleNamespace(collect=int, freeze=int, unfreeze=int))
    (tmp_path / "small.yaml").write_text(SHEET)
    return tmp_path


def work(client: Client) -> None:
    """Reads and writes far apart, some of them twice."""
    for turn in range(40):
        first = turn * 7919 % 90 * 4096
        client.ask(WRITE if turn % 3 else READ, first, 0 if turn % 3 else 4096, data=b"x" * 4096 if turn % 3 else b"")


@pytest.mark.parametrize(("drive", "words", "replayed"), [
    ("hp7933", "--drives 2 --bus HP-IB --scheduler sptf(ageing=0.006)", ""),
    ("hp7933", "--depth 4 --memory 64K --policy arc --write through",
     "--depth 4 --cache 64K --policy arc --write through"),
    ("intels3700", "--drives 2 --scheduler sstf", ""),
    ("hp7933", "--flash samsung960pro --flash-size 256KiB", "--flash samsung960pro --flash-size 256KiB"),
    ("hp7933", "--drives 4 --raid 5 --failed 1 --rebuild 1000K", "--drives 4 --raid 5 --failed 1 --rebuild 1000K"),
    ("intels3700", "--stall-every 9 --stall 2s --network-latency 1ms",
     "--stall-every 9 --stall 2s --network-latency 1ms"),
])  # fmt: skip
def test_a_replay_of_the_log_answers_the_same(
    drive: str, words: str, replayed: str, place: Path, capsys: Said
) -> None:
    served = Served(place, drive, *split(words), *FAST, "--log", "log.csv", "--json")
    clients = [Client(served, name) for name in ([b"disc1", b"disc0"] if "--drives 2" in words else [b"", b"disc0"])]
    for client in clients:
        work(client)
    status, out, _ = served.end()
    assert status == 0
    here = json.loads(out)
    options = split(replayed) if replayed else split(words)[2:]
    assert main(("replay", "log.csv", "--drive", drive, *options, "--out", "rows.csv", "--json")) == 0
    there = json.loads(capsys.readouterr().out)
    assert {name: here[name] for name in SAME} == {name: there[name] for name in SAME}
    assert here.get("arrays") == there.get("arrays")
    assert 0 <= here["measures"]["busiest_disc"] <= 1
    assert (here["connections"], here["malformed"], here["lateness"]["replies"]) == (2, 0, 80)
    asked = sorted(float(line.split(",")[4]) for line in Path("rows.csv").read_text().splitlines()[1:])
    logged = sorted(float(line.split(",")[5]) * 1e3 for line in Path("log.csv").read_text().splitlines()[1:])
    assert logged == pytest.approx(asked, abs=1e-6)


def test_two_connections_see_each_other_and_what_was_flushed_survives_a_kill(place: Path) -> None:
    words = ("small.yaml", "--data", "disc.img", *FAST)
    served = Served(place, *words)
    one, other = Client(served), Client(served)
    one.ask(WRITE, 1000, data=b"flushed")
    assert other.ask(READ, 1000, 7) == b"flushed"
    other.ask(FLUSH)
    one.ask(WRITE, 9000, flags=FUA, data=b"durable")
    one.ask(WRITE, 20000, data=b"xxx")
    one.ask(TRIM, 20000, 1)
    one.ask(ZEROES, 20001, 1, FUA)
    assert served.end(SIGKILL)[0] == -SIGKILL
    assert Path("disc.img").read_bytes()[1000:1007] == b"flushed"
    again = Served(place, *words, "--read-only")
    client = Client(again)
    assert (client.ask(READ, 9000, 7), client.ask(READ, 20000, 3)) == (b"durable", b"\0\0x")
    assert again.end(SIGINT)[0] == 0


def test_a_socket_file_is_this_user_s_and_the_tap_shows_queue_and_arm(place: Path) -> None:
    for last in (False, True):  # the second finds the socket of a server that was killed
        served = Served(place, "small.yaml", "--tap", where=("--socket", "here.sock"))
        assert Path("here.sock").stat().st_mode & 0o777 == 0o600
        assert served.uri == f"nbd+unix:///disc0?socket={place / 'here.sock'}"
        client = Client(served)
        for turn in range(30 if last else 1):
            client.ask(READ, turn * 4096 % 65536, 4096)
        status, out, err = served.end(SIGINT if last else SIGKILL)
    assert status == 0
    assert "disc0 queue" in err
    assert served.head[-1] == "programs of this user alone reach here.sock and may read and write; Ctrl-C ends it\n"
    assert "served 1 connection " in out
    assert "replies were late or early by" in out


def test_clients_that_are_gone_take_nothing_with_them_and_a_hang_up_ends_it_well(place: Path) -> None:
    served = Served(place, "hp7933", *FAST, "--log", "log.csv")
    for _ in range(3):
        Client(served).die(command(READ, 1 << 40, 512) * 20)
    assert Client(served).ask(READ, 0, 512) == bytes(512)
    served.process.send_signal(SIGHUP)
    status, out, err = served.end()
    assert (status, [line for line in err.splitlines() if "cannot keep up" not in line]) == (0, [])
    assert "served 4 connections" in out
    assert len((place / "log.csv").read_text().splitlines()) == 2
    assert not list(place.glob(".spindle*"))


def test_a_server_that_is_killed_leaves_its_log(place: Path) -> None:
    served = Served(place, "hp7933", *FAST, "--log", "log.csv")
    client = Client(served)
    for _ in range(3):
        assert client.ask(READ, 0, 512) == bytes(512)
    served.process.kill()
    served.process.wait()
    head, *rows = (place / "log.csv").read_text().splitlines()
    assert (head, len(rows)) == ("time_s,device,op,offset,size,response_s", 3)


def test_what_goes_on_after_the_last_reply_belongs_to_no_request(place: Path) -> None:
    """A rebuild begins with the first request, goes on while nobody asks, and no share is above the whole."""
    served = Served(place, "hp7933", *FAST, *split("--drives 4 --raid 5 --failed 1 --rebuild 1000K"), "--json")
    sleep(0.3)
    assert Client(served).ask(READ, 0, 4096) == bytes(4096)
    sleep(0.3)
    status, out, _ = served.end()
    numbers = json.loads(out)
    assert status == 0
    assert 0 <= numbers["measures"]["busiest_disc"] <= 1


def test_a_server_that_nobody_asked_says_so(place: Path) -> None:
    served = Served(place, "small.yaml")
    assert served.uri == f"nbd://127.0.0.1:{served.port}/disc0"
    status, out, err = served.end()
    assert (status, err) == (0, "")
    assert served.head[-1].startswith(f"any program on this machine reaches 127.0.0.1, port {served.port} and may read")
    assert "served 0 connections" in out
    assert "no drive was asked for anything" in out


@pytest.mark.parametrize(("words", "why"), [
    ("hp7933x", "unknown drive 'hp7933x': did you mean hp7933"), ("none.yaml", "none.yaml"), ("", "DRIVE"),
    ("hp7933 --size 1GiB", "an export of 1073741824 bytes is larger than the HP 7933, which has 404458496"),
    ("hp7933 --size 1000", "--size must be whole sectors of 256 bytes, not 1000 bytes"),
    ("hp7933 --data short", "short has 5 bytes, and the export has 404458496; --size says how many it is to have"),
    ("hp7933 --data .", "cannot open .: Is a directory"), ("hp7933 --data no/where", "cannot open no/where"),
    ("hp7933 --data a --data b", "--data names 2 files for 1 drives"), ("hp7933 --read-only", "--data names it"),
    ("hp7933 --listen '' --port 0", "--listen must have a value, not ''"),
    ("hp7933 --data ''", "--data must name a file"),
    ("hp7933 --socket new/", "--socket must name a file, not 'new/'"), ("hp7933 --socket short/s", "Not a directory"),
    ("hp7933 --data new --socket ./new", "--socket ./new and --data new are one file: each needs its own"),
    ("hp7933 --drives 2 --data new --data new", "--data new and --data new are one file"),
    ("hp7933 --socket new --log ./new", "--log would overwrite new"), ("hp7933 --port \u0661", "digits 0 to 9"),
    ("hp7933 --data short --log short", "--log would overwrite short"), ("hp7933 --log .", "--log must name a file"),
    ("hp7933 --speed 0", "--speed must be from 0.001 to 1000, not 0"), ("hp7933 --speed fast", "--speed must be"),
    ("hp7933 --port 70000", "--port must be a whole number from 0 to 65535"), ("hp7933 --drives 0", "--drives"),
    ("hp7933 --socket s --port 1", "--socket and --port exclude each other"), ("hp7933 --policy arc", "--cache gives"),
    ("hp7933 --socket short", "spindle: cannot listen on short: it is there already, and no socket"),
    ("hp7933 --listen 256.1.1.1.1 --port 0", "'256.1.1.1.1', port 0: "),  # by the resolver
    ("hp7933 --prt 1", "--port"), ("hp7933 --wrap", "unknown option '--wrap'"),
    ("hp7933 --size -1", "number from 0 to"),
    ("hp7933 --socket s --listen ::1", "--socket and --listen exclude each other"),
    ("hp7933 --bus scsi", "unknown bus 'scsi'"), ("hp7933 --memory 1 --block 4096", "no room for a block"),
])  # fmt: skip
def test_a_mistake_is_one_line(words: str, why: str, place: Path, capsys: Said) -> None:
    Path("short").write_text("12345")
    assert main(("serve", *split(words))) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert why in err
    assert not Path("new").exists()


def test_a_port_in_use_is_one_line(place: Path, capsys: Said) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        assert main(("serve", "hp7933", "--port", str(port), "--log", "log.csv")) == 2
    assert capsys.readouterr().err == f"spindle: cannot listen on '127.0.0.1', port {port}: Address already in use\n"
    assert not Path("log.csv").exists()


def test_the_examples_of_the_help_are_understood(place: Path, capsys: Said) -> None:
    assert main(("serve", "--help")) == 0
    examples = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  spindle serve ")]
    assert len(examples) == 4
    for line in examples:
        words = split(line)[2:]
        plan = copy_context().run(lambda words=words: serve._plan(serve._parser().take(words)))
        assert plan.capacity > 0


def test_a_plan_has_all_that_is_asked_for(place: Path) -> None:
    def plan(line: str) -> ServePlan:
        return copy_context().run(lambda: serve._plan(serve._parser().take(split(line))))

    usual = plan("hp7933")
    assert (usual.count, usual.size, usual.data, usual.read_only, usual.speed) == (1, None, (), False, 1.0)
    assert (usual.storage.cache, usual.storage.flash, usual.storage.raid, usual.storage.head) == (None, None, None, 0)
    asked = plan("hp7911 --drives 2 --size 1MiB --data a --data b --read-only --speed 3 --port 0 --cache 64K --head 7 "
                 "--flash intels3700 --flash-size 1M")  # fmt: skip
    assert (asked.count, asked.size, asked.data, asked.read_only, asked.speed) == (
        2, 1 << 20, (Path("a"), Path("b")), True, 3.0)  # fmt: skip
    assert (asked.storage.disc.name, asked.storage.head, asked.address) == ("HP 7911", 7, TcpPort("127.0.0.1", 0))
    assert asked.storage.count is None, "exports are named, not numbered as the drives of a trace are"
    assert asked.storage.cache is not None
    assert asked.storage.flash is not None
    assert (asked.storage.cache.size, asked.storage.flash.cache.size) == (64 << 10, 1 << 20)
    array = plan("hp7911 --raid 5 --drives 4 --chunk 4K --socket s")
    assert (array.count, array.storage.raid) == (1, RaidType("5", 4, 4096, seed=1))
    assert array.address == SocketFile(Path("s"))


def test_whoever_listens_to_the_network_is_told(place: Path) -> None:
    plan = copy_context().run(lambda: serve._plan(serve._parser().take(["hp7933", "--listen", "::"])))
    assert plan.address.uri("disc0") == "nbd://[::]:10809/disc0"
    assert plan.address.exposure() == "whoever reaches ::, port 10809 over the network, without password or encryption"
