// A form that was sent and not accepted, because its person had to sign in first, for example, is filled in again when
// they come back to its page.
const KEPT = "instep.sent-forms";
const KEPT_MILLISECONDS = 86_400_000;
// The tag of the state that the words are based on stays with them: newer words of others must not be replaced silently.
const UNKEPT = "[type=hidden]:not([name=etag]), [type=password], [type=file], button, fieldset, output";
const BOXES = "[type=checkbox], [type=radio]";
// These forms are sent by scripts, or keep their text themselves.
const OTHERS = "[data-act], [data-editor], [data-edit-form]";

export function refillForms(document) {
  const kept = read().filter((form) => form.person !== personOf(document) || !fill(document, form));
  write(kept);
  document.addEventListener("submit", ({ target, defaultPrevented }) => {
    if (!defaultPrevented && target.method === "post" && !target.matches(OTHERS)) keep(document, target);
  });
}

// Someone else may have signed in.
const personOf = (document) => document.getElementById("sign-in-again")?.dataset.email;
const formsWith = (document, action) => [...document.forms].filter((form) => form.getAttribute("action") === action);
const fieldsOf = (form) => [...form.elements].filter((field) => field.name && !field.matches(UNKEPT));
/** Another entry of a list may be in the same place by now. */
const nameOf = (field) => (field.matches(BOXES) ? `${field.name}=${field.value}` : field.name);

/** In this tab alone, until the form is accepted or filled in again: what is hidden or secret stays out. */
function keep(document, form) {
  const [action, person, sent] = [form.getAttribute("action"), personOf(document), Date.now()];
  const place = formsWith(document, action).indexOf(form);
  const fields = fieldsOf(form).map((field) => ({ name: nameOf(field), value: field.value, checked: field.checked }));
  if (!fields.length) return;
  form.addEventListener("formdata", ({ formData }) => formData.set("form-sent", sent), { once: true });
  const isSame = (other) => other.person === person && other.action === action && other.place === place;
  write([...read().filter((other) => !isSame(other)), { action, person, sent, place, fields }]);
}

/** The forms that the server has not accepted, as far as known. */
function read() {
  try {
    // The time of the form that the server has accepted last.
    const accepted = Number(document.getElementById("refilled")?.dataset.accepted);
    const isKept = ({ sent }) => Date.now() - sent < KEPT_MILLISECONDS && sent !== accepted;
    return JSON.parse(sessionStorage.getItem(KEPT)).filter(isKept);
  } catch {
    return [];
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
  const targets = form ? fieldsOf(form) : [];
  if (!form || targets.length !== fields.length || targets.some((field, at) => nameOf(field) !== fields[at].name)) return false;
  form.closest("details")?.setAttribute("open", "");
  targets.forEach((field, at) => {
    if (field.matches(BOXES)) field.checked = fields[at].checked;
    else field.value = fields[at].value;
  });
  if (!document.querySelector("[data-asks-again]")) {
    document.getElementById("content").prepend(document.getElementById("refilled").content.cloneNode(true));
  }
  return true;
}
