// The conveniences of a help center's pages, which all work without this script.
import { offerCopies } from "./copies.js";
import { searchAsOneTypes } from "./matches.js";

for (const form of document.querySelectorAll("form[data-matches]")) searchAsOneTypes(form);
offerCopies();
document.querySelector("[aria-invalid=true]")?.focus();

// `/` and Ctrl+K lead to the search, but `/` not from where someone writes.
addEventListener("keydown", (event) => {
  const isCommand = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k";
  const isSlash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (!isCommand && !(isSlash && !event.target.closest("input, textarea, select, [contenteditable]"))) return;
  const field = [...document.querySelectorAll("form[data-matches] input")].find((input) => input.checkVisibility());
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
});
