"""``python -m benchmarks.page``: what ``spindle play`` and a moving picture must reach in headless Chromium.

Each number is the best of some, because other work on the machine only ever adds to it; under ``chrt -r 1`` it waits.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from spindle.models.hp3000.run import run
from spindle.systems import systems
from spindle.web.moving.film import moving_page
from spindle.web.moving.filming import film_run
from spindle.web.play.described import describe
from spindle.web.play.pages import write_pages
from spindle.web.play.server import address, server

TIMES = 3
LONG = {"system": "hp3000", "given": {"terminals": "63", "minutes": "25"}}
ENDLESS = "#hp3000?terminals=63&minutes=900000"
WATCHED = {"system": "hp3000", "given": {"terminals": "63", "minutes": "25"}, "window": "60s:10s"}
FIRST = """() => new Promise(resolve => {
    const look = () => window.page?.runs.flatMap(each => each.points).flat().length
        ? resolve(performance.now() / 1000) : setTimeout(look, 5);
    look();
})"""
ASKED = """async ([ask, request]) => {
    const began = performance.now();
    const answer = await page.pool.ask(ask, request);
    if (answer.error) throw new Error(answer.error);
    return (performance.now() - began) / 1000;
}"""
STOPPED = """async () => {
    while (!page.pool.computing) await new Promise(go => setTimeout(go, 20));
    await new Promise(go => setTimeout(go, 500));
    const began = performance.now();
    document.getElementById("stop").click();
    while (page.pool.computing) await new Promise(go => setTimeout(go, 1));
    const stopped = performance.now();
    await page.pool.ask("plan", page.request);
    return [(stopped - began) / 1000, (performance.now() - began) / 1000];
}"""
FRAMES = """() => new Promise(resolve => {
    const drawn = [];
    picture.go(picture.film.begin);
    picture.play();
    const frame = now => {
        drawn.push(now);
        if (drawn.length <= 300) requestAnimationFrame(frame);
        else resolve(300 / ((drawn.at(-1) - drawn[0]) / 1000));
    };
    setTimeout(() => requestAnimationFrame(frame), 500);
})"""
"""When the page has come to rest; the screen has 60 a second."""


@contextmanager
def _served() -> Iterator[tuple[str, Path]]:
    """The address of the page, and a page with a moving picture of 101 terminals at work."""
    film = film_run(lambda watch: run(101, minutes=4.0, warm_up=0.0, watch=watch), "101 terminals", 170.0, 10.0)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(folder / "play", describe(systems(None), {}))
        picture = folder / "moving.html"
        picture.write_text(moving_page(film), "utf-8")
        with server(folder / "play", folder, 0) as serving:
            Thread(target=serving.serve_forever, daemon=True).start()
            yield address(serving), picture
            serving.shutdown()


def _rows(browser: Any, place: str, picture: Path) -> Iterator[tuple[str, str, float, Callable[[list[float]], float]]]:
    def new(url: str) -> Any:
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.goto(url)
        return page

    for _ in range(TIMES):
        page = new(place)
        yield "first point of a curve after the page is asked for, s", "5", page.evaluate(FIRST), min
        page.close()
    page = new(f"{place}#unix_stdio?seconds=1s&program=w03")
    page.evaluate(FIRST)
    for _ in range(TIMES):
        yield "HP3000, 63 terminals x 25 minutes, s", "10", page.evaluate(ASKED, ["compute", LONG]), min
        yield "film of 10 s of it from 60 s on, s", "", page.evaluate(ASKED, ["film", WATCHED]), min
    for _ in range(TIMES):
        page.evaluate("words => { history.replaceState(null, '', words); page.open(location.hash) }", ENDLESS)
        stopped, ready = page.evaluate(STOPPED)
        yield "a run without end is stopped, s", "0.2", stopped, min
        yield "and the next request is answered, s", "", ready, min
    page.close()
    for _ in range(TIMES):
        page = new(picture.as_uri())
        yield "frames a second with 101 terminals", "60", page.evaluate(FRAMES), max
        page.close()


def main() -> int:
    from playwright.sync_api import sync_playwright

    found = os.environ.get("SPINDLE_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    best: dict[str, tuple[str, list[float], Callable[[list[float]], float]]] = {}
    with _served() as (place, picture), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        for name, wanted, value, pick in _rows(browser, place, picture):
            best.setdefault(name, (wanted, [], pick))[1].append(value)
        browser.close()
    for name, (wanted, values, pick) in best.items():
        print(f"{name:<58}{pick(values):8.3f}   {f'must be {wanted}' if wanted else '':<14}"
              f"{json.dumps([round(each, 3) for each in values])}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
