"""Reads published traces: lines of cells in a fixed order, or in columns named by a header.

In a fixed order are those of SPC, MSR, Alibaba, Tencent and Twitter; those of Meta, SYSTOR '17, Wikimedia and VMware's
vscsiStats have headers.

Sources: the README of MSR Cambridge's traces (SNIA IOTTA 388; Narayanan, Donnelly and Rowstron, FAST 2008), in ticks of
100 ns; the README files of twitter/cache-trace (OSDI 2020) and alibaba/block-traces (2020); that of Tencent's traces
at SNIA IOTTA (USENIX ATC 2020), with sectors of 512 bytes; CacheLib's guide to its traces of key-value caches and CDN;
SPC Trace File Format Specification 1.0.1 (2002), whose lines may be longer; the header that
VMware's vscsiStats -t prints; the README of virtual desktops' traces (SNIA IOTTA 4964; Lee et al., SYSTOR 2017), in
seconds; Wikitech's page on Wikimedia's traces of its CDN (2019).
"""

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import partial

from spindle.sim.units import MS, US
from spindle.workloads.traces.faults import Wrong
from spindle.workloads.traces.operations import Meaning, Operations, PassedWords
from spindle.workloads.traces.record import SECTOR, Record
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import (
    COMMA,
    Field,
    Separator,
    Shape,
    choice,
    clock,
    integer,
    key,
    number,
    separated_by,
    time_to_live,
    unread,
    word,
)
from spindle.workloads.traces.text import TextFormat, whole_lines

MSR_TICKS = 1e7
"""Units of 100 ns in a second, in which Windows counts time since 1601. A float has too few digits for such numbers, so
times are counted from the first line."""
NUMBER_OR_EMPTY = f"(?:{number('').pattern})?"
"""The pattern of a number, or of an empty cell."""
MSR_YEAR_1900, US_YEAR_2001 = 9e16, 1e15
"""Clock readings of about that year: in ticks since 1601, and in microseconds since 1970."""
MSR_FIELDS = (Field("Timestamp", integer("").pattern, integer("").rule, "clock", ticks=MSR_TICKS),
              word("Hostname", "device"), integer("DiskNumber", "disc"),
              replace(choice("Type", ("Read", "Write"), "op"), pattern="(?i:Read|Write|R|W)"),
              integer("Offset", "first"), integer("Size", "length"),
              replace(integer("ResponseTime", "response"), ticks=MSR_TICKS))  # fmt: skip
"""The fields of a line of MSR Cambridge's traces."""
_COMMANDS = ("get", "gets", "set", "add", "replace", "cas", "append", "prepend", "delete", "incr", "decr")
TWITTER = (clock("timestamp"), replace(key("key"), pattern=r"[^\x00-\x1f\x7f]{1,255}"), integer("key size", "extra"),
           integer("value size", "length"), word("client", "device"),
           choice("operation", _COMMANDS, "op", any_case=True), time_to_live("TTL"))  # fmt: skip
"""A key may have commas in it."""
ALIBABA = (word("device_id", "device"), choice("opcode", "RW", "op"), integer("offset", "first"),
           integer("length", "length"), clock("timestamp", US))  # fmt: skip
TENCENT = (clock("Timestamp"), integer("Offset", "first", SECTOR), integer("Size", "length", SECTOR),
           choice("IOType", "01", "op"), word("VolumeID", "device"))  # fmt: skip
SPC_1 = (integer("ASU", "device"), integer("LBA", "first", SECTOR), integer("Size", "length"),
         choice("Opcode", "RrWw", "op"),
         number("Timestamp", "time"))  # fmt: skip
META = {
    "key": key("key"), "op": choice("op", ("GET", "GET_LEASE", "SET", "SET_LEASE", "DELETE"), "op"),
    "size": integer("size", "length"), "op_count": integer("op_count", "count"),
    "key_size": integer("key_size", "extra"),
    "op_time": clock("op_time"), "usecase": word("usecase", "device"), "cacheKey": key("cacheKey"),
    "objectSize": integer("objectSize", "length"), "timestamp": clock("timestamp", MS), "OpType": word("OpType"),
    "ttl": time_to_live("ttl"), "TTL": time_to_live("TTL"),
}  # fmt: skip
"""Fields by their names in the headers, of which there are several; an object has the bytes of its key as well."""
META_HEADS = ({"key", "op", "size", "op_count"}, {"cacheKey", "objectSize"})
SYSTOR = {
    "Timestamp": clock("Timestamp"), "Response": replace(number("Response", "response"), pattern=NUMBER_OR_EMPTY),
    "IOType": replace(choice("IOType", "RW", "op"), pattern="[RW]?"), "LUN": word("LUN", "device"),
    "Offset": integer("Offset", "first"), "Size": integer("Size", "length"),
}  # fmt: skip
"""Fields by name; a response that was not seen is left empty, and with it at times the operation."""
UNSEEN = Operations(False, {"": Meaning.SKIP})
WIKIMEDIA = {
    "relative_unix": clock("relative_unix"), "hashed_path_query": key("hashed_path_query", "\t"),
    "hashed_host_path_query": key("hashed_host_path_query", "\t"), "response_size": integer("response_size", "length"),
}  # fmt: skip
VSCSI = {
    "IO Data Length": integer("IO Data Length", "length"), "Command Type": word("Command Type", "op"),
    "LBN": integer("LBN", "first", SECTOR), "Time Stamp (microseconds)": clock("Time Stamp (microseconds)", US),
}  # fmt: skip
WIKIMEDIA_HEADS = ({"relative_unix", "hashed_path_query", "response_size"},
                   {"relative_unix", "hashed_host_path_query", "response_size"})  # fmt: skip


class FixedRows(Rows):
    """Lines of fixed fields; some copies of the trace have a header, which is passed over, or quotes."""

    def parse(self, line: str) -> Record | None:
        try:
            return super().parse(line)
        except Wrong:
            if self._is_header(line):
                return None
            if '"' in line:
                return super().parse(line.replace('"', ""))
            raise

    def _is_header(self, line: str) -> bool:
        """Tell if the cells of *line* are the names of the fields, or parts of them, or have them as parts."""
        pairs = list(zip(map(_letters, line.split(",")), (_letters(field.name) for field in self.shape.fields),
                         strict=False))  # fmt: skip
        return len(pairs) == len(self.shape.fields) and all(one and (one in two or two in one) for one, two in pairs)


def _letters(name: str) -> str:
    return re.sub("[^a-z]", "", name.lower())


class HeadedRows:
    """Lines below a header with all names of one of *heads*; those of *known* are read, others passed over."""

    began: float | None = None

    def __init__(
        self, known: Mapping[str, Field], heads: Sequence[Set[str]], separator: Separator = COMMA,
        ops: Operations | None = None,
    ) -> None:  # fmt: skip
        self._known, self._heads, self._separator, self._ops = known, heads, separator, ops
        self.shape = Shape(list(known.values()), separator)
        self._rows: Rows | None = None
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}

    @property
    def columns(self) -> Rows | None:
        return self._rows

    @property
    def notes(self) -> Sequence[str]:
        return self._rows.notes if self._rows else ()

    def parse(self, line: str) -> Record | None:
        if self._rows is not None:
            record = self._rows.parse(line)
            self.began = self._rows.began
            return record
        mark = self._separator.mark
        names = [name.strip() for name in line.removeprefix("#").split(mark)]
        if not any(head <= set(names) for head in self._heads):
            if line.startswith("#"):
                return None
            heads = " or ".join(",".join(sorted(each)) for each in self._heads)
            raise Wrong(f"the header must have the columns {heads}")
        self._rows = Rows([self._known.get(name, replace(unread(mark), name=name)) for name in names], self._separator,
                          ops=self._ops)  # fmt: skip
        self._rows.began, self._rows.passed, self._rows.given = self.began, self.passed, self.given
        self.shape = self._rows.shape
        return None


def _may_be_bytes(head: bytes, *places: int) -> bool:
    """Tell if the numbers in cells *places* of *head* all divide by a sector, and not all are 0: a hint at bytes."""
    lines = [line.split(b",") for line in whole_lines(head).splitlines()]
    numbers = [int(cells[place]) for cells in lines for place in places
               if len(cells) > place and cells[place].strip().isdigit()]  # fmt: skip
    return len(lines) > 1 and any(numbers) and not any(number % SECTOR for number in numbers)


SPC_IN_BYTES = "its lines are taken for SPC's, with sectors of 512 bytes; as all divide by 512, they may be bytes: " \
               "--columns device=1,offset=2,size=3,op=4,time_s=5"  # fmt: skip
FIVE = "five whole numbers a line are taken for Tencent's time,offset,size,op,volume; --columns would say otherwise"
TENCENT_IN_BYTES = "; as offsets and sizes all divide by 512, they may be bytes: --columns " \
                   "time=1,offset=2,size=3,op=4,device=5 --ops 0=read,1=write"  # fmt: skip


MSR_UNIT = "its times are no dates, and are taken for ticks of 100 ns, as MSR's; in another unit: --columns " \
           "time_us=1,device=2,op=4,offset=5,size=6"  # fmt: skip
ALIBABA_UNIT = "its times are no dates, and are taken for microseconds, as Alibaba's; in another unit: --columns " \
               "device=1,op=2,offset=3,size=4,time_s=5"  # fmt: skip


def _has_dates(head: bytes, place: int, least: float) -> bool:
    """Tell if the clock in cell *place* of the first line of *head* that has a number there shows *least* or later."""
    texts = [line.split(b",")[place].strip() for line in whole_lines(head).splitlines() if line.count(b",") >= place]
    return next((float(text) >= least for text in texts if re.fullmatch(rb"\d{1,19}(?:\.\d*)?", text)), True)


def _msr_with_hint(head: bytes, name: str) -> TextFormat:
    return MSR if _has_dates(head, 0, MSR_YEAR_1900) else replace(MSR, note=MSR_UNIT)


def _alibaba_with_hint(head: bytes, name: str) -> TextFormat:
    return ALIBABA_BLOCKS if _has_dates(head, 4, US_YEAR_2001) else replace(ALIBABA_BLOCKS, note=ALIBABA_UNIT)


def _spc_with_hint(head: bytes, name: str) -> TextFormat:
    return replace(SPC, note=SPC_IN_BYTES if _may_be_bytes(head, 1) else "")


def _tencent_with_hint(head: bytes, name: str) -> TextFormat:
    return replace(TENCENT_BLOCKS, note=FIVE + TENCENT_IN_BYTES * _may_be_bytes(head, 1, 2))


TENCENT_BLOCKS = TextFormat(
    "tencent", (), "a request is a line of five cells",
    partial(FixedRows, TENCENT, ops=Operations(False, {"0": Meaning.READ, "1": Meaning.WRITE})),
    choose=_tencent_with_hint,
)  # fmt: skip
ALIBABA_BLOCKS = TextFormat("alibaba", (), "a request is a line of five cells", partial(FixedRows, ALIBABA),
                            choose=_alibaba_with_hint)  # fmt: skip
MSR = TextFormat("msr", (".msr",), "a request is a line of seven cells", partial(FixedRows, MSR_FIELDS),
           choose=_msr_with_hint)  # fmt: skip
SPC = TextFormat("spc", (".spc",), "a request is a line of at least five cells", partial(FixedRows, SPC_1, longer=True),
                 choose=_spc_with_hint)
NEEDS_HEADER = "a request is a line below the header"
PUBLISHED = (
    TextFormat("meta", (), NEEDS_HEADER, partial(HeadedRows, META, META_HEADS)),
    TextFormat("systor17", (), NEEDS_HEADER, partial(HeadedRows, SYSTOR, [SYSTOR.keys()], ops=UNSEEN)),
    TextFormat("wikimedia", (), NEEDS_HEADER, partial(HeadedRows, WIKIMEDIA, WIKIMEDIA_HEADS, separated_by("\t"))),
    TextFormat("vscsi-text", (), NEEDS_HEADER, partial(HeadedRows, VSCSI, [VSCSI.keys()])),
    TextFormat("twitter", (), "a request is a line of seven cells", partial(FixedRows, TWITTER)),
    ALIBABA_BLOCKS,
    TENCENT_BLOCKS,
)  # fmt: skip
