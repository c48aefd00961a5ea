"""Tests what is written of a trace by hand: in each format, to be read again, packed as its name ends, or refused."""

import bz2
import gzip
import lzma
import zlib
from pathlib import Path

import pytest
import zstandard

from spindle.sim.error import UserError
from spindle.sim.request import READ, WRITE
from spindle.traces.opening import TraceOptions
from spindle.traces.writer import ORACLE, WRITERS, write_trace
from spindle.workloads.traces.record import Record

RECORDS = [Record(0.5, "sda", READ, 4096, 512), Record(1.0, "sda", WRITE, 0, 1024),
           Record(1.5, "sda", READ, 8192, 4096)]  # fmt: skip
OBJECTS = [Record(1.0, "", READ, 0, 100, keys=("a",)), Record(2.0, "", READ, 0, 7, keys=("b",))]
UNPACKED = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress,
            ".zst": lambda packed: zstandard.ZstdDecompressor().decompressobj().decompress(packed),
            ".csv": bytes}  # fmt: skip


@pytest.mark.parametrize("suffix", UNPACKED)
def test_a_file_is_packed_as_its_name_ends(suffix: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain.txt", tmp_path / f"t.csv{suffix.upper()}"
    write_trace(iter(RECORDS), plain, "csv")
    write_trace(iter(RECORDS), packed, "csv")
    assert UNPACKED[suffix](packed.read_bytes()) == plain.read_bytes()
    assert plain.read_bytes().count(b"\n") == 4
    again = packed.read_bytes()
    write_trace(iter(RECORDS), packed, "csv")
    assert packed.read_bytes() == again, "there is no date in it"
    assert (zlib.decompress(again, wbits=31) == plain.read_bytes()) if suffix == ".gz" else True


@pytest.mark.parametrize("format", [name for name in WRITERS if name != ORACLE])
def test_requests_are_read_again(format: str, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    write_trace(iter(RECORDS), path, format)
    options = TraceOptions()
    found = list(options.records(options.open(path)))
    assert [(record.op, record.first, record.length) for record in found] == [
        (record.op, record.first, record.length) for record in RECORDS]  # fmt: skip
    assert [record.time - (found[0].time or 0.0) for record in found if record.time is not None] == pytest.approx(
        [0.0, 0.5, 1.0], abs=1e-3)  # fmt: skip


@pytest.mark.parametrize("format", ["csv", ORACLE])
def test_objects_are_read_again_where_a_format_has_them(format: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.oracleGeneral"
    write_trace(iter(OBJECTS), path, format)
    options = TraceOptions()
    found = list(options.records(options.open(path)))
    assert [record.length for record in found] == [100, 7]
    assert found[0].keys != found[1].keys
    assert all(record.keys for record in found)


@pytest.mark.parametrize("format", [name for name in WRITERS if name not in ("csv", ORACLE)])
def test_objects_are_refused_where_a_format_has_none(format: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"'a' is the key of an object, and {format} has bytes of devices"):
        write_trace(iter(OBJECTS), tmp_path / "trace", format)
    assert list(tmp_path.iterdir()) == [], "nothing is left of it"


def test_a_format_that_is_not_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown format to write a trace in 'fio4': did you mean fio"):
        write_trace(iter(RECORDS), tmp_path / "trace", "fio4")
    assert list(tmp_path.iterdir()) == []
