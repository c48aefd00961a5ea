"""Pictures as files: a name says of which kind, and what is no picture is refused."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from spindle.sim.error import UserError
from spindle.studies.plots.files import save


def test_the_end_of_the_name_says_the_kind(tmp_path: Path) -> None:
    for name, begins in (("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<?xml")):
        save(Figure(), tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(begins)


@pytest.mark.parametrize(("picture", "name", "says"), [
    (Figure(), "a.jpg", r"a\.jpg: a picture is a file that ends in \.png, \.pdf or \.svg"),
    (Figure(), "a", "a: a picture"),
    (None, "a.png", r"save writes a picture, as result\.plot\(\) gives, not 'None'"),
])  # fmt: skip
def test_what_cannot_be_written_is_refused(picture: Figure, name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        save(picture, tmp_path / name)
    assert list(tmp_path.iterdir()) == []
