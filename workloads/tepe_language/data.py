"""Reads the data file of a script: each ENTER takes the next record, and replaces $1, $2 and so on by its fields."""

import re
from dataclasses import dataclass

from spindle.workloads.tepe_language.source import Source, load, safe

FIELD = re.compile(r"\$([1-9])")
"""The place of a field in the text of an ENTER."""
MAX_RECORDS = 10_000
"""Most records of a data file."""


@dataclass(frozen=True)
class Records:
    """The records of the file *name*, each of which has at least *fields* fields."""

    name: str
    records: tuple[tuple[str, ...], ...]
    fields: int

    @classmethod
    def read(cls, script: Source, where: tuple[int, int], token: str) -> "Records":
        """Read the file that DATA names, beside the *script*: a record a line, its fields apart by commas."""
        name = token[1:-1]
        if script.folder is None:
            raise script.error(*where, "DATA is read beside the file of a script, and this script is in no file")
        lines = load(script.folder / name).lines
        records = tuple(tuple(field.strip() for field in line.split(",")) for line in lines if line.strip())
        if not records:
            raise script.error(*where, f"there is no record in {safe(name, 40)}")
        if len(records) > MAX_RECORDS:
            raise script.error(*where, f"DATA may have {MAX_RECORDS:,} records, {safe(name, 40)} has {len(records):,}")
        return cls(name, records, min(map(len, records)))

    def used_in(self, text: str) -> bool:
        """Tell if *text* has a field of a record in it."""
        return FIELD.search(text) is not None

    def fill(self, script: Source, where: tuple[int, int], text: str) -> list[str]:
        """Return *text* with the fields of each record."""
        most = max(int(number) for number in FIELD.findall(text))
        if most > self.fields:
            what = f"there is no ${most}: a record of {safe(self.name, 40)} has {self.fields} fields"
            raise script.error(*where, what)
        return [FIELD.sub(lambda match: record[int(match[1]) - 1], text) for record in self.records]  # noqa: B023
