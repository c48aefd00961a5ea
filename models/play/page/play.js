// The page: what is wanted, from the controls or the address; the runs, as they end; and what is shown of them.
import { Controls, element, select } from "./controls.js";
import { COLOURS } from "./curves.js";
import { Editor } from "./editor.js";
import { Pool, Stopped } from "./pool.js";
import * as address from "./request.js";
import { Shown } from "./shown.js";
import { Watch } from "./watch.js";

const by = id => document.getElementById(id);
const PAUSE = 250; // milliseconds without a key before what is wanted is checked

class Page {
  #timer = 0;
  #asked = 0;
  #run = 0;
  runs = [];

  constructor({ machines, student }) {
    this.machines = machines;
    this.pool = new Pool((state, why) => this.#heard(state, why));
    this.editor = new Editor(() => this.changed());
    this.shown = new Shown(student);
    this.watch = new Watch(request => this.film(request));
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
    if (request.trouble) this.trouble(request.trouble);
    else if (request.system && !names.includes(request.system))
      this.trouble(`There is no machine “${request.system.slice(0, 40)}”; there are ${names.join(", ")}.`);
    else this.trouble("");
    const known = !request.trouble && names.includes(request.system);
    this.choose(known ? request.system : names[0], known && hash.includes("?") ? request : null);
    if (known || !hash.replace("#", "")) this.go(request);
  }

  choose(system, request = null) {
    this.stop();
    this.system = system;
    const { machine } = this;
    by(`machine-${system}`).checked = true;
    by("question").replaceChildren(element("strong", { textContent: `${machine.title}.` }), ` ${machine.question}`);
    by("source").textContent = `${machine.title}: ${machine.paper}.`;
    this.controls = new Controls(machine.settings, () => this.changed());
    this.editor.offer(machine.scripts);
    const settings = machine.settings.map(each => each.name), group = name => machine.settings.filter(each => each.group === name);
    by("vary").replaceChildren(new Option("nothing", ""), ...[["the run", "run"], ["parts", "part"], ["parameters", "first"], ["other parameters", "other"]]
      .map(([label, name]) => element("optgroup", { label }, ...group(name).map(each => new Option(each.name, each.name)))));
    const { given, vary, values, seeds, files } = request ?? { given: machine.begin, vary: machine.vary, values: machine.values, seeds: 3, files: {} };
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
    this.changed(0);
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
    if (!this.sticky || plan.error) this.trouble(plan.error ? (inScript ? `${plan.file}, line ${plan.line}: ${plan.error}` : plan.error) : "");
    by("command").textContent = plan.command ?? "";
    by("python").textContent = plan.python ?? "";
  }

  // Runs what is wanted, and shows its film if the address `said` that it is watched.
  async go(said = {}) {
    this.stop();
    const turn = this.#begin(), { request } = this;
    this.sticky = false;
    this.watch.clear();
    const plan = await this.check();
    if (turn !== this.#run) return;
    if (plan.error) return this.#ended("Nothing was run.");
    const others = this.runs.filter(each => each.system === request.system && each.vary === request.vary && each.axis.unit === plan.axis.unit
      && JSON.stringify(each.axis.labels) === JSON.stringify(plan.axis.labels)).slice(1 - COLOURS.length);
    const run = { ...request, axis: plan.axis, points: plan.points.map(() => []), colour: COLOURS.find(each => others.every(other => other.colour !== each)) };
    this.runs = [...others, run];
    this.draw();
    await this.#compute(run, plan, request, turn);
    if (turn !== this.#run) return;
    if (!this.watch.offer(run, said)) return this.trouble(`watch must be one of ${run.values.join(", ") || "no values"}, not ${said.watch.slice(0, 20)}.`);
    if (said.watch || said.window) by("watch-form").requestSubmit();
  }

  // The film of one run, as a worker answers; nothing where it was stopped, or cannot be.
  async film(request) {
    this.stop();
    const turn = this.#begin();
    this.trouble("");
    this.#say("The run is traced.");
    try {
      const answer = await this.pool.ask("film", request, share => { if (turn === this.#run) by("progress").value = share; });
      if (turn !== this.#run) return null;
      this.trouble(answer.error ?? "");
      this.#ended(answer.error ? "There is nothing to watch." : "The moving picture is below.");
      return answer.error ? null : answer;
    } catch (error) {
      if (error instanceof Stopped) return null;
      throw error;
    }
  }

  #begin() {
    by("stop").disabled = false;
    by("watch-go").disabled = true;
    return ++this.#run;
  }

  async #compute(run, plan, { system, files }, turn) {
    const total = plan.points.length * plan.seeds, shares = new Map();
    let done = 0, error = "";
    const tell = () => { by("progress").value = (done + [...shares.values()].reduce((sum, each) => sum + each, 0)) / total; };
    this.#say(`0 of ${total} runs`);
    const one = async (seed, index) => {
      const key = `${seed} ${index}`;
      const answer = await this.pool.ask("compute", { system, given: plan.points[index], files, seed }, share => {
        shares.set(key, share);
        if (turn === this.#run) tell();
      });
      shares.delete(key);
      if (turn !== this.#run || error) return;
      if (answer.error) {
        error = answer.error;
        this.trouble(error);
        return this.stop("Nothing more is run.");
      }
      done += 1;
      run.points[index].push(answer);
      this.last = answer;
      tell();
      this.#say(`${done} of ${total} runs`);
      this.draw();
    };
    const jobs = Array.from({ length: total }, (_, each) => one(1 + Math.floor(each / plan.points.length), each % plan.points.length));
    const ends = await Promise.allSettled(jobs);
    const odd = ends.find(each => each.status === "rejected" && !(each.reason instanceof Stopped));
    if (odd) throw odd.reason;
    if (turn === this.#run) this.#ended(`${done} of ${total} runs: done.`);
  }

  stop(text = "Stopped.") {
    if (by("stop").disabled) return;
    this.#run += 1;
    this.pool.stop();
    this.#ended(text);
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
      this.#say("The address says it all, and is copied.");
    } catch {
      this.#say("The address says it all: copy it.");
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
    by("machines").append(...Object.entries(this.machines).map(([name, { title }]) => {
      const radio = element("input", { type: "radio", name: "machine", id: `machine-${name}`, value: name });
      radio.addEventListener("change", () => {
        this.trouble("");
        this.choose(name);
        history.replaceState(null, "", `#${name}`);
        this.go();
      });
      return element("label", { title }, radio, element("span", { textContent: name }));
    }));
    by("seeds").append(...Array.from({ length: 10 }, (_, each) => new Option(each + 1, each + 1)));
  }

  trouble(text) {
    this.sticky = Boolean(text);
    by("trouble").textContent = text;
    by("trouble").hidden = !text;
  }

  #say(text) {
    by("status").textContent = text;
  }

  #ended(text) {
    by("stop").disabled = true;
    by("watch-go").disabled = false;
    by("progress").value = 0;
    this.#say(text);
  }

  #heard(state, why) {
    if (state === "broken") this.trouble(`Python could not be started in this browser: ${why}`);
    else if (by("status").textContent === "Starting Python.") this.#say("Python is ready.");
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
