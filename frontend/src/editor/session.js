// Signing in again is the dashboard's: its script, which every page has, opens the dialog.

/** Resolves to whether the person has signed in again; the forms of the page have their new token then. */
export function signInAgain() {
  return new Promise((resolve) => {
    document.dispatchEvent(new CustomEvent("instep:signed-out", { detail: resolve }));
  });
}
