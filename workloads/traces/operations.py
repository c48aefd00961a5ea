"""The words and numbers by which traces say what is done: which read, write, delete an object, or do neither."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from spindle.sim.error import UserError, shown, unknown


class Kind(Enum):
    """What a word means; what is to be skipped is no reference to anything."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    SKIP = "skip"


TABLE = {
    Kind.READ: "r read get gets get_lease rest.get.object u - 08 28 88 a8",
    Kind.WRITE: "w write set set_lease put rest.put.object add replace cas append prepend incr decr update copy "
                "rest.copy.object 0a 2a 8a aa",
    Kind.DELETE: "del delete remove rest.delete.object invalidate evict",
    Kind.SKIP: "head rest.head.object trim discard unmap flush",
}  # fmt: skip
"""By the word in small letters. The numbers are those of SCSI, in hexadecimal."""
WORDS = {word: kind for kind, words in TABLE.items() for word in words.split()}
FLAGS = re.compile(r"f?([rw])[asmfbv]*")
"""Linux's: a read or a write, ahead, synchronous, of metadata, behind a flush and so on, as RA, WS, WSM, FWFS."""
FIO = {"0": Kind.READ, "1": Kind.WRITE, "2": Kind.SKIP}
"""fio's logs: read, write, trim."""
HELP = "; ".join(f"{kind.value}: {' '.join(words.split())}" for kind, words in TABLE.items())


class Meanings(Protocol):
    def of(self, word: str) -> Kind | None:
        """What *word* means; None where nobody knows."""


@dataclass(frozen=True)
class Operations:
    """The table, and what is *given* before it; of a device also the letters of Linux and the numbers of fio.

    Of objects a word that is not known, as U or an empty one, is a reference all the same: a read.
    """

    keyed: bool
    given: Mapping[str, Kind] = field(default_factory=dict)

    def of(self, word: str) -> Kind | None:
        word = word.strip().lower()
        if word in self.given:
            return self.given[word]
        if self.keyed:
            return WORDS.get(word, Kind.READ)
        kind = WORDS.get(word.removeprefix("0x")) or FIO.get(word) or (Kind.READ if not word else None)
        if kind in (Kind.DELETE, None):
            flags = FLAGS.fullmatch(word)
            return None if flags is None else Kind.READ if flags[1] == "r" else Kind.WRITE
        return kind


OBJECTS, DEVICES = Operations(keyed=True), Operations(keyed=False)


def operations(text: str) -> dict[str, Kind]:
    """What *text* says of words, as ``2=delete,WSM=write``."""
    given = dict[str, Kind]()
    for pair in text.split(","):
        word, equals, name = pair.partition("=")
        if not equals or not word.strip():
            raise UserError(f"--ops takes WORD=MEANING,..., as 2=delete,WSM=write, not {shown(pair)}")
        kinds = {kind.value: kind for kind in Kind}
        if name.strip().lower() not in kinds:
            raise unknown("meaning of an operation", name.strip(), kinds)
        given[word.strip().lower()] = kinds[name.strip().lower()]
    return given


CODES = re.compile(r"([A-Za-z_.]+)\s*[:=]\s*(\d{1,4})\b")


def declared(comment: str) -> dict[str, Kind]:
    """The codes that a *comment* explains, as ``op type [Put:0, Get:1, Delete:2]``."""
    return {code: WORDS[word.lower()] for word, code in CODES.findall(comment) if word.lower() in WORDS}
