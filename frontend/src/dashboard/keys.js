// Single keys. `data-key="a"` on a button or link lets the key press it; `data-key="g r"` is one key after the other.
// A key that is held presses once, except where `data-repeats` says that it goes on.
//
// They are silent in fields and dialogs, and each can be turned off (WCAG 2.1.4), which this browser remembers.
const STORAGE = "instep.keys-off";
const SEQUENCE_MILLISECONDS = 1200;
const FIELDS = "input, select, textarea, [contenteditable]:not([contenteditable=false])";

export function listenForKeys(document) {
  let typed = [];
  let timer = 0;
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || isForOthers(event)) return;
    clearTimeout(timer);
    timer = setTimeout(() => (typed = []), SEQUENCE_MILLISECONDS);
    typed = [...typed, event.key];
    const target = targetOf(document, typed) ?? targetOf(document, (typed = [event.key]));
    if (!target) return;
    typed = [];
    event.preventDefault();
    if (event.repeat && !target.matches("[data-repeats]")) return;
    if (target.matches(FIELDS)) target.focus();
    else target.click();
  });
  document.addEventListener("click", (event) => event.target.closest?.("[data-shows-keys]") && showHelp(document));
}

/** Keys with a modifier belong to the browser; in a field they are text; a dialog has its own. */
function isForOthers(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return true;
  return event.key.length !== 1 || event.composedPath().some((node) => node.matches?.(`${FIELDS}, dialog, .menu`));
}

function targetOf(document, typed) {
  const key = typed.join(" ");
  if (keysTurnedOff().includes(key)) return null;
  return keyed(document).find((element) => element.dataset.key === key && isUsable(element));
}

/** The elements with a key: on a page with a search of its own, `/` is that one, and not the frame's. */
const keyed = (document) => [...document.querySelectorAll("main [data-key]"), ...document.querySelectorAll(":not(main *)[data-key]")];

const isUsable = (element) => !element.matches(":disabled, [aria-disabled=true]");

function keysTurnedOff() {
  try {
    return JSON.parse(localStorage.getItem(STORAGE)) ?? [];
  } catch {
    return [];
  }
}

function turn(key, isOn) {
  const others = keysTurnedOff().filter((other) => other !== key);
  try {
    localStorage.setItem(STORAGE, JSON.stringify(isOn ? others : [...others, key]));
  } catch {
    // A browser that stores nothing keeps every key on.
  }
}

/** Fill and open the dialog `#keys`: every key of the page, what it does, and a switch. */
function showHelp(document) {
  const dialog = document.getElementById("keys");
  const list = dialog?.querySelector("[data-keys]");
  if (!list || dialog.open) return;
  const off = keysTurnedOff();
  const lines = new Map(keyed(document).reverse().map((element) => [element.dataset.key, element]));
  list.replaceChildren(...[...lines.values()].reverse().map((element) => lineOf(document, element, off)));
  dialog.showModal();
}

function lineOf(document, element, off) {
  const line = document.createElement("label");
  const box = document.createElement("input");
  const words = document.createElement("span");
  const keys = element.dataset.key.split(" ").map((name) => {
    const key = document.createElement("kbd");
    key.textContent = name;
    return key;
  });
  line.className = "choice";
  box.type = "checkbox";
  box.checked = !off.includes(element.dataset.key);
  box.addEventListener("change", () => turn(element.dataset.key, box.checked));
  words.textContent = nameOf(element);
  line.append(box, words, ...keys);
  return line;
}

/** The element's name, without the key that it shows. */
function nameOf(element) {
  const name = element.ariaLabel ?? element.labels?.[0]?.textContent;
  return name ?? element.querySelector("span")?.textContent ?? element.textContent.trim();
}
