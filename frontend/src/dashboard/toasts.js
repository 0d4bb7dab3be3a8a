// Toasts leave by themselves, but never while somebody is about to use them.
const TOAST_MILLISECONDS = 8000;

export function endToasts(document) {
  const region = document.getElementById("toasts");
  if (!region) return;
  for (const toast of region.children) end(toast);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) if (node instanceof Element) end(node);
  }).observe(region, { childList: true });
}

function end(toast) {
  const wait = () => setTimeout(() => (toast.matches(":hover, :focus-within") ? wait() : toast.remove()), TOAST_MILLISECONDS);
  wait();
}
