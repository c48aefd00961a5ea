"""Tests the progress of reading a trace: the bytes reported add up to the size of the file."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from spindle.cli.trace_file import whole_size
from spindle.workloads.traces.reader import Trace
from tests.traces.conftest import some

PLAIN = some(20_000).encode()


@pytest.mark.parametrize("compressed", [
    lambda plain: plain, gzip.compress, zstandard.ZstdCompressor().compress,
], ids=["plain", "gzip", "zstd"])  # fmt: skip
def test_what_passes_by_adds_up_to_what_the_file_says(compressed: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_bytes(compressed(PLAIN))
    assert whole_size(path) == len(PLAIN)
    trace, passed = Trace(path), [0]
    records = list(trace.records(lambda more: passed.append(passed[-1] + more)))
    assert passed[-1] == len(PLAIN)
    assert len(passed) > 2
    assert records == list(trace)


def test_a_file_that_says_nothing_has_no_size(tmp_path: Path) -> None:
    path = tmp_path / "trace.csv.zst"
    path.write_bytes(zstandard.ZstdCompressor(write_content_size=False).compress(PLAIN))
    assert whole_size(path) is None
    assert whole_size(tmp_path / "none.csv") is None
    assert whole_size(Path("\0")) is None
    path.write_bytes(b"\x1f\x8b")
    assert whole_size(path) is None
