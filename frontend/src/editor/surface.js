// The text itself: CodeMirror on the very characters of the text area, in a shadow root of its own.
//
// In a shadow root its styles are constructed sheets, which the policy allows; nothing is written back but what
// someone has typed.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { deleteMarkupBackward, insertNewlineContinueMarkup, markdownLanguage, pasteURLAsLink } from "@codemirror/lang-markdown";
import { indentUnit, syntaxTree } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, dropCursor, EditorView, highlightSpecialChars, keymap } from "@codemirror/view";
import { completeBlocks, completeLinks, completeParts } from "./completions.js";
import { formattingKeymap } from "./formatting.js";
import { livePreview } from "./live.js";
import { tableKeymap } from "./tables.js";
import { theme } from "./theme.js";

/** The text in `form`: reads it, replaces it, and tells when it changes. */
export function createSurface(form) {
  const area = form.elements.content;
  const host = document.getElementById("surface");
  const listeners = { change: [], move: [] };
  const extensions = new Compartment();
  const root = host.attachShadow({ mode: "open", delegatesFocus: true });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: area.value, extensions: [extensions.of([]), ...setUp(form, area, listeners)] }),
  });
  host.hidden = false;
  area.hidden = true;
  document.getElementById("text-label").addEventListener("click", () => view.focus());
  document.querySelector(".leave-hint").hidden = false;
  // Every script that sends the form sends the text on the screen.
  const copyToArea = () => (area.value = textOf(view));
  form.addEventListener("formdata", (event) => event.formData.set("content", textOf(view)));
  return {
    view,
    text: () => textOf(view),
    copyToArea,
    /** Put the cursor into a line, from 1, and show it. */
    goTo(number) {
      const { from } = view.state.doc.line(Math.max(1, Math.min(number, view.state.doc.lines)));
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    extend(extension) {
      const current = extensions.get(view.state);
      view.dispatch({ effects: extensions.reconfigure([...current, extension]) });
    },
    onChange: (listener) => listeners.change.push(listener),
    onMove: (listener) => listeners.move.push(listener),
  };
}

const INDENTED = new Set(["ListItem", "FencedCode", "CodeBlock"]);

/** In lists and code the Tab key indents; elsewhere it leaves the text, as in every field. */
const inBlock = (command) => (view) => {
  let node = syntaxTree(view.state).resolveInner(view.state.selection.main.head, -1);
  while (node && !INDENTED.has(node.name)) node = node.parent;
  return node ? command(view) : false;
};

const textOf = (view) => view.state.doc.toString();

function setUp(form, area, listeners) {
  return [
    theme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      "aria-label": "Text",
      "aria-description": "Markdown. Press Escape, then Tab to leave the text.",
      lang: area.lang,
      dir: area.dir,
      spellcheck: "true",
      autocorrect: "on",
      autocapitalize: "sentences",
    }),
    indentUnit.of("  "),
    EditorState.tabSize.of(4),
    EditorState.allowMultipleSelections.of(true),
    history(),
    drawSelection(),
    dropCursor(),
    highlightSpecialChars(),
    highlightSelectionMatches(),
    markdownLanguage.extension,
    pasteURLAsLink,
    livePreview,
    closeBrackets(),
    search({ top: true }),
    autocompletion({
      override: [completeBlocks, completeLinks(form.dataset.links), completeParts(form.dataset.parts)],
      icons: false,
      interactionDelay: 0,
    }),
    keymap.of([
      ...formattingKeymap,
      ...tableKeymap,
      { key: "Tab", run: acceptCompletion },
      { key: "Tab", run: inBlock(indentMore), shift: inBlock(indentLess) },
      { key: "Enter", run: insertNewlineContinueMarkup },
      { key: "Backspace", run: deleteMarkupBackward },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) for (const listener of listeners.change) listener(update);
      if (update.selectionSet || update.docChanged) for (const listener of listeners.move) listener(update);
    }),
  ];
}
