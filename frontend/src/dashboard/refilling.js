// A form that was sent before its person had to sign in, or to prove who they are, is filled in again when they come back.
const KEPT = "instep.sent-forms";
// The tag of the state that the words are based on stays with them: newer words of others must not be replaced silently.
const UNKEPT = "[type=hidden]:not([name=etag]), [type=password], [type=file], button, fieldset, output";
// These forms are sent by scripts, or keep their text themselves.
const OTHERS = "[data-act], [data-editor], [data-edit-form]";

export function refillForms(document) {
  const kept = read();
  for (const [person, form] of Object.entries(kept)) {
    const isOwn = person === personOf(document);
    // After a form that is accepted comes another page of its person.
    form.isRefused ||= !isOwn || document.querySelector("[data-asks-again]") !== null;
    if (isOwn && (!form.isRefused || fill(document, form))) delete kept[person];
  }
  write(kept);
  document.addEventListener("submit", ({ target, defaultPrevented }) => {
    if (!defaultPrevented && target.method === "post" && !target.matches(OTHERS)) keep(document, target);
  });
}

// Someone else may have signed in; a page that only refuses is nobody's.
const personOf = (document) => document.getElementById("sign-in-again")?.dataset.email ?? "";
const formsWith = (document, action) => [...document.forms].filter((form) => form.getAttribute("action") === action);
const fieldsOf = (form) => [...form.elements].filter((field) => field.name && !field.matches(UNKEPT));

/** In this tab alone, and until the form was accepted or is filled in again: what is hidden or secret stays out. */
function keep(document, form) {
  const action = form.getAttribute("action");
  const place = formsWith(document, action).indexOf(form);
  const fields = fieldsOf(form).map(({ value, checked }) => ({ value, checked }));
  if (fields.length) write({ ...read(), [personOf(document)]: { action, place, fields } });
}

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function write(kept) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(kept));
  } catch {
    // Without storage the form comes back empty, as it does without scripts.
  }
}

/** True if the page has the form. */
function fill(document, { action, place, fields }) {
  const form = formsWith(document, action)[place];
  if (!form) return false;
  form.closest("details")?.setAttribute("open", "");
  const targets = fieldsOf(form);
  if (targets.length !== fields.length) return false;
  targets.forEach((field, index) => {
    if (field.matches("[type=checkbox], [type=radio]")) field.checked = fields[index].checked;
    else field.value = fields[index].value;
  });
  return true;
}
