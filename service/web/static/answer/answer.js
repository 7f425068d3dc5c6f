// An answer that is there: copy a citation, share the link, print with everything that matters unfolded.

const texts = document.querySelector("script[data-copy]").dataset;

const button = (label) => {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "link";
  made.textContent = label;
  return made;
};

const copies = (made, text) => {
  const label = made.textContent;
  made.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
    } catch {
      return select(made);
    }
    made.textContent = texts.copied;
    setTimeout(() => { made.textContent = label; }, 2000);
  });
  return made;
};

// Without leave to use the clipboard the text is at least selected.
const select = (made) => {
  const pre = made.closest(".cite")?.querySelector("pre");
  if (pre) getSelection().selectAllChildren(pre);
};

for (const cite of document.querySelectorAll(".cite")) {
  const pre = cite.querySelector("pre");
  const made = copies(button(texts.copy), () => pre.textContent);
  made.setAttribute("aria-label", `${texts.copy}: ${cite.querySelector(".cite-name").textContent}`);
  cite.querySelector(".cite-name").after(made);
}

const actions = document.querySelector(".again .actions");
if (actions && navigator.clipboard) {
  const link = document.querySelector("link[rel=canonical]").href;
  actions.append(copies(button(texts.share), () => link));
}
if (actions) {
  const print = button(texts.print);
  print.addEventListener("click", () => window.print());
  actions.append(print);
}

// Where the reader is, in the contents.
const entries = new Map([...document.querySelectorAll(".rail a")].map((a) => [a.hash.slice(1), a]));
const places = [...entries.keys()].map((id) => document.getElementById(id)).filter(Boolean);
const mark = () => {
  const at = places.filter((place) => place.getBoundingClientRect().top < innerHeight * 0.35).at(-1);
  for (const [id, entry] of entries) {
    if (at && id === at.id) entry.setAttribute("aria-current", "location");
    else entry.removeAttribute("aria-current");
  }
};
if (places.length) {
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
}

// Paper cannot unfold; afterwards everything is as it was.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll(".expert details:not([open])")];
  for (const fold of unfolded) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of unfolded) fold.open = false;
  unfolded = [];
});
