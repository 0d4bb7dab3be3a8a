// Additions to the browser's dialogs and popovers: arrow keys in menus, and commands of buttons in older browsers.
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

export function listenForMenus(document) {
  document.addEventListener("keydown", (event) => {
    const menu = event.target.closest?.(".menu") ?? openedMenu(event.target);
    const items = menu ? [...menu.querySelectorAll("a, button:not(:disabled)")] : [];
    const next = items[nextIndex(event.key, items.indexOf(event.target), items.length)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  // A choice closes the menu, as everywhere.
  document.addEventListener("click", (event) => event.target.closest?.(".menu > :is(a, button)")?.parentElement.hidePopover());
}

function openedMenu(button) {
  const menu = button.popoverTargetElement;
  return menu?.matches(".menu:popover-open") ? menu : null;
}

function nextIndex(key, index, count) {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (!(key in STEPS)) return -1;
  if (index < 0) return key === "ArrowDown" ? 0 : count - 1;
  return (index + STEPS[key] + count) % count;
}

/** `command` and `commandfor` on buttons, where the browser does not know them. */
export function supportDialogCommands(document) {
  if ("command" in HTMLButtonElement.prototype) return;
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[commandfor]");
    const dialog = button && document.getElementById(button.getAttribute("commandfor"));
    if (!dialog) return;
    if (button.getAttribute("command") === "show-modal") dialog.showModal();
    else dialog.close();
  });
}
