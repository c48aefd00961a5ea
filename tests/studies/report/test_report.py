"""The report: one page that asks nothing of anybody else, with every word of others escaped."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from spindle.sim.error import UserError
from spindle.sim.parameter import Described
from spindle.studies.claims.claims import Claim, Role
from spindle.studies.claims.verdicts import VERDICT_COLUMNS, SeedCount, replicate, score
from spindle.studies.plots.curves import curve
from spindle.studies.plots.files import svg
from spindle.studies.report.report import Hero, Panel, SystemSection, write_report
from spindle.studies.run_book import RunBook
from spindle.studies.study import UNTIMED, Runs, SeedRows, Study

HOSTILE = "<script>alert(1)</script>"
VOID = {"meta", "link", "br", "img", "input", "hr", "path", "use"}


class Outline(HTMLParser):
    """The elements of a page, and what they point to; an element that is closed out of turn is an error."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.targets: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, list[tuple[str, str | None]]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes.append((tag, attrs))
        self.targets += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "script"):
            self.words.append(data)


def scored() -> pd.DataFrame:
    claim = Claim("hp3000", "B33", "p", f"mean {HOSTILE}", Role.PREDICTED, "s", 0.92, 0.83, 1.0, "e", "good", HOSTILE)
    bad = Claim("hp3000", "B34", "p", "cached", Role.CALIBRATED, HOSTILE, 0.31, 0.3, 0.33, "e", "bad", f"as {HOSTILE}")
    book, study = RunBook(workers=1, progress=False), Study("e", [Runs(numbers, UNTIMED)], measures=only)
    return score([claim, bad], [study], book, replicate([study], [claim, bad], book, SeedCount(2, 2)))


def numbers(seed: int) -> dict[str, float]:
    return {"good": 0.9, "bad": 2.123456}


def only(rows: SeedRows) -> dict[str, float]:
    return dict(rows.one())


def page(folder: Path, claims: pd.DataFrame) -> str:
    ax = curve(pd.DataFrame({"x": [1, 2], "y": [1, 2]}), "x", "y", x_label="terminals")
    figure = Panel(svg(ax), f"More terminals {HOSTILE}")
    words = f"{'word ' * 39}end. Then more."
    named = Panel(svg(ax), words, f"A load {HOSTILE}", "hp3000/load", "spindle experiment hp3000 load")
    sections = [
        SystemSection("hp3000", f"HP3000 {HOSTILE}", "McBride", "Why only a quarter?", [figure, named], [figure]),
        SystemSection("max_iv", "Max-IV", "Jacobson", "How large?"),
    ]
    parameters = {"hp3000": [Described("hit_elapsed", 0.004, "s", "cited", f"McBride {HOSTILE}")]}
    path = folder / "results" / "report.html"
    write_report(path, sections, claims, parameters, {"seeds": "1 to 5", "command": f"spindle report {HOSTILE}"},
                 Hero(figure, [("0.9 s", f"mean {HOSTILE}")]))
    return path.read_text("utf-8") + "".join(each.read_text("utf-8") for each in sorted(path.parent.glob("report_*")))


@pytest.fixture
def outline(tmp_path: Path) -> Outline:
    """Of all pages, one after the other."""
    outline = Outline()
    outline.feed(page(tmp_path, scored()))
    return outline


def test_every_element_is_closed_and_nothing_is_fetched(outline: Outline) -> None:
    assert outline.open == []
    pages = {"report.html", "report_hp3000.html", "report_max_iv.html"}
    others = {target.partition("#")[0] for target in outline.targets} - {""}
    assert others == {"data:,", "hp3000/load.csv", *pages}
    assert not {"iframe", "img", "object", "embed"} & set(outline.seen)


def test_only_the_pages_own_script_may_run(tmp_path: Path) -> None:
    text = page(tmp_path, scored())
    (script,) = set(re.findall(r"<script>(.*?)</script>", text, re.DOTALL))
    own = b64encode(sha256(script.encode()).digest()).decode()
    (policy,) = set(re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text))
    assert policy.split("; ") == [
        "default-src 'none'", "style-src 'unsafe-inline'", "img-src data:", f"script-src 'sha256-{own}'",
        "base-uri 'none'", "form-action 'none'"]


def test_styles_fetch_nothing_either(tmp_path: Path) -> None:
    text = page(tmp_path, scored())
    assert "@import" not in text
    assert [url for url in re.findall(r"url\(([^)]*)\)", text) if not url.startswith("#")] == []
    assert 'name="viewport"' in text


def test_words_of_others_stay_words(outline: Outline) -> None:
    said = " ".join(outline.words)
    assert said.count(HOSTILE) >= 8
    assert outline.seen.count("svg") == 5  # the first, two figures, what hangs on assumptions, and the board of claims


def test_what_the_page_tells(outline: Outline) -> None:
    said = " ".join(" ".join(outline.words).split())
    for words in (
        "1 of 1 independent predictions hold", "Why only a quarter?", "How large?", "All 2 claims",
        "All 1 parameters", "hit_elapsed 0.004 s cited", "What does not hold, and why", "2.123 fails", "seeds 1 to 5",
        "Sensitivity to assumptions",
    ):  # fmt: skip
        assert words in said


def test_the_scoreboard_leads_to_what_does_not_hold(outline: Outline, tmp_path: Path) -> None:
    board = " ".join(" ".join(outline.words).split()).split("Scoreboard")[-1].partition("Roles stand")[0]
    assert re.findall(r"\b\d of \d\b|\bB\d+", board) == ["1 of 1", "1 of 1", "0 of 1", "1 of 1", "0 of 1", "B34"]
    assert "report_hp3000.html#hp3000-B34" in outline.targets
    assert 'id="hp3000-B34"' in page(tmp_path, scored())
    assert "Max-IV" not in board  # it has no claims


def test_what_hangs_on_assumptions_is_left_out_where_nobody_has_tried(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(path, [SystemSection("max_iv", "Max-IV", "Jacobson", "How large?")], scored(), {}, {})
    assert "hangs on assumptions" not in path.read_text("utf-8")


@pytest.mark.parametrize("warning", ["", f"A look {HOSTILE}"])
def test_a_page_that_judges_nothing_says_so_before_its_machines(warning: str, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_report(path, [SystemSection("max_iv", "Max-IV", "Jacobson", "How large?")], scored(), {}, {}, None, warning)
    outline = Outline()
    outline.feed(path.read_text("utf-8"))
    before = " ".join(" ".join(outline.words).split()).partition("max_iv")[0]
    assert ("A look" in before, HOSTILE in before) == (bool(warning), bool(warning))


def test_a_figure_says_its_source_and_what_leads_to_a_page_of_a_system_arrives(tmp_path: Path) -> None:
    page(tmp_path, scored())
    folder = tmp_path / "results"
    system = (folder / "report_hp3000.html").read_text("utf-8")
    assert system.count("Source: simulated; published numbers: McBride") == 3  # two figures, and sensitivity
    first = (folder / "report.html").read_text("utf-8")
    assert "<svg" in first
    assert "Why only a quarter?" in first
    found = re.findall(r'href="(report[^"#]*)#?([^"]*)"', first + system)
    assert {name for name, _ in found} == {"report.html", "report_hp3000.html", "report_max_iv.html"}
    for name, anchor in found:
        assert not anchor or f'id="{anchor}"' in (folder / name).read_text("utf-8")


def test_pictures_have_names_that_stay_words(outline: Outline) -> None:
    names = [dict(attrs)["aria-label"] for tag, attrs in outline.attributes if tag == "svg"]
    assert names.count(f"More terminals {HOSTILE}") == 3
    assert names.count(f"A load {HOSTILE}") == 1
    assert sum(name is not None and name.startswith("Each claim of the paper") for name in names) == 1


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2)."""
    shares = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_letters_stand_out_from_what_is_behind_them(tmp_path: Path) -> None:
    assert (luminance("#ffffff") + 0.05) / (luminance("#000000") + 0.05) == pytest.approx(21)
    text = page(tmp_path, scored())
    light, dark = (dict(re.findall(r"--(\w+): (#\w{6})", each))
                   for each in dict.fromkeys(re.findall(r":root \{(.*?)\}", text)))  # fmt: skip
    letters = set(re.findall(r"[{; ]color: var\(--(\w+)\)", text))
    grounds = set(re.findall(r"background: var\(--(\w+)\)", text))
    assert set(light) == set(dark) == {*letters, *grounds, "line"}
    assert grounds == {"paper", "mark"}
    for colours, name, ground in product((light, dark), letters, grounds):
        brighter, darker = sorted((luminance(colours[name]), luminance(colours[ground])), reverse=True)
        assert (brighter + 0.05) / (darker + 0.05) >= 4.5, (name, ground, colours)


def test_the_same_page_twice_and_one_without_claims(tmp_path: Path) -> None:
    assert page(tmp_path / "a", scored()) == page(tmp_path / "b", scored())
    bare = page(tmp_path, pd.DataFrame(columns=list(VERDICT_COLUMNS)))
    assert "independent predictions" not in bare
    assert "What the paper says" not in bare


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("a file where a folder should be")
    with pytest.raises(UserError, match=r"cannot write .*report\.html"):
        page(tmp_path, scored())


def test_a_caption_shows_forty_words_and_folds_the_rest(outline: Outline) -> None:
    """A figure has a place, a table and a command of its own."""
    panel = Panel("", "One two. Three. " + "Four " * 38 + "five. Six.")
    assert (panel.lead, panel.rest) == ("One two. Three.", "Four " * 38 + "five. Six.")
    whole = Panel("", "One two. " + "Four " * 37 + "five. Six.")  # forty words, and one more
    assert whole.rest == "Six."
    assert ("id", "hp3000-load") in [pair for _, attributes in outline.attributes for pair in attributes]
    assert {"#hp3000-load", "hp3000/load.csv"} <= set(outline.targets)
    assert "spindle experiment hp3000 load" in outline.words
