"""The settings of ``make docs`` and ``make site``: Sphinx with pages in Markdown that ask no other host for anything.

``make docs`` executes the two notebooks that are tutorials. With the tag ``site`` all notebooks are there, executed;
and the first page leads to the report and the page to play with, which ``make site`` puts beside it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Where it is installed, jsonschema would build a grammar of addresses from it, for seconds; no notebook has one.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
# Sphinx reads pages below its own folder; a link there in git would break a checkout without links.
if not (ROOT / "docs" / "notebooks").exists():
    (ROOT / "docs" / "notebooks").symlink_to("../notebooks")
sys.path[:0] = [str(ROOT), str(ROOT / "docs" / "extensions")]

from spindle.systems import systems  # noqa: E402

project = "Spindle"
author = "The Spindle authors"
copyright = "the Spindle authors, MIT licence"
language = "en_GB"

extensions = ["myst_nb", "sphinx.ext.autodoc", "generated"]
exclude_patterns = ["extensions", "notebooks/course/TEACHERS.md", "**.ipynb_checkpoints"]
if not tags.has("site"):  # type: ignore[name-defined]  # noqa: F821 - Sphinx defines it
    exclude_patterns += ["notebooks/[!0]*"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

# What a notebook printed is kept below build/, under the numbers of the models that it may have asked.
nb_execution_mode = "cache"
nb_execution_cache_path = str(ROOT / "build" / "notebooks" / "_".join(each.models for each in systems(None)))
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True
nb_ipywidgets_js = {}

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True

html_theme = "furo"
html_title = "Spindle"
html_copy_source = False
html_show_sourcelink = False
