"""Whatever is in a file of somebody else's: read, or refused in one line."""

from pathlib import Path

import pytest

from tests.fuzz.readers import READERS, contents, mistake
from tests.fuzz.seeds import draw
from tests.samples import sample

INPUTS = sample(12, 25)


@pytest.mark.parametrize("name", READERS)
def test_no_file_breaks_a_reader(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    path = reader.lay_out(tmp_path)
    mistakes: list[str] = []
    draw(1, INPUTS, contents(reader.files), lambda content: mistakes.append(mistake(reader, path, content)))
    assert len(mistakes) >= INPUTS


@pytest.mark.parametrize("name", READERS)
def test_every_reader_has_a_file_that_it_likes(name: str, tmp_path: Path) -> None:
    """Otherwise the test above would say little."""
    reader = READERS[name]
    path = reader.lay_out(tmp_path)
    assert "" in [mistake(reader, path, file.read_bytes()) for file in reader.files], (
        f"put a good file below tests/corpus: of a trace format as tests/corpus/trace/{name.split('-')[0]}")
