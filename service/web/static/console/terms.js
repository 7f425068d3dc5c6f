// RDF terms, in the shape of SPARQL's JSON results, as the page shows and compares them.

const XSD = "http://www.w3.org/2001/XMLSchema#";
const NUMERIC = new Set(
  ["integer", "decimal", "double", "float", "long", "int", "short", "byte", "nonNegativeInteger", "positiveInteger",
    "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"]
    .map((name) => XSD + name),
);
const TEMPORAL = new Set(["date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"].map((name) => XSD + name));
const CALENDAR = /^\d{4}(-\d\d(-\d\d)?)?$/; // what SUBSTR(STR(?date), 1, 7) leaves, and its like

/** Make the function that writes an IRI with a prefix, or gives null where none fits; `prefixes` are pairs. */
export function shortener(prefixes) {
  const first = new Map();
  for (const [prefix, namespace] of prefixes) {
    if (!first.has(namespace)) first.set(namespace, prefix);
  }
  const namespaces = [...first].sort((a, b) => b[0].length - a[0].length);
  return (iri) => {
    const found = namespaces.find(([namespace]) => iri.startsWith(namespace) && iri.length > namespace.length);
    return found ? `${found[1]}:${iri.slice(found[0].length)}` : null;
  };
}

/** The text of a term for a label, a chart or a comparison. */
export function textOf(term, shorten) {
  if (!term) return "";
  if (term.type === "uri") return shorten(term.value) ?? term.value;
  if (term.type === "bnode") return `_:${term.value}`;
  if (term.type === "triple") {
    const { subject, predicate, object } = term.value;
    return `<<( ${[subject, predicate, object].map((part) => textOf(part, shorten)).join(" ")} )>>`;
  }
  return term.value;
}

/** The number that a numeric literal stands for, or null. */
export function numberOf(term) {
  if (!isLiteral(term) || !NUMERIC.has(term.datatype)) return null;
  const number = Number(term.value);
  return Number.isFinite(number) ? number : null;
}

/** The moment that a date, a month or a year stands for, or null. */
export function dateOf(term) {
  if (!isLiteral(term) || !(TEMPORAL.has(term.datatype) || (isPlain(term) && CALENDAR.test(term.value)))) return null;
  // A zone behind a day means nothing on an axis, and JavaScript cannot read it.
  const value = term.value.includes("T") ? term.value : term.value.replace(/(Z|[+-]\d\d:\d\d)$/, "");
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** The datatype where it says more than the text does, or null. */
export function datatypeOf(term) {
  return isLiteral(term) && !isPlain(term) && !term["xml:lang"] ? term.datatype : null;
}

/** Order two terms of a column: unbound first, numbers by value, dates by time, the rest by text. */
export function compare(a, b, collator, shorten) {
  if (!a || !b) return Number(Boolean(a)) - Number(Boolean(b));
  for (const read of [numberOf, dateOf]) {
    const left = read(a);
    const right = read(b);
    if (left !== null && right !== null) return left - right;
  }
  return collator.compare(textOf(a, shorten), textOf(b, shorten));
}

function isLiteral(term) {
  return term?.type === "literal" || term?.type === "typed-literal";
}

function isPlain(term) {
  return !term.datatype || term.datatype === `${XSD}string`;
}
