// The list of examples, with a search over their words.

import { el } from "./dom.js";

/** Fill the list; `choose(query)` is called with the example that is taken. */
export async function showExamples(place, { text, language, examples: address }, choose) {
  const [list, note] = [place.querySelector("ul"), place.querySelector("[role=status]")];
  place.hidden = false;
  let examples;
  try {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(response.statusText);
    examples = await response.json();
  } catch {
    note.textContent = text.examplesFailed;
    return;
  }
  const said = (texts) => texts[language] ?? texts.en ?? Object.values(texts)[0] ?? "";
  const plain = (words) => words.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const items = examples.map((example) => {
    const [title, description] = [said(example.title), said(example.description)];
    const element = el("li", {},
      el("button", { type: "button", class: "example", click: () => choose(example.query) },
        el("span", { class: "title" }, title), el("span", { class: "description" }, description)));
    return { element, words: plain([title, description, ...(example.tags ?? [])].join(" ")) };
  });
  list.replaceChildren(...items.map(({ element }) => element));
  place.querySelector("input").addEventListener("input", ({ target }) => {
    const wanted = plain(target.value).split(/\s+/);
    for (const { element, words } of items) element.hidden = !wanted.every((word) => words.includes(word));
    note.textContent = items.every(({ element }) => element.hidden) ? text.noExamples : "";
  });
}
