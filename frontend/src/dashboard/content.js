// Lists and pages about content: questions in dialogs, filters that send themselves, rows that move by keys.
const STEPS = { ArrowUp: "up", ArrowDown: "down" };

/** A form with `data-asks` opens that dialog, where there is one, instead of leading to a page that asks. */
export function askInDialogs(document) {
  document.addEventListener("submit", (event) => {
    const dialog = document.getElementById(event.target.dataset.asks);
    if (!dialog) return;
    event.preventDefault();
    dialog.showModal();
  });
}

/** Filters and selections take effect as they change; the button is for browsers without scripts. */
export function sendAsChanged(document) {
  for (const form of document.querySelectorAll("[data-filters], :has(> * select[data-sends])")) {
    if (form.matches("form")) form.dataset.sendsItself = "";
  }
  document.addEventListener("change", ({ target }) => {
    const form = target.closest("form");
    if (target.matches("[data-sends], [data-filters] :is(select, [type=checkbox])")) form.requestSubmit();
  });
}

/** Alt with an arrow moves the row that has the focus. */
export function moveRowsByKeys(document) {
  document.addEventListener("keydown", (event) => {
    const row = event.altKey ? event.target.closest?.("[data-row]") : null;
    const button = row?.querySelector(`[data-moves="${STEPS[event.key]}"]`);
    if (!button) return;
    event.preventDefault();
    button.click();
  });
}
