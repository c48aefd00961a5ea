// A script's files in a field with numbered lines; what the checker has to say stands below, and marks its line.
import { element } from "./controls.js";
import { save } from "./written.js";

const by = id => document.getElementById(id);

export class Editor {
  constructor(changed) {
    this.files = {};
    this.name = "";
    this.place = null;
    by("shipped").addEventListener("change", () => {
      this.open(this.shipped[by("shipped").value] ?? {});
      changed();
    });
    by("file").addEventListener("change", () => this.#show(by("file").value));
    by("text").addEventListener("input", () => {
      this.files[this.name] = by("text").value;
      this.say(null);
      changed();
    });
    by("text").addEventListener("scroll", () => { by("numbers").scrollTop = by("text").scrollTop; });
    by("save").addEventListener("click", () => Object.entries(this.files).forEach(each => save(...each)));
  }

  // The scripts of a machine, or none where it takes none.
  offer(scripts) {
    by("scripts").hidden = !scripts;
    this.shipped = scripts?.shipped ?? {};
    by("shipped").replaceChildren(new Option("none", ""), ...Object.keys(this.shipped).map(name => new Option(name, name)));
    this.open({});
  }

  open(files) {
    this.files = { ...files };
    const names = Object.keys(this.files);
    by("shipped").value = names.length ? names[0] : "";
    if (names.length && !(names[0] in this.shipped)) {
      by("shipped").append(new Option(`${names[0]}, from the address`, names[0]));
      by("shipped").value = names[0];
    }
    by("editor").hidden = !names.length;
    by("file-label").hidden = names.length < 2;
    by("file").replaceChildren(...names.map(name => new Option(name, name)));
    if (names.length) this.#show(names[0]);
  }

  // Shows a message of the checker at its place, or that there is none.
  say(answer) {
    this.place = answer?.line ? answer : null;
    by("checked").classList.toggle("wrong", Boolean(this.place));
    by("checked").textContent = this.place ? `${answer.file}, line ${answer.line}, column ${answer.column}: ${answer.error}`
      : answer ? "The script is right." : "";
    if (this.place && this.place.file in this.files && this.place.file !== this.name) this.#show(this.place.file);
    this.#number();
  }

  #show(name) {
    this.name = name;
    by("file").value = name;
    by("text").value = this.files[name];
    this.#number();
  }

  #number() {
    const lines = by("text").value.split("\n").length;
    const wrong = this.place?.file === this.name ? this.place.line : 0;
    by("numbers").replaceChildren(...Array.from({ length: lines }, (_, index) =>
      element("span", { className: index + 1 === wrong ? "wrong" : "", textContent: index + 1 })));
    by("text").toggleAttribute("aria-invalid", Boolean(wrong));
    by("numbers").scrollTop = by("text").scrollTop;
  }
}
