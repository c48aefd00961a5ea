// What the page says of its runs: how far they are, what went wrong, and which of them are still wanted.

const by = id => document.getElementById(id);

export class Progress {
  #turn = 0;
  sticky = false; // what went wrong stays until something else is run

  get running() {
    return !by("stop").disabled;
  }

  // Something is run from now on, and nothing else is wanted any more; its number.
  begin() {
    by("stop").disabled = false;
    by("watch-go").disabled = true;
    return ++this.#turn;
  }

  wants(turn) {
    return turn === this.#turn;
  }

  share(done) {
    by("progress").value = done;
  }

  ended(text) {
    this.#turn += 1;
    by("stop").disabled = true;
    by("watch-go").disabled = false;
    by("progress").value = 0;
    this.say(text);
  }

  say(text) {
    by("status").textContent = text;
  }

  trouble(text) {
    this.sticky = Boolean(text);
    by("trouble").textContent = text;
    by("trouble").hidden = !text;
  }
}
