// The controls of one machine: a slider and a field for a number, a menu for what is a word, a box for yes and no.
import { element } from "./moving/panel.js";

export { element };

export const short = word => word.replace(/^.*\//, "").replace(/\.\w+$/, "");

export class Controls {
  #rows = new Map();

  constructor(settings, changed) {
    this.settings = new Map(settings.map(each => [each.name, each]));
    this.changed = changed;
    const places = { run: "run-rows", part: "part-rows", first: "first-rows", other: "other-rows" };
    for (const id of Object.values(places)) document.getElementById(id).replaceChildren();
    for (const each of settings) document.getElementById(places[each.group]).append(this.#row(each));
    const others = settings.filter(each => each.group === "other").length;
    document.getElementById("other-title").textContent = `${others} other parameters`;
    document.getElementById("other-title").parentElement.hidden = !others;
  }

  // What differs from what is usual, by name.
  get given() {
    const given = {};
    for (const [name, row] of this.#rows) {
      const text = row.get();
      if (!row.varied && text !== this.settings.get(name).usual) given[name] = text;
    }
    return given;
  }

  set given(given) {
    for (const [name, row] of this.#rows) row.set(given[name] ?? this.settings.get(name).usual);
    // A mark beside what is not usual, also where it is folded away.
    this.mark();
    if (Object.keys(given).some(name => this.settings.get(name)?.group === "other"))
      document.getElementById("other-title").parentElement.open = true;
  }

  vary(varied) {
    for (const [name, row] of this.#rows) {
      row.varied = name === varied;
      for (const input of row.inputs) input.disabled = row.varied;
      row.element.classList.toggle("varied", row.varied);
    }
    this.mark();
  }

  mark(wrong = "") {
    for (const [name, row] of this.#rows) {
      row.element.classList.toggle("changed", !row.varied && row.get() !== this.settings.get(name).usual);
      row.inputs[0].toggleAttribute("aria-invalid", name === wrong);
    }
  }

  #row(setting) {
    const make = setting.words.length ? (setting.words[0] === "true" ? truth : menu) : number;
    const { inputs, get, set } = make(setting, () => {
      this.mark();
      this.changed();
    });
    const id = `set-${setting.name}`;
    inputs[0].id = id;
    const unit = setting.unit ? element("span", { className: "unit", textContent: setting.unit }) : "";
    const says = [setting.kind, setting.note].filter(Boolean).join(": ");
    const words = setting.name.split(/(?<=_)/).flatMap(word => [word, element("wbr")]);
    const label = element("label", { htmlFor: id, title: says }, ...words, unit);
    const why = element("details", { className: "why" },
      element("summary", { title: says, ariaLabel: `About ${setting.name}`, textContent: "?" }),
      element("p", { textContent: says }));
    const row = element("div", { className: "row" }, label, why, ...inputs);
    this.#rows.set(setting.name, { element: row, inputs, get, set, varied: false });
    set(setting.usual);
    return row;
  }
}

function number(setting, changed) {
  const { places } = setting;
  const field = element("input", { type: "text", autocomplete: "off", spellcheck: false, placeholder: setting.usual || "its own" });
  const slider = element("input", { type: "range", min: 0, max: Math.max(0, places.length - 1), step: 1 });
  slider.setAttribute("aria-label", `${setting.name}, slider`);
  const place = () => {
    const at = places.indexOf(field.value || setting.usual);
    if (at >= 0) slider.value = at;
    slider.classList.toggle("off", at < 0);
    slider.setAttribute("aria-valuetext", field.value || setting.usual || "its own");
  };
  field.addEventListener("input", () => {
    place();
    changed();
  });
  slider.addEventListener("input", () => {
    field.value = places[slider.value];
    place();
    changed();
  });
  return {
    inputs: places.length > 1 ? [field, slider] : [field],
    get: () => field.value.trim() || setting.usual,
    set: text => {
      field.value = text;
      place();
    },
  };
}

function menu(setting, changed) {
  const choice = element("select");
  if (!setting.words.includes(setting.usual)) choice.append(new Option("as built", setting.usual));
  for (const word of setting.words) choice.append(new Option(short(word), word));
  choice.addEventListener("change", changed);
  return { inputs: [choice], get: () => choice.value, set: text => select(choice, text) };
}

function truth(setting, changed) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", changed);
  return { inputs: [box], get: () => String(box.checked), set: text => { box.checked = ["true", "yes", "on"].includes(text.toLowerCase()); } };
}

// A word that is none stays in the menu, so that the message about it is not of something else.
export function select(choice, text) {
  if (![...choice.options].some(each => each.value === text)) choice.append(new Option(text, text));
  choice.value = text;
}
