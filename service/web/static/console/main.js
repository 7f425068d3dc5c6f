// The SPARQL console: runs what is in the editor and shows what comes of it.

import { showChart } from "./chart.js";
import { Refusal, ask } from "./client.js";
import { el, fill } from "./dom.js";
import { makeEditor } from "./editor.js";
import { showExamples } from "./examples.js";
import { showDownloads, showRaw } from "./formats.js";
import { showTable } from "./table.js";
import { makeTabs } from "./tabs.js";
import { shortener } from "./terms.js";

const LONGEST_ADDRESS = 4000; // of a query in `?query=`; a longer one goes behind `#`, which no server sees
const WIDE = window.matchMedia("(min-width: 62rem)");

const page = JSON.parse(document.getElementById("console-data").textContent);
page.shorten = shortener(page.prefixes);
page.refuse = refuse;
const { text } = page;
const $ = (selector) => document.querySelector(selector);
const form = $("#ask");
const [status, error, results] = [$("[data-status]"), $("[data-error]"), $("#results")];
const [runButton, stopButton] = [$("[data-run]"), $("[data-stop]")];
const number = new Intl.NumberFormat(page.language);
const plural = new Intl.PluralRules(page.language);

const editor = makeEditor($("#query"), page);
let running = null; // AbortController of the query that runs
let answer = null; // the last answer, with its query and the views that show it already

const VIEWS = { table: showTable, chart: showChart, raw: showRaw };
const tabs = makeTabs($("[role=tablist]"), view);

start();

function start() {
  for (const element of document.querySelectorAll(".no-script")) element.remove();
  for (const element of [$("[data-share]"), $("[data-keys]"), $("[role=tablist]")]) element.hidden = false;
  editor.onRun(run);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  stopButton.addEventListener("click", () => running?.abort());
  $("[data-share]").addEventListener("click", share);
  const examples = $("#examples");
  examples.open = WIDE.matches;
  WIDE.addEventListener("change", ({ matches }) => {
    examples.open = matches;
  });
  showExamples($("[data-examples]"), page, (query) => {
    editor.set(query);
    run();
  });
  window.addEventListener("hashchange", fromHash);
  if (!fromHash() && page.run) run();
}

/** Take the query behind `#query=`, as Yasgui's links have it. */
function fromHash() {
  const query = new URLSearchParams(location.hash.slice(1)).get("query");
  if (query === null) return false;
  editor.set(query);
  run();
  return true;
}

async function run() {
  running?.abort();
  const controller = new AbortController();
  running = controller;
  const query = editor.value;
  busy(true);
  error.replaceChildren();
  status.replaceChildren(text.running);
  try {
    const got = await ask(page.endpoint, query, text, controller.signal);
    answer = { ...got, query, shown: new Set() };
    history.replaceState(null, "", linkTo(query));
    results.hidden = false;
    editor.accept();
    status.replaceChildren(told(answer), " ", el("a", { href: "#results" }, text.toResults));
    showDownloads($("[data-downloads]"), answer, page);
    tabs.open(tabs.current);
  } catch (problem) {
    if (problem.name !== "AbortError") refuse(problem);
    else if (running === controller) status.replaceChildren(text.stopped);
  } finally {
    if (running === controller) {
      running = null;
      busy(false);
    }
  }
}

function busy(now) {
  results.setAttribute("aria-busy", String(now));
  stopButton.hidden = !now;
  runButton.hidden = now;
}

function told({ kind, rows, seconds }) {
  const time = new Intl.NumberFormat(page.language, { maximumSignificantDigits: 2 }).format(seconds);
  if (kind === "boolean") return fill(text.answered, { seconds: time });
  const what = kind === "graph" ? "triples" : "rows";
  const form = plural.select(rows.length) === "one" ? "one" : "other";
  return fill(text[`${what}.${form}`], { count: number.format(rows.length), seconds: time });
}

/** Show the answer in the tab that was opened; each view is made once. */
async function view(name) {
  if (!answer || answer.shown.has(name)) return;
  const shown = answer;
  shown.shown.add(name);
  try {
    await VIEWS[name]($(`#panel-${name}`), shown, page);
  } catch (problem) {
    shown.shown.delete(name);
    refuse(problem);
  }
}

/** Tell why there is no answer, and where in the query the fault is. */
function refuse(problem) {
  if (!(problem instanceof Refusal)) console.error(problem);
  const { status: code, title, detail = "", line, column = 1, suggestion, limit, limits } = problem.problem ?? { title: text.unreachable };
  status.replaceChildren();
  results.hidden = true; // what is there answers another query
  answer = null;
  const parts = [el("strong", {}, code >= 400 && code < 500 && code !== 429 ? text.refused : code ? text.noAnswer : title)];
  if (line) {
    editor.mark(line, column);
    parts.push(" ", el("button", { type: "button", class: "place", click: () => editor.go(line, column) }, fill(text.place, { line, column })));
  }
  const told = [el("p", {}, ...parts), el("p", { class: "detail" }, detail.replace(/^line \d+, column \d+: /, ""))];
  if (suggestion) told.push(el("p", {}, fill(text.suggestion, { suggestion })));
  if (limit && limits) {
    const all = Object.entries(limits).map(([name, most]) => `${name} ${typeof most === "number" ? number.format(most) : most}`);
    told.push(el("p", { class: "small" }, `${text.limits}: ${all.join(" · ")}`));
  }
  error.replaceChildren(...told);
}

function linkTo(query) {
  const parameters = new URLSearchParams({ query });
  return parameters.toString().length <= LONGEST_ADDRESS ? `${location.pathname}?${parameters}` : `${location.pathname}#${parameters}`;
}

async function share() {
  const link = new URL(linkTo(editor.value), location.href).href;
  const shared = $("[data-shared]");
  try {
    await navigator.clipboard.writeText(link);
    shared.hidden = true;
    status.replaceChildren(text.copied);
  } catch {
    // Without https there is no clipboard: the link is shown to be copied by hand.
    shared.hidden = false;
    const field = shared.querySelector("input");
    field.value = link;
    field.select();
  }
}
