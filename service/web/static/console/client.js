// Asks the endpoint, and reads what it answers into one shape.

const TABLE = "application/sparql-results+json";
const GRAPH = "application/n-triples";

/** A refusal, as the page tells it: a problem document (RFC 9457) or what is known in place of one. */
export class Refusal extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
  }
}

/**
 * Run a query. The answer is `{ kind: "table" | "graph" | "boolean", vars, rows, truth, seconds }`;
 * a graph is a table of its triples. Throws `Refusal`, and what `fetch` throws when it is stopped.
 */
export async function ask(endpoint, query, text, signal) {
  const started = performance.now();
  const response = await send(endpoint, query, `${TABLE}, ${GRAPH};q=0.9`, text, signal);
  const body = await response.text();
  const seconds = (performance.now() - started) / 1000;
  const type = (response.headers.get("Content-Type") ?? "").split(";")[0].trim();
  try {
    return { ...read(type, body), seconds };
  } catch (error) {
    throw new Refusal({ title: text.notSparql, detail: error.message });
  }
}

/** The answer to a query in one format, as text. Throws as `ask` does. */
export async function fetchAs(endpoint, query, mediaType, text, signal) {
  return (await send(endpoint, query, mediaType, text, signal)).text();
}

async function send(endpoint, query, accept, text, signal) {
  let response;
  try {
    // By POST, so that no query is too long, and the page at this address is never mixed up with an answer.
    response = await fetch(endpoint, { method: "POST", headers: { Accept: accept }, body: new URLSearchParams({ query }), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal({ title: text.unreachable });
  }
  if (response.ok) return response;
  const type = response.headers.get("Content-Type") ?? "";
  const problem = type.includes("json") ? await response.json().catch(() => null) : null;
  throw new Refusal(problem ?? { title: `${response.status} ${response.statusText}` });
}

function read(type, body) {
  if (type === GRAPH) return { kind: "graph", vars: ["subject", "predicate", "object"], rows: triples(body) };
  const { head, results, boolean } = JSON.parse(body);
  if (typeof boolean === "boolean") return { kind: "boolean", vars: [], rows: [], truth: boolean };
  return { kind: "table", vars: head.vars, rows: results.bindings };
}

const IRI = String.raw`<([^<>"{}|^\x60\\\s]*)>`;
const BLANK = String.raw`_:([^\s<>"]+)`;
const STRING = String.raw`"((?:[^"\\\n\r]|\\.)*)"(?:\^\^${IRI}|@([A-Za-z0-9-]+))?`;
const TERM = new RegExp(String.raw`\s*(?:${IRI}|${BLANK}|${STRING})`, "y");
const [OPEN, CLOSE] = [/\s*<<\(/y, /\s*\)>>/y];
const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g;
const CHARACTERS = { t: "\t", b: "\b", n: "\n", r: "\r", f: "\f" };

/** The triples of N-Triples (1.2) as rows of a table. Throws where a line is none. */
export function triples(body) {
  return body.split("\n").filter((line) => line.trim() && !line.trimStart().startsWith("#")).map(triple);
}

function triple(line) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const three = () => ({ subject: term(), predicate: term(), object: term() });
  const term = () => {
    if (take(OPEN)) {
      const value = three();
      if (take(CLOSE)) return { type: "triple", value };
    }
    const found = take(TERM);
    if (!found) throw new Error(line.slice(0, 200));
    const [, iri, blank, string, datatype, language] = found;
    if (iri !== undefined) return { type: "uri", value: unescape(iri) };
    if (blank !== undefined) return { type: "bnode", value: blank };
    return {
      type: "literal",
      value: unescape(string),
      ...(datatype !== undefined && { datatype }),
      ...(language !== undefined && { "xml:lang": language }),
    };
  };
  return three();
}

function unescape(text) {
  return text.replace(ESCAPE, (_, short, long, character) =>
    short || long ? String.fromCodePoint(parseInt(short ?? long, 16)) : (CHARACTERS[character] ?? character));
}
