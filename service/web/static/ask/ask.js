// The front page: send the question without losing it, and put examples into the field.

const form = document.getElementById("ask");
const field = form.elements.question;
const outcome = form.querySelector(".outcome");
const send = form.querySelector("button[type=submit]");

// Browsers that know `field-sizing` need no help.
const grow = () => {
  if (CSS.supports("field-sizing", "content")) return;
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 3}px`;
};
field.addEventListener("input", grow);
grow();

// Enter sends, as in a field of one line; with shift it begins a new one.
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    form.requestSubmit();
  }
});

for (const example of form.querySelectorAll("[data-question]")) {
  example.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    field.value = example.dataset.question;
    grow();
    field.focus();
  });
}

const tell = (text, alert = true) => {
  outcome.classList.toggle("alert", alert);
  outcome.hidden = !text;
  outcome.textContent = text;
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (send.disabled) return;
  send.disabled = true;
  tell(form.dataset.sending, false);
  const fields = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  try {
    const response = await fetch(form.action, {
      method: "POST",
      headers: { Accept: "application/json, application/problem+json;q=0.9" },
      body: fields,
    });
    const place = response.headers.get("Location");
    if (response.ok && (place || response.redirected)) return location.assign(place ?? response.url);
    const told = await response.json().catch(() => ({}));
    tell(told.detail ?? `${response.status} ${response.statusText}`);
  } catch {
    tell(form.dataset.unreachable);
  }
  send.disabled = false;
});

// A page that comes back from the browser's memory is as it was left: sending.
addEventListener("pageshow", () => { send.disabled = false; tell(""); });
