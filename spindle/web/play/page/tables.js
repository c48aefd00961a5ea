// What the curves show, as tables: a bar of phases for each point, all points, and all numbers of one run.
import { element, short } from "./controls.js";
import { factor, intervals, shownUnit } from "./curves.js";

const PHASES = { cpu: "#0072b2", cache: "#56a0d3", manager: "#7b8794", interrupt: "#a3acb5", cpu_wait: "#9ec9e8", line: "#c9b458",
  lock: "#b84d00", memory: "#8f3f71", write_wait: "#d79ab8", queue: "#e8a33d", overhead: "#c4c9ce", seek: "#007a5a",
  rotation: "#4fb08f", transfer: "#a5d6c3", channel: "#6b6300" };
const DIGITS = 4;
const PARTS = "parts of a response";

export const digits = value => (value === null ? "" : Number(value.toPrecision(DIGITS)).toString());
const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]];

// Seconds in the unit that suits them: 0.3 s, 1.974 ms.
export function seconds(value) {
  const [size, unit] = TIMES.find(([size]) => Math.abs(value) >= 0.1 * size) ?? TIMES.at(value ? -1 : 0);
  return `${digits(value / size)} ${unit}`;
}

export const point = (run, index) => short(run.axis.labels?.[index] ?? run.values[index] ?? "one run");

function head(table, names, wide = []) {
  const cells = names.map((name, place) => element("th", { scope: "col", className: place && !wide.includes(name) ? "n" : "", textContent: name }));
  table.replaceChildren(element("thead", {}, element("tr", {}, ...cells)), element("tbody"));
  return table.tBodies[0];
}

// Mean seconds of each phase, over the seeds of each point; as wide as the longest response.
export function breakdown(table, legend, run) {
  const rows = run.points.map(rows => {
    const mean = {};
    for (const row of rows) for (const [name, seconds] of Object.entries(row.phases)) mean[name] = (mean[name] ?? 0) + seconds / rows.length;
    return mean;
  });
  const sums = rows.map(each => Object.values(each).reduce((sum, seconds) => sum + seconds, 0));
  const longest = Math.max(...sums);
  const seen = Object.keys(PHASES).filter(name => rows.some(each => each[name]));
  legend.replaceChildren(...seen.map(name => entry(PHASES[name], name.replaceAll("_", " "))));
  const body = head(table, [run.vary || "run", PARTS, "mean"], [PARTS]);
  rows.forEach((mean, index) => {
    if (!sums[index]) return;
    const bar = element("div", { className: "bar" });
    for (const name of seen.filter(each => mean[each])) {
      const says = `${name.replaceAll("_", " ")} ${seconds(mean[name])}`;
      const part = element("span", { title: says }, element("span", { className: "hidden", textContent: `${says}, ` }));
      part.style.width = `${100 * mean[name] / longest}%`;
      part.style.background = PHASES[name];
      bar.append(part);
    }
    body.append(element("tr", {}, element("th", { scope: "row", textContent: point(run, index) }),
      element("td", { className: "wide" }, bar), element("td", { className: "n", textContent: seconds(sums[index]) })));
  });
  return longest > 0;
}

export function entry(colour, text) {
  const mark = element("span", { className: "mark" });
  mark.style.background = colour;
  return element("li", {}, mark, text);
}

// All points of all runs, for the measures that are drawn.
export function points(table, runs, measures, { units, labels }, student, label) {
  const names = measures.flatMap(name => [`${labels[name]}${units[name] ? `, ${shownUnit(units[name])}` : ""}`, "95 % interval"]);
  const body = head(table, ["run", runs.at(-1)?.vary || "point", ...names]);
  for (const run of runs) {
    const columns = measures.map(name => intervals(run, name, student));
    run.points.forEach((rows, index) => {
      if (!rows.length) return;
      const cells = columns.flatMap((column, place) => {
        const { mean, low, high } = column[index], by = factor(units[measures[place]] ?? "");
        return [mean === null ? "" : digits(mean / by), low === null ? "" : `${digits(low / by)} to ${digits(high / by)}`];
      });
      body.append(element("tr", {}, element("th", { scope: "row", textContent: label(run) }),
        element("td", { className: "n", textContent: point(run, index) }),
        ...cells.map(text => element("td", { className: "n", textContent: text }))));
    });
  }
}

export function numbers(table, row) {
  const body = head(table, [Object.entries(row.given).map(([name, text]) => `${name} ${text}`).concat(`seed ${row.seed}`).join(", "), ""]);
  for (const [name, text] of Object.entries(row.shown))
    body.append(element("tr", {}, element("th", { scope: "row", title: name, textContent: row.labels[name] }), element("td", { className: "n", textContent: text })));
  body.append(element("tr", {}, element("th", { scope: "row", textContent: "digest of all numbers" }),
    element("td", { className: "n", id: "digest", textContent: row.digest })));
}
