"""Lists the formats of traces by name; the module of a format is imported when the format is first used.

Each module defines the fields of a line or record of a format, or of several alike, and perhaps writes them.
"""

from collections.abc import Iterable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from spindle.sim.named_table import NamedTable

if TYPE_CHECKING:
    from spindle.workloads.traces.format import Format

_PLACES = (
    ("plain:PLAIN", "csv"), ("published:MSR", "msr"), ("published:SPC", "spc"),
    ("blkparse:ACTIONS", "blkparse blkparse-issued blkparse-completed"), ("fio:FIO", "fio"),
    ("disksim:DISKSIM", "disksim"), ("blktrace:BLKTRACE", "blktrace"),
    ("blktrace:COMPLETED_EVENTS", "blktrace-completed"), ("vscsi:VSCSI_1", "vscsi1"), ("vscsi:VSCSI_2", "vscsi2"),
    ("oracle:LCS", "lcs"), ("oracle:ORACLE_GENERAL", "oracleGeneral"),
    ("oracle:OBJECTS", "oracleGeneral-objects"),
    ("published:PUBLISHED", "meta systor17 wikimedia vscsi-text twitter alibaba tencent"), ("jsonl:JSONL", "jsonl"),
    ("json_blocks:JSON_BLOCKS", "jsonl-blocks"),
    ("events:EVENTS", "biosnoop ftrace xperf iosnoop diskmon fiu ibm-cos fio-log tencent-photo lmcache"),
    ("disksim:MQSIM", "mqsim"), ("server_logs:SERVER_LOGS", "s3-log web-log redis memcached"),
    ("tool_logs:TOOL_LOGS", "squid w3c-log nbdkit nvme qemu fs_usage hdfs-audit darshan-dxt rocksdb ycsb arc"),
)  # fmt: skip
COLUMN_NAMES = "time_s (or time, date and time, time_ms, time_us, time_ns), op, offset and size in bytes (or lba_512 " \
               "and sectors), or key; device, count, ttl, response_s, measured_ms, gap_before_ms, service_ms, " \
               "queue_ms, seq"
"""Names of the columns of csv, as messages list them."""
HASHES = ("hash_ids", "block_hashes", "block_ids", "chunk_hashes")
"""Fields of jsonl with the blocks of a prompt, as Mooncake, vLLM and LMCache call them."""


def _format_at(place: str, name: str) -> Any:
    """Return the format called *name*, which is, or is among those, at *place*."""
    module, _, constant = place.partition(":")
    found = getattr(import_module(f"{__name__}.{module}"), constant)
    return next(each for each in found if each.name == name) if isinstance(found, Iterable) else found


FORMATS: "NamedTable[Format]" = NamedTable({
    name: partial(_format_at, place, name) for place, names in _PLACES for name in names.split()})  # fmt: skip
"""Formats by name; a file that looks like two of them is taken for the earlier."""
