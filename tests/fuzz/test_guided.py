"""libFuzzer finds what breaks a reader behind two bytes, keeps it, and tells those that hold."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEAD = """
import sys
from pathlib import Path
from tests.fuzz import guided
from tests.fuzz.readers import Reader

guided.LEARNT = Path(sys.argv[1])
fragile = guided.atheris.instrument_func(lambda path: 1 // (path.read_bytes()[:2] != b"ab"))
guided.READERS["fragile"] = Reader("file", fragile, ())
print(guided.guided("shift", 100, 1), guided.guided("fragile", 10_000, 1))
"""


def test_what_breaks_a_reader_is_kept(tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="what leads is installed by make guided")
    output = subprocess.run([sys.executable, "-c", LEAD, str(tmp_path)], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.splitlines()  # fmt: skip
    assert output[0] == "shift: 100 inputs from seed 1, nothing broke it"
    assert output[1].endswith(f"broken, see {tmp_path}/fragile.log")
    assert output[2] == "True False"
    (broken,) = tmp_path.glob("fragile.broken.crash-*")
    assert broken.read_bytes()[:2] == b"ab"
