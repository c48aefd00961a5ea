// The moving picture of a run that was made here: of which, which part of it, and the player of `spindle run --html`.
import { MovingPicture } from "./moving/view.js";
import { Stopped } from "./pool.js";
import { point } from "./tables.js";

const by = id => document.getElementById(id);

export class Watch {
  picture = null;
  #run = null;

  constructor(pool, progress) {
    this.pool = pool;
    this.progress = progress;
    by("watch-form").addEventListener("submit", event => {
      event.preventDefault();
      this.go();
    });
  }

  // The points of a run that has ended; one in the middle is chosen, or the one of `value`. False where there is none.
  offer(run, { watch = "", window = "" } = {}) {
    this.#run = run;
    by("watch").hidden = !run;
    if (!run) return true;
    by("watched").replaceChildren(...run.points.map((_, index) => new Option(run.vary ? `${run.vary} ${point(run, index)}` : "the run", index)));
    const at = watch ? run.values.indexOf(watch) : Math.floor((run.points.length - 1) / 2);
    by("watched").value = Math.max(0, at);
    if (window) this.window = window;
    return at >= 0;
  }

  // What the film is asked for with.
  get request() {
    const { system, files, given, vary, values } = this.#run, value = values[by("watched").value];
    return { system, files, given: vary ? { ...given, [vary]: value } : given, seed: 1, window: this.window };
  }

  // What stands in the address for the film that is on show; nothing where none is.
  get words() {
    return this.picture ? { watch: this.#run.values[by("watched").value] ?? "", window: this.window } : {};
  }

  get window() {
    return `${by("watch-begin").value.trim()}:${by("watch-seconds").value.trim()}`;
  }

  set window(text) {
    const [begin, ...seconds] = text.split(":");
    by("watch-begin").value = begin;
    by("watch-seconds").value = seconds.join(":");
  }

  // Has the run that is chosen made anew, with a trace, and shows its film.
  async go() {
    if (this.progress.running) return;
    const turn = this.progress.begin();
    this.progress.say("The run is traced.");
    this.progress.trouble("");
    try {
      const answer = await this.pool.ask("film", this.request, share => { if (this.progress.wants(turn)) this.progress.share(share); });
      if (!this.progress.wants(turn)) return;
      this.progress.trouble(answer.error ?? "");
      this.progress.ended(answer.error ? "There is nothing to watch." : "The moving picture is below.");
      if (!answer.error) this.#show(answer);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    }
  }

  clear() {
    this.picture?.remove();
    this.picture = null;
    by("watch-typed").hidden = true;
    by("moving").hidden = true;
  }

  #show({ film, command }) {
    this.clear();
    by("moving").hidden = false;
    by("watch-typed").hidden = false;
    by("watch-command").textContent = command;
    this.picture = new MovingPicture(by("moving"), film, { play: true });
    by("watch").scrollIntoView();
  }
}
