// The page: what is wanted, from the controls or the address; the runs, as they end; and what is shown of them.
import { Controls, element, select } from "./controls.js";
import { COLOURS } from "./curves.js";
import { Editor } from "./editor.js";
import { Pool, Stopped } from "./pool.js";
import { Progress } from "./progress.js";
import * as address from "./request.js";
import { Shown } from "./shown.js";
import { Watch } from "./watch.js";
import { Written } from "./written.js";

const by = id => document.getElementById(id);
const PAUSE = 250; // milliseconds without a key before what is wanted is checked

class Page {
  #timer = 0;
  #asked = 0;
  runs = [];

  constructor({ machines, student, seeds, first = {} }) {
    this.machines = machines;
    this.seeds = seeds;
    this.first = first;
    this.pool = new Pool((state, why) => this.#heard(state, why));
    this.editor = new Editor(() => this.changed());
    this.shown = new Shown(student);
    this.written = new Written();
    this.progress = new Progress();
    this.watch = new Watch(this.pool, this.progress);
    this.#choices();
    by("form").addEventListener("submit", event => {
      event.preventDefault();
      this.go();
    });
    by("stop").addEventListener("click", () => this.stop());
    by("clear").addEventListener("click", () => this.clear());
    by("share").addEventListener("click", () => this.share());
    by("vary").addEventListener("change", () => this.#varied());
    for (const id of ["values", "seeds"]) by(id).addEventListener("input", () => this.changed());
    addEventListener("hashchange", () => this.open(location.hash));
    this.open(location.hash);
  }

  get machine() {
    return this.machines[this.system];
  }

  // What the controls say.
  get request() {
    const { given } = this.controls, vary = by("vary").value;
    return { system: this.system, given: { ...this.unknown, ...given }, vary, values: vary ? address.split(by("values").value) : [],
      seeds: Number(by("seeds").value), files: this.editor.files };
  }

  // Begins with what the address says, and computes it.
  open(hash) {
    const request = address.read(hash), names = Object.keys(this.machines);
    if (request.trouble) this.progress.trouble(request.trouble);
    else if (request.system && !names.includes(request.system))
      this.progress.trouble(`There is no machine “${request.system.slice(0, 40)}”; there are ${names.join(", ")}.`);
    else this.progress.trouble("");
    const known = !request.trouble && names.includes(request.system);
    this.choose(known ? request.system : names[0], known && hash.includes("?") ? request : null);
    for (const link of document.querySelectorAll("#steps a")) link.ariaCurrent = link.hash === hash ? "step" : null;
    if (!this.runs.length && (known || !hash.replace("#", ""))) this.go(request);
  }

  choose(system, request = null) {
    this.stop();
    this.system = system;
    const { machine } = this;
    by(`machine-${system}`).checked = true;
    by("question").replaceChildren(element("strong", { textContent: `${machine.title}.` }), ` ${machine.question}`);
    by("tour").hidden = !machine.tour.length;
    by("tour-title").textContent = `${machine.paper ? "What the paper asks" : "What to ask first"}, in short runs`;
    by("steps").replaceChildren(...machine.tour.map(({ says, words }) => element("li", {}, element("a", { href: `#${words}`, textContent: says }))));
    by("source").textContent = machine.paper && `${machine.title}: ${machine.paper}.`;
    this.controls = new Controls(machine.settings, () => this.changed());
    this.editor.offer(machine.scripts);
    const settings = machine.settings.map(each => each.name), group = name => machine.settings.filter(each => each.group === name);
    by("vary").replaceChildren(new Option("nothing", ""), ...[["the run", "run"], ["parts", "part"], ["parameters", "first"], ["other parameters", "other"]]
      .map(([label, name]) => element("optgroup", { label }, ...group(name).map(each => new Option(each.name, each.name)))));
    const { given, vary, values, seeds, files } = request ?? { given: machine.begin, vary: machine.vary, values: machine.values, seeds: this.seeds, files: {} };
    this.unknown = Object.fromEntries(Object.entries(given).filter(([name]) => !settings.includes(name)));
    this.controls.given = given;
    select(by("vary"), vary);
    by("values").value = values.join(", ");
    by("seeds").value = seeds;
    if (Object.keys(files).length && machine.scripts) this.editor.open(files);
    this.controls.vary(vary);
    by("values").disabled = !vary;
    this.watch.window = machine.window;
    this.shown.begin(machine);
    this.clear();
    if (!request && this.first[system]) this.#store(this.first[system]);
    this.changed(0);
  }

  // Shows what was computed when the page was made, until something is run.
  #store({ models, plan, points }) {
    this.runs = [{ ...this.request, axis: plan.axis, points, colour: COLOURS[0], whole: true, stored: true }];
    this.last = points.at(-1).at(-1);
    by("stored").textContent = `Stored results, computed by the same Python when this page was made (models ${models}). Run computes them here, and takes their place.`;
    this.#checked(plan, this.request);
    this.watch.offer(this.runs[0]);
    this.draw();
  }

  // Checks what is wanted, and shows how it is typed.
  changed(pause = PAUSE) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.check(), pause);
  }

  async check() {
    const asked = ++this.#asked, { request } = this;
    const plan = await this.pool.ask("plan", request);
    if (asked === this.#asked) this.#checked(plan, request);
    return plan;
  }

  #checked(plan, request) {
    if (plan.error) this.unknown = {}; // said once, and then left out
    const inScript = Boolean(plan.line), scripted = Object.keys(request.files).length > 0;
    if (scripted) this.editor.say(plan.error && !inScript ? null : plan);
    this.controls.mark(plan.error?.split(" ")[0]);
    if (!this.progress.sticky || plan.error) this.progress.trouble(plan.error ? (inScript ? `${plan.file}, line ${plan.line}: ${plan.error}` : plan.error) : "");
    by("notes").textContent = (plan.notes ?? []).map(each => `Note: ${each}.`).join(" ");
    by("command").textContent = plan.command ?? "";
    by("python").textContent = plan.python ?? "";
    this.written.show(plan.file ?? null);
  }

  // Runs what is wanted, and shows its film if the address `said` that it is watched.
  async go(said = {}) {
    this.stop();
    const turn = this.progress.begin(), { request } = this;
    this.progress.sticky = false;
    this.watch.clear();
    const plan = await this.check();
    if (!this.progress.wants(turn)) return;
    if (plan.error) return this.progress.ended("Nothing was run.");
    const others = this.runs.filter(each => !each.stored && each.system === request.system && each.vary === request.vary && each.axis.unit === plan.axis.unit
      && JSON.stringify(each.axis.labels) === JSON.stringify(plan.axis.labels)).slice(1 - COLOURS.length);
    const run = { ...request, axis: plan.axis, points: plan.points.map(() => []), colour: COLOURS.find(each => others.every(other => other.colour !== each)) };
    this.runs = [...others.filter(each => each.whole), run];
    this.draw();
    if (!await this.#compute(run, plan, request, turn)) return;
    if (!this.watch.offer(run, said)) return this.progress.trouble(`watch must be one of ${run.values.join(", ") || "no values"}, not ${said.watch.slice(0, 20)}.`);
    if (said.watch || said.window) by("watch-form").requestSubmit();
  }

  // Whether all were made: none was stopped, and none is wrong.
  async #compute(run, plan, { system, files }, turn) {
    const total = plan.points.length * plan.seeds, shares = new Map();
    let done = 0, error = "";
    const tell = () => this.progress.share((done + [...shares.values()].reduce((sum, each) => sum + each, 0)) / total);
    this.progress.say(`0 of ${total} runs`);
    const one = async (seed, index) => {
      const key = `${seed} ${index}`;
      const answer = await this.pool.ask("compute", { system, given: plan.points[index], files, seed }, share => {
        shares.set(key, share);
        if (this.progress.wants(turn)) tell();
      });
      shares.delete(key);
      if (!this.progress.wants(turn) || error) return;
      if (answer.error) {
        error = answer.error;
        this.progress.trouble(error);
        return this.stop("Nothing more is run.");
      }
      done += 1;
      run.points[index].push(answer);
      this.last = answer;
      tell();
      this.progress.say(`${done} of ${total} runs`);
      this.draw();
    };
    const jobs = Array.from({ length: total }, (_, each) => one(1 + Math.floor(each / plan.points.length), each % plan.points.length));
    const ends = await Promise.allSettled(jobs);
    const odd = ends.find(each => each.status === "rejected" && !(each.reason instanceof Stopped));
    if (odd) throw odd.reason;
    if (!this.progress.wants(turn)) return false;
    run.whole = true;
    this.draw();
    this.progress.ended(`${done} of ${total} runs: done.`);
    return true;
  }

  stop(text = "Stopped.") {
    if (!this.progress.running) return;
    this.pool.stop();
    this.progress.ended(text);
    this.draw();
  }

  clear() {
    this.stop();
    this.runs = [];
    this.last = null;
    this.watch.clear();
    this.watch.offer(null);
    this.draw();
  }

  async share() {
    const hash = address.written(this.request, this.watch.words);
    history.replaceState(null, "", hash);
    try {
      await navigator.clipboard.writeText(location.href);
      this.progress.say("The address says it all, and is copied.");
    } catch {
      this.progress.say("The address says it all: copy it.");
    }
  }

  draw() {
    this.shown.draw(this.runs, this.last);
  }

  #varied() {
    const setting = this.machine.settings.find(each => each.name === by("vary").value);
    by("values").value = (setting?.spread ?? []).join(", ");
    by("values").disabled = !setting;
    this.controls.vary(setting?.name ?? "");
    this.changed();
  }

  #choices() {
    by("machines").append(...Object.entries(this.machines).map(([name, { title, paper }]) => {
      const radio = element("input", { type: "radio", name: "machine", id: `machine-${name}`, value: name });
      radio.addEventListener("change", () => {
        this.progress.trouble("");
        this.choose(name);
        history.replaceState(null, "", `#${name}`);
        if (!this.runs.length) this.go();
      });
      return element("label", { title }, radio, element("span", { textContent: title }));
    }));
    by("seeds").append(...Array.from({ length: 10 }, (_, each) => new Option(each + 1, each + 1)));
  }

  #heard(state, why) {
    if (state === "broken") this.progress.trouble(`Python could not be started in this browser: ${why}`);
    else if (by("status").textContent === "Starting Python.") this.progress.say("Python is ready.");
  }
}

async function begin() {
  if (!("Worker" in window) || !("WebAssembly" in window)) {
    by("trouble").textContent = "This browser has no workers or no WebAssembly, without which nothing can be computed here; any browser of the last years has both.";
    return;
  }
  const answer = await fetch("machines.json");
  if (!answer.ok) throw new Error(`machines.json: ${answer.status}`);
  by("form").hidden = false;
  window.page = new Page(await answer.json());
}

begin().catch(error => {
  by("trouble").hidden = false;
  by("trouble").textContent = `The page could not begin: ${error.message}`;
});
