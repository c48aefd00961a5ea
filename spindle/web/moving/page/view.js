// The moving picture on a page: its parts, its controls, and the loop that draws it.
import { ARMLESS, OWNERS, REQUESTS, STATES, bytes, cellSize, drawDrive, drawLevels, drawMemory, drawPeople, drawStrip, instant, saying, seconds } from "./draw.js";
import { Panel, element, set } from "./panel.js";
import { Film, KINDS, doing } from "./state.js";

const SPEEDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20];
const PLACES = 10_000, WATCHED = 20, BEHIND = 8, OFTEN = 250, MAX_ROWS = 300;

const NOTHING = "Nothing moves here: what ran has no drive, CPU, memory or terminal that says what it does.";

const several = kind => kind.replace("has ", "have ").replace(/^(think|type|print|wait)s\b/, "$1");

export class MovingPicture {
  #last = 0;
  #told = 0;
  #playing = false;
  #gone = false;

  constructor(root, film, { play = false } = {}) {
    this.root = root;
    this.film = film instanceof Film ? film : new Film(film);
    this.t = this.film.begin;
    const watched = (this.film.end - this.film.begin) / 1e9 / WATCHED;
    this.speed = SPEEDS.reduce((best, each) => Math.abs(Math.log(each / watched)) < Math.abs(Math.log(best / watched)) ? each : best);
    this.panels = [];
    root.replaceChildren(...this.#controls(), ...this.#parts(), this.#table());
    root.addEventListener("pointermove", event => this.#point(event));
    root.addEventListener("pointerdown", event => this.#point(event));
    this.go(this.t);
    if (play && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play();
    requestAnimationFrame(now => this.#frame(now));
  }

  get playing() { return this.#playing; }

  get span() {
    return this.film.cpu || this.film.people.length ? this.speed * BEHIND * 1e9 : this.film.end - this.film.begin;
  }

  play(on = true) {
    if (on && this.t >= this.film.end) this.go(this.film.begin);
    this.#playing = on;
    set(this.button, on ? "Pause" : "Play");
    this.says.setAttribute("aria-live", on ? "off" : "polite");
    this.#tell();
  }

  go(t) {
    this.t = Math.min(this.film.end, Math.max(this.film.begin, t));
    for (const each of this.panels) each.stale = true;
    if (!this.#playing) this.#tell();
  }

  remove() {
    this.#gone = true;
    this.root.replaceChildren();
  }

  #controls() {
    this.button = element("button", { type: "button", className: "main", textContent: "Play" });
    this.button.addEventListener("click", () => this.play(!this.#playing));
    const step = (words, label, direction) => {
      const button = element("button", { type: "button", textContent: words, ariaLabel: label });
      button.addEventListener("click", () => {
        this.play(false);
        this.go(this.film.step(this.t, direction));
      });
      return button;
    };
    const speeds = element("select", {}, ...SPEEDS.map(each => new Option(each === 1 ? "1 s in a second, as it was" : `${seconds(each * 1e9).replace(/\.?0+ /, " ")} in a second`, each)));
    speeds.value = this.speed;
    speeds.addEventListener("change", () => {
      this.speed = Number(speeds.value);
      this.go(this.t);
    });
    this.scrub = element("input", { type: "range", min: 0, max: PLACES, step: 1, value: 0, ariaLabel: "Instant" });
    this.scrub.addEventListener("input", () => this.go(this.film.begin + (this.film.end - this.film.begin) * this.scrub.value / PLACES));
    this.clock = element("output", { className: "moving-clock" });
    this.says = element("p", { className: "moving-says" });
    this.pointed = element("p", { className: "moving-pointed", textContent: "Point at anything to see who waits for what, and since when." });
    return [
      element("p", { className: "moving-title", textContent: [this.film.title, this.film.note].filter(Boolean).join(". ") }),
      element("div", { className: "moving-controls" }, this.button, step("◀ step", "Step back", -1), step("step ▶", "Step on", 1), element("label", {}, "speed ", speeds)),
      element("div", { className: "moving-scrub" }, this.scrub, this.clock), this.says, this.pointed,
    ];
  }

  #parts() {
    const { film } = this, drives = film.drives.map(each => this.#panel(each.name, width => each.geometry ? Math.round((width - 16) / 1.125) + 16 + (film.cpu ? 54 : 120) : ARMLESS, (c, w, h, t) => drawDrive(c, w, h, each, t, this.span, film.begin)));
    const groups = [], rest = [];
    if (drives.length) groups.push(this.#group("Drives", "moving-drives", drives, [...REQUESTS].filter(([name]) => name !== "done")));
    const strips = [...(film.cpu ? [[film.cpu, name => ({ cpu: "#009e73", cache: "#56b4e9", manager: "#cc79a7", interrupt: "#e69f00" })[name] ?? "#8b929b"]] : []), ...film.locks.map(each => [each, () => "#d55e00"])]
      .map(([track, colour]) => this.#panel(track.name === "cpu" ? "CPU" : `lock: ${track.name}`, () => 30, (c, w, h, t) => drawStrip(c, w, h, track, t, this.span, colour)));
    if (strips.length) rest.push(this.#group("CPU and locks", "moving-strips", strips, film.cpu ? [["programs", "#009e73"], ["cache", "#56b4e9"], ["memory manager", "#cc79a7"], ["interrupts", "#e69f00"], ...(film.locks.length ? [["lock held", "#d55e00"]] : [])] : []));
    if (film.people.length) {
      const panel = this.#panel("Terminals, programs and hosts", width => Math.ceil(film.people.length / Math.max(1, Math.floor(width / cellSize(width, film.people.length)))) * cellSize(width, film.people.length),
        (c, w, h, t) => drawPeople(c, w, h, film.people, t, film.locks));
      panel.colours([...STATES]);
      this.people = panel;
      rest.push(this.#group("Terminals", "moving-people", [panel]));
    }
    this.memories = film.memories.map(each => {
      const panel = this.#panel(`Memory by owner: ${each.name}`, () => 160, (c, w, h, t) => drawMemory(c, w, h, each, t));
      panel.colours([...each.owners.map((owner, place) => [owner.name, OWNERS[place % OWNERS.length]]), ["free", "#eceff2"]]);
      return [panel, each];
    });
    const levels = film.memories.length || !film.levels.length ? [] : [this.#panel("Levels", () => film.levels.length * 34, (c, w, h, t) => drawLevels(c, w, h, film.levels, t))];
    const held = [...this.memories.map(([panel]) => panel), ...levels];
    if (held.length) rest.push(this.#group("Memory", "moving-memory", held));
    if (rest.length) groups.push(element("div", { className: "moving-rest" }, ...rest));
    return [element("div", { className: "moving-groups" }, ...groups.length ? groups : [element("p", { textContent: NOTHING })])];
  }

  #panel(title, height, draw) {
    const panel = new Panel(title, height, draw);
    this.panels.push(panel);
    return panel;
  }

  #group(title, name, panels, colours = []) {
    const legend = element("ul", { className: "moving-legend", ariaLabel: `Colours: ${title}` }, ...colours.map(([words, colour]) => {
      const mark = element("span", { className: "moving-mark" });
      mark.style.background = colour;
      return element("li", {}, mark, element("span", { textContent: words }));
    }));
    return element("section", { className: name, ariaLabel: title }, element("div", { className: "moving-panels" }, ...panels.map(each => each.figure)), ...(colours.length ? [legend] : []));
  }

  #table() {
    this.rows = element("tbody");
    this.details = element("details", { className: "moving-table" }, element("summary", { textContent: "Who waits for what, as a table" }),
      element("div", { className: "box", tabIndex: 0, role: "region", ariaLabel: "Who waits for what" }, element("table", {},
        element("thead", {}, element("tr", {}, ...["who", "does what, and since when"].map(each => element("th", { scope: "col", textContent: each })))), this.rows)));
    this.details.addEventListener("toggle", () => this.#tell());
    return this.details;
  }

  #frame(now) {
    if (this.#gone) return;
    if (this.#playing) {
      this.t = Math.min(this.film.end, this.t + Math.min(100, now - this.#last) * 1e6 * this.speed);
      for (const each of this.panels) each.stale = true;
      if (this.t >= this.film.end) this.play(false);
      else if (now - this.#told > OFTEN) {
        this.#told = now;
        this.#tell();
      }
    }
    this.#last = now;
    for (const each of this.panels) if (each.stale) each.show(this.t);
    set(this.clock, instant(this.t));
    const place = Math.round(PLACES * (this.t - this.film.begin) / (this.film.end - this.film.begin));
    if (this.#playing && Number(this.scrub.value) !== place) this.scrub.value = place;
    requestAnimationFrame(next => this.#frame(next));
  }

  // The instant in words: for who cannot see the picture, and the numbers beside its colours.
  #tell() {
    const { film, t } = this, counts = new Map();
    for (const each of film.people) {
      const { kind } = doing(each, t);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    if (this.people) for (const [name, words] of this.people.entries) set(words, `${name} ${counts.get(name) ?? 0}`);
    for (const [panel, memory] of this.memories ?? []) {
      const held = memory.owners.map(each => each.value(t)), all = held.reduce((sum, each) => sum + each, 0);
      memory.owners.forEach((owner, place) => set(panel.entries.get(owner.name), `${owner.name} ${bytes(held[place])}`));
      set(panel.entries.get("free"), `free ${bytes(memory.capacity - all)}`);
    }
    this.scrub.setAttribute("aria-valuetext", instant(t));
    if (!this.#playing) this.scrub.value = Math.round(PLACES * (t - film.begin) / (film.end - film.begin));
    set(this.says, `At ${instant(t)}: ${[this.#drives(), this.#cpu(), ...KINDS.filter(each => counts.get(each)).map(each => `${counts.get(each)} ${counts.get(each) > 1 ? several(each) : each}`)].filter(Boolean).join("; ")}.`);
    if (this.details.open) this.#fill();
  }

  #drives() {
    const { film, t } = this, few = film.drives.length <= 4 && !film.cpu;
    if (few) return film.drives.map(each => `${each.name} ${each.geometry ? `at cylinder ${each.cylinder(t).toFixed(0)}, ` : ""}${each.served(t)?.phase ?? (each.underWay(t).length ? `${each.underWay(t).length} in service` : "idle")}, ${each.waiting(t).length} wait, ${each.answered(t)}`).join("; ");
    const busy = film.drives.filter(each => each.underWay(t).length).length, waits = film.drives.reduce((sum, each) => sum + each.waiting(t).length, 0);
    return film.drives.length ? `${busy} of ${film.drives.length} drives busy, ${waits} requests in their queues` : "";
  }

  #cpu() {
    if (!this.film.cpu) return "";
    const slice = this.film.cpu.at(this.t)[0];
    return slice ? `CPU: ${slice.name}${slice.notes.for ? ` for ${slice.notes.for}` : ""}` : "CPU idle";
  }

  #fill() {
    const { film, t } = this, lines = film.people.map(each => [each.name, saying(each, t, film.locks).slice(each.name.length + 2)]);
    for (const drive of film.drives) for (const each of drive.waiting(t)) lines.push([each.for ?? "a request", `waits in the queue of ${drive.name} since ${instant(each.submitted)}`]);
    const shown = lines.slice(0, MAX_ROWS);
    while (this.rows.rows.length > shown.length) this.rows.deleteRow(-1);
    shown.forEach(([who, what], place) => {
      const row = this.rows.rows[place] ?? this.rows.appendChild(element("tr", {}, element("td"), element("td")));
      set(row.cells[0], who);
      set(row.cells[1], what);
    });
  }

  #point({ target, offsetX, offsetY }) {
    const panel = this.panels.find(each => each.canvas === target), says = panel?.at(offsetX, offsetY);
    if (says) set(this.pointed, says);
  }
}
