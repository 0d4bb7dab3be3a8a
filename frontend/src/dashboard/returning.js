// A form leads back to its page, which begins at the top. The focus goes to what needs it: the first wrong field, or
// the button that was pressed or, after its row is gone or has moved, the row in its place.
const SENT = "instep.sent-from";
const BUTTONS = "main button";
const LISTS = "main :is(ul, ol, tbody)";
const ROW = "li, tr";

export function returnFocus(document) {
  const sent = take();
  const wrong = document.querySelector("[aria-invalid=true]");
  const isTaken = document.querySelector("[autofocus], main [role=alert]");
  if (wrong) wrong.focus();
  else if (sent.page === location.pathname && !isTaken) elementFor(document, sent)?.focus();
  document.addEventListener("submit", ({ target, submitter, defaultPrevented }) => {
    if (submitter && !defaultPrevented && target.method === "post") remember(document, submitter);
  });
}

/** A text that identifies the action of a button: the URL, the label and the hidden fields of its form. */
function actOf(button) {
  const fields = [...(button.form?.elements ?? [])].filter(({ type, name }) => type === "hidden" && name !== "form-token");
  return [button.formAction, wordsOf(button), ...fields.map(({ value }) => value)].join();
}

const wordsOf = (element) => element.textContent.trim();

function elementFor(document, { act, words, list, place }) {
  const isVisible = (element) => element.checkVisibility();
  const button = [...document.querySelectorAll(BUTTONS)].find((other) => actOf(other) === act);
  if (button && isVisible(button)) return button;
  const rows = document.querySelectorAll(LISTS)[list]?.children;
  const row = button?.closest(`details, ${ROW}`) ?? rows?.[place] ?? rows?.[rows.length - 1];
  const inRow = [...(row?.querySelectorAll("a, button, summary") ?? [])].filter(isVisible);
  return inRow.find((other) => wordsOf(other) === words) ?? inRow[0];
}

function remember(document, button) {
  const row = button.closest(ROW);
  const list = [...document.querySelectorAll(LISTS)].indexOf(row?.parentElement);
  const place = [...(row?.parentElement.children ?? [])].indexOf(row);
  try {
    sessionStorage.setItem(SENT, JSON.stringify({ page: location.pathname, act: actOf(button), words: wordsOf(button), list, place }));
  } catch {
    // Without storage the focus begins at the top, as after any page.
  }
}

function take() {
  try {
    const sent = JSON.parse(sessionStorage.getItem(SENT));
    sessionStorage.removeItem(SENT);
    return sent ?? {};
  } catch {
    return {};
  }
}
