// The first save of a new text leads to its page: the cursor, and what was typed in the meantime, come along.
const CARRIED = "instep.carried";
const SAVE_BUTTON = '[form="editor"][value="save"]';

export function carry(address, form, surface) {
  const { anchor, head } = surface.view.state.selection.main;
  const { pathname } = new URL(address, location);
  const title = form.elements.title.value;
  const entry = { pathname, title, content: surface.text(), anchor, head, focus: document.activeElement.id };
  try {
    sessionStorage.setItem(CARRIED, JSON.stringify(entry));
    return true;
  } catch {
    return false;
  }
}

export function takeCarried(form, surface, saving) {
  const entry = read();
  if (entry?.pathname !== location.pathname) return;
  form.elements.title.value = entry.title;
  if (entry.content !== surface.text()) surface.replace(entry.content);
  surface.view.dispatch({ selection: { anchor: entry.anchor, head: entry.head }, scrollIntoView: true });
  if (entry.focus === "surface") surface.view.focus();
  else document.querySelector(entry.focus ? `#${entry.focus}` : SAVE_BUTTON)?.focus();
  saving.note();
}

function read() {
  try {
    const entry = JSON.parse(sessionStorage.getItem(CARRIED));
    sessionStorage.removeItem(CARRIED);
    return entry;
  } catch {
    return null;
  }
}
