"""Files written on a disc that fails at every call in turn: ``python -m tests.faults.files_faults FOLDER``."""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pandas as pd

from spindle.output.files import DRAFT_NAME, write_whole
from spindle.output.kept_tables import keep_table, kept_table
from spindle.output.tables import TableFile
from spindle.sim.error import UserError
from tests.faults.faulty import Fault, try_faults

OLD, NEW = pd.DataFrame({"x": [1.5] * 4000}), pd.DataFrame({"x": [2.5] * 9000})
Write = Callable[[pd.DataFrame, Path], None]


def whole(frame: pd.DataFrame, path: Path) -> None:
    write_whole(path, str(frame["x"].tolist()).encode())


def kept(frame: pd.DataFrame, path: Path) -> None:
    keep_table(frame, path, {})


def parquet(frame: pd.DataFrame, path: Path) -> None:
    TableFile(path).save(frame)


def broken(write: Write, name: str, fault: Fault, folder: Path) -> bool:
    """One line, or what was to be done is done; the old file or the new one, whole; and no draft once all is well."""
    path, expected = folder / name, folder / "expected"
    contents = []
    for frame in (NEW, OLD):
        write(frame, path)
        contents.append(path.read_bytes())
    said: list[str] = []

    def do() -> None:
        try:
            write(NEW, path)
        except UserError as error:
            said.append(str(error))

    hit = fault.during(folder, do)
    assert all(len(each.splitlines()) == 1 for each in said), (fault, said)
    assert path.read_bytes() in contents, f"{fault}: neither old nor new"
    assert said or path.read_bytes() == contents[0], f"{fault}: not written, and nothing was said"
    if write is kept:
        with suppress(UserError):  # as it is where the table is new, and what is known of it is old
            assert kept_table(path).frame["x"].tolist() in (OLD["x"].tolist(), NEW["x"].tolist())
    assert fault.call == "unlink" or not drafts(folder), f"{fault}: a draft is left"
    write_whole(expected, b"")
    assert not drafts(folder), f"{fault}: a draft is left for ever"
    return hit


def drafts(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if DRAFT_NAME.fullmatch(path.name)]


def main(top: Path) -> int:
    tried = 0
    for write, name in ((whole, "page.html"), (kept, "table.csv"), (parquet, "rows.parquet")):
        (top / name).mkdir()
        tried += try_faults(top / name, partial(broken, write, name))
    return tried


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
