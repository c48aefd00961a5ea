"""Words by which traces name operations (read, write, delete an object, or neither), and names of their fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from spindle.sim.error import UserError, quote, unknown


class Meaning(Enum):
    """Meaning of a word for an operation; SKIP refers to nothing."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    SKIP = "skip"


TABLE = {
    Meaning.READ: "r read get gets get_lease rest.get.object rest.copy.object_get u - 08 28 88 a8",
    Meaning.WRITE: "w write set set_lease put rest.put.object add replace cas append prepend incr decr update copy "
                "rest.copy.object 0a 2a 8a aa",
    Meaning.DELETE: "del delete remove rest.delete.object batch.delete.object s3.expire.object "
                    "s3.create.deletemarker invalidate evict",
    Meaning.SKIP: "head rest.head.object trim discard unmap flush",
}  # fmt: skip
"""Words in small letters by their meaning; numbers are SCSI's commands, in hexadecimal."""
WORDS = {word: kind for kind, words in TABLE.items() for word in words.split()}
FLAGS = re.compile(r"f?([rw])[asmfbv]*")
"""Linux's flags: a read or a write, ahead, synchronous, of metadata, behind a flush and so on, as RA, WS, WSM, FWFS."""
FIO = {"0": Meaning.READ, "1": Meaning.WRITE, "2": Meaning.SKIP}
"""Codes of fio's logs: read, write, trim."""
HELP = "; ".join(f"{kind.value}: {' '.join(words.split())}" for kind, words in TABLE.items())


class Meanings(Protocol):
    def meaning(self, word: str) -> Meaning | None:
        """Return the meaning of *word*; None if it is unknown."""

    def is_known(self, word: str) -> bool:
        """Tell if *word* is in the table, and no guess."""


@dataclass(frozen=True)
class Operations:
    """Meanings by the table, after those *given*; for devices also by Linux's flags and fio's codes.

    For objects (*keyed*) an unknown word, such as U or an empty one, is a reference all the same: a read.
    """

    keyed: bool
    given: Mapping[str, Meaning] = field(default_factory=dict)

    def is_known(self, word: str) -> bool:
        word = word.strip().lower()
        return not self.keyed or word in self.given or word in WORDS

    def meaning(self, word: str) -> Meaning | None:
        word = word.strip().lower()
        if word in self.given:
            return self.given[word]
        if self.keyed:
            return WORDS.get(word, Meaning.READ)
        kind = WORDS.get(word.removeprefix("0x")) or FIO.get(word) or (Meaning.READ if not word else None)
        if kind in (Meaning.DELETE, None):
            flags = FLAGS.fullmatch(word)
            return None if flags is None else Meaning.READ if flags[1] == "r" else Meaning.WRITE
        return kind


OBJECTS, DEVICES = Operations(keyed=True), Operations(keyed=False)


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
        given[word.strip().lower()] = kinds[name.strip().lower()]
    return given


CODES = re.compile(r"([A-Za-z_.]+)\s*[:=]\s*(\d{1,4})\b")


def codes_in(comment: str) -> dict[str, Meaning]:
    """Return the codes that a *comment* explains, as ``op type [Put:0, Get:1, Delete:2]``."""
    return {code: WORDS[word.lower()] for word, code in CODES.findall(comment) if word.lower() in WORDS}


# Names that tools give to the fields of a request for bytes of a device, by the column of CSV that they become.

FIELD_NAMES = {
    "time": "time timestamp ts t arrival arrival_time start_time issue_time datetime date",
    "op": "op type rw operation opcode io_type iotype optype op_type direction cmd command rwbs",
    "offset": "offset offset_bytes byte_offset address addr position pos",
    "lba_512": "lba lbn sector lba_512 slba start_sector sector_number start_lba first_sector",
    "size": "size bytes length len size_bytes length_bytes bytes_count nbytes n_bytes io_size",
    "sectors": "sectors nr_sectors nr_sector num_sectors n_sectors nsectors sector_count blocks",
    "device": "device dev disk disc volume vol device_id dev_id disk_id volume_id lun drive tenant",
}  # fmt: skip
"""Columns of CSV, and names of fields that become them."""
COLUMN_OF = {name: column for column, names in FIELD_NAMES.items() for name in names.split()}
