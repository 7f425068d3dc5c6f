// Elements, made from text alone: nothing that comes from data is ever parsed as HTML.

/** Make an element with attributes (`null` and `false` leave one out, functions listen) and children. */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Put values into a sentence: `fill("{count} rows", { count: 3 })`. */
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}
