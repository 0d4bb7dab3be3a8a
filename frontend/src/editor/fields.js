// The values of the form that someone writes, without those that only the page needs.
const OWN = /^(?:form-token|act|place|version|seen|translation-of|opened-.*)$/;
// The fields that say which state of the text the words are based on.
const BASE = ["version", "seen"];

export function fieldsOf(form, surface) {
  const fields = {};
  for (const element of form.elements) {
    if (element.name && element.tagName !== "BUTTON" && !OWN.test(element.name)) fields[element.name] = element.value;
  }
  return { ...fields, content: surface.text() };
}

export const baseOf = (form) => Object.fromEntries(BASE.map((name) => [name, form.elements[name]?.value]));

/** Words that are based on an older state than the page's keep it: saving them is a conflict, which both texts survive. */
export function fillIn(form, surface, fields, base = {}) {
  for (const name of BASE) if (base[name]) form.elements[name].value = base[name];
  for (const [name, value] of Object.entries(fields)) {
    const element = form.elements[name];
    if (element && name !== "content") element.value = value;
  }
  surface.replace(fields.content);
}

/** Texts that differ in nothing but their line ends are the same: browsers know only one kind. */
export const areSame = (left, right) =>
  [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => lines(left[name]) === lines(right[name]));

const lines = (text) => (text ?? "").replace(/\r\n?/g, "\n");

/** The fields as the body of a request, with the form's present token and version. */
export function bodyOf(form, fields) {
  const body = new URLSearchParams(new FormData(form));
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  return body;
}
