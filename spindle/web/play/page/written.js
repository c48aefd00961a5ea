// The machine as a file of Python, to be copied or saved; hidden where a machine is none that may be written so.
const by = id => document.getElementById(id);

export function save(name, text) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}

export class Written {
  #file = null;

  constructor() {
    by("save-file").addEventListener("click", () => save(this.#file.name, this.#file.text));
    by("copy-file").addEventListener("click", () => this.#copy());
  }

  show(file) {
    this.#file = file;
    by("written").hidden = !file;
    by("written-text").textContent = file?.text ?? "";
    by("written-name").textContent = file?.name ?? "";
    by("written-command").textContent = file?.command ?? "";
    by("written-says").textContent = "";
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.#file.text);
      by("written-says").textContent = "Copied.";
    } catch {
      getSelection().selectAllChildren(by("written-text"));
      by("written-says").textContent = "It is selected: copy it.";
    }
  }
}
