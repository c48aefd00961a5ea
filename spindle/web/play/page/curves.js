// Curves of means with their 95 % bands, one of each run beside the others, drawn anew whenever a point is there.
import { short } from "./controls.js";
import uPlot from "./uplot/uPlot.esm.js";

export const COLOURS = ["#0072b2", "#b84d00", "#007a5a", "#8f3f71", "#6b6300", "#4b5563"];
const HEIGHT = 230;
const MIB = 2 ** 20;
const MAX_MARKS = 8; // below an axis
const DECADES = 16; // a span from which on an axis is logarithmic
const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

// A tick in few characters: 400M, 2.5k, 0.04.
export function tick(value) {
  const [size, letter] = PREFIXES.find(([size]) => Math.abs(value) >= size && (size > 1e3 || Math.abs(value) >= 1e4)) ?? [1, ""];
  return Number((value / size).toPrecision(3)) + letter;
}

// Whether numbers are spread over so much that a straight scale shows only the largest.
export const wide = numbers => numbers.length > 2 && numbers.every(each => each > 0) && Math.max(...numbers) >= DECADES * Math.min(...numbers);

// Of a list of numbers the mean, and the bounds of its 95 % interval by Student's t; null where there is none.
export function interval(samples, student) {
  const count = samples.length;
  if (!count) return { mean: null, low: null, high: null };
  const mean = samples.reduce((sum, each) => sum + each, 0) / count;
  if (count < 2) return { mean, low: null, high: null };
  const variance = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (count - 1);
  const half = student[count - 2] * Math.sqrt(variance / count);
  return { mean, low: mean - half, high: mean + half };
}

// The intervals of `measure` at each point of a run of the page.
export function intervals(run, measure, student) {
  return run.points.map(rows => interval(rows.map(row => row.summary[measure]).filter(each => Number.isFinite(each)), student));
}

export const factor = unit => (unit.startsWith("bytes") ? MIB : 1);
export const shownUnit = unit => unit.replace(/^bytes/, "MiB");

export class Curve {
  #plot = null;

  constructor(holder) {
    this.holder = holder;
    new ResizeObserver(() => this.#plot?.setSize({ width: this.#width(), height: HEIGHT })).observe(holder);
  }

  draw(runs, measure, unit, student) {
    this.#plot?.destroy();
    this.#plot = null;
    this.holder.replaceChildren();
    if (!runs.length) return;
    const { axis } = runs.at(-1);
    const places = [...new Set(runs.flatMap(run => run.axis.places))].sort((a, b) => a - b);
    const data = [places], series = [{}], bands = [];
    for (const run of runs) {
      const at = new Map(run.axis.places.map((place, index) => [place, index]));
      const values = intervals(run, measure, student);
      const column = name => places.map(place => (at.has(place) && values[at.get(place)][name] !== null
        ? values[at.get(place)][name] / factor(unit) : null));
      const { colour } = run;
      const line = { spanGaps: true, ...(axis.labels && { paths: () => null }) }; // between words lies nothing
      series.push({ ...line, stroke: colour, width: 2, points: { show: true, size: 7, fill: colour } },
        { ...line, stroke: "transparent", points: { show: false } }, { ...line, stroke: "transparent", points: { show: false } });
      data.push(column("mean"), column("low"), column("high"));
      bands.push({ series: [series.length - 1, series.length - 2], fill: `${colour}22` });
    }
    const written = new Map(runs.flatMap(run => run.axis.places.map((place, index) => [place, run.values[index]])));
    this.#plot = new uPlot(this.#options(axis, runs.at(-1), series, bands, data, written), data, this.holder);
    this.holder.querySelector("canvas")?.setAttribute("aria-hidden", "true");
  }

  #width() {
    return Math.max(200, this.holder.clientWidth);
  }

  #options(axis, run, series, bands, data, written) {
    const grid = { stroke: "#eceef0", width: 1 }, ticks = { show: false }, font = "12px system-ui, sans-serif", stroke = "#646b75";
    const y = upwards(data), off = each => each === null || (y.distr === 3 && Math.log10(each) % 1); // between powers of ten
    const label = [run.vary, !wide(data[0]) && axis.unit].filter(Boolean).join(", ");
    const words = axis.labels && { values: (_, splits) => splits.map(each => short(axis.labels[each] ?? "")), splits: () => axis.places };
    return {
      hooks: axis.labels ? { draw: [plot => whiskers(plot, series)] } : {},
      width: this.#width(), height: HEIGHT, series, bands, legend: { show: false }, cursor: { drag: { x: false, y: false } },
      scales: { x: across(axis, data), y },
      axes: [{ label, grid, ticks, font, labelFont: font, stroke, size: 28, labelSize: 20, labelGap: 0, ...marks(axis, data, written), ...words },
        { grid, ticks, font, stroke, size: 60, values: (_, splits) => splits.map(each => off(each) ? "" : tick(each)) }],
    };
  }
}

const meansOf = data => data.filter((_, place) => place % 3 === 1).flat().filter(each => each !== null);
const across = (axis, data) => (!axis.labels && wide(data[0])
  ? { time: false, distr: 3, range: (_, low, high) => [low / 1.3, high * 1.3] } : { time: false, range: (_, low, high) => pad(low, high) });

// Below a logarithmic axis stand the values that were run, as they were written, as far as there is room.
function marks(axis, data, written) {
  if (axis.labels) return {};
  if (!wide(data[0])) return { values: (_, splits) => splits.map(tick) };
  const every = Math.ceil(data[0].length / MAX_MARKS);
  return { splits: () => data[0].filter((_, place) => place % every === 0), filter: (_, splits) => splits,
    values: (_, splits) => splits.map(each => written.get(each) ?? tick(each)) };
}

// From 0 on; or logarithmic, of a measure that is always positive and spread over decades.
function upwards(data) {
  const means = meansOf(data);
  if (wide(means) && Math.max(...means) >= 100 * Math.min(...means))
    return { distr: 3, range: () => [Math.min(...means) / 2, Math.max(...means) * 2] };
  return { range: (_, low, high) => reach(data, high) };
}

// The interval of each mean as an upright line, where what is varied are words.
function whiskers(plot, series) {
  const { ctx } = plot, y = value => plot.valToPos(Math.max(value, plot.scales.y.min), "y", true);
  ctx.save();
  ctx.lineWidth = 2 * devicePixelRatio;
  for (let place = 1; place < series.length; place += 3) {
    ctx.strokeStyle = series[place].stroke;
    plot.data[place + 1].forEach((low, index) => {
      if (low === null) return;
      const x = plot.valToPos(plot.data[0][index], "x", true);
      ctx.beginPath();
      ctx.moveTo(x, y(low));
      ctx.lineTo(x, y(Math.min(plot.data[place + 2][index], plot.scales.y.max)));
      ctx.stroke();
    });
  }
  ctx.restore();
}

// From 0 on, and not farther beyond the means than they are large, whatever the width of a band.
function reach(data, high) {
  const means = meansOf(data);
  const most = Math.max(0, ...means);
  return [Math.min(0, ...means), (Math.min(high ?? 0, 2 * most) || most || 1) * 1.08];
}

function pad(low, high) {
  const room = high > low ? (high - low) * 0.04 : 1;
  return [(low ?? 0) - room, (high ?? low ?? 0) + room];
}
