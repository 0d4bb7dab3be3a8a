// Text that someone typed into a form and nothing else keeps: the browser asks before the page is left.
const MARKED = "[data-edit-form], [data-conflict-form]";
// Other forms are asked about only for texts that are long to type again; the editor keeps its text itself.
const FORMS = `${MARKED}, main form[method=post]:has(textarea):not([data-editor])`;
const LONG_TEXTS = "textarea";
const TEXTS = "input:not([type=hidden], [type=radio]), textarea";

let sentForm = null;

export function warnOfUnsavedText(document) {
  document.addEventListener("submit", (event) => {
    if (event.target.matches(FORMS) && !event.defaultPrevented) sentForm = event.target;
  });
  document.addEventListener("instep:sent", (event) => (sentForm = event.target));
  // A page that the browser brings back holds what was typed, and can be left again.
  addEventListener("pageshow", () => (sentForm = null));
  addEventListener("beforeunload", (event) => hasUnsavedText(document) && event.preventDefault());
}

/** A form that comes back with what is wrong with it holds text that is saved nowhere. */
export const hasUnsavedText = (document) =>
  [...document.querySelectorAll(FORMS)].some(
    (form) =>
      form !== sentForm &&
      ("unsaved" in form.dataset || textsOf(form).some((field) => field.value !== field.defaultValue)),
  );

const textsOf = (form) => [...form.querySelectorAll(form.matches(MARKED) ? TEXTS : LONG_TEXTS)];
