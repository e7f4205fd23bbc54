// Dark and light: as the system says until the reader says otherwise.

const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set();
let said = null;

function apply() {
  document.documentElement.dataset.theme = said ?? (system.matches ? "dark" : "light");
  for (const listener of listeners) listener();
}

export function onTheme(listener) {
  listeners.add(listener);
}

export function switchTheme() {
  said = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  apply();
}

/** A colour or number of the style sheet in the present theme. */
export function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function startTheme() {
  system.addEventListener("change", apply);
  document.getElementById("theme").addEventListener("click", switchTheme);
  apply();
}
