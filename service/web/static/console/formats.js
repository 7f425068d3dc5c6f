// The formats that an answer can be had in: as text on the page, and as files.

import { fetchAs } from "./client.js";
import { el, fill } from "./dom.js";

const TABLE = [
  { name: "json", title: "JSON", type: "application/sparql-results+json" },
  { name: "csv", title: "CSV", type: "text/csv" },
  { name: "tsv", title: "TSV", type: "text/tab-separated-values" },
  { name: "xml", title: "XML", type: "application/sparql-results+xml" },
];
const FORMATS = {
  table: TABLE,
  boolean: TABLE.filter(({ name }) => name === "json" || name === "xml"),
  graph: [
    { name: "ttl", title: "Turtle", type: "text/turtle" },
    { name: "jsonld", title: "JSON-LD", type: "application/ld+json" },
    { name: "nt", title: "N-Triples", type: "application/n-triples" },
    { name: "rdf", title: "RDF/XML", type: "application/rdf+xml" },
  ],
};
const LONGEST_ADDRESS = 6000; // servers refuse addresses from about 8,000 characters
const MOST_SHOWN = 200_000;

/** The address of an answer in a format, or null where the query is too long for one. */
export function addressOf(endpoint, query, format) {
  const parameters = new URLSearchParams({ query, format });
  const address = `${endpoint}?${parameters}`;
  return address.length <= LONGEST_ADDRESS ? address : null;
}

/** Show links to the answer in each of its formats. */
export function showDownloads(place, { kind, query }, page) {
  place.querySelector(".links").replaceChildren(...FORMATS[kind].map((format) => {
    const address = addressOf(page.endpoint, query, format.name);
    const file = `sparql-results.${format.name}`;
    if (address) return el("a", { href: address, download: file }, format.title);
    const save = async () => {
      const blob = new Blob([await fetchAs(page.endpoint, query, format.type, page.text)], { type: format.type });
      const link = el("a", { href: URL.createObjectURL(blob), download: file });
      link.click();
      URL.revokeObjectURL(link.href);
    };
    return el("button", { type: "button", class: "place", click: () => save().catch(page.refuse) }, format.title);
  }));
}

/** Show the answer as text, in a format that can be chosen. */
export function showRaw(panel, { kind, query }, page) {
  const formats = FORMATS[kind];
  const text = el("pre", { tabindex: "0", role: "region", "aria-label": page.text.results });
  const cut = el("p", { class: "quiet small" });
  const select = el("select", { id: "raw-format", change: show }, ...formats.map(({ name, title }) => el("option", { value: name }, title)));
  panel.replaceChildren(el("div", { class: "controls" }, el("label", { for: "raw-format" }, page.text.format), select), text, cut);
  return show();

  async function show() {
    const { type } = formats.find(({ name }) => name === select.value);
    const body = await fetchAs(page.endpoint, query, type, page.text);
    const number = new Intl.NumberFormat(page.language);
    text.textContent = body.slice(0, MOST_SHOWN);
    cut.textContent = body.length > MOST_SHOWN
      ? fill(page.text.cut, { shown: number.format(MOST_SHOWN), count: number.format(body.length) })
      : "";
  }
}
