// The results as a table: sorted by its headers, in pages, with links to the resources.

import { el, fill } from "./dom.js";
import { compare, datatypeOf, numberOf, textOf } from "./terms.js";

const ROWS = 50;
const LONG = 280;

/** Show an answer in a panel. */
export function showTable(panel, answer, { text, shorten, language }) {
  if (answer.kind === "boolean") {
    panel.replaceChildren(el("p", { class: "truth" }, answer.truth ? text.yes : text.no));
    return;
  }
  if (!answer.rows.length) {
    panel.replaceChildren(el("p", {}, text.noRows));
    return;
  }
  const collator = new Intl.Collator(language, { numeric: true });
  const number = new Intl.NumberFormat(language);
  const right = new Set(answer.vars.filter((name) => isNumeric(answer.rows, name)));
  let rows = answer.rows;
  let sorted = null; // { name, descending }
  let first = 0;

  const body = el("tbody");
  const heads = answer.vars.map((name) =>
    el("th", { scope: "col", class: right.has(name) && "number" }, el("button", { type: "button", click: () => sort(name) }, name)));
  const place = el("span", { role: "status" });
  const back = el("button", { type: "button", class: "plain", click: () => turn(-ROWS) }, text.previous);
  const on = el("button", { type: "button", class: "plain", click: () => turn(ROWS) }, text.next);
  const pager = el("nav", { class: "pager", "aria-label": text.pages }, back, place, on);
  const grid = el("div", { class: "table", tabindex: "0", role: "region", "aria-label": text.results },
    el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body));
  panel.replaceChildren(grid, ...(answer.rows.length > ROWS ? [pager] : []));
  draw();

  function sort(name) {
    const descending = sorted?.name === name && !sorted.descending;
    sorted = { name, descending };
    const sign = descending ? -1 : 1;
    rows = [...answer.rows].sort((a, b) => sign * compare(a[name], b[name], collator, shorten));
    first = 0;
    answer.vars.forEach((other, n) => {
      if (other === name) heads[n].setAttribute("aria-sort", descending ? "descending" : "ascending");
      else heads[n].removeAttribute("aria-sort");
    });
    draw();
  }

  function turn(by) {
    const to = first + by;
    if (to < 0 || to >= rows.length) return;
    first = to;
    draw();
    grid.scrollIntoView({ block: "nearest" });
  }

  function draw() {
    const last = Math.min(first + ROWS, rows.length);
    body.replaceChildren(...rows.slice(first, last).map((row) =>
      el("tr", {}, ...answer.vars.map((name) =>
        el("td", { class: right.has(name) && "number" }, cell(row[name], shorten, text, number))))));
    place.textContent = fill(text.page, {
      first: number.format(first + 1), last: number.format(last), count: number.format(rows.length),
    });
    // Not `disabled`: a button that is switched off under the reader's hands loses the keyboard's place.
    back.setAttribute("aria-disabled", String(first === 0));
    on.setAttribute("aria-disabled", String(last === rows.length));
  }
}

function cell(term, shorten, text, number) {
  if (!term) return "";
  const shown = textOf(term, shorten);
  if (term.type === "uri") {
    if (!/^https?:\/\//.test(term.value)) return el("span", { title: term.value }, shown);
    return el("a", { href: `/resource?iri=${encodeURIComponent(term.value)}`, title: term.value }, shown);
  }
  const language = term["xml:lang"];
  const datatype = datatypeOf(term);
  const title = datatype && (shorten(datatype) ?? datatype);
  const words = shown.length > LONG
    ? el("details", {}, el("summary", {}, `${shown.slice(0, LONG)}…`, el("span", { class: "hint" }, fill(text.more, { count: number.format(shown.length) }))), shown)
    : shown;
  return el("span", { lang: language, title }, words, language ? el("span", { class: "language" }, language) : null);
}

function isNumeric(rows, name) {
  const bound = rows.filter((row) => row[name]);
  return bound.length > 0 && bound.every((row) => numberOf(row[name]) !== null);
}
