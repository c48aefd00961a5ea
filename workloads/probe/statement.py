"""One line of a script of Response Probe: its words, what they may be, and where a mistake in them is."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sim.error import UserError, unknown
from workloads.tepe_language.source import Source, safe

_WORD = re.compile(r"[^ \t]+")
_NAME = re.compile(r"[A-Za-z0-9_$~-][A-Za-z0-9_.$~-]{0,63}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{0,30})?", re.ASCII)


@dataclass(frozen=True)
class Statement:
    """The *words* of line *number*, from one, without the comment after #, and the *columns* at which they begin."""

    source: Source
    number: int
    words: tuple[str, ...]
    columns: tuple[int, ...]

    @property
    def verb(self) -> str:
        return self.words[0].upper()

    def error(self, index: int, what: str) -> UserError:
        """*what* is wrong with the word *index*, or with its absence."""
        end = self.columns[-1] + len(self.words[-1])
        return self.source.error(self.number, self.columns[index] if index < len(self.columns) else end, what)

    def word(self, index: int, what: str) -> str:
        """The word *index*; where it is missing, a UserError that names *what* it should be."""
        if index >= len(self.words):
            raise self.error(index, f"{self.verb} is not complete: {what} is missing")
        return self.words[index]

    def value(self, index: int, what: str, most: float) -> float:
        """The number *index*, from 0 to *most*."""
        text = self.word(index, what)
        if not _DECIMAL.fullmatch(text):
            raise self.error(index, f"{what} is a number such as 12 or 0.5, not {safe(text, 40)}")
        if not 0.0 <= float(text) <= most:
            raise self.error(index, f"{what} is a number from 0 to {most:,.10g}, not {safe(text, 40)}")
        return float(text) + 0.0  # so that -0 is 0

    def count(self, index: int, what: str, most: int, least: int = 1) -> int:
        """The whole number *index*, from *least* to *most*."""
        value = self.value(index, what, most)
        if not value.is_integer() or value < least:
            text = safe(self.words[index], 40)
            raise self.error(index, f"{what} is a whole number from {least} to {most:,}, not {text}")
        return int(value)

    def name(self, index: int, what: str) -> str:
        """The file name *index*: no way leads out of the folder of the script."""
        text = self.word(index, what)
        if not _NAME.fullmatch(text) or ".." in text:
            raise self.error(index, f"{what} is a file beside this script, by letters, digits, _ $ ~ - and "
                                      f"single dots, at most 64, and not {safe(text, 40)}")
        return text

    def one_of(self, index: int, what: str, choices: Iterable[str]) -> str:
        """The word of *choices* that word *index* is, or of which it is the first letter."""
        text = self.word(index, what).upper()
        for name in choices:
            if text in (name.upper(), name[0]):
                return name
        raise self.error(index, str(unknown(what, self.words[index], choices)))

    def ends(self, index: int) -> None:
        """UserError where words from *index* on are more than a remark on units, such as (milliseconds)."""
        if index < len(self.words) and not self.words[index].startswith("("):
            raise self.error(index, f"surplus {safe(self.words[index], 40)}: {self.verb} ends before it")


def statements(source: Source) -> Iterator[Statement]:
    """Every line of *source* that is not empty."""
    for number, line in enumerate(source.lines, 1):
        words = list(_WORD.finditer(line.partition("#")[0]))
        if words:
            yield Statement(source, number, tuple(f[0] for f in words), tuple(f.start() + 1 for f in words))
