// Signing in again without leaving the page: what is on it, above all what someone is writing, stays.
//
// A request that comes back with 401 and this trigger waits until the dialog has signed the person in; then it is
// sent again, with the token that forms have from then on. The token also comes with a 403 if the same person has
// signed in elsewhere in this browser.
import htmx from "htmx.org";

const SIGNED_OUT = "instep-signed-out";
const PART = "/sign-in/dialog";
const TOKEN_FIELD = "form-token";
const TOKEN_HEADER = "Instep-Form-Token";
const PAUSE_MILLISECONDS = 1000;
let signingIn = null;
let typedAt = -Infinity;

/** Opens the dialog, and resolves once the same person is signed in; rejects if they close it. */
export function signInAgain() {
  signingIn ??= askToSignIn().finally(() => (signingIn = null));
  return signingIn;
}

/** `fetch` for the dashboard's own requests; `whileWaiting` is called before the dialog opens. */
export async function fetchSignedIn(url, options = {}, whileWaiting = () => {}) {
  const ours = { "HX-Request": "true", "HX-Current-URL": location.href };
  const request = { ...options, headers: { ...ours, ...options.headers } };
  const response = await fetch(url, request);
  const token = response.headers.get(TOKEN_HEADER);
  if (token) renewFields(token);
  else if (!isSignedOut(response)) return response;
  else {
    whileWaiting();
    try {
      await signInAgain();
    } catch {
      return response;
    }
  }
  renewToken(request.body);
  return fetch(url, request);
}

/** Lets requests of htmx wait for the dialog in the same way, and scripts of other files by an event. */
export function keepSignedIn(document) {
  document.addEventListener("keydown", () => (typedAt = performance.now()), { capture: true });
  document.addEventListener("instep:signed-out", ({ detail: resolve }) => {
    signInAgain().then(() => resolve(true), () => resolve(false));
  });
  document.addEventListener("htmx:before:request", ({ detail: { ctx } }) => {
    if (ctx.sourceElement.closest?.("#sign-in-again")) return;
    ctx.fetch = (url, options) => fetchSignedIn(url, options, () => clearTimeout(ctx.requestTimeout));
  });
}

const isSignedOut = (response) => response.status === 401 && response.headers.get("HX-Trigger") === SIGNED_OUT;

async function askToSignIn() {
  const dialog = document.getElementById("sign-in-again");
  if (!dialog) return leaveToSignIn();
  await pauseInTyping();
  const email = encodeURIComponent(dialog.dataset.email);
  const done = answered(dialog);
  // A form of before would be replaced while someone types into it.
  document.getElementById("sign-in-part").replaceChildren();
  dialog.showModal();
  htmx.ajax("GET", `${PART}?email=${email}`, { source: dialog, target: "#sign-in-part", swap: "innerHTML" });
  return done;
}

/** A dialog that opens between two keys would take the second one away from the text, and may take it for a button. */
async function pauseInTyping() {
  for (;;) {
    const wait = typedAt + PAUSE_MILLISECONDS - performance.now();
    if (wait <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

/** Resolves when an answer brings a token, which is the sign of a new session. */
function answered(dialog) {
  return new Promise((resolve, reject) => {
    const controller = new AbortController();
    const { signal } = controller;
    const end = (settle) => {
      controller.abort();
      settle();
    };
    document.addEventListener(
      "htmx:after:request",
      ({ detail: { ctx } }) => {
        const token = ctx.response.headers.get(TOKEN_HEADER);
        if (!token) return;
        renewFields(token);
        end(resolve);
        dialog.close();
      },
      { signal },
    );
    dialog.addEventListener("close", () => end(() => reject(new Error("Not signed in."))), { signal });
  });
}

/** Without the dialog the whole page goes to sign in, and comes back. */
function leaveToSignIn() {
  const path = encodeURIComponent(location.pathname + location.search).replaceAll("%2F", "/");
  location.href = `/sign-in?next=${path}`;
  return new Promise(() => {});
}

function renewFields(token) {
  for (const field of document.getElementsByName(TOKEN_FIELD)) field.value = token;
}

function renewToken(body) {
  if (!body?.has?.(TOKEN_FIELD)) return;
  body.set(TOKEN_FIELD, document.getElementsByName(TOKEN_FIELD)[0].value);
}
