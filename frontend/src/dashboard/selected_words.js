// The words that a person selects in a text fill the field "About these words" of a new comment.
const MAX_CHARACTERS = 500;

export function quoteSelectedWords(document) {
  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    const words = selection.toString().trim();
    const holder = selection.anchorNode?.parentElement;
    const field = document.querySelector("[data-selected-words]");
    if (!field || !words || !holder?.closest("article") || holder.closest(".comments")) return;
    field.value = words.replace(/\s+/g, " ").slice(0, MAX_CHARACTERS);
  });
}
