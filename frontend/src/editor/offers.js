// What this browser kept and the server does not have is offered back, once, above the text.
import { areSame, fieldsOf, fillIn } from "./fields.js";
import { forgetOldEntries } from "./keeping.js";

export async function listenForKeptTexts(form, surface, saving) {
  forgetOldEntries();
  // A page that could not save has the text in its form.
  if ("unsaved" in form.dataset) return;
  const place = document.getElementById("kept");
  const opened = fieldsOf(form, surface);
  for (const entry of await saving.keeper.entries()) {
    if (areSame(entry.fields, opened)) {
      saving.keeper.drop(entry.tab);
      continue;
    }
    offer(place, entry, {
      restore() {
        fillIn(form, surface, entry.fields, entry.base);
        saving.keeper.drop(entry.tab);
        saving.note();
        surface.view.focus();
      },
      discard: () => saving.keeper.drop(entry.tab),
    });
    return;
  }
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
