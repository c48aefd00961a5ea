"""Defines the style of all pictures: colours, letters and lines."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import matplotlib

BLUE, VERMILION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
ORANGE, SKY, YELLOW, BLACK = "#E69F00", "#56B4E9", "#F0E442", "#222222"
INK, FAINT, GRID = "#333333", "#8A8A8A", "#E4E4E4"
PALETTE = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, BLACK)
"""Okabe and Ito's palette for the colour-blind; without its yellow, which is too pale for a thin line."""

WHISKER: Mapping[str, Any] = {"ecolor": INK, "elinewidth": 1.2}
"""Style of the interval of a bar."""

WIDTH, HEIGHT = 5.2, 3.3
"""Inches of a picture: small enough that letters can be read when a phone scales it to its own width."""

SMALLEST_FONT = 9.7
"""Points of the smallest letters: 9 pixels where a phone is 390 wide."""

STYLE: Any = {
    # DejaVu Sans comes with matplotlib: the same bytes on every machine.
    "font.family": "DejaVu Sans",
    "font.size": 10.0,
    "text.color": INK,
    "axes.titlesize": 11.0,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10.0,
    "axes.labelcolor": INK,
    "axes.labelpad": 6.0,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 3.0,
    "ytick.major.size": 0.0,
    "lines.linewidth": 1.9,
    "lines.markersize": 4.5,
    "lines.solid_capstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 10.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.dpi": 120.0,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.constrained_layout.h_pad": 0.06,
    # In SVG, letters stay letters, and names come from the content instead of from chance.
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "spindle",
}
styled = partial(matplotlib.rc_context, STYLE)
"""The context in which all pictures look alike."""
