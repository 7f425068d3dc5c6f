// An answer in the making, live: by events, which go on where they broke off, or by asking again where there are none.

import { after, begin } from "./state.js";

const POLL_MS = 2000;
const SILENT_MS = 30000;

const root = document.getElementById("progress");
const texts = root.dataset;
const standing = root.querySelector(".standing");
const connection = root.querySelector(".connection");
const question = `/?${new URLSearchParams({ question: texts.question })}`;
const numbers = new Intl.NumberFormat(document.documentElement.lang);

let state = begin();
let source = null;
let polling = null;
let heard = Date.now();
let lost = false;

const say = (text) => {
  if (standing.textContent !== text) standing.textContent = text;
};

const place = ({ position, ahead }) => {
  if (position === 0) return texts.work;
  return ahead > 0 ? texts.queued.replace("{ahead}", numbers.format(ahead)) : texts.next;
};

const show = () => {
  for (const item of root.querySelectorAll("[data-stage]")) {
    const step = state.stages[item.dataset.stage];
    if (!step) continue;
    item.dataset.state = step.state;
    const word = item.querySelector(".state");
    word.textContent = step.state === "ended" ? word.dataset.ended : word.dataset.begun;
    for (const figure of item.querySelectorAll("[data-figure]")) {
      const value = step.figures[figure.dataset.figure];
      figure.hidden = typeof value !== "number";
      if (!figure.hidden) figure.querySelector("dd").textContent = numbers.format(value);
    }
    const title = item.querySelector("[data-figure-title]");
    if (title) {
      const { section, sections, title: name } = step.figures;
      title.hidden = step.state === "ended" || !name;
      title.textContent = name ? `${name} (${numbers.format(section)} / ${numbers.format(sections)})` : "";
    }
  }
  const now = [...root.querySelectorAll("[data-state=begun], [data-state=working]")].at(-1);
  if (state.queued) say(place(state.queued));
  else if (now) say(now.querySelector(".stage").firstChild.textContent.trim());
};

const reached = () => {
  heard = Date.now();
  if (!lost) return;
  lost = false;
  connection.textContent = texts.back;
  setTimeout(() => { if (!lost) connection.hidden = true; }, 4000);
};

const missed = () => {
  if (lost || state.end) return;
  lost = true;
  connection.hidden = false;
  connection.textContent = texts.lost;
};

const end = () => {
  source?.close();
  clearTimeout(polling);
  const { type, location: place, detail } = state.end;
  root.querySelector(".cancel").hidden = true;
  say(type === "done" ? texts.done : type === "failed" ? detail || texts.failed : texts.cancelled);
  if (type === "cancelled") return location.replace(question);
  // Of a failure, the page in place of the answer says what is to be done.
  location.replace(type === "done" && place ? new URL(place, location.origin).pathname : texts.answer);
};

const take = (type) => (event) => {
  reached();
  let data = {};
  try {
    data = JSON.parse(event.data || "{}");
  } catch {
    return;
  }
  const next = after(state, { id: event.lastEventId, type, data });
  if (next === state) return;
  state = next;
  show();
  if (state.end) end();
};

const listen = () => {
  source?.close();
  source = new EventSource(texts.events);
  for (const type of ["stage", "queued", "done", "failed", "cancelled"]) source.addEventListener(type, take(type));
  source.addEventListener("open", reached);
  source.addEventListener("error", () => {
    if (state.end) return;
    missed();
    // Refused for good: the browser does not try again by itself.
    if (source.readyState === EventSource.CLOSED) poll();
  });
};

// Ask for the answer itself, which is there or says how far it is.
const look = async () => {
  const response = await fetch(texts.answer, { headers: { Accept: "application/json" }, cache: "no-store" });
  reached();
  if (response.status === 202) {
    const told = await response.json();
    if (told.state === "queued") state = after(state, { type: "queued", data: told });
    for (const step of told.steps ?? []) state = after(state, { type: "stage", data: step });
    return show();
  }
  state = after(state, { type: "done", data: { location: texts.answer } });
  end();
};

const poll = () => {
  clearTimeout(polling);
  polling = setTimeout(async () => {
    try {
      await look();
    } catch {
      missed();
    }
    if (!state.end) poll();
  }, POLL_MS);
};

root.querySelector(".cancel").addEventListener("submit", async (event) => {
  event.preventDefault();
  event.submitter.disabled = true;
  say(texts.cancelling);
  try {
    const response = await fetch(texts.answer, { method: "DELETE", headers: { Accept: "application/json" } });
    if (response.ok || response.status === 404 || response.status === 409 || response.status === 410) return location.replace(question);
  } catch {
    missed();
  }
  event.submitter.disabled = false;
});

addEventListener("offline", missed);
addEventListener("online", listen);
// An open connection may be dead without anybody being told so.
setInterval(() => {
  if (Date.now() - heard > SILENT_MS && !state.end) look().catch(missed);
}, SILENT_MS / 3);
listen();
