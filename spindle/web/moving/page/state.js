// The state of a filmed run at any instant: who does what, where each arm is, what lies in memory. Found by halving, so
// that any jump costs the same. Instants are nanoseconds.

// The place of the last of `sorted` that is at most `value`; -1 before the first.
export function lastAtMost(sorted, value) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// The slices of one track at one depth: none overlaps another.
class Layer {
  constructor(rows) {
    this.rows = rows.map(([begin, end, , name, notes = {}]) => ({ begin, end, name, notes })).sort((a, b) => a.begin - b.begin || a.end - b.end);
    this.begins = Float64Array.from(this.rows, each => each.begin);
  }

  at(t) {
    const row = this.rows[lastAtMost(this.begins, t)];
    return row && t < row.end ? row : null;
  }

  // Those that are not over at `from` and have begun at `to`.
  between(from, to) {
    const first = Math.max(0, lastAtMost(this.begins, from));
    return this.rows.slice(first, lastAtMost(this.begins, to) + 1).filter(each => each.end > from);
  }
}

export class Track {
  constructor({ name, parent, unit, rows }) {
    Object.assign(this, { name, parent, unit, counts: unit !== undefined });
    if (this.counts) {
      this.instants = Float64Array.from(rows, each => each[0]);
      this.values = rows.map(each => each[1]);
    } else {
      const depths = rows.reduce((most, each) => Math.max(most, each[2] + 1), 1);
      this.layers = Array.from({ length: depths }, (_, depth) => new Layer(rows.filter(each => each[2] === depth)));
    }
  }

  // Of a counter; 0 before its first value.
  value(t) {
    return this.values[lastAtMost(this.instants, t)] ?? 0;
  }

  // The slice at `t` and those within it, the outermost first.
  at(t) {
    const found = [];
    for (const layer of this.layers) {
      const slice = layer.at(t);
      if (!slice) break;
      found.push(slice);
    }
    return found;
  }
}

export class DriveState {
  constructor(track, arm, queue, waiting, lanes) {
    this.lanes = lanes;
    const whole = arm?.layers[0].rows[0];
    this.name = track.name;
    this.title = whole?.name ?? "";
    this.geometry = whole ? whole.notes : null;
    this.moves = arm?.layers[1] ?? new Layer([]);
    this.queue = queue;
    this.phases = track.layers[1] ?? new Layer([]);
    const request = ({ begin, end, name, notes }, submitted) => ({ begin, end, op: name, ...notes, submitted });
    const rows = [track, ...lanes].flatMap(each => each.layers[0].rows).sort((a, b) => a.begin - b.begin);
    this.requests = rows.map(row => request(row, Math.round(row.begin - (row.notes["queued, s"] ?? 0) * 1e9)));
    this.begins = Float64Array.from(rows, each => each.begin);
    this.done = [...this.requests].sort((a, b) => a.end - b.end);
    this.ends = Float64Array.from(this.done, each => each.end);
    this.unserved = (waiting?.layers ?? []).flatMap(layer => layer.rows).map(row => request({ ...row, begin: Infinity, end: Infinity }, row.begin));
  }

  // Where the arm is: the cylinder, steadily from the begin of a move to its end.
  cylinder(t) {
    const { begins, rows } = this.moves, move = rows[lastAtMost(begins, t)];
    if (!move) return rows[0]?.notes.from ?? 0;
    const { from, to } = move.notes;
    return t >= move.end ? to : from + ((to - from) * (t - move.begin)) / (move.end - move.begin);
  }

  // The part of a revolution that has gone by, from 0 up to 1.
  angle(t) {
    const turns = (t / 1e9) * (this.geometry.rpm / 60);
    return turns - Math.floor(turns);
  }

  // The request in service, and its phase, of a drive that has one at a time.
  served(t) {
    if (this.lanes.length) return null;
    const request = this.requests[lastAtMost(this.begins, t)];
    return request && t < request.end ? { ...request, phase: this.phases.at(t)?.name ?? "overhead" } : null;
  }

  // All requests in service: several of a drive that has several at a time.
  underWay(t) {
    const one = this.served(t), among = this.lanes.flatMap(each => each.at(t));
    return [...(one ? [one] : []), ...among.map(({ begin, end, name, notes }) => ({ begin, end, op: name, ...notes, phase: "transfer" }))];
  }

  // Those in the queue, in the order in which they will be served.
  waiting(t) {
    const found = this.unserved.filter(each => each.submitted <= t), all = this.queue.value(t) - this.underWay(t).length;
    for (let place = lastAtMost(this.begins, t) + 1; place < this.requests.length && found.length < all; place += 1)
      if (this.requests[place].submitted <= t + 1) found.push(this.requests[place]); // 1 ns is rounding
    return found.sort((a, b) => a.begin - b.begin);
  }

  // How many are done at `t`, and what their mean response was, in words.
  answered(t) {
    const done = lastAtMost(this.ends, t) + 1;
    if (!done) return "none done";
    this.sums ??= this.done.reduce((sums, each) => [...sums, sums.at(-1) + each.end - each.submitted], [0]);
    return `${done} done, in ${(this.sums[done] / done / 1e6).toFixed(1)} ms each in the mean`;
  }
}

const DISC = ["overhead", "seek", "rotation", "transfer", "channel"], WORK = ["cpu", "cache", "manager", "interrupt"];
export const KINDS = ["thinks", "types", "prints", "has the CPU", "waits for the CPU", "waits for a lock", "waits for memory", "waits in a drive's queue", "waits for a drive", "waits"];
const PHASES = new Map([...DISC.map(each => [each, "waits for a drive"]), ...WORK.map(each => [each, "has the CPU"]), ["queue", "waits in a drive's queue"],
  ["cpu_wait", "waits for the CPU"], ["lock", "waits for a lock"], ["memory", "waits for memory"], ["write_wait", "waits in a drive's queue"],
  ["line", "waits"], ["printing", "prints"], ["think", "thinks"], ["type", "types"]]);

// What a terminal, program or host does: the kind, in words, since when, and within which response.
export function doing(track, t) {
  const slices = track.at(t), inner = slices.at(-1);
  if (!inner) return { kind: "away", what: "", since: null, within: null };
  const kind = PHASES.get(inner.name) ?? "waits";
  const within = slices[0].name === "think" || slices[0].name === "type" ? null : slices[0];
  return { kind, what: inner.name.replace("_", " "), since: inner.begin, within };
}

// A whole film: its parts, each as the picture needs it.
export class Film {
  constructor({ title, note, begin, end, tracks }) {
    Object.assign(this, { title, note, begin, end });
    const all = tracks.map(each => new Track(each)), below = place => all.filter(each => each.parent === place + 1);
    const place = name => all.findIndex(each => each.name === name && !each.counts && !each.parent);
    const isDrive = (each, at) => !each.parent && !each.counts && below(at).some(child => child.name === `${each.name} queue`);
    this.drives = all.flatMap((each, at) => isDrive(each, at) ? [drive(each, below(at))] : []);
    this.cpu = all[place("cpu")] ?? null;
    this.people = place("responses") < 0 ? [] : below(place("responses"));
    this.locks = all.filter(each => !each.counts && !each.parent && each.layers[0].rows[0]?.name === "held");
    this.memories = all.flatMap((each, at) => !each.counts && each.name.endsWith(" owners") ? [memory(each, below(at))] : []);
    this.levels = all.filter(each => each.counts && !each.parent);
    this.instants = instants(all, begin, end);
  }

  // The next instant at which something happens, or the last; before `t` with a `direction` of -1.
  step(t, direction) {
    const at = lastAtMost(this.instants, t), exact = this.instants[at] === t;
    const next = direction > 0 ? at + 1 : exact ? at - 1 : at;
    return this.instants[Math.min(this.instants.length - 1, Math.max(0, next))];
  }
}

function drive(track, children) {
  const child = word => children.find(each => each.name === `${track.name} ${word}`);
  const lanes = children.filter(each => each.name.startsWith(`${track.name} lane `));
  return new DriveState(track, child("arm"), child("queue"), child("waiting"), lanes);
}

function memory(track, children) {
  const capacity = children.find(each => each.name.endsWith(" capacity"));
  return { name: track.name.replace(/ owners$/, ""), capacity: capacity?.value(Infinity) ?? 0, owners: children.filter(each => each !== capacity) };
}

function instants(tracks, begin, end) {
  const found = new Set([begin, end]);
  for (const track of tracks) {
    if (track.counts) track.instants.forEach(each => found.add(each));
    else for (const { rows } of track.layers) for (const each of rows) found.add(each.begin).add(each.end);
  }
  return Float64Array.from(found).filter(each => each >= begin && each <= end).sort();
}
