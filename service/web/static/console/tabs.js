// Tabs after the ARIA pattern: arrows move between them, each shows its panel.

/** Make the tabs of a list work; `shown(name)` is called when one is opened (`name` is its id without `tab-`). */
export function makeTabs(list, shown) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const open = (tab) => {
    for (const other of tabs) {
      const chosen = other === tab;
      other.setAttribute("aria-selected", String(chosen));
      other.tabIndex = chosen ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !chosen;
    }
    shown(tab.id.replace("tab-", ""));
  };
  for (const [n, tab] of tabs.entries()) {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", ({ key }) => {
      const to = { ArrowRight: n + 1, ArrowLeft: n - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[key];
      if (to === undefined) return;
      const next = tabs[to % tabs.length];
      next.focus();
      open(next);
    });
  }
  return {
    get current() {
      return tabs.find((tab) => tab.getAttribute("aria-selected") === "true").id.replace("tab-", "");
    },
    open: (name) => open(tabs.find((tab) => tab.id === `tab-${name}`) ?? tabs[0]),
  };
}
