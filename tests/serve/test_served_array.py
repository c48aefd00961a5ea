"""An array as an export: its size, what reaches its drives, and what the command line says of it."""

import asyncio
from contextlib import ExitStack, closing
from dataclasses import replace
from io import BytesIO

import pytest
import simpy

from spindle.cli.main import main
from spindle.serve.address import TcpPort
from spindle.serve.plan import Arrivals, ServedDevice, ServePlan
from spindle.sim.clock import Wait
from spindle.sim.disc.drive import Drive, Fcfs
from spindle.sim.disc.flash.sheets import INTEL_S3700
from spindle.sim.disc.raid.layout import RaidType
from spindle.sim.disc.registry import DRIVES
from spindle.sim.disc.sheet_file.sheet import DriveSheet
from spindle.sim.eviction.lru import Lru
from spindle.sim.request import Span
from spindle.sim.units import KIB, MIB
from spindle.traces.replay.drives import StoragePlan
from spindle.traces.replay.storage import CachePlan, FlashPlan, Storage, write_back

SHEET = DriveSheet(DRIVES["hp7933"], None)


def test_an_array_is_one_export_of_all_its_data() -> None:
    plan = ServePlan(StoragePlan(SHEET, Fcfs, raid=RaidType("5", 4, 64 * KIB)), TcpPort("127.0.0.1", 0))
    whole = SHEET.disc.layout.capacity // (64 * KIB) * 64 * KIB
    assert plan.capacity == 3 * whole
    bitmap = replace(plan, storage=replace(plan.storage, raid=RaidType("5", 4, 64 * KIB, bitmap=64 * MIB)))
    assert bitmap.capacity == 3 * (whole - 64 * KIB)
    env = simpy.Environment()
    storage, arrivals = Storage(env, plan.storage), Arrivals(BytesIO())
    with ExitStack() as stack:
        (export,) = plan.exports(storage, arrivals, stack).values()
        for each in (export.device.write(Span(0, 4 * KIB), True), export.device.read(Span(0, 4 * KIB)),
                     export.device.flush()):  # fmt: skip
            env.run(each)
        export.device.discard(Span(0, 4 * KIB))
    assert arrivals.beside == 3  # the flush of a durable write, a flush, and a trim
    (array,) = storage.arrays
    assert array.capacity == plan.capacity
    assert (array.reads, array.writes, array.reading()["reconstruct_writes"]) == (1, 1, 1)
    assert set(storage.drives) == {f"disc0.{number}" for number in range(4)}


def test_a_durable_write_waits_for_its_own_bytes_and_a_flush_for_all() -> None:
    flushed: list[Span] = []

    class Noted(Drive):
        def flush(self, span: Span) -> Wait:
            flushed.append(span)
            return super().flush(span)

    env = simpy.Environment()
    storage = Storage(env, StoragePlan(SHEET, Fcfs))
    storage._devices["disc0"] = Noted(env, SHEET.disc)
    arrivals = Arrivals()
    device = ServedDevice(storage, "disc0", arrivals)
    env.run(device.write(Span(8 * KIB, 4 * KIB), False))
    assert 0.0 < arrivals.end == env.now
    env.run(device.write(Span(0, 4 * KIB), True))
    env.run(device.flush())
    assert flushed == [Span(0, 4 * KIB), Span(0, SHEET.disc.layout.capacity)]


def test_a_free_port_is_told_by_its_number() -> None:
    async def serve_client(reader: object, writer: object) -> None:
        raise AssertionError("nobody connects")

    async def listen() -> tuple[int, str]:
        server, address = await TcpPort("127.0.0.1", 0).listen(serve_client)
        with closing(server):
            return server.sockets[0].getsockname()[1], address.uri("disc0")

    number, uri = asyncio.run(listen())
    assert (number > 0, uri) == (True, f"nbd://127.0.0.1:{number}/disc0")


def test_below_a_cache_an_export_ends_with_a_whole_block_of_it() -> None:
    """A drive of 404,458,496 bytes has 6,171 blocks of 64 KiB, and 35 KiB more."""
    cache = CachePlan(MIB, 64 * KIB, Lru, write_back)
    plans = (StoragePlan(SHEET, Fcfs), StoragePlan(SHEET, Fcfs, cache),
             StoragePlan(SHEET, Fcfs, flash=FlashPlan(INTEL_S3700, cache)))  # fmt: skip
    found = [ServePlan(plan, TcpPort("127.0.0.1", 0)).capacity for plan in plans]
    assert found == [404_458_496, 6171 * 64 * KIB, 6171 * 64 * KIB]


@pytest.mark.parametrize(("words", "says"), [
    ("--raid 5", "--raid 5 needs --drives"), ("--raid 5 --drives 2", "takes 3 to"),
    ("--raid 7 --drives 4", "no level"), ("--chunk 64K", "--raid gives its level"),
    ("--raid 5 --drives 3 --chunk 100", "whole sectors"), ("--raid 5 --drives 3 --failed 2", "from 0 to 1, not 2"),
])  # fmt: skip
def test_mistakes(words: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "hp7933", *words.split()]) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
