"""The settings of ``make docs``: Sphinx with pages in Markdown, no page asks another host for anything."""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "extensions")]

project = "Spindle"
author = "The Spindle authors"
copyright = "the Spindle authors, MIT licence"
language = "en_GB"

extensions = ["myst_parser", "sphinx.ext.autodoc", "generated"]
exclude_patterns = ["extensions"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = "Spindle"
html_copy_source = False
html_show_sourcelink = False
