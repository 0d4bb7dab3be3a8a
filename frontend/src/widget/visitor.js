// The visitor's number: all that the widget keeps in the browser, and that after the first question.
const NAME = "instep.visitor";

// `randomUUID` is missing on pages without encryption.
export const randomNumber = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** A random number that this browser is known by to the help center; where nothing may be kept, for this page alone. */
export function visitorOf(widget) {
  try {
    widget.visitor ??= localStorage.getItem(NAME) ?? randomNumber();
    localStorage.setItem(NAME, widget.visitor);
  } catch {
    widget.visitor ??= randomNumber();
  }
  return widget.visitor;
}

export function forgetVisitor(widget) {
  widget.visitor = undefined;
  try {
    localStorage.removeItem(NAME);
  } catch {
    // A browser without storage has nothing to forget.
  }
}
