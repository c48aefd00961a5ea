"""The documentation: it is built without a warning, every link leads somewhere, and no page asks another host."""

import re
import sys
from contextlib import redirect_stderr
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import spindle
from spindle.cli.main import COMMANDS
from spindle.sim.eviction.registry import POLICIES
from spindle.systems import system_names

pytest.importorskip("sphinx", reason="sphinx is not installed")
ROOT = Path(__file__).parents[1]
LOADS = {"script": "src", "img": "src", "iframe": "src", "link": "href"}
"""What a page loads by itself, and where that is named."""
FILM = "run hp3000 --terminals 9 --minutes 0.2 --warm-up 0 --window 5s:1s --html"
"""Instead of the moving picture of the first page, which takes longer."""
FETCHED = re.compile(r"""(?:@import|url\()\s*["']?(?:https?:)?//""")


class Links(HTMLParser):
    """What a page leads to, what it loads, and the names that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loads: list[str] = []
        self.names: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and name in ("href", "src") and not value.startswith("data:"):
                (self.loads if LOADS.get(tag) == name else self.targets).append(value)
            elif value and name == "id":
                self.names.add(value)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages; notebooks are not executed, for tests/test_notebooks.py does that, and the film is a short one.

    They are built in this process, which has imported most of what they describe.
    """
    import furo
    from sphinx.cmd.build import main

    tree = furo._compute_navigation_tree
    folder, said = tmp_path_factory.mktemp("docs"), StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(said):
        patch.setattr(sys, "path", [*sys.path])  # the settings lengthen it
        patch.setattr("sphinx.search.en.SearchEnglish.stem", lambda _, word: word)  # nobody searches these pages
        patch.setattr(furo, "_compute_navigation_tree",  # on each page it names all pages
                      lambda context: tree(context) if context["pagename"] == "index" else "")
        settings = [f"-D{each}" for each in ("nb_execution_mode=off", f"film={FILM}")]
        status = main(["--fail-on-warning", "--keep-going", "--quiet", "-b", "html", *settings,
                       "-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")])  # fmt: skip
    assert status == 0, said.getvalue()
    return folder / "html"


@pytest.mark.timeout(600)
def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    pages = {page: Links(page) for page in built.rglob("*.html")}
    assert len(pages) > 50
    for page, links in pages.items():
        assert [each for each in links.loads if urlsplit(each).scheme or each.startswith("/")] == [], page
        for target in links.targets + links.loads:
            parts = urlsplit(target)
            if parts.scheme:
                continue
            place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert place.is_file(), f"{page} leads to {target}"
            if parts.fragment and place in pages:
                assert unquote(parts.fragment) in pages[place].names | {""}, f"{page} leads to {target}"
    assert [page.name for page in built.rglob("*.css") if FETCHED.search(page.read_text("utf-8"))] == []


@pytest.mark.timeout(600)
def test_the_reference_has_every_name_command_system_and_policy(built: Path) -> None:
    for name in spindle.MODULES:
        assert f"spindle.{name}" in Links(built / "reference" / "api" / f"{name}.html").names
    python = (built / "reference" / "python.html").read_text("utf-8")
    assert python.index("api/simulate.html") < python.index("api/cite.html")
    options = Links(built / "reference" / "commands.html").names
    assert {"curve--policy", "replay--speed", "run--json", "sweep--seeds"} <= options
    assert "$ spindle curve examples/trace.csv" in (built / "reference" / "commands.html").read_text("utf-8")
    assert ">p99<" in (built / "reference" / "measures.html").read_text("utf-8")
    commands = (built / "reference" / "commands.html").read_text("utf-8")
    assert [name for name in COMMANDS if f"<h3>spindle {name}<" not in commands] == []
    parameters = (built / "reference" / "parameters.html").read_text("utf-8")
    assert [name for name in system_names() if f'id="{name.replace("_", "-")}"' not in parameters] == []
    parts = (built / "reference" / "parts.html").read_text("utf-8")
    assert [name for name in POLICIES if f">{name}<" not in parts] == []


@pytest.mark.timeout(600)
def test_a_public_constant_says_what_it_is(built: Path) -> None:
    page = (built / "reference" / "api" / "KIB.html").read_text("utf-8")
    after = page.partition('id="spindle.KIB"')[2][:600]
    assert "<dd><p>" in after
