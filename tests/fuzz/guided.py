"""Files that libFuzzer changes, led by branches that they reach: ``python -m tests.fuzz.guided INPUTS SEED READER...``.

What it learnt of a reader is in build/guided, where the next run goes on from, and with it what broke the reader.
"""

import os
import re
import sys
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import process_time

import atheris

with atheris.instrument_imports(include=["spindle"]):
    from tests.fuzz.readers import READERS, ROOT, Reader, mistake

LEARNT = ROOT / "build" / "guided"
MAX_SECONDS, MAX_KIBIBYTES = 2.0, 200 * 1024
"""Of the CPU, and of memory, for one file."""


def limited(reader: Reader, path: Path) -> Callable[[bytes], None]:
    """Has *reader* read a file with what it is given, within its limits."""

    def read(content: bytes) -> None:
        start, before = process_time(), getrusage(RUSAGE_SELF).ru_maxrss  # what a million files take is libFuzzer's
        mistake(reader, path, content)
        assert process_time() - start <= MAX_SECONDS, "it takes too long"
        assert getrusage(RUSAGE_SELF).ru_maxrss - before <= MAX_KIBIBYTES, "it takes too much memory"

    return read


def lead(reader: Reader, folder: Path, inputs: int, seed: int) -> None:
    """Go on from *folder* and from the reader's own files; this process ends by that."""
    for file in reader.files:
        content = file.read_bytes()
        (folder / sha1(content).hexdigest()).write_bytes(content)
    log = os.open(folder.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    with TemporaryDirectory() as place:
        options = [f"-runs={inputs}", f"-seed={seed}", "-timeout=300", "-rss_limit_mb=0", "-print_final_stats=1",
                   f"-artifact_prefix={folder}.broken."]  # fmt: skip
        path = reader.lay_out(Path(place))
        for file in reader.files:
            mistake(reader, path, file.read_bytes())  # what it takes once is not the fault of a file
        atheris.Setup([sys.argv[0], *options, str(folder)], limited(reader, path))
        atheris.Fuzz()


def guided(name: str, inputs: int, seed: int) -> bool:
    """Whether nothing broke the reader called *name*."""
    folder = LEARNT / (name or "any")
    folder.mkdir(parents=True, exist_ok=True)
    child = os.fork()
    if not child:
        lead(READERS[name], folder, inputs, seed)
    _, status = os.waitpid(child, 0)
    log = folder.with_suffix(".log").read_text("utf-8", "replace")
    ran = re.search(r"number_of_executed_units: (\d+)", log)
    print(f"{folder.name}: {ran[1] if ran else 'no'} inputs from seed {seed}, "
          f"{'nothing broke it' if not status else f'broken, see {folder}.log'}", flush=True)  # fmt: skip
    return not status


if __name__ == "__main__":
    inputs, seed, *names = sys.argv[1:]
    held = [guided(name, int(inputs), int(seed)) for name in names or READERS]
    sys.exit(not all(held))
