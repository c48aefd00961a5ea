"""Reads logs of Squid, CloudFront, nbdkit, NVMe in Linux, QEMU, fs_usage, HDFS, Darshan, RocksDB, YCSB; ARC's traces.

Sources: Squid's native log format; "W3C Extended Log File Format", as CloudFront and IIS write; nbdkit-log-filter(1);
trace.h of Linux's NVMe driver, whose len counts from 0; block-backend.c's trace points of QEMU; fs_usage(1) of macOS,
whose D= is a block of 512 bytes; FSNamesystem.audit of HDFS; darshan-dxt-parser of Darshan 3; trace_analyzer of
RocksDB; BasicDB of YCSB; the traces of Megiddo and Modha's ARC (FAST 2003): first block, blocks, 0, number.
"""

import re
from datetime import datetime

from spindle.sim.units import MS, US
from spindle.workloads.traces.formats.events import Event, Reading, groups, line_format, tool_format
from spindle.workloads.traces.formats.server_logs import FAILED, LONGEST_ANSWER, NOT_CHANGED

# The pattern of a line of Squid's log; those of other tools are beside their readers.
SQUID = re.compile(r"\s*(\d{1,12}\.\d{1,6}) +(\d{1,12}) \S{1,255} [A-Z_]{1,64}/(\d{3}) (\d{1,18}) ([A-Z]{2,20}) "
                   r"(\S{1,4096}) \S+ [A-Z_]{1,64}/\S+").match  # fmt: skip
MAX_BLOCKS = 1 << 12
"""Most blocks of a request in one of ARC's traces."""


def squid() -> Reading:
    """``seconds ms client code/status bytes method URL user peer type``; a line is written when the answer was sent."""
    sizes = dict[str, str]()

    def read(line: str) -> Event | None:
        time, took, status, size, method, url = groups(SQUID(line))
        failed = status.startswith(FAILED)
        if not failed:
            size = sizes[url] = sizes.get(url, "") if status == NOT_CHANGED else size
        return Event(status if failed else method, "", "0", size, time, took, response_unit=MS, keys=(url,),
                     skip=failed, ended=True)  # fmt: skip

    return read


def w3c_log() -> Reading:
    """Lines of the cells that ``#Fields:`` names, between tabs or blanks, as CloudFront and IIS write them."""
    names: list[str] = []

    def read(line: str) -> Event | None:
        nonlocal names
        if line.startswith("#"):
            head, colon, rest = line.partition(":")
            names = rest.split() if head == "#Fields" else names
            if not colon:
                raise ValueError
            return None
        row = dict(zip(names, line.split("\t") if "\t" in line else line.split(), strict=True))
        failed = row["sc-status"].startswith(FAILED)
        at = datetime.fromisoformat(f"{row['date']}T{row['time']}+00:00").timestamp()
        query = row.get("cs-uri-query", "-")
        host = row.get("cs-host", row.get("cs(Host)", "-"))
        path = ("" if host == "-" else host) + row["cs-uri-stem"] + (f"?{query}" if query != "-" else "")
        op, size = row["sc-status"] if failed else row["cs-method"], row.get("sc-bytes", "-").replace("-", "")
        return Event(op, "", "0", size, str(int(at)), keys=(path,), skip=failed)

    return read


NBDKIT = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}) (?:connection=\d+ )?(\.\.\.)?([A-Z]\w{1,20})"
                    r"(?: .*)?").fullmatch  # fmt: skip
HEX = r"=(0x[0-9a-f]{1,16}|\d{1,18})"
PLACE = re.compile(rf"\boffset{HEX} count{HEX}").search
IDLE = ("Trim", "Zero", "Flush", "Cache", "Extents")


def nbdkit(line: str) -> Event | None:
    """``date time connection=N Read id=N offset=0x0 count=0x200 ...``; what comes back has three points before it."""
    date, answer, what = groups(NBDKIT(line.rstrip()))
    place = PLACE(line)
    if answer or place is None or what not in ("Read", "Write", *IDLE):
        return None
    at = round(datetime.fromisoformat(f"{date}+00:00").timestamp() * 1e6)
    return Event(what, "", place[1], place[2], str(at), unit=US, sector=1, skip=what in IDLE)


NVME = re.compile(r"(\d{1,10}\.\d{1,9}): (nvme_\w{1,30}): (\w{1,30}):(?: disk=([\w-]{1,64}),)? .{0,999}").search
NVME_COMMAND = re.compile(r"cmd=\(nvme_cmd_(\w{1,20})(?: slba=(\d{1,18}), len=(\d{1,6}),)?").search


def nvme(line: str) -> Event | None:
    """ftrace's ``nvme_setup_cmd``, in blocks of 512 bytes of which len counts from 0; completions are passed over."""
    match, command = NVME(line[:4096]), NVME_COMMAND(line[:4096])
    if match is None or (command is None and match[2] == "nvme_setup_cmd" and "cmd=" not in line):
        if line.startswith("#"):
            return None
        raise ValueError
    if match[2] != "nvme_setup_cmd" or command is None or command[2] is None:
        return None
    word, first, length = command.groups()
    return Event(word, match[4] or match[3], first, str(int(length) + 1), match[1], sectors=512,
                 skip=word not in ("read", "write"))  # fmt: skip


QEMU = re.compile(r"(?:\d{1,10}@(\d{1,12}\.\d{1,9}):)?((?:blk|bdrv)_co_p(read|write)v\w*) "
                  r"(?:(?:blk|bs) (\w{1,20}) )?.{0,500}?\boffset[ =]"
                  r"(0x[0-9a-f]{1,16}|\d{1,18}) bytes[ =](0x[0-9a-f]{1,16}|\d{1,18})").match  # fmt: skip
QEMU_EVENT = re.compile(r"(?:\d{1,10}@\d{1,12}\.\d{1,9}:)[a-z]\w{2,60}\b").match


def qemu() -> Reading:
    """``pid@seconds:blk_co_preadv blk P bs P offset N bytes N``; of two layers the first in the file is read. A second
    drive is called by its address, which is all that is known of it.
    """
    layer = ""
    drives = dict[str, str]()

    def read(line: str) -> Event | None:
        nonlocal layer
        match = QEMU(line)
        if match is None and QEMU_EVENT(line):
            return None
        time, event, op, drive, first, length = groups(match)
        layer = layer or event[:3]
        if not event.startswith(layer):
            return None
        device = drives.setdefault(drive or "", drive or "" if drives else "")
        return Event(op, device, first, length, time or "", sector=1)

    return read


FS_USAGE = re.compile(r"(\d\d):(\d\d):(\d\d\.\d{1,9}) +([A-Za-z]\w{1,30})(\[\w{0,8}\])? ")
FS_PLACE = re.compile(r" D=(0x[0-9a-f]{1,16}) +B=(0x[0-9a-f]{1,16}) +(?:/dev/)?(\S{1,64})").search
FS_OPS = {"Rd": "read", "Wr": "write", "PgIn": "read", "PgOut": "write"}


def fs_usage(line: str) -> Event | None:
    """``hh:mm:ss.us RdData[A] D=0x.. B=0x.. /dev/disk1 seconds process``; calls of the file system are passed over."""
    match, place = FS_USAGE.match(line), FS_PLACE(line[:999])
    if match is None:
        raise ValueError
    op = next((op for word, op in FS_OPS.items() if match[4].startswith(word)), "")
    if place is None or not op:
        return None
    seconds = 3600 * int(match[1]) + 60 * int(match[2]) + float(match[3])
    return Event(op, place[3], place[1], place[2], f"{seconds:.9f}")


HDFS = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3}) .{0,200}?\ballowed=(\w+)\s.{0,999}?\bcmd=(\w+)\b.{0,99}?\s"
                  r"src=(/[^\t]{0,4095}?)(?:\t|\s+dst=|\s*$)").match  # fmt: skip
HDFS_OPS = {"open": "read", "create": "write", "append": "write", "delete": "delete"}


def hdfs_audit(line: str) -> Event | None:
    """``date time,ms INFO ... allowed=true ugi=.. cmd=open src=/path dst=null``: objects are paths, without sizes."""
    date, ms, allowed, command, path = groups(HDFS(line))
    if allowed != "true":
        return None
    seconds = int(datetime.fromisoformat(f"{date}+00:00").timestamp())
    return Event(HDFS_OPS.get(command, command), "", "0", "", f"{seconds}.{ms}", keys=(path,),
                 skip=command not in HDFS_OPS)  # fmt: skip


DXT_FILE = re.compile(r"# DXT, file_id: \d{1,20}, file_name: (.{1,4096})").fullmatch


def darshan_dxt() -> Reading:
    """`` X_POSIX rank read segment offset length start end`` below ``# DXT, file_id: N, file_name: PATH``. A device is
    a file; of two modules the first is read.
    """
    name, module = "", ""

    def read(line: str) -> Event | None:
        nonlocal name, module
        if line.startswith("#") or not line.strip():
            named = DXT_FILE(line.rstrip())
            name = named[1] if named else name
            return None
        kind, rank, op, segment, first, length, begin, end, *_ = line.split()
        if not kind.startswith("X_") or not (rank + segment).isdecimal() or op not in ("read", "write"):
            raise ValueError
        module = module or kind
        response = f"{max(0.0, float(end) - float(begin)):.9f}"
        return Event(op, name, first, length, begin, response, sector=1) if kind == module else None

    return read


def in_space(space: str, usual: str, key: str) -> str:
    """Return *key*, behind the name of its table or column family, unless that is the *usual* one."""
    return key if space == usual else f"{space}:{key}"


ROCKSDB_OPS = ("get", "put", "delete", "delete", "range delete", "put", "seek", "seek for previous", "get")


def rocksdb(line: str) -> Event | None:
    """``0xKEY type column-family bytes microseconds``, as trace_analyzer makes a trace readable; a get has no size."""
    key, kind, family, size, time = line.split()
    if not key.startswith("0x") or not (kind + family + size).isdecimal() or int(kind) >= len(ROCKSDB_OPS):
        raise ValueError
    op = ROCKSDB_OPS[int(kind)]
    return Event(op, family, "0", "" if size == "0" else size, time, unit=US, keys=(in_space(family, "0", key),),
                 skip=op not in ("get", "put", "delete"))  # fmt: skip


YCSB = re.compile(r"(READ|INSERT|UPDATE|DELETE|SCAN) (\S{1,255}) (\S{1,4096})(?: .*)?").fullmatch


def ycsb(line: str) -> Event | None:
    """``READ usertable user1 [ <all fields>]``, as its basic data base prints them: neither times nor sizes."""
    op, table, key = groups(YCSB(line.rstrip()))
    return Event(op, table, "0", "", keys=(in_space(table, "usertable", key),), skip=op == "SCAN")


ARC = re.compile(r"\s*(\d{1,12}) (\d{1,6}) 0 \d{1,12}\s*", re.ASCII).fullmatch
ARC_NOTE = "four numbers a line, the third 0, are taken for ARC's: first block, blocks, 0, number; a block is an object"


def arc(line: str) -> Event | None:
    """``first blocks 0 number``: each block is an object, for nobody says how many bytes it has."""
    match = ARC(line)
    if match is None or not 0 < int(match[2]) <= MAX_BLOCKS:
        raise ValueError
    first = int(match[1])
    return Event("", "", "0", "", keys=tuple(map(str, range(first, first + int(match[2])))))


NVME_NOTE = "blocks are taken for 512 bytes, as nobody says how many a namespace's have"
TOOL_LOGS = (
    tool_format("squid", squid, LONGEST_ANSWER), tool_format("w3c-log", w3c_log, LONGEST_ANSWER),
    line_format("nbdkit", nbdkit), line_format("nvme", nvme, note=NVME_NOTE), tool_format("qemu", qemu),
    line_format("fs_usage", fs_usage), line_format("hdfs-audit", hdfs_audit),
    tool_format("darshan-dxt", darshan_dxt, LONGEST_ANSWER), line_format("rocksdb", rocksdb),
    line_format("ycsb", ycsb), line_format("arc", arc, note=ARC_NOTE),
)  # fmt: skip
