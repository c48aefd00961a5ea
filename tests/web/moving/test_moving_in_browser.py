"""Moving pictures in a real Chromium: they are where the mechanism is, quick, and used by all; names stay text.

What they look like is kept in results/quick/screenshots.
"""

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import simpy

from spindle.models.hp3000.run import run
from spindle.output.files import write_whole
from spindle.sim.clock import Account
from spindle.sim.disc.drive import Drive
from spindle.sim.disc.mechanism import DiscType
from spindle.sim.disc.sheets import HP7933
from spindle.sim.request import READ, Request, access
from spindle.sim.streams import pick, stream
from spindle.web.moving.film import FilmTrace, moving_page
from spindle.web.moving.filming import QUEUE_ORDERS, TEXTBOOK_DRIVE, drawn_queue, film_queue, film_run
from tests.test_report_in_browser import KEPT, PHONE, SCREEN, STICKING_OUT, TOO_SMALL, TOO_WIDE, Visit, chromium
from tests.web.play.test_play_in_browser import SERIOUS, axe

__all__ = ["chromium"]
INSTANTS = 100
STATE = """(instants => instants.map(t => picture.film.drives.map(drive => ({
    cylinder: drive.cylinder(t), angle: drive.angle(t),
    served: drive.served(t)?.for ?? "", phase: drive.served(t)?.phase ?? "",
    waiting: drive.waiting(t).map(each => each.for).sort() }))))"""
FRAMES = """() => new Promise(resolve => {
    const drawn = [];
    const frame = before => requestAnimationFrame(now => {
        if (before) drawn.push(now - before);
        if (drawn.length < 60) frame(now);
        else resolve(drawn);
    });
    frame(0);
})"""


class Served(NamedTuple):
    name: str
    begin: float
    request: Request
    cylinder: int


def served(disc: DiscType, order: Callable[[], Any], requests: int, seed: int) -> list[Served]:
    """What the mechanism does with the queue of ``alone``, in the order in which it is served."""
    env, random, done = simpy.Environment(), stream(seed, "alone"), list[Served]()
    drive = Drive(env, disc, order())
    drive.gather()
    places = [pick(random, disc.layout.sectors) * disc.layout.sector_bytes for _ in range(requests)]
    for number, place in enumerate(places, 1):
        request = drive.start(access(READ, place, disc.layout.sector_bytes, Account("a")))

        def end(it: simpy.Event, name: str = f"request {number}", place: int = place) -> None:
            assert isinstance(it, Request)
            done.append(Served(name, env.now - it.value.total, it, drive.mechanism.locate(place).cylinder))

        assert request.callbacks is not None
        request.callbacks.insert(0, end)
    env.run()
    return done


def expected(disc: DiscType, way: list[Served], t: float) -> dict[str, Any]:
    """Where the arm, the disc and every request are at the instant *t*."""
    at, now = 0.0, ("", "")
    for before, each in pairwise([None, *way]):
        assert each is not None
        start, (_, overhead, seek, rotation, transfer, _) = (before.cylinder if before else 0), each.request.value
        begin, phases = each.begin, {"overhead": overhead, "seek": seek, "rotation": rotation, "transfer": transfer}
        if t < begin:
            break
        at = each.cylinder if seek == 0.0 else start + (each.cylinder - start) * min(1.0, max(0.0, (
            t - begin - overhead) / seek))  # fmt: skip
        now = ("", "")
        for phase, seconds in phases.items():
            if begin <= t < begin + seconds:
                now = (each.name, phase)
            begin += seconds
    return {"cylinder": at, "angle": t / disc.revolution % 1.0, "served": now[0], "phase": now[1],
            "waiting": sorted(each.name for each in way if each.begin > t)}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("moving")


@pytest.fixture
def visit(chromium: Any, place: Path) -> Iterator[Callable[[dict[str, Any], int], Visit]]:
    visits: list[Visit] = []

    def visit(film: dict[str, Any], width: int) -> Visit:
        path = place / "film.html"
        path.write_text(moving_page(film), "utf-8")
        visits.append(Visit(chromium, path, width))
        visits[-1].page.wait_for_selector(".moving canvas")
        return visits[-1]

    yield visit
    for each in visits:
        each.page.close()


@pytest.fixture(scope="module")
def busy() -> dict[str, Any]:
    """Ten seconds of an HP3000 with 101 terminals, all of them at work."""
    return film_run(lambda watch: run(101, minutes=2.0, warm_up=0.0, watch=watch), "101 terminals", 80.0, 10.0)


@pytest.mark.parametrize("disc", [TEXTBOOK_DRIVE, HP7933], ids=lambda disc: disc.name)
def test_a_hundred_instants_are_where_the_mechanism_is(
    disc: DiscType, visit: Callable[[dict[str, Any], int], Visit]
) -> None:
    film = film_queue(drawn_queue(disc, 30, 5), disc)[0]
    page = visit(film, SCREEN).page
    ways = [served(disc, order, 30, 5) for order in QUEUE_ORDERS.values()]
    random = stream(1, "instants")
    instants = [int(random.random() * film["end"]) for _ in range(INSTANTS)]
    shown = page.evaluate(STATE, instants)
    for instant, states in zip(instants, shown, strict=True):
        for way, state in zip(ways, states, strict=True):
            wanted = expected(disc, way, instant / 1e9)
            assert state["cylinder"] == pytest.approx(wanted.pop("cylinder"), abs=1e-3)
            assert (state["angle"] - wanted.pop("angle") + 0.5) % 1.0 - 0.5 == pytest.approx(0.0, abs=1e-6)
            assert {name: state[name] for name in wanted} == wanted
    assert len({state["phase"] for states in shown for state in states}) >= 3


@pytest.mark.parametrize("width", [SCREEN, PHONE])
@pytest.mark.parametrize("name", ["busy", "alone"])
def test_it_fits_and_everybody_can_use_it(
    name: str, width: int, busy: dict[str, Any], visit: Callable[[dict[str, Any], int], Visit]
) -> None:
    seen = visit(busy if name == "busy" else film_queue(drawn_queue())[0], width)
    page = seen.page
    page.evaluate("picture.play(false); picture.go(picture.film.begin + (picture.film.end - picture.film.begin) / 3)")
    page.evaluate("document.querySelector('details').open = true")
    page.wait_for_timeout(100)
    write_whole(KEPT / f"moving_{name}_{width}.png", page.screenshot(full_page=True))
    assert (page.evaluate(TOO_WIDE), page.evaluate(STICKING_OUT), page.evaluate(TOO_SMALL)) == (0, [], [])
    page.evaluate(f"{axe()}; 0")
    assert [(each["id"], each["nodes"][0]["html"]) for each in page.evaluate(SERIOUS)] == []
    assert [url for url in seen.asked if not url.startswith(("file:", "data:"))] == []
    assert seen.complaints == []


def test_nothing_moves_by_itself_where_less_motion_is_asked_for(
    busy: dict[str, Any], visit: Callable[[dict[str, Any], int], Visit]
) -> None:
    page = visit(busy, SCREEN).page
    assert page.evaluate("picture.playing")
    page.emulate_media(reduced_motion="reduce")
    page.reload()
    assert not page.evaluate("picture.playing")


def test_a_hundred_terminals_move_frame_by_frame(
    busy: dict[str, Any], visit: Callable[[dict[str, Any], int], Visit]
) -> None:
    page = visit(busy, SCREEN).page
    assert page.evaluate("picture.film.people.length") == 101
    page.evaluate("picture.go(picture.film.begin); picture.play()")
    before = page.evaluate("picture.t")
    frames = page.evaluate(FRAMES)
    after = page.evaluate("picture.t")
    assert 0.0 < after - before <= 1.2e6 * picture_speed(page) * sum(frames) + 1e9
    assert page.evaluate("picture.panels.every(each => each.spots.length)")


def picture_speed(page: Any) -> float:
    return float(page.evaluate("picture.speed"))


@pytest.mark.always
def test_controls_work_by_keyboard(visit: Callable[[dict[str, Any], int], Visit]) -> None:
    page = visit(film_queue(drawn_queue(requests=5))[0], SCREEN).page
    page.evaluate("picture.play(false); picture.go(0)")
    page.focus("button[aria-label='Step on']")
    page.keyboard.press("Enter")
    first = page.evaluate("picture.t")
    assert first == page.evaluate("picture.film.instants[1]")
    page.focus("button[aria-label='Step back']")
    page.keyboard.press("Space")
    assert page.evaluate("picture.t") == 0
    page.focus("input[type=range]")
    page.keyboard.press("End")
    assert page.evaluate("picture.t") == page.evaluate("picture.film.end")
    assert "5 done" in page.text_content(".moving-says")


def test_what_is_pointed_at_says_who_waits_and_since_when(visit: Callable[[dict[str, Any], int], Visit]) -> None:
    page = visit(film_queue(drawn_queue(requests=5))[0], SCREEN).page
    page.evaluate("picture.play(false); picture.go(2e6)")
    page.wait_for_timeout(100)
    spot = page.evaluate("picture.panels[0].spots[0]")
    page.hover("canvas", position={"x": spot["x"], "y": spot["y"]})
    assert "waits in the queue of FCFS since 0.000000 s, 2.00 ms" in page.text_content(".moving-pointed")


def test_names_that_mean_ill_stay_text(visit: Callable[[dict[str, Any], int], Visit]) -> None:
    ill = "</script><img src=x onerror=document.title='taken'>"
    trace = FilmTrace(0, 1000)
    group = trace.track("responses")
    lane = trace.track(ill, group)
    trace.begin(lane, ill, 0, (("for", ill),))
    trace.end(lane, 900)
    seen = visit(trace.film(ill, 1000, ill), SCREEN)
    seen.page.evaluate("picture.play(false); document.querySelector('details').open = true; picture.go(10)")
    seen.page.wait_for_timeout(100)
    assert ill in seen.page.text_content("tbody")
    assert (seen.page.title(), seen.page.locator("img").count()) == ("Spindle: a moving picture", 0)
    assert json.dumps(ill)[1:8] not in (seen.page.evaluate("document.getElementById('film').textContent"))


def test_where_nothing_moves_a_sentence_says_so(visit: Callable[[dict[str, Any], int], Visit]) -> None:
    seen = visit(film_queue(drawn_queue(requests=1))[0], PHONE)
    empty = FilmTrace(0, 1000).film("empty", 1000)
    seen.page.evaluate("film => { new picture.constructor(picture.root, film) }", empty)
    assert "Nothing moves here" in seen.page.text_content("#moving")
    assert seen.complaints == []
