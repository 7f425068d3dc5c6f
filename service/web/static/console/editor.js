// The query's editor: Yasqe where it is installed, the form's own text area where it is not. Both have one interface:
// `value`, `set(text)`, `onRun(f)`, `go(line, column)`, `mark(line, column)`, `accept()`. Lines and columns count from 1, columns in
// characters (Unicode code points), as the endpoint counts them.

import { completers } from "./completion.js";
import { el } from "./dom.js";

const MODE = "sparql-predeclared";

/** Make the editor over the form's text area. */
export function makeEditor(area, page) {
  return page.components.editor && window.Yasqe ? yasqe(area, page) : plain(area);
}

function yasqe(area, page) {
  const Yasqe = window.Yasqe.default ?? window.Yasqe;
  let run = () => {};
  completers(Yasqe, page);
  predeclare(Yasqe, page.prefixes);
  area.hidden = true;
  const editor = new Yasqe(area.parentElement, {
    mode: MODE,
    value: area.value,
    showQueryButton: false,
    createShareableLink: null,
    consumeShareLink: null,
    persistenceId: null,
    resizeable: false,
    editorHeight: "auto",
    screenReaderLabel: page.text.editor,
    highlightSelectionMatches: false,
    extraKeys: {
      "Ctrl-Enter": () => run(),
      "Cmd-Enter": () => run(),
      "Ctrl-S": false,
      Esc: false,
      // Tab goes on to the next control: an editor must not keep the keyboard.
      Tab: false,
      "Shift-Tab": false,
    },
  });
  editor.getInputField().setAttribute("aria-describedby", area.getAttribute("aria-describedby"));
  document.querySelector(`label[for="${area.id}"]`).addEventListener("click", () => editor.focus());
  const withPredeclared = editor.getPrefixesFromQuery;
  editor.getPrefixesFromQuery = () => ({ ...withPredeclared() }); // own members only: what the query itself declares
  // A notice over the text for every place where completion is possible would be in the way: the keys are told below it.
  editor.showNotification = () => {};
  editor.on("inputRead", (_, change) => {
    if (change.origin === "+input" && /^[\w:?$<]$/.test(change.text.join("\n")) && !editor.state.completionActive) editor.autocomplete();
  });
  editor.on("autocompletionShown", (_, { hints }) => {
    hints.setAttribute("aria-label", page.text.suggestions);
    hints.removeAttribute("aria-expanded"); // which a list has not
    hints.tabIndex = 0; // it scrolls
  });
  const doc = editor.getDoc();
  let marked = [];
  const clear = () => {
    for (const remove of marked) remove();
    marked = [];
  };
  editor.on("change", () => {
    area.value = editor.getValue();
    clear();
  });
  const place = (line, column) => {
    const n = Math.min(Math.max(line - 1, 0), doc.lastLine());
    return { line: n, ch: unitsOf(doc.getLine(n), column) };
  };
  return {
    get value() {
      return editor.getValue();
    },
    set(text) {
      editor.setValue(text);
    },
    onRun(ran) {
      run = ran;
    },
    go(line, column) {
      editor.focus();
      doc.setCursor(place(line, column));
      editor.scrollIntoView(null, 80);
    },
    mark(line, column) {
      clear();
      const at = place(line, column);
      const handle = doc.addLineClass(at.line, "wrap", "refused-line");
      const end = { line: at.line, ch: endOfWord(doc.getLine(at.line), at.ch) };
      const word = end.ch > at.ch ? doc.markText(at, end, { className: "refused-word" }) : null;
      editor.setGutterMarker(at.line, "gutterErrorBar", el("span", { class: "refused-sign" }, "!"));
      editor.scrollIntoView(at, 80);
      marked = [() => doc.removeLineClass(handle, "wrap", "refused-line"), () => word?.clear()];
    },
    accept() {
      // The endpoint knows more than the editor's grammar, which is that of SPARQL 1.1.
      editor.clearGutter("gutterErrorBar");
    },
  };
}

/** Define Yasqe's language anew, with the prefixes that this endpoint knows: it would call them errors and read no further. */
function predeclare(Yasqe, prefixes) {
  const known = Object.fromEntries(prefixes);
  Yasqe.defineMode(MODE, (config) => {
    const mode = Yasqe.getMode(config, "sparql11");
    return { ...mode, startState: () => ({ ...mode.startState(), prefixes: Object.create(known) }) };
  });
}

function plain(area) {
  let run = () => {};
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      run();
    }
  });
  return {
    get value() {
      return area.value;
    },
    set(text) {
      area.value = text;
    },
    onRun(ran) {
      run = ran;
    },
    go(line, column) {
      const lines = area.value.split("\n");
      const n = Math.min(Math.max(line - 1, 0), lines.length - 1);
      const start = lines.slice(0, n).reduce((sum, before) => sum + before.length + 1, 0) + unitsOf(lines[n], column);
      area.focus();
      area.setSelectionRange(start, start);
    },
    mark() {},
    accept() {},
  };
}

/** A column of characters as an index of UTF-16 units, within the line. */
function unitsOf(line, column) {
  return [...line].slice(0, Math.max(column - 1, 0)).join("").length;
}

/** Where the word that begins at an index ends; one character where there is no word. */
function endOfWord(line, start) {
  const word = /^[\p{L}\p{N}_:?$.-]+/u.exec(line.slice(start))?.[0];
  return start + (word?.length ?? (start < line.length ? 1 : 0));
}
