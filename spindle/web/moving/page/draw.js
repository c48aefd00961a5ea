// Draws parts of a run at an instant on a canvas. Each returns the spots that can be pointed at, with what to say there.
import { doing } from "./state.js";

export const STATES = new Map([["thinks", "#d3d8de"], ["types", "#8fd0f2"], ["prints", "#b8a1d9"], ["has the CPU", "#009e73"], ["waits for the CPU", "#e69f00"],
  ["waits for a lock", "#d55e00"], ["waits for memory", "#cc79a7"], ["waits in a drive's queue", "#7aa6c8"], ["waits for a drive", "#0072b2"], ["waits", "#8b929b"], ["away", "#f3f4f6"]]);
export const REQUESTS = new Map([["waits", "#e69f00"], ["overhead", "#8b929b"], ["seek", "#d55e00"], ["rotation", "#56b4e9"], ["transfer", "#009e73"], ["channel", "#cc79a7"], ["done", "#cdd3da"]]);
export const OWNERS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8d78c9", "#b5a300", "#5b8f8f", "#a05a2c"];
const INK = "#26292e", SOFT = "#646b75", LINE = "#d9dde2", PALE = "#f6f8f9", FREE = "#eceff2";
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const TURN = 2 * Math.PI, MAX_SHOWN = 400, BELOW = 58;
export const ARMLESS = 92;

export const seconds = ns => {
  const s = ns / 1e9;
  return Math.abs(s) >= 1 ? `${s.toFixed(3)} s` : Math.abs(s) >= 1e-3 ? `${(s * 1e3).toFixed(2)} ms` : `${(s * 1e6).toFixed(0)} µs`;
};
export const bytes = count => count >= 1 << 20 ? `${(count / (1 << 20)).toFixed(2)} MiB` : count >= 1024 ? `${(count / 1024).toFixed(0)} KiB` : `${count} B`;
export const instant = ns => `${(ns / 1e9).toFixed(6)} s`;

function text(c, words, x, y, { size = 12, colour = SOFT, align = "left", weight = 400, most = Infinity } = {}) {
  c.font = `${weight} ${size}px ${FONT}`;
  c.fillStyle = colour;
  c.textAlign = align;
  if (Number.isFinite(most)) c.fillText(words, x, y, most);
  else c.fillText(words, x, y);
}

function dot(c, x, y, radius, colour, ring = "") {
  c.beginPath();
  c.arc(x, y, radius, 0, TURN);
  c.fillStyle = colour;
  c.fill();
  if (!ring) return;
  c.strokeStyle = ring;
  c.lineWidth = 1.5;
  c.stroke();
}

const about = (drive, request, t, state) => {
  const where = request.cylinder === undefined ? "" : `, cylinder ${request.cylinder}`;
  const since = state === "waits" ? `waits in the queue of ${drive.name} since ${instant(request.submitted)}, ${seconds(t - request.submitted)}`
    : state === "done" ? `done at ${instant(request.end)}, ${seconds(request.end - request.submitted)} after it was asked` : `${state}, being served since ${instant(request.begin)}`;
  return `${request.for ?? "a request"}: ${request.op}${where}: ${since}`;
};

// The disc from above, its arm, what is asked of it; below it the arm over the cylinders, and where it was.
export function drawDrive(c, width, height, drive, t, span, begin) {
  const spots = [], served = drive.served(t), waiting = drive.waiting(t).slice(0, MAX_SHOWN);
  if (!drive.geometry) return drawQueue(c, width, drive, t, span, waiting);
  const { cylinders } = drive.geometry, cylinder = drive.cylinder(t), angle = drive.angle(t);
  const outer = Math.min((width - 16) / 2.25, (height - 90) / 2), inner = outer * 0.36, x = outer + 8, y = outer + 6;
  const radius = at => outer * 0.97 - ((outer * 0.94 - inner) * at) / Math.max(1, cylinders - 1);
  drawPlatter(c, x, y, outer, inner, angle);
  const place = request => [x + radius(request.cylinder) * Math.cos((angle - request.angle) * TURN), y + radius(request.cylinder) * Math.sin((angle - request.angle) * TURN)];
  const show = (request, state, size, ring) => {
    const [px, py] = place(request);
    dot(c, px, py, size, REQUESTS.get(state) ?? SOFT, ring);
    spots.push({ x: px, y: py, r: size + 5, says: () => about(drive, request, t, state) });
  };
  for (const each of waiting) show(each, "waits", 3.5);
  if (served?.cylinder !== undefined) show(served, served.phase, 5, INK);
  drawArm(c, x, y, radius(cylinder), outer);
  spots.push({ x: x + radius(cylinder), y, r: 10, says: () => `${drive.name}: arm over cylinder ${cylinder.toFixed(0)} of ${cylinders}, ${(angle * 360).toFixed(0)}° of a revolution` });
  spots.push(...drawWay(c, 8, 2 * outer + 18, width - 16, height - 2 * outer - 22, drive, t, Math.max(t - span, begin), span, served, waiting));
  return spots;
}

function drawPlatter(c, x, y, outer, inner, angle) {
  dot(c, x, y, outer, "#eef1f4", LINE);
  c.strokeStyle = "#e0e4e9";
  c.lineWidth = 1;
  for (const share of [0.25, 0.5, 0.75]) {
    c.beginPath();
    c.arc(x, y, inner + (outer - inner) * share, 0, TURN);
    c.stroke();
  }
  dot(c, x, y, inner * 0.9, "#fff", LINE);
  c.strokeStyle = "#aab2bc";
  for (let spoke = 0; spoke < 8; spoke += 1) {
    const at = (angle + spoke / 8) * TURN;
    c.lineWidth = spoke ? 1 : 3;
    c.beginPath();
    c.moveTo(x + inner * 0.25 * Math.cos(at), y + inner * 0.25 * Math.sin(at));
    c.lineTo(x + inner * (spoke ? 0.8 : 0.9) * Math.cos(at), y + inner * (spoke ? 0.8 : 0.9) * Math.sin(at));
    c.stroke();
  }
}

function drawArm(c, x, y, at, outer) {
  const pivot = [x + outer * 1.16, y + outer * 0.42];
  c.strokeStyle = INK;
  c.lineWidth = 4;
  c.lineCap = "round";
  c.beginPath();
  c.moveTo(...pivot);
  c.lineTo(x + at, y);
  c.stroke();
  dot(c, ...pivot, 6, INK);
  dot(c, x + at, y, 4, "#fff", INK);
}

// Cylinders from left to right; the way of the arm from `since` on falls away downwards, `span` nanoseconds over the height.
function drawWay(c, left, top, width, height, drive, t, since, span, served, waiting) {
  const across = at => left + (at / Math.max(1, drive.geometry.cylinders - 1)) * width, spots = [], y = top + 8;
  c.fillStyle = PALE;
  c.fillRect(left, top, width, height);
  c.strokeStyle = LINE;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(left, y);
  c.lineTo(left + width, y);
  c.stroke();
  for (const [list, state] of [[waiting, "waits"], [served ? [served] : [], served?.phase]])
    for (const each of list) {
      dot(c, across(each.cylinder), y, state === "waits" ? 3 : 4.5, REQUESTS.get(state) ?? SOFT);
      spots.push({ x: across(each.cylinder), y, r: 6, says: () => about(drive, each, t, state) });
    }
  const down = at => y + 6 + ((t - at) / span) * (height - 16);
  c.strokeStyle = INK;
  c.lineWidth = 1.25;
  c.beginPath();
  c.moveTo(across(drive.cylinder(t)), y + 6);
  const moves = drive.moves.between(since, t).slice(-MAX_SHOWN).reverse();
  for (const { begin, end, notes } of moves) {
    if (end <= t) c.lineTo(across(notes.to), down(end));
    c.lineTo(across(begin < since ? drive.cylinder(since) : notes.from), down(Math.max(begin, since)));
  }
  c.lineTo(across(drive.cylinder(since)), down(since));
  c.stroke();
  const x = across(drive.cylinder(t));
  c.fillStyle = INK;
  c.beginPath();
  c.moveTo(x, y + 1);
  c.lineTo(x - 5, y + 9);
  c.lineTo(x + 5, y + 9);
  c.fill();
  return spots;
}

// A drive without an arm, or whose arm is not modelled: what it serves, its queue, and what it did in the last `span`.
function drawQueue(c, width, drive, t, span, waiting) {
  const spots = [], rows = drive.lanes.length ? drive.lanes.map(each => each.layers[0]) : [drive.phases], tall = (ARMLESS - BELOW) / rows.length;
  rows.forEach((row, place) => {
    const top = BELOW + place * tall;
    c.fillStyle = PALE;
    c.fillRect(0, top, width, tall - 1);
    for (const each of row.between(t - span, t)) {
      const from = Math.max(0, width * (1 - (t - each.begin) / span)), to = width * (1 - (t - Math.min(t, each.end)) / span);
      c.fillStyle = REQUESTS.get(each.name) ?? REQUESTS.get("transfer");
      c.fillRect(from, top + 1, Math.max(0.5, to - from), tall - 3);
    }
  });
  c.fillStyle = INK;
  c.fillRect(width - 1.5, BELOW, 1.5, ARMLESS - BELOW);
  const across = Math.max(1, Math.floor((width - 16) / 16)), under = drive.underWay(t);
  [...under, ...waiting].forEach((each, place) => {
    const x = 8 + (place % across) * 16, y = 30 + Math.floor(place / across) * 16, state = each.phase ?? "waits";
    dot(c, x, y, 6, REQUESTS.get(state) ?? SOFT, each.phase ? INK : "");
    spots.push({ x, y, r: 8, says: () => about(drive, each, t, state) });
  });
  text(c, `${drive.queue.value(t)} requests, ${under.length} in service; it has no arm that is modelled`, 0, 14, { most: width });
  return spots;
}

// What had the CPU or a lock in the last `span` nanoseconds; now is at the right.
export function drawStrip(c, width, height, track, t, span, colour) {
  const spots = [], across = at => ((at - (t - span)) / span) * width;
  c.fillStyle = PALE;
  c.fillRect(0, 0, width, height);
  let last = -1;
  for (const each of track.layers[0].between(t - span, t)) {
    const from = Math.max(0, across(each.begin)), to = Math.min(width, across(Math.min(t, each.end)));
    if (Math.max(from + 0.5, to) <= last) continue;
    last = Math.max(from + 0.5, to);
    c.fillStyle = colour(each.name);
    c.fillRect(from, 3, Math.max(0.5, to - from), height - 6);
    if (to - from > 3 || each.end > t) spots.push({ x: from, y: 0, width: Math.max(4, to - from), height, says: () => `${track.name}: ${each.name} for ${each.notes.for ?? "nobody"}, from ${instant(each.begin)}${each.end <= t ? `, ${seconds(each.end - each.begin)}` : ` on, ${seconds(t - each.begin)} so far`}` });
  }
  c.fillStyle = INK;
  c.fillRect(width - 1.5, 0, 1.5, height);
  return spots;
}

export const saying = (person, t, locks) => {
  const { kind, what, since, within } = doing(person, t);
  if (since === null) return `${person.name}: away`;
  const lock = kind === "waits for a lock" ? locks.map(each => each.at(t)[0]).find(Boolean)?.notes.for : null;
  const response = within ? `${within.name} since ${instant(within.begin)}; ` : "";
  return `${person.name}: ${response}${kind}${within && what !== within.name && !kind.endsWith(what) ? ` (${what})` : ""} since ${instant(since)}, ${seconds(t - since)}${lock ? `; held by ${lock}` : ""}`;
};

// A cell for each terminal, program or host.
export function drawPeople(c, width, height, people, t, locks) {
  const size = cellSize(width, people.length), across = Math.max(1, Math.floor(width / size)), spots = [];
  people.forEach((each, place) => {
    const x = (place % across) * size, y = Math.floor(place / across) * size, { kind } = doing(each, t);
    c.fillStyle = STATES.get(kind) ?? SOFT;
    c.beginPath();
    c.roundRect(x + 1, y + 1, size - 3, size - 3, 4);
    c.fill();
    if (size >= 24) text(c, String(place + 1), x + (size - 1) / 2, y + size / 2 + 4, { size: 10, align: "center", colour: ["thinks", "types", "away", "prints", "waits for the CPU"].includes(kind) ? INK : "#fff" });
    spots.push({ x, y, width: size, height: size, says: () => saying(each, t, locks) });
  });
  return spots;
}

export const cellSize = (width, count) => count > 400 ? 12 : count > 150 ? 18 : width < 420 ? 27 : 30;

// Memory in cells of one size, by owner; what is free at the end.
export function drawMemory(c, width, height, memory, t) {
  const size = 13, across = Math.max(1, Math.floor(width / size)), cells = across * Math.max(1, Math.floor(height / size)), spots = [];
  const each = memory.capacity / cells;
  let place = 0, held = 0;
  const fill = (until, colour, says) => {
    c.fillStyle = colour;
    const first = place;
    for (; place < Math.min(cells, until); place += 1) c.fillRect((place % across) * size, Math.floor(place / across) * size, size - 2, size - 2);
    for (let row = Math.floor(first / across); first < place && row <= Math.floor((place - 1) / across); row += 1) {
      const from = Math.max(first, row * across) % across, to = Math.min(place, (row + 1) * across) - row * across;
      spots.push({ x: from * size, y: row * size, width: (to - from) * size, height: size, says });
    }
  };
  memory.owners.forEach((owner, number) => {
    const now = owner.value(t);
    held += now;
    fill(Math.round(held / each), OWNERS[number % OWNERS.length], `${owner.name} has ${bytes(now)}`);
  });
  fill(cells, FREE, `${bytes(memory.capacity - held)} free of ${bytes(memory.capacity)}; a cell is ${bytes(each)}`);
  return spots;
}

// Levels of parts as bars, each against the most that it is in the film.
export function drawLevels(c, width, height, levels, t) {
  return levels.map((level, place) => {
    const y = place * 34, most = level.values.reduce((one, other) => Math.max(one, other), 1), now = level.value(t);
    text(c, `${level.name}: ${now.toLocaleString("en")} ${level.unit}`, 0, y + 13, { size: 12, colour: INK, most: width });
    c.fillStyle = FREE;
    c.fillRect(0, y + 18, width, 9);
    c.fillStyle = OWNERS[place % OWNERS.length];
    c.fillRect(0, y + 18, (width * now) / most, 9);
    return { x: 0, y, width, height: 34, says: `${level.name}: ${now.toLocaleString("en")} ${level.unit}; the most here is ${most.toLocaleString("en")}` };
  });
}
