// A form that was sent before its person had to sign in, or to prove who they are, is filled in again when they come back.
const KEPT = "instep.sent-form";
// The tag of the state that the words are based on stays with them: newer words of others must not be replaced silently.
const UNKEPT = "[type=hidden]:not([name=etag]), [type=password], [type=file], button, fieldset, output";
// These forms are sent by scripts, or keep their text themselves.
const OTHERS = "[data-act], [data-editor], [data-edit-form]";

export function refillForms(document) {
  const kept = take();
  if (document.querySelector("[data-asks-again]") && kept?.person === personOf(document)) fill(document, kept);
  document.addEventListener("submit", ({ target, defaultPrevented }) => {
    if (!defaultPrevented && target.method === "post" && !target.matches(OTHERS)) keep(document, target);
  });
}

// Someone else may have signed in.
const personOf = (document) => document.getElementById("sign-in-again")?.dataset.email;
const formsWith = (document, action) => [...document.forms].filter((form) => form.getAttribute("action") === action);
const fieldsOf = (form) => [...form.elements].filter((field) => field.name && !field.matches(UNKEPT));

/** In this tab alone, and until the next page of the dashboard: what is hidden or secret stays out. */
function keep(document, form) {
  const action = form.getAttribute("action");
  const place = formsWith(document, action).indexOf(form);
  const fields = fieldsOf(form).map(({ value, checked }) => ({ value, checked }));
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ person: personOf(document), action, place, fields }));
  } catch {
    // Without storage the form comes back empty, as it does without scripts.
  }
}

function take() {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT));
    sessionStorage.removeItem(KEPT);
    return kept;
  } catch {
    return null;
  }
}

function fill(document, { action, place, fields }) {
  const form = formsWith(document, action)[place];
  if (!form) return;
  form.closest("details")?.setAttribute("open", "");
  const targets = fieldsOf(form);
  if (targets.length !== fields.length) return;
  targets.forEach((field, index) => {
    if (field.matches("[type=checkbox], [type=radio]")) field.checked = fields[index].checked;
    else field.value = fields[index].value;
  });
}
