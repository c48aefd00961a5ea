// What is shown of the runs: two curves with their legend, bars of phases, and tables.
import { select } from "./controls.js";
import { Curve, shownUnit } from "./curves.js";
import * as tables from "./tables.js";

const by = id => document.getElementById(id);
const PLACES = [0, 1];

export class Shown {
  #runs = [];
  #last = null;

  constructor(student) {
    this.student = student;
    this.curves = PLACES.map(place => new Curve(by(`curve-${place}`)));
    for (const place of PLACES) by(`measure-${place}`).addEventListener("change", () => this.draw(this.#runs, this.#last));
  }

  // Another machine, whose curves are at first those that it names.
  begin(machine) {
    this.machine = machine;
    for (const place of PLACES) by(`measure-${place}`).replaceChildren(new Option(machine.labels[machine.curves[place]], machine.curves[place]));
  }

  // All runs of which there is a point; `last` is the row of the run that ended last.
  draw(runs, last) {
    this.#runs = runs;
    this.#last = last;
    const drawn = runs.filter(each => each.points.some(rows => rows.length)), run = drawn.at(-1), units = last?.units ?? {}; // of measures that have one
    const measures = PLACES.map(place => this.#measure(by(`measure-${place}`)));
    measures.forEach((name, place) => {
      by(`unit-${place}`).textContent = shownUnit(units[name] ?? "");
      this.curves[place].draw(drawn, name, units[name] ?? "", this.student);
    });
    by("stored").hidden = !drawn.some(each => each.stored);
    by("legend").replaceChildren(...(drawn.length > 1 ? drawn : []).map(each => tables.entry(each.colour, this.#label(each))));
    for (const id of ["table-details", "numbers-details"]) by(id).hidden = !run;
    by("breakdown").hidden = !run || !tables.breakdown(by("bars"), by("phases"), run);
    if (!run) return;
    tables.points(by("table"), drawn, measures, last, this.student, each => this.#label(each));
    tables.numbers(by("all"), last);
  }

  // In what a run differs from the others that are drawn.
  #label(run) {
    const runs = this.#runs, several = of => new Set(runs.map(of)).size > 1;
    const usual = name => this.machine.settings.find(each => each.name === name)?.usual || "as built";
    const value = (each, name) => each.given[name] ?? usual(name);
    const differs = [...new Set(runs.flatMap(each => Object.keys(each.given)))]
      .filter(name => several(each => value(each, name))).map(name => `${name} ${value(run, name)}`);
    const scripts = several(each => JSON.stringify(each.files)) ? [Object.keys(run.files)[0] ?? "no script"] : [];
    const seeds = several(each => each.seeds) ? [`${run.seeds} seed${run.seeds > 1 ? "s" : ""}`] : [];
    const label = [...scripts, ...differs, ...seeds].join(", ") || (runs.length > 1 ? `run ${runs.indexOf(run) + 1}, of the same` : "the run");
    return run.whole ? label : `${label} (not all of it was run)`;
  }

  // The measure that is chosen, among all that the last run has.
  #measure(choice) {
    const names = Object.keys(this.#last?.summary ?? {});
    if (names.length > choice.options.length) {
      const { value } = choice;
      choice.replaceChildren(...names.map(name => new Option(this.#last.labels[name], name)));
      select(choice, value);
    }
    return choice.value;
  }
}
