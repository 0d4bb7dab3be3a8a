// What somebody typed into a form that nothing else keeps: the browser asks before the page is left.
const FORMS = "[data-edit-form], [data-conflict-form]";
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
      ("unsaved" in form.dataset || [...form.querySelectorAll(TEXTS)].some((field) => field.value !== field.defaultValue)),
  );
