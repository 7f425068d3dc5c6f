// Completion from the ontology and the data: everything is asked of this server, nothing of any other.

import { el, fill } from "./dom.js";

const TYPED_BY = new Set(["a", "rdf:type", "rdfs:domain", "rdfs:range"]);

/** Register the completers of an editor: prefixes, classes, properties, concepts and variables. */
export function completers(Yasqe, page) {
  const { prefixes, variables } = Yasqe.Autocompleters;
  const declarations = page.prefixes.map(([prefix, namespace]) => `${prefix}: <${namespace}>`);
  const quiet = { autoShow: false, persistenceId: null };
  const made = [
    { ...prefixes, ...quiet, get: declarations },
    { ...variables, ...quiet },
    ...["class", "property", "concept"].map((kind) => terms(kind, page)),
  ];
  for (const completer of made) Yasqe.registerAutocompleter(completer, false);
  Yasqe.defaults.autocompleters = made.map(({ name }) => name);
}

function terms(kind, page) {
  const known = new Map(); // what was typed -> a promise of terms
  const byText = new Map(); // what is inserted -> its term
  return {
    name: kind,
    bulk: false,
    autoShow: false,
    persistenceId: null,
    isValidCompletionPosition: (editor) => positionOf(editor) === kind,
    preProcessToken: (editor, token) => {
      if (token.string.trim()) return token;
      // Between two words there is nothing to replace.
      return { ...token, string: "", from: editor.getDoc().getCursor() };
    },
    get: (editor, token) => {
      const typed = expanded(token.string.trim(), editor.getPrefixesFromQuery());
      if (!known.has(typed)) known.set(typed, fetchTerms(kind, typed));
      return known.get(typed);
    },
    postProcessSuggestion: (editor, token, term) => {
      const text = token.string.startsWith("<") ? `<${term.iri}>` : written(term, editor.getPrefixesFromQuery());
      byText.set(text, term);
      return text;
    },
    postprocessHints: (_, hints) => hints.map((hint) => ({ ...hint, render: (item) => render(item, hint.text, byText.get(hint.text), page) })),
  };
}

let failed = false;

/** The terms that fit; none once the server has failed to give some, for a query can be typed without. */
async function fetchTerms(kind, prefix) {
  if (failed) return [];
  try {
    const response = await fetch(`/sparql/terms?${new URLSearchParams({ kind, prefix })}`);
    if (response.ok) return (await response.json()).terms;
  } catch (error) {
    console.warn(error);
  }
  failed = true;
  return [];
}

/** Which kind of term belongs where the cursor stands, or null. */
function positionOf(editor) {
  const cursor = editor.getDoc().getCursor();
  const token = editor.getCompleteToken();
  const typed = token.string.trim();
  if (/^[?$"'#]/.test(typed) || token.type === "comment") return null;
  const before = editor.getPreviousNonWsToken(cursor.line, token);
  if (/^(PREFIX|BASE)$/i.test(before?.string ?? "")) return null;
  if (TYPED_BY.has(before?.state.lastProperty) && before.string === before.state.lastProperty) return "class";
  if (token.state.possibleCurrent.includes("a")) return "property";
  return /^<|:/.test(typed) ? "concept" : null;
}

/** An IRI in place of a prefixed name whose prefix the query declares; anything else as it is. */
function expanded(typed, declared) {
  const colon = typed.indexOf(":");
  const namespace = colon < 0 || typed.startsWith("<") ? undefined : declared[typed.slice(0, colon)];
  return namespace === undefined ? typed : namespace + typed.slice(colon + 1);
}

/** A term as it is written in a query: with a prefix of the query's own first, then with a predeclared one. */
function written(term, declared) {
  for (const [prefix, namespace] of Object.entries(declared)) {
    const local = term.iri.slice(namespace.length);
    if (term.iri.startsWith(namespace) && /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(local)) return `${prefix}:${local}`;
  }
  const prefix = term.name?.split(":")[0];
  // A prefix that the query declares otherwise would be read otherwise.
  return term.name && declared[prefix] === undefined ? term.name : `<${term.iri}>`;
}

function render(item, written, term, { text, language }) {
  const said = (byLanguage) => byLanguage[language] ?? byLanguage.en ?? byLanguage[""] ?? Object.values(byLanguage)[0];
  const label = said(term.label);
  const count = term.count && fill(text.times, { count: new Intl.NumberFormat(language).format(term.count) });
  item.title = said(term.definition) ?? term.iri;
  item.append(el("span", { class: "written" }, written), el("span", { class: "about" }, [label, count].filter(Boolean).join(" · ")));
}
