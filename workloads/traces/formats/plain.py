"""Reads CSV with columns named by its header or by the caller: a request in each line, with times where they are known.

A request is for bytes of a device, ``offset,size``, for its sectors, ``lba_512,sectors``, or for an object, ``key``. A
list of requests that were timed on a drive is also such a trace, with the gap before each request and its service time.
"""

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property, partial

from spindle.sim.error import UserError, check_known, quote
from spindle.sim.units import MS, NS, US
from spindle.workloads.traces.batch import Batch, require
from spindle.workloads.traces.dates import is_date, is_day, is_time_of_day
from spindle.workloads.traces.day_and_time import DAY, DAY_NAMES, DayAndTime, with_day
from spindle.workloads.traces.faults import Checks, Wrong
from spindle.workloads.traces.formats import COLUMN_NAMES
from spindle.workloads.traces.operations import COLUMN_OF, Meaning, Operations, PassedWords, codes_in
from spindle.workloads.traces.record import SECTOR, Record
from spindle.workloads.traces.rows import Rows
from spindle.workloads.traces.shape import (
    COMMA,
    WHOLE_NUMBER,
    Field,
    Shape,
    clock,
    integer,
    key,
    loose,
    number,
    separated_by,
    time_to_live,
    unread,
    whole_of,
    word,
)
from spindle.workloads.traces.text import TextFormat


def _or_empty(field: Field) -> Field:
    return replace(field, pattern=f"(?:{field.pattern})?", rule=f"{field.rule}, or empty")


def _with_commas(field: Field, mark: str) -> Field:
    """Let the word in *field* have commas, where *mark* is between two fields: 8,0 is a device."""
    return replace(field, pattern=field.pattern.replace(r"[^\s,", rf"[^\s{re.escape(mark)}"))


def _plain_whole(field: Field) -> Field:
    """Relax *field* to whole numbers, as in a list for a drive, which a program wrote."""
    return replace(field, pattern=WHOLE_NUMBER)


OP = Field("op", r"[^\x00-\x1f\x7f]*+", "a word", "op")
COLUMN_MEANINGS = (
    _or_empty(number("time_s", "time")), _or_empty(number("arrival_s", "time")), Field(DAY, "", "a day", DAY),
    clock("timestamp"), clock("time"), clock("time_ms", MS), clock("time_us", US), clock("time_ns", NS),
    clock("timestamp_ms", MS), clock("timestamp_us", US), clock("timestamp_ns", NS),
    _or_empty(word("device", "device")), word("disc", "device"), word("volume", "device"), word("tenant", "device"),
    OP, *(loose(name, "first", 0) for name in ("lba_512", "lba512", "lba256", "lba")), loose("offset", "first"),
    *(loose(name, "length", 0) for name in ("sectors", "sectors512", "sectors256", "blocks")),
    loose("size", "length"), loose("length", "length"),
    key("key"), integer("count", "count"), time_to_live("ttl"), time_to_live("ttl_ms", MS), time_to_live("ttl_us", US),
    number("response_s", "response"), number("measured_ms", "response", MS),
    number("gap_before_ms", "gap", MS), number("service_ms", "service", MS), number("queue_ms", "queue", MS),
    integer("seq", "number"),
)  # fmt: skip
"""The columns by name; a unit of 0 is a sector, with its bytes in the column's name or given by the caller."""
KNOWN = {each.name: each for each in COLUMN_MEANINGS}
SECTORS = re.compile(r"(lba|sectors|blocks)_?(\d{3,10})")
"""Columns that count in sectors of that size."""
SIZED = re.compile(r"\d|sector").search
SPANS = re.compile(r"(response|latency|gap_before|service|queue)_(s|ms|us|ns)")
"""Columns of measured times in that unit."""
UNIT_IN_NAME = re.compile(r"(?:.*(?:[\W_]|[a-z](?=[A-Z])))?(?i:([num\u00b5\u03bc]s)(?:ecs?)?|([kmg])i?b)\W*").fullmatch
"""Matches the name of a column that ends with a unit, of time or of bytes."""
MICRO = {"\u00b5s": "us", "\u03bcs": "us"}
WITH_UNIT = {"time": "time", "clock": "time", "response": "response", "ttl": "ttl", "first": "lba",
             "length": "sectors"}  # fmt: skip
"""Beginnings of the names of columns with units, by the attribute of a record that they become."""
SPAN_ATTRIBUTES = {"latency": "response", "gap_before": "gap"}
TIME_UNITS = {"s": 1.0, "ms": MS, "us": US, "ns": NS}
PASSED = ("async", "qlen", "gap_disksim_ms", "trace_tag", "next_access_vtime", "")
"""Columns that are allowed and not read, as libCacheSim's number of the next use; the last is pandas's index."""
MARKS = ",\t;|"
USUAL_COLUMNS = ("op", "lba_512", "sectors")
"""Columns that lines are taken to have until the header is read."""
_THINGS = "id|obj|object|item|block|page|doc|photo|video|image|file|chunk|content|cache|hash|url|uri|name"
HEADINGS = re.compile(rf"{'|'.join(KNOWN)}|\w+[ _-](?:id|key|hash|name)|(?:{_THINGS})(?:id|key|hash|name)?s?|keys")
"""Names that a column of keys may have; with --columns by number such a first line is a header."""
KEYS = re.compile(r"(?:obj|object|item|doc|photo|video|image|content|cache|url|uri)[ _-]?(?:id|key|hash|name)?")
SIZE_HEADINGS = re.compile(r"(?:obj|object|item|response|content|value|body)[ _-]?(?:size|bytes|length)")
OF_OBJECTS = ("time", "size")
"""Columns of objects that may have other usual names; a type may be that of the object."""
BESIDE_OTHERS = {"clock": "time", "first": "key"}
"""Parts of a record that are not read where another is there."""
OF_KEYS = ("count", "ttl")
"""Parts of a record that requests for bytes have not."""
PHASE = "*"
"""A line of LIRS's traces that marks a phase."""
WORD_ATTRIBUTES = ("key", "op", "device", "disc", "")
"""Parts of records that are words, and cells that are not read."""
WHOLE = ("first", "length", "count", "extra", "number")
"""Parts of records that are whole numbers."""
THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d*)?", re.ASCII).fullmatch
POINTS = re.compile(r"\d{1,3}(?:\.000)+", re.ASCII).fullmatch
"""Matches a whole number whose points may be decimal, or stand between thousands."""
POINTED = "{} is taken for {}: points are decimal, and do not stand between thousands"
INNER = "\ue000"
"""Character in place of a separator within quotes."""
SEEN_INNER = repr(INNER)[1:-1]
BLANKS, BOM = str.maketrans("", "", '\ufeff" \t\r'), "\ufeff".encode()
"""Characters that a header may have more when it comes again, and the mark that each file begins with."""
WINDOWS = "cp1252"
"""The encoding of lines that are not UTF-8, as old spreadsheets write them."""
NAMELESS = "its first line has no names of columns; --columns says which is which, as time_s=1,op=2,offset=3,size=4"
IN_COMMENT = "the comment {} is taken for the header"
BESIDE = "a length of {0} is taken for bytes, beside a begin in sectors; --columns sectors={1} takes it for sectors"
COMMENT = "lines that begin with # stand between requests, and what they say is not read, as {}"
SEVERAL_NAMES = "; if it is several, --separator says what stands between --columns"
OF_ITS_DRIVE = (f"lba is taken for sectors of {SECTOR} bytes, and by spindle drive for those of the drive: a column "
                "lba256 or lba512 in its place says which")  # fmt: skip
"""Note on a list of requests that were timed on a drive, which has the drive's own sectors where it is compared."""
TIMED = {"gap", "service", "queue", "response"}
"""Parts of a record that only requests have that were timed."""
HEAD_NOTE = "the first line is taken for a header"


def field_of(name: str) -> Field | None:
    """Return the column called *name*, in capitals or small letters; None if there is none."""
    name = DAY if name.lower() in DAY_NAMES else name.lower()
    if name in KNOWN:
        return KNOWN[name]
    if (sectors := SECTORS.fullmatch(name)) is not None:
        return loose(name, "first" if sectors[1] == "lba" else "length", 0)
    if (span := SPANS.fullmatch(name)) is not None:
        return number(name, SPAN_ATTRIBUTES.get(span[1], span[1]), TIME_UNITS[span[2]])
    return None


def better_column(column: str, name: str) -> str:
    """Return the column with the unit that the *name* in a file has, if *column* has another; else ''."""
    field, found = field_of(column), UNIT_IN_NAME(name)
    if field is None or found is None or field.attribute not in WITH_UNIT:
        return ""
    time, size = (text and text.lower() for text in found.groups())
    of_time = field.attribute not in ("first", "length")
    if time and of_time:
        unit = MICRO.get(time, time)
        return "" if field.unit == TIME_UNITS[unit] else f"{WITH_UNIT[field.attribute]}_{unit}"
    if size and not of_time and not column[-1].isdecimal():
        return f"{WITH_UNIT[field.attribute]}_{1 << 10 * ('kmg'.index(size) + 1)}"
    return ""


def unit_notes(names: Mapping[str, str]) -> list[str]:
    """Return a note on each column whose name in the file, in *names*, has another unit."""
    return [f"{quote(name)} is read as {column}, and its name has another unit: --columns {better}={name}"
            for column, name in names.items() if (better := better_column(column, name))]  # fmt: skip


class PlainLines:
    """Lines of CSV with columns in any order; ``lba`` and ``sectors`` count *sector* bytes.

    *columns* are the names of some, each with its number, from 1 on, or its name in the header. Then others may be
    there, and with numbers the header may lack. Without *columns*, others may be there if *harmless*, as in a list of
    requests timed on a drive, where ``op`` must be. With *synonyms* a column may have another usual name.
    """

    def __init__(
        self, sector: int = SECTOR, columns: Mapping[str, str] | None = None, mark: str = "", harmless: bool = False,
        synonyms: bool = False,
    ) -> None:  # fmt: skip
        self._sector = sector
        self._columns = columns or {}
        self._mark = mark
        self._harmless = harmless
        self._codes = dict[str, Meaning]()
        """Codes of operations that comments explain."""
        self._synonyms = synonyms
        self._rows: Rows | None = None
        self._head_line: str
        self._head: str
        """The header as it stands there, and without BLANKS; '' where the first line is a request."""
        self._began: float | None = None
        self._decimal_commas = False
        self._pointed = ""
        """A note on a whole number with points, if there was one."""
        self._wrapped: bool
        """True if each line is in quotes, as where a spreadsheet took it for one cell."""
        self._beside_sectors: str
        """The column with bytes of a request that begins at a sector, until a length is no whole sector."""
        self._commented = ""
        """A comment that names columns, which is the header if no other line is."""
        self._noted: list[str] = []
        self._day: DayAndTime | None = None
        """Where a line has its day and its time of day, if in two columns."""
        self._has_comment = False
        self.passed = PassedWords()
        self.given: Mapping[str, Meaning] = {}
        self.shape = Shape([KNOWN[name] for name in USUAL_COLUMNS], COMMA)

    @property
    def began(self) -> float | None:
        return self._began if self._rows is None else self._rows.began

    @began.setter
    def began(self, clock: float | None) -> None:
        self._began = clock

    @property
    def notes(self) -> Sequence[str]:
        if self._rows is None:
            return self._noted
        coded = [] if self._codes else self._rows.guessed_codes()
        return [*self._noted, *self._rows.notes, *coded, *([self._pointed] if self._pointed else [])]

    @property
    def columns(self) -> "PlainLines | None":
        return None if self._rows is None else self

    def parse(self, line: str) -> Record | None:
        if self._rows is None:
            return self._read_head(line)
        if (self._head and line.translate(BLANKS) == self._head) or (self._columns and line.strip() == PHASE):
            return None
        if line.startswith("#") and self._rows.shape.match(self._clean(line)) is None:
            self._noted = self._noted if self._has_comment else [*self._noted, COMMENT.format(quote(line.strip()))]
            self._has_comment = True
            return None
        return self._record(self._rows, self._clean(line))

    def _record(self, rows: Rows, line: str) -> Record | None:
        """Read a *line* without quotes; marks that were within them are marks again."""
        try:
            record = rows.parse(line)
        except Wrong as wrong:
            raise Wrong(self._with_marks(str(wrong)), wrong.attribute, wrong.column) from None
        if record is None:
            return None
        if record.length % SECTOR:
            self._note_bytes(record.length)
        if INNER in "".join((record.device, *record.keys)):
            device, *keys = map(self._with_marks, (record.device, *record.keys))
            return record._replace(device=device, keys=tuple(keys))
        return record

    def _note_bytes(self, length: int) -> None:
        if self._beside_sectors:
            self._noted.append(BESIDE.format(length, self._beside_sectors))
            self._beside_sectors = ""

    def _with_marks(self, text: str) -> str:
        return text.replace(INNER, self._mark).replace(SEEN_INNER, self._mark)

    def batch(self, block: bytes, check: Checks) -> Batch:
        """Read many lines at once; those with quotes or a mark of a phase are not simple."""
        assert self._rows is not None
        require(b'"' not in block and not (self._columns and b"*" in block and re.search(rb"(?m)^[ \t]*\*", block)))
        require(not self._head or BOM not in block)
        require(not self._head or not _has_line(block, self._head_line.encode()))
        if self._decimal_commas and b"," in block:
            require(self._other_commas.search(block) is None)
            block = block.replace(b",", b".")
        require(self._day is None or self._mark != " ")
        batch = self._rows.batch(block if self._day is None else self._day.block(block), check)
        if self._beside_sectors and (uneven := batch.lengths % SECTOR != 0).any():
            self._note_bytes(batch.lengths[uneven.argmax()])
        return batch

    @cached_property
    def _other_commas(self) -> re.Pattern[bytes]:
        """Return the pattern of lines with commas that are not decimal: in words, or between thousands."""
        mark = re.escape(self._mark)
        word, whole = rf"[^{mark}\n]*,", rf"[ \t]*\d{{1,3}}(?:,\d{{3}})+[ \t]*(?:{mark}|\r?$)"
        places = [rf"(?:[^{mark}\n]*{mark}){{{place}}}{word if field.attribute in WORD_ATTRIBUTES else whole}"
                  for place, field in enumerate(self.shape.fields)
                  if field.attribute in (*WORD_ATTRIBUTES[:-1], *WHOLE)]
        return re.compile(rf"(?m)^(?:{'|'.join(places)})".encode())

    def _clean(self, line: str) -> str:
        """Remove quotes, and turn decimal commas into points."""
        if self._wrapped:
            line = line.strip().removeprefix('"').removesuffix('"').replace('""', '"')
        if '"' in line and line.count('"') % 2 == 0 and self._mark != " ":
            try:
                cells = next(csv.reader([line], delimiter=self._mark, skipinitialspace=True))
            except csv.Error:
                raise Wrong("a line ends within quotes") from None
            line = self._mark.join(self._plain(place, cell) for place, cell in enumerate(cells))
        line = line if self._day is None else self._day.line(line)
        if self._mark == " " and self.shape.match(line) is None:
            line = self._with_names(line)
        return self._with_points(line) if self._decimal_commas and ("," in line or ".000" in line) else line

    def _with_points(self, line: str) -> str:
        """Turn decimal commas into points, and leave out those between thousands; words keep theirs."""
        cells = line.split(self._mark)
        for place, field in enumerate(self.shape.fields[: len(cells)]):
            text = cells[place].strip()
            if field.attribute in WHOLE and POINTS(text) and not self._pointed:
                self._pointed = POINTED.format(text, whole_of(text))
            if field.attribute not in WORD_ATTRIBUTES:
                thousands = field.attribute in WHOLE and THOUSANDS(text)
                cells[place] = text.replace(",", "" if thousands else ".")
        return self._mark.join(cells)

    def _plain(self, place: int, cell: str) -> str:
        """Return a *cell* that was in quotes: a number without the commas between its thousands, else with marks."""
        fields = self.shape.fields
        attribute = fields[place].attribute if place < len(fields) else ""
        dated = cell.strip().replace(",", ".")
        if attribute == "clock" and (is_date(dated) or is_time_of_day(dated)):
            return dated
        # Without a point 1,500 may be one and a half.
        number = attribute in WHOLE or (attribute not in WORD_ATTRIBUTES and "." in cell)
        return cell.replace(",", "") if number and THOUSANDS(cell.strip()) else cell.replace(self._mark, INNER)

    def _with_names(self, line: str) -> str:
        """Keep one word of a cell in a column that is not read, as the name of a command may have several."""
        cells, fields = line.split(), self.shape.fields
        more = len(cells) - len(fields)
        for place, field in enumerate(fields if 1 <= more < 16 else ()):
            tried = " ".join([*cells[:place], *cells[place + more :]])
            if not field.read and self.shape.match(tried) is not None:
                return tried
        return line

    def _read_head(self, line: str) -> Record | None:
        """Read a line before the first record: a comment, perhaps with codes of operations, a mark, or the header."""
        if line.startswith("#"):
            self._codes = codes_in(line) | self._codes
            self._commented = line[1:].strip() if _are_columns(line[1:]) and not self._columns else self._commented
            return None
        if self._commented and not _are_columns(line):
            self._begin(self._commented)
            self._noted.append(IN_COMMENT.format(quote(self._commented)))
            return self.parse(line)
        if re.fullmatch(r"sep=[^\w\s]\s*", line):
            self._mark = self._mark or line.strip()[-1]
            return None
        return self._begin(line)

    def _begin(self, line: str) -> Record | None:
        """Read the first line: the header, or perhaps a record where the columns are given by number."""
        mark = self._mark or max(MARKS, key=line.count)
        mark = mark if self._mark or mark in line or len(line.split()) < 2 else " "
        self._mark = mark
        bare = line.strip()
        self._wrapped = bare.count('"') == 2 and bare.startswith('"') and bare.endswith('"') and mark in bare
        whole, line = line, self._clean(line)
        names = [self._with_marks(name.strip()) for name in line.split(None if mark == " " else mark)]
        numbers = bool(self._columns) and all(place.isdecimal() for place in self._columns.values())
        try:
            headed = self._by_number() if numbers else self._by_name(names) if self._columns else self._by_header(names)
            headed, self._day, said = with_day(headed, mark, field_of, self._harmless)
            rows = self._make_rows(headed, mark, numbers)
        except UserError as error:
            raise Wrong(str(error)) from None
        rows.began, rows.passed, rows.given = self._began, self.passed, self.given
        self._rows, self.shape = rows, rows.shape
        self._decimal_commas = mark in ";\t"
        self._noted += said if self._harmless else [*said, *unread_notes(rows.shape.fields)]
        lengths = [each.name for each in rows.shape.fields if each.attribute == "length" and each.unit == 1]
        in_sectors = any(each.attribute == "first" and each.unit > 1 for each in rows.shape.fields)
        self._beside_sectors = lengths[0] if lengths and in_sectors else ""
        wanted = [names[int(place) - 1].lower() for place in self._columns.values() if int(place) <= len(names)] \
            if numbers else []  # fmt: skip
        is_head = not numbers or all(map(HEADINGS.fullmatch, wanted))
        self._head_line = line.strip() * is_head
        self._head = self._head_line.translate(BLANKS)
        if not is_head and rows.shape.match(line := self._clean(whole)):
            return self._record(rows, line)
        self._noted += [HEAD_NOTE] * numbers
        return None

    def _make_rows(self, names: list[str], mark: str, longer: bool) -> Rows:
        fields = self._fields(names, mark)
        fields = fields if self._day is None else self._day.fields(fields)
        keyed = any(each.attribute == "key" for each in fields)
        return Rows(fields, separated_by(mark), longer, Operations(keyed, self._codes))

    def _by_number(self) -> list[str]:
        """Return the name of each column, up to the last that is wanted."""
        places = {int(place): name for name, place in self._columns.items()}
        return [places.get(number, "") for number in range(1, max(places) + 1)]

    def _by_name(self, names: list[str]) -> list[str]:
        wanted = {}
        for column, name in self._columns.items():
            check_known("column", names, name)
            wanted[names.index(name)] = column
        self._noted.extend(unit_notes(self._columns))
        return [wanted.get(place, "") for place in range(len(names))]

    def _by_header(self, names: list[str]) -> list[str]:
        if self._harmless and "op" not in names:
            raise UserError("there is no column op")
        if not any(map(field_of, names)) and any(name[:1].isdecimal() for name in names):
            raise UserError(NAMELESS.replace("time_s=1", "date=1,time=5") if any(map(is_day, names)) else NAMELESS)
        if self._synonyms:
            names = self._with_synonyms(names)
        for name in names:
            if name and names.count(name) > 1:
                raise UserError(f"column {name} stands there twice")
            if field_of(name) is None and name not in PASSED and not self._harmless:
                near = get_close_matches(name.lower(), KNOWN, 1)
                meant = f" (is {better_column(near[0], name) or near[0]} meant?)" if near else ""
                apart = SEVERAL_NAMES if len(names) == 1 and re.search(r"\w[^\w\s-]\w", name) else ""
                raise UserError(f"column {quote(name)} is not known{meant}{apart}; --columns says which to read of "
                                f"{COLUMN_NAMES}")
        return [each.name if (each := field_of(name)) else "" for name in names]

    def _with_synonyms(self, names: list[str]) -> list[str]:
        """Replace other usual names by those of columns, where no other column is for the same."""
        attributes = [field.attribute for name in names if (field := field_of(name))]
        others = {name: COLUMN_OF.get(name.lower(), "") for name in names if field_of(name) is None}
        keys = [name for name in others if KEYS.fullmatch(name.lower())]
        places = {field.attribute for column in others.values() if (field := field_of(column))}
        if "key" in attributes or (len(keys) == 1 and "first" not in {*attributes, *places}):
            others = {name: "size" if SIZE_HEADINGS.fullmatch(name.lower()) else "key" if name in keys else
                      column if column in OF_OBJECTS else "" for name, column in others.items()}  # fmt: skip
        if any(field.unit == 0 for column in (*names, *others.values()) if (field := field_of(column))):
            others = {name: column for name, column in others.items() if name.lower() != "len"}  # bytes, or sectors
        found = []
        for name in names:
            column = others.get(name, "")
            attribute = field.attribute if (field := field_of(column)) else ""
            if attribute and attribute not in attributes and (attribute != "clock" or "time" not in attributes):
                attributes.append(attribute)
                self._noted.append(f"column {name} is taken for {column}")
                name = column
            found.append(name)
        return found

    def _fields(self, names: list[str], mark: str) -> list[Field]:
        """Return the fields of a line; sectors have their size, and objects their words for operations."""
        fields = [each for name in names if (each := field_of(name))]
        attributes = {each.attribute for each in fields}
        if "key" not in attributes:
            for attribute, usual in (("first", "offset or lba_512"), ("length", "size or sectors")):
                if attribute not in attributes:
                    raise UserError(f"there is no column {usual}, nor key")
        counting = [each.name for each in fields if each.unit == 0]
        sector = self._bytes(counting)
        if not self._harmless:
            self._noted += sector_notes({each: each for each in counting})
            self._noted += [OF_ITS_DRIVE] if {"lba", "sectors"} <= {*counting} and attributes & TIMED else []
        anything = unread(mark)
        made = {"key": key("key", mark), "op": replace(OP, pattern=anything.pattern)}
        strict = {"response": _or_empty} if not self._harmless else {"first": _plain_whole, "length": _plain_whole}
        strict |= {"length": _or_empty} if "key" in attributes else {}
        strict |= {"device": partial(_with_commas, mark=mark)}
        made |= {each.name: replace(change(each), unit=each.unit or sector) for each in fields
                 if (change := strict.get(each.attribute)) is not None}  # fmt: skip
        return [made.get(name) or (replace(each, unit=each.unit or sector) if (each := field_of(name)) else anything)
                for name in names]

    def _bytes(self, names: list[str]) -> int:
        """Return the bytes of a sector by the *names* of columns that count them."""
        sizes = {re.sub(r"\D", "", name) for name in names} - {""}
        if len(sizes) > 1:
            raise UserError(f"{' and '.join(names)} count in different sectors")
        return int(sizes.pop()) if sizes else self._sector


def sector_notes(counting: Mapping[str, str]) -> list[str]:
    """Return a note on columns that count sectors; none where a name says so, as lba_4096 or sectors do.

    *counting* has the name in the file of each column.
    """
    if not counting or any(map(SIZED, counting.values())):
        return []
    others = ",".join(f"{'lba' if column.startswith('lba') else 'sectors'}_4096={name}"
                      for column, name in counting.items())  # fmt: skip
    named = f"{' and '.join(counting.values())} {'is' if len(counting) == 1 else 'are'}"
    return [f"{named} taken for sectors of {SECTOR} bytes; for 4096: --columns {others}"]


def unread_notes(fields: Sequence[Field]) -> list[str]:
    """Return a note on each of *fields* that says what another says, or what only objects have, where there are none.

    A request for an object has no bytes of a device, and one with seconds needs no other clock.
    """
    names: dict[str, str] = {}
    for each in fields:
        names.setdefault(each.attribute, each.name)
    names |= {of: names[beside] for of, beside in BESIDE_OTHERS.items() if beside in names}
    beside = [f"column {each.name} is not read beside {names[each.attribute]}" for each in fields
              if each.attribute and each.name != names[each.attribute]]  # fmt: skip
    return beside + [f"column {each.name} is not read without a key" for each in fields
                     if each.attribute in OF_KEYS and "key" not in names]  # fmt: skip


def _has_line(block: bytes, line: bytes) -> bool:
    return line in block and re.search(rb"(?m)^" + re.escape(line) + rb"\s*$", block) is not None


def _are_columns(line: str) -> bool:
    """Tell if *line* has nothing but names of columns, as they are or as others call them; two at least."""
    names = re.split(rf"\s*[{MARKS}]\s*|\s+", line.strip())
    return len(names) > 1 and all(
        field_of(name) or name.lower() in COLUMN_OF or name in PASSED or KEYS.fullmatch(name.lower()) for name in names)


def knows(head: bytes) -> bool:
    """Tell if the first line of a file that begins with *head* has the names of two of COLUMNS at least."""
    names = re.split(rf"[{MARKS} ]+", head.partition(b"\n")[0].decode("utf-8", "replace").lstrip("\ufeff").strip())
    return sum(field_of(name.strip('"')) is not None for name in names) > 1


def is_headed(head: bytes) -> bool:
    """Tell if the first line of a file that begins with *head* names columns, perhaps others than COLUMNS."""
    return re.match(rf"\ufeff?\s*[A-Za-z_]\w*\s*[{MARKS}]\s*[A-Za-z_]\w*", head.decode("utf-8", "replace")) is not None


def plain(sector: int) -> TextFormat:
    """Build the format of a list of requests in sectors of *sector* bytes, unless its header gives their size."""
    return replace(PLAIN, parser=lambda: PlainLines(sector, harmless=True), encoding="")


def _with_synonyms_too(head: bytes, name: str) -> TextFormat:
    return GUESSED


PLAIN = TextFormat("csv", (".csv",), "a request is a line below the header", PlainLines, WINDOWS,
                   choose=_with_synonyms_too)  # fmt: skip
GUESSED = replace(PLAIN, parser=partial(PlainLines, synonyms=True))
"""CSV that is recognised by the look of a file alone, where columns may have other usual names."""
