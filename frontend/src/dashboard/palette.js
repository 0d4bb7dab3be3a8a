// The palette: every command of the page with its key, every section, and the articles whose titles hold the words.
//
// Ctrl+K or Cmd+K opens it anywhere, also while someone writes; so does each button with `data-opens-palette`.

export function listenForPalette(document) {
  const dialog = document.getElementById("palette");
  if (!dialog) return;
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    open(document, dialog);
  });
  document.addEventListener("click", (event) => event.target.closest?.("[data-opens-palette]") && open(document, dialog));
  const field = dialog.querySelector("input");
  field.addEventListener("input", () => choose(dialog, 0, sift(dialog, field.value)));
  field.addEventListener("keydown", (event) => move(event, dialog));
  // Hits of the server arrive later, and the chosen one may move.
  new MutationObserver(() => choose(dialog, 0)).observe(dialog.querySelector("[data-hits]"), { childList: true });
}

function open(document, dialog) {
  if (dialog.open) return;
  const commands = [...document.querySelectorAll("[data-key]")].filter((element) => isCommand(element, dialog));
  dialog.querySelector("[data-commands]").replaceChildren(...commands.map((element, index) => option(dialog, element, index)));
  dialog.querySelector("[data-hits]").replaceChildren();
  const field = dialog.querySelector("input");
  field.value = "";
  dialog.showModal();
  sift(dialog, "");
  choose(dialog, 0);
}

const isCommand = (element, dialog) =>
  !dialog.contains(element) && !element.matches("input, :disabled, [aria-disabled=true], [data-opens-palette]");

/** A line that does what the element does. */
function option(dialog, element, index) {
  const line = dialog.ownerDocument.createElement("li");
  const words = dialog.ownerDocument.createElement("span");
  words.textContent = element.ariaLabel ?? element.querySelector("span")?.textContent ?? element.textContent.trim();
  line.id = `command-${index}`;
  line.role = "option";
  line.append(
    words,
    ...element.dataset.key.split(" ").map((name) => {
      const key = dialog.ownerDocument.createElement("kbd");
      key.textContent = name;
      return key;
    }),
  );
  line.addEventListener("click", () => {
    dialog.close();
    element.click();
  });
  return line;
}

/** Hide the commands whose names do not hold what is typed. */
function sift(dialog, text) {
  const words = text.trim().toLowerCase();
  for (const line of dialog.querySelectorAll("[data-commands] > li")) {
    line.hidden = !line.firstChild.textContent.toLowerCase().includes(words);
  }
}

const options = (dialog) => [...dialog.querySelectorAll("[role=option]:not([hidden])")];

function choose(dialog, index) {
  const lines = options(dialog);
  for (const [place, line] of lines.entries()) line.ariaSelected = String(place === index);
  const field = dialog.querySelector("input");
  const line = lines[index];
  if (line) field.setAttribute("aria-activedescendant", line.id);
  else field.removeAttribute("aria-activedescendant");
  line?.scrollIntoView({ block: "nearest" });
}

const STEPS = { ArrowDown: 1, ArrowUp: -1 };

function move(event, dialog) {
  const lines = options(dialog);
  const index = lines.findIndex((line) => line.ariaSelected === "true");
  if (event.key in STEPS && lines.length > 0) choose(dialog, (index + STEPS[event.key] + lines.length) % lines.length);
  else if (event.key === "Enter" && index >= 0) lines[index].click();
  else return;
  event.preventDefault();
}
