// The results as a chart: bars, a line over time or a scatter, chosen by the types of the columns.

import { el, fill } from "./dom.js";
import { dateOf, numberOf, textOf } from "./terms.js";

const BARS = 40;
const MOST_SERIES = 10;
const COLOURS = Array.from({ length: MOST_SERIES }, (_, n) => `var(--series-${n + 1})`);
const LIBRARIES = ["/static/vendor/d3/d3.min.js", "/static/vendor/plot/plot.umd.min.js"];

let loading = null;

/** What each column holds: `{ name, type: "number" | "date" | "name", literal, distinct }`; empty ones are left out. */
export function columnsOf({ vars, rows }) {
  return vars.flatMap((name) => {
    const terms = rows.map((row) => row[name]).filter(Boolean);
    if (!terms.length) return [];
    const type = [["number", numberOf], ["date", dateOf]].find(([, read]) => terms.every((term) => read(term) !== null))?.[0];
    return [{
      name,
      type: type ?? "name",
      literal: terms.every((term) => term.type !== "uri" && term.type !== "bnode"),
      distinct: new Set(terms.map((term) => term.value)).size,
    }];
  });
}

/** The chart that columns call for: `{ kind, x, y, series }` with names of columns, or null if none does. */
export function propose(columns, rows) {
  const of = (type) => columns.filter((column) => column.type === type);
  const [numbers, dates] = [of("number"), of("date")];
  // A name reads better than an address.
  const names = of("name").sort((a, b) => Number(b.literal) - Number(a.literal));
  const measure = numbers.at(-1); // what a query counts, it names last
  if (!measure) return null;
  const chart = (kind, x, series = null) => ({ kind, x, y: measure.name, series });
  const series = (x) => names.find(({ name, distinct }) => name !== x && distinct > 1 && distinct <= MOST_SERIES)?.name ?? null;
  const [date] = dates;
  if (date?.distinct > 1) {
    const by = date.distinct < rows ? series() : null;
    if (by || date.distinct === rows) return chart("line", date.name, by);
  }
  if (names.length) return chart("bar", names[0].name, names[0].distinct < rows ? series(names[0].name) : null);
  // Many values of one day that nothing tells apart are no line.
  if (date) return chart(date.distinct === rows ? "line" : "scatter", date.name);
  if (numbers.length > 1) return chart("scatter", numbers[0].name);
  return null;
}

/** Show an answer in a panel; what is drawn can be changed there. */
export async function showChart(panel, answer, page) {
  const { text } = page;
  const columns = columnsOf(answer);
  const proposal = propose(columns, answer.rows.length);
  if (!proposal) {
    panel.replaceChildren(el("p", {}, text.noChart));
    return;
  }
  await load(page.language);
  const figure = el("div", { class: "figure" });
  const chosen = { ...proposal };
  const change = (key) => (event) => {
    chosen[key] = event.target.value || null;
    redraw();
  };
  const kinds = ["bar", "line", "scatter"].map((kind) => [kind, text[kind]]);
  const options = (keep) => columns.filter(keep).map(({ name }) => [name, name]);
  const few = ({ type, distinct }) => type === "name" && distinct <= MOST_SERIES;
  const controls = el("div", { class: "controls line" },
    choice("chart-kind", text.kind, kinds, chosen.kind, change("kind")),
    choice("chart-x", text.x, options(() => true), chosen.x, change("x")),
    choice("chart-y", text.y, options(({ type }) => type === "number"), chosen.y, change("y")),
    choice("chart-series", text.series, [["", text.none], ...options(few)], chosen.series ?? "", change("series")));
  panel.replaceChildren(controls, figure);
  redraw();

  function redraw() {
    figure.replaceChildren(...draw(chosen, answer.rows, columns, panel.clientWidth, page));
  }
}

function draw({ kind, x, y, series }, rows, columns, width, { text, shorten, language }) {
  const typeOf = (name) => columns.find((column) => column.name === name)?.type;
  const along = kind === "bar" ? (term) => textOf(term, shorten) : typeOf(x) === "date" ? dateOf : numberOf;
  const usable = rows.flatMap((row) => {
    const point = { x: along(row[x]), y: numberOf(row[y]), label: textOf(row[x], shorten) };
    if (series) point.series = textOf(row[series], shorten);
    return point.x === null || point.y === null ? [] : [point];
  });
  if (!usable.length) return [el("p", {}, text.noChart)];
  const points = kind === "bar" ? firstBars(usable) : usable;
  const title = fill(text.chartOf, { kind: text[kind], y, x });
  const number = new Intl.NumberFormat(language);
  const chart = window.Plot.plot(options(kind, points, { x, y, series }, width, number));
  const drawing = chart.matches("svg") ? chart : chart.querySelector(":scope > svg"); // beside a legend
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", title);
  for (const part of drawing.querySelectorAll("[aria-label]")) { // a picture has no parts that could have names
    part.dataset.mark = part.getAttribute("aria-label");
    part.removeAttribute("aria-label");
  }
  const cut = points.length < usable.length
    ? el("p", { class: "quiet small" }, fill(text.firstBars, { shown: number.format(points.length), count: number.format(usable.length) }))
    : null;
  return [chart, cut, asTable(points, { x, y, series }, text, number)].filter(Boolean);
}

function options(kind, points, { x, y, series }, width, number) {
  const narrow = width < 600;
  const shared = {
    width: Math.max(280, width),
    style: { background: "transparent", color: "inherit", fontFamily: "inherit", fontSize: "13px" },
    color: series ? { legend: true, range: COLOURS, domain: [...new Set(points.map((point) => point.series))] } : undefined,
  };
  const colour = series ? "series" : COLOURS[0];
  const { Plot } = window;
  if (kind === "bar") {
    const longest = narrow ? 16 : 34;
    const clip = (label) => (label.length > longest ? `${label.slice(0, longest - 1)}…` : label);
    const domain = [...new Set(points.map((point) => point.x))];
    return {
      ...shared,
      marginLeft: 20 + 7.5 * Math.min(longest, Math.max(...domain.map((label) => label.length))),
      marginBottom: 45,
      height: 75 + 26 * domain.length,
      x: { label: y, grid: true, ticks: narrow ? 4 : undefined, tickFormat: number.format },
      y: { label: null, domain, tickFormat: clip },
      marks: [Plot.barX(points, { x: "y", y: "x", fill: colour, tip: true }), Plot.ruleX([0])],
    };
  }
  const highest = Math.max(...points.map((point) => point.y));
  const few = highest <= 8 && points.every((point) => Number.isInteger(point.y)); // no half speeches on the axis
  const scales = { marginBottom: 45, x: { label: x, grid: kind === "scatter" }, y: { label: y, grid: true, ticks: few ? highest : undefined, tickFormat: number.format } };
  if (kind === "scatter") {
    const dots = { x: "x", y: "y", fill: colour, fillOpacity: 0.75, r: 4, tip: true };
    return { ...shared, ...scales, marks: [Plot.dot(points, dots)] };
  }
  const sorted = [...points].sort((a, b) => a.x - b.x);
  const line = { x: "x", y: "y", stroke: colour, z: series ? "series" : null, strokeWidth: 2, marker: true, tip: true };
  return { ...shared, ...scales, marks: [Plot.ruleY([0]), Plot.lineY(sorted, line)] };
}

/** The points of the first names: every part of a bar is drawn, or none. */
function firstBars(points) {
  const names = new Set();
  return points.filter((point) => {
    if (names.size < BARS) names.add(point.x);
    return names.has(point.x);
  });
}

function asTable(points, { x, y, series }, text, number) {
  const heads = [x, series, y].filter(Boolean);
  const rows = points.map((point) =>
    el("tr", {}, el("th", { scope: "row" }, point.label), series ? el("td", {}, point.series) : null, el("td", { class: "number" }, number.format(point.y))));
  return el("details", { class: "chart-data" }, el("summary", {}, text.chartData),
    el("div", { class: "table", tabindex: "0", role: "region", "aria-label": text.chartData },
      el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...rows))));
}

function choice(id, label, options, value, changed) {
  const select = el("select", { id, change: changed }, ...options.map(([key, title]) => el("option", { value: key, selected: key === value }, title)));
  return el("div", {}, el("label", { for: id }, label), select);
}

/** Load the chart library, once, when the first chart is asked for. */
function load(language) {
  loading ??= LIBRARIES.reduce((before, src) => before.then(() => script(src)), Promise.resolve()).then(() => nameMonths(language));
  return loading;
}

/** Have the axes name months and days in the page's language. */
function nameMonths(language) {
  const names = (part, dates) => dates.map((date) => new Intl.DateTimeFormat(language, { ...part, timeZone: "UTC" }).format(date));
  const year = Array.from({ length: 12 }, (_, month) => Date.UTC(2023, month));
  const week = Array.from({ length: 7 }, (_, day) => Date.UTC(2023, 0, 1 + day)); // from a Sunday
  window.d3.timeFormatDefaultLocale({
    dateTime: "%x %X", date: "%Y-%m-%d", time: "%H:%M:%S", periods: ["AM", "PM"],
    months: names({ month: "long" }, year), shortMonths: names({ month: "short" }, year),
    days: names({ weekday: "long" }, week), shortDays: names({ weekday: "short" }, week),
  });
}

function script(src) {
  return new Promise((resolve, reject) => {
    document.head.append(el("script", { src, load: resolve, error: () => reject(new Error(src)) }));
  });
}
