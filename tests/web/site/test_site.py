"""The site: every link leads somewhere, nothing is asked of another host, and notebooks show what they print."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import nbformat
import pytest

from spindle.cli.main import main
from spindle.sim.error import UserError
from spindle.systems import system_names, systems
from spindle.web.play.worker import film
from spindle.web.site.pages import BEGIN, SECONDS, WATCH, Made, every, lessons, write_front

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"
MAX_OF_FRONT = 300_000


class Links(HTMLParser):
    """What a page leads to and loads, and the names that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.names: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and name in ("href", "src") and not value.startswith("data:"):
                self.targets.append(value)
            elif value and name == "id":
                self.names.add(value)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of two notebooks, and of a report that is a line."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "results" / "hp3000").mkdir(parents=True)
    anchors = "".join(f'<h2 id="{name}">' for name in system_names())
    (folder / "results" / "report.html").write_text(f'{anchors}<a href="hp3000/load.csv">CSV</a>')
    (folder / "results" / "hp3000" / "load.csv").write_text("a,b\n1,2\n")
    names = "course/01_seek,course/05_scan"
    options = ["--notebooks", names, "--no-play", "--results", str(folder / "results")]
    assert main(["site", str(folder / "site"), *options]) == 0
    return folder / "site"


def test_every_link_leads_somewhere_and_none_elsewhere(site: Path) -> None:
    pages = {page: Links(page) for page in site.rglob("*.html")}
    assert len(pages) > 10
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            assert not parts.scheme, f"{page} loads {target}"
            place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert place.is_file(), f"{page} leads to {target}"
            if parts.fragment and place in pages:
                assert unquote(parts.fragment) in pages[place].names, f"{page} leads to {target}"


def test_nothing_is_asked_of_another_host(site: Path) -> None:
    loaded = re.compile(r"""(?:src|@import|url\()\s*=?\s*["']?(?:https?:)?//""")
    assert [page.name for page in site.rglob("*.html") if loaded.search(page.read_text("utf-8"))] == []


def test_a_notebook_shows_its_code_and_what_it_printed(site: Path) -> None:
    page = (site / "notebooks" / "course" / "01_seek.html").read_text("utf-8")
    assert "An access is" in page or "What an access takes" in page
    assert "rotation" in page
    assert "Not yet: " in page
    assert "<script" not in page


def test_the_front_page_names_what_there_is(site: Path) -> None:
    page = (site / "index.html").read_text("utf-8")
    assert "a course of 2 exercises" in page
    assert "LRU against a loop" in page
    assert "play/" not in page


def film_of(page: str) -> Any:
    return json.loads(page.partition('<script id="film" type="application/json">')[2].partition("</script>")[0])


def test_the_front_page_has_a_small_film_within_it_and_runs_no_script_but_its_own(site: Path) -> None:
    page = (site / "index.html").read_text("utf-8")
    film = film_of(page)
    assert (film["begin"], film["end"]) == (BEGIN * 1e9, (BEGIN + SECONDS) * 1e9)
    assert len(page) < MAX_OF_FRONT
    script = page.partition('<script type="module">')[2].partition("</script>")[0]
    policy = re.search(r"script-src '(\S+)';", page)
    assert policy is not None
    assert policy[1] == f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def test_the_front_page_leads_to_the_same_run_on_the_page_to_play_with(tmp_path: Path) -> None:
    front = write_front(tmp_path, Made([], systems(None), playable=True))
    assert f"play/index.html#{WATCH}" in Links(front).targets
    given = dict(parse_qsl(WATCH.partition("?")[2]))
    watched = json.loads(film(json.dumps({"system": "hp3000", "window": given.pop("window"), "given": given})))
    assert watched["film"] == {**film_of(front.read_text("utf-8")), "title": watched["film"]["title"]}


def test_the_top_notebooks_come_first() -> None:
    paths = every(NOTEBOOKS)
    assert [len(path.parts) for path in paths] == sorted(len(path.parts) for path in paths)
    assert {path.name for path in paths} == {path.name for path in NOTEBOOKS.rglob("[!.]*.ipynb")}


def test_a_cell_that_fails_is_told_in_a_line(tmp_path: Path) -> None:
    cells = [nbformat.v4.new_markdown_cell("# One"), nbformat.v4.new_code_cell("1 / 0")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "one.ipynb")
    with pytest.raises(UserError, match=r"one\.ipynb: a cell fails: .*division by zero"):
        list(lessons(tmp_path, [Path("one.ipynb")]))


@pytest.mark.parametrize(("arguments", "message"), [
    (["--results", "nowhere"], "there is no nowhere/report.html to show: spindle report makes it"),
    (["--notebooks", "hp300", "--results", "."], "unknown notebook 'hp300': did you mean hp3000?"),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.html").write_text("")
    assert main(["site", "site", *arguments]) == 2
    assert message in capsys.readouterr().err
