// Text that this browser kept and the server does not have is offered back, once, above the text.
import { areSame, fieldsOf, fillIn } from "./fields.js";
import { forgetOldEntries } from "./keeping.js";

export async function listenForKeptTexts(form, surface, saving) {
  forgetOldEntries();
  // A page that could not save has the text in its form, which is kept again.
  const isUnsaved = "unsaved" in form.dataset;
  const place = document.getElementById("kept");
  const opened = fieldsOf(form, surface);
  const entries = await saving.keeper.entries();
  const isOpened = (entry) => areSame(entry.fields, opened);
  for (const { tab } of entries.filter(isOpened)) saving.keeper.drop(tab);
  const entry = entries.find((each) => !isOpened(each));
  if (isUnsaved || !entry) return;
  offer(place, entry, {
    restore() {
      fillIn(form, surface, entry.fields, entry.base);
      saving.keeper.drop(entry.tab);
      saving.note();
      surface.view.focus();
    },
    discard: () => saving.keeper.drop(entry.tab),
  });
}

function offer(place, entry, acts) {
  const words = document.createElement("p");
  const when = new Date(entry.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  words.textContent = `This browser has unsaved text from ${when}.`;
  const leave = (act) => () => {
    act();
    place.hidden = true;
    place.replaceChildren();
  };
  place.replaceChildren(words, button("Restore unsaved text", leave(acts.restore)), button("Discard", leave(acts.discard)));
  place.hidden = false;
  place.role = "status";
}

function button(label, act) {
  const element = document.createElement("button");
  element.type = "button";
  element.className = "button";
  element.textContent = label;
  element.addEventListener("click", act);
  return element;
}
