"""Pictures as files: a name says of which kind, and what is no picture is refused."""

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from spindle.sim.error import UserError
from spindle.studies.plots.files import png, save


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


def test_a_png_has_a_palette_whose_colours_are_near_those_that_were_drawn() -> None:
    figure = Figure(figsize=(2.0, 1.0), facecolor="none")
    for low, image in ((0.0, np.arange(1024.0).reshape(8, 128)), (0.75, np.zeros((1, 1)))):
        axes = figure.add_axes((0, low, 1, 0.25))
        axes.imshow(image, aspect="auto", cmap="viridis")
        axes.axis("off")
    picture = Image.open(BytesIO(png(figure)))
    assert (picture.mode, picture.size, round(picture.info["dpi"][0])) == ("P", (240, 120), 120)
    shown = np.asarray(picture.convert("RGB")).astype(int)
    assert shown[60, 120].tolist() == [255, 255, 255], "what nothing was drawn on is white"
    assert abs(shown[15, 120] - [68, 1, 84]).max() <= 16, "the lower end of the scale"
    assert abs(shown[118, 238] - [253, 231, 37]).max() <= 16, "the upper end of the scale"
    assert len({tuple(colour) for colour in shown[91:119, 120]}) >= 4
