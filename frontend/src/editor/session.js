// Signing in again is the dashboard's: its script, which every page has, opens the dialog.
const TOKEN_FIELD = "form-token";

/** Resolves to whether the person has signed in again; the forms of the page have their new token then. */
export function signInAgain() {
  return new Promise((resolve) => {
    document.dispatchEvent(new CustomEvent("instep:signed-out", { detail: resolve }));
  });
}

/** The token of forms belongs to a session: a refusal brings another if the same person has signed in again. */
export function renewToken(body, token) {
  if (!token) return false;
  for (const field of document.getElementsByName(TOKEN_FIELD)) field.value = token;
  body.set(TOKEN_FIELD, token);
  return true;
}
