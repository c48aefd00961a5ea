"""The reference: an entry for every public name that says what it is for, and links that lead somewhere."""

from html.parser import HTMLParser
from pathlib import Path

import pytest

import spindle
from spindle.cli.main import main
from spindle.systems import system_names
from spindle.web.reference.pages import entries


class Links(HTMLParser):
    """The ids of a page, and where it leads."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.leads: list[str] = []
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.add(str(value))
            elif name == "href" and value != "data:,":
                self.leads.append(str(value))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Links]:
    folder = tmp_path_factory.mktemp("reference")
    assert main(["reference", str(folder)]) == 0
    return {page.name: Links(page) for page in folder.iterdir()}


def test_every_public_name_has_an_entry_that_says_what_it_is_for() -> None:
    every = [each for group in entries().values() for each in group]
    assert sorted(each.name for each in every) == sorted(spindle.MODULES)
    assert [each.name for each in every if len(each.says.split()) < 3] == []


def test_what_an_entry_says_is_its_own() -> None:
    """Not what Python says of the class of a constant."""
    says = {each.name: each.says for group in entries().values() for each in group}
    assert says["KIB"] != int.__doc__
    assert not any(text.startswith(("int(", "float(", "Mapping")) for text in says.values())


def test_every_link_leads_somewhere(pages: dict[str, Links]) -> None:
    leads = [(name, *lead.partition("#")) for name, page in pages.items() for lead in page.leads]
    assert len(leads) > len(spindle.MODULES)
    assert [lead for lead in leads if lead[1] not in pages or (lead[3] and lead[3] not in pages[lead[1]].ids)] == []


def test_every_group_and_every_system_has_a_page(pages: dict[str, Links]) -> None:
    systems = {f"{name}.html" for name in system_names()}
    assert systems < set(pages)
    assert len(set(pages) - systems) == 1 + len(entries())
    assert set(spindle.MODULES) <= set().union(*(page.ids for page in pages.values()))
