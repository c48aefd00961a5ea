// The workers: as many compute at once as there are processors, and one more is kept warm, to plan and to follow one
// that was stopped.

const MOST = 4;
const isRun = job => job !== null && job.ask !== "plan"; // or the film of one
export class Stopped extends Error {}

export class Pool {
  #workers = [];
  #waiting = [];
  #ids = 0;

  constructor(onstate) {
    this.onstate = onstate;
    this.most = Math.min(MOST, Math.max(1, navigator.hardwareConcurrency || 2));
    this.#start();
  }

  // What Python answers to `request`; `tell` hears the share of a run that is done. Stopped where it was.
  ask(ask, request, tell = () => {}) {
    return new Promise((resolve, reject) => {
      const job = { id: ++this.#ids, ask, text: JSON.stringify(request), resolve, reject, tell };
      if (ask === "plan") this.#waiting.unshift(job);
      else this.#waiting.push(job);
      this.#go();
    });
  }

  // Ends all runs at once: their workers are ended, whatever they do, and others take their places.
  stop() {
    for (const job of this.#waiting.filter(isRun)) job.reject(new Stopped());
    this.#waiting = this.#waiting.filter(each => !isRun(each));
    for (const each of this.#workers.filter(each => isRun(each.job))) {
      each.worker.terminate();
      this.#workers.splice(this.#workers.indexOf(each), 1);
      each.job.reject(new Stopped());
      this.#start();
    }
  }

  get computing() {
    return this.#workers.filter(each => isRun(each.job)).length;
  }

  #start() {
    const each = { worker: new Worker(new URL("worker.js", import.meta.url), { type: "module" }), ready: false, job: null };
    each.worker.onmessage = ({ data }) => this.#heard(each, data);
    each.worker.onerror = event => this.#heard(each, { failed: event.message || "a worker cannot be started" });
    this.#workers.push(each);
  }

  #heard(each, { ready, failed, id, share, answer }) {
    if (failed) return this.#broken(each, failed);
    if (ready) {
      each.ready = true;
      this.onstate("ready");
      // The others begin when the first is there, so that nothing delays it.
      if (this.#workers.length <= this.most) this.#start();
    } else if (each.job?.id === id && share !== undefined) each.job.tell(share);
    else if (each.job?.id === id) {
      each.job.resolve(answer);
      each.job = null;
    }
    this.#go();
  }

  #broken(each, why) {
    each.worker.terminate();
    this.#workers.splice(this.#workers.indexOf(each), 1);
    each.job?.resolve({ error: `Python could not go on: ${why}` });
    if (!this.#workers.length) {
      this.onstate("broken", why);
      for (const job of this.#waiting.splice(0)) job.resolve({ error: `Python could not be started: ${why}` });
    }
  }

  #go() {
    for (const each of this.#workers.filter(each => each.ready && !each.job)) {
      const next = this.#waiting.findIndex(job => job.ask === "plan" || this.computing < this.most);
      if (next < 0) return;
      [each.job] = this.#waiting.splice(next, 1);
      each.worker.postMessage({ id: each.job.id, ask: each.job.ask, text: each.job.text });
    }
  }
}
