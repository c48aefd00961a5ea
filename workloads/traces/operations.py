"""Lists the words by which traces name operations (read, write, delete an object, or none), and names of fields."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

from spindle.output.text import plural
from spindle.sim.error import UserError, quote, unknown


class Meaning(Enum):
    """Meaning of a word for an operation; SKIP reads, writes and deletes nothing."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    SKIP = "skip"


WORDS_BY_MEANING = {
    Meaning.READ: "r read get gets get_lease getblob fetch lookup download rest.get.object rest.copy.object_get u - 08 "
                  "28 88 a8 getobject get_object",
    Meaning.WRITE: "w write set set_lease put putblob insert store upload add replace cas append prepend incr decr "
                   "update copy rest.put.object rest.copy.object blockstored 0a 2a 8a aa putobject put_object",
    Meaning.DELETE: "del delete deleteblob remove unlink purge invalidate evict rest.delete.object batch.delete.object "
                    "s3.expire.object s3.create.deletemarker blockremoved deleteobject delete_object",
    Meaning.SKIP: "head options connect rest.head.object trim discard unmap flush headobject head_object",
}  # fmt: skip
"""Words in lower case by their meaning; numbers are codes of SCSI commands, in hexadecimal."""
MEANINGS = {word: kind for kind, words in WORDS_BY_MEANING.items() for word in words.split()}
BLKPARSE_FLAGS = re.compile(r"f?([rw])[asmfbv]*")
"""Flags of the Linux kernel, as RA, WS, WSM, FWFS: read or write, ahead, synchronous, of metadata, after a flush."""
FIO = {"0": Meaning.READ, "1": Meaning.WRITE, "2": Meaning.SKIP}
"""Codes of fio's logs: read, write, trim."""
HELP = "; ".join(f"{kind.value}: {' '.join(words.split())}" for kind, words in WORDS_BY_MEANING.items())


LIKELY = {
    Meaning.DELETE: "del purg remov evict invalid expir unlink drop",
    Meaning.WRITE: "put set writ post upload creat insert add save",
}  # fmt: skip
"""Parts of unknown words by what these probably mean."""


def plain_word(word: str) -> str:
    """Return *word* in lower case, without the quotes that a line in a log opens before its method."""
    return word.strip().strip("\"'").lower()


class Meanings(Protocol):
    def meaning(self, word: str) -> Meaning | None:
        """Return the meaning of *word*; None if it is unknown."""


@dataclass(frozen=True)
class Operations:
    """Meanings by the table, after those *given*; for devices also by Linux's flags and fio's codes.

    A request without a word is a read. An unknown one is none: for all that is known it deletes.
    """

    keyed: bool
    given: Mapping[str, Meaning] = field(default_factory=dict)

    def meaning(self, word: str) -> Meaning | None:
        word = plain_word(word)
        if word in self.given:
            return self.given[word]
        if self.keyed:
            return MEANINGS.get(word) if word else Meaning.READ
        kind = MEANINGS.get(word.removeprefix("0x")) or FIO.get(word) or (Meaning.READ if not word else None)
        if kind in (Meaning.DELETE, None):
            flags = BLKPARSE_FLAGS.fullmatch(word)
            return None if flags is None else Meaning.READ if flags[1] == "r" else Meaning.WRITE
        return kind


OBJECTS, DEVICES = Operations(keyed=True), Operations(keyed=False)


class Given:
    """Meanings that a caller has *given* to words, before those of a format's *own*."""

    def __init__(self, given: Mapping[str, Meaning], own: Meanings) -> None:
        self._given, self._own = given, own

    def meaning(self, word: str) -> Meaning | None:
        return self._given.get(plain_word(word)) or self._own.meaning(word)


MAX_SAID = 8
"""Most words that are named."""


class PassedWords:
    """Counts of the operations that are no requests by their words: *idle* ones move no data, others are *unknown*."""

    def __init__(self) -> None:
        self.idle = Counter[str]()
        self.unknown = Counter[str]()

    def add(self, word: str, meaning: Meaning | None, count: int = 1) -> None:
        """Count *word*, whose *meaning* is SKIP or, if it is unknown, None."""
        (self.unknown if meaning is None else self.idle)[word.strip()] += count

    def sentences(self) -> list[str]:
        """Return a sentence on each kind that there is."""
        idle = [f"what neither reads nor writes is passed over: {_list_words(self.idle)}"] if self.idle else []
        return idle + ([f"not known, and passed over: op {_list_words(self.unknown)}; {self.remedy()}"]
                       if self.unknown else [])  # fmt: skip

    def remedy(self) -> str:
        """Return the option that gives the unknown words a meaning."""
        words = zip(self.unknown, (Meaning.READ, Meaning.DELETE), strict=False)
        given = ",".join(f"{word}={_guess_kind(word, usual).value}" for word, usual in words)
        return f"--ops says what they mean, as {given}"


def _guess_kind(word: str, usual: Meaning) -> Meaning:
    return next((kind for kind, those in LIKELY.items() if any(each in word.lower() for each in those.split())), usual)


def _list_words(words: Counter[str]) -> str:
    named = [f"{quote(word)} ({count:,})" for word, count in words.most_common(MAX_SAID)]
    left = len(words) - len(named)
    return ", ".join(named) + (f" and {plural(left, 'other word')}" if left else "")


def operations(text: str) -> dict[str, Meaning]:
    """Read the meanings of words in *text*, as ``2=delete,WSM=write``."""
    given = dict[str, Meaning]()
    for pair in text.split(","):
        word, equals, name = pair.partition("=")
        if not equals or not word.strip():
            raise UserError(f"--ops takes WORD=MEANING,..., as 2=delete,WSM=write, not {quote(pair)}")
        kinds = {kind.value: kind for kind in Meaning}
        if name.strip().lower() not in kinds:
            raise unknown("meaning of an operation", name.strip(), kinds)
        given[plain_word(word)] = kinds[name.strip().lower()]
    return given


CODES = re.compile(r"([A-Za-z_.]+)\s*[:=]\s*(\d{1,4})\b"), re.compile(r"\b(\d{1,4})\s*[:=]\s*([A-Za-z_.]+)")
"""Patterns of a word with its code, in either order."""


def codes_in(comment: str) -> dict[str, Meaning]:
    """Return the codes that a *comment* explains, as ``op type [Put:0, Get:1, Delete:2]`` or ``0=get 1=set``."""
    behind, before = (pattern.findall(comment) for pattern in CODES)
    both = ([(code, word) for word, code in behind], before)
    return max(({code: MEANINGS[word.lower()] for code, word in pairs if word.lower() in MEANINGS} for pairs in both),
               key=len)  # fmt: skip


# Names that tools give to the fields of a request for bytes of a device, by the column of CSV that they become.

FIELD_NAMES = {
    "time": "time timestamp ts @timestamp t arrival arrival_time start_time issue_time datetime date",
    "op": "op type rw operation opcode io_type iotype optype op_type direction cmd command rwbs "
          "is_write iswrite write",
    "offset": "offset offset_bytes byte_offset address addr position pos",
    "lba_512": "lba lbn sector lba_512 slba start_sector sector_number start_lba first_sector",
    "size": "size bytes length len size_bytes length_bytes bytes_count nbytes n_bytes io_size",
    "sectors": "sectors nr_sectors nr_sector num_sectors n_sectors nsectors sector_count blocks",
    "device": "device dev disk disc volume vol device_id dev_id disk_id volume_id lun drive tenant",
}  # fmt: skip
"""Columns of CSV, and names of fields that become them."""
OP_FIELDS = ("op", "operation", "method", "request_method", "http_method", "verb", "command", "cmd", "action", "event",
             "event_type", "op_type", "optype", "opcode", "requestmethod", "clientrequestmethod", "cs_method",
             "cs-method", "methodname")  # fmt: skip
"""Names of fields, perhaps behind a point, with a word for what is done to an object; the first there counts."""
STATUS_FIELDS = ("status", "status_code", "response_code", "sc_status", "sc-status", "EdgeResponseStatus")
"""Names of fields, perhaps behind a point, with the status of an answer over HTTP; the first there counts."""
FAILED = re.compile(r"[45]\d\d", re.ASCII).fullmatch
MAYBE_OP = "type"
"""A field that may as well have the kind of an object: it counts where its word is known."""


def op_field(entry: Mapping[str, Any]) -> str | None:
    """Return the name of the field of *entry* with its operation, if any."""
    names = {name.rpartition(".")[2].lower(): name for name in reversed(list(entry))}
    found = next((names[each] for each in OP_FIELDS if each in names), None)
    kind = names.get(MAYBE_OP)
    return found if found is not None or kind is None or str(entry[kind]).lower() not in MEANINGS else kind


def status_field(entry: Mapping[str, Any]) -> str | None:
    """Return the name of the field of *entry* with the status of an answer, if any."""
    names = {name.rpartition(".")[2].lower(): name for name in reversed(list(entry))}
    return next((names[each.lower()] for each in STATUS_FIELDS if each.lower() in names), None)


def failed_status(entry: Mapping[str, Any]) -> str:
    """Return the status in *entry* if it is that of a failure, such as 404; '' if there is none."""
    name = status_field(entry)
    found = None if name is None else FAILED(str(entry[name]))
    return found[0] if found else ""


COLUMN_OF = {name: column for column, names in FIELD_NAMES.items() for name in names.split()}
