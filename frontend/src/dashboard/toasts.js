// Toasts of what was done leave by themselves, never while someone is about to use them. A way back and what went
// wrong stay until they are closed.
const TOAST_MILLISECONDS = 8000;
const ARRIVAL_MILLISECONDS = 200;

export function endToasts(document) {
  const region = document.getElementById("toasts");
  if (!region) return;
  document.addEventListener("click", ({ target }) => {
    const shown = target.closest?.("[data-shows-toast]")?.dataset.showsToast;
    if (shown) region.append(document.getElementById(shown).content.cloneNode(true));
  });
  region.addEventListener("click", (event) => event.target.closest("[data-closes]")?.closest(".toast").remove());
  // Background requests show no toasts.
  document.addEventListener("htmx:after:request", (event) => {
    const { response } = event.detail.ctx;
    if (event.target.closest?.("[data-quiet]") && response.headers.get("HX-Retarget") === "#toasts") event.preventDefault();
  });
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) take(region, node);
  }).observe(region, { childList: true });
  // Screen readers say only what arrives in a page, not what it began with.
  setTimeout(() => region.append(...region.children), ARRIVAL_MILLISECONDS);
}

/** The key that undoes is about the newest toast. A repeated error is shown once. */
function take(region, toast) {
  const isRepeated = (other) => other !== toast && other.matches("[role=alert]") && other.textContent === toast.textContent;
  if ([...region.children].some(isRepeated)) return toast.remove();
  for (const button of region.querySelectorAll("[data-key]")) if (!toast.contains(button)) delete button.dataset.key;
  end(toast);
}

function end(toast) {
  if (!toast.matches("[data-leaves]")) return;
  const wait = () => setTimeout(() => (toast.matches(":hover, :focus-within") ? wait() : toast.remove()), TOAST_MILLISECONDS);
  wait();
}
