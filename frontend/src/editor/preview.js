// The text as readers will see it, next to what is written; a click on either side shows the same place on the other.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import { drawDiagrams, keepDiagrams } from "../site/diagrams.js";
import { makeTabs, showPanelOf } from "../site/tabs.js";

const WAIT_MILLISECONDS = 150;
const DRAW_MILLISECONDS = 1000;
const READY_MILLISECONDS = 30;
const STORAGE = "instep.preview";
const WIDE = "(min-width: 80rem)";
const BLOCKS = ":scope > [data-line], :is(:scope > div, details) > [data-line], li[data-line], tr[data-line]";
const DIAGRAM_SOURCE = "pre:has(> .language-mermaid)";
const setShown = StateEffect.define();
const shownLine = Decoration.line({ class: "md-shown" });

const shown = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    if (transaction.docChanged || transaction.selection) return Decoration.none;
    for (const effect of transaction.effects) if (effect.is(setShown)) return Decoration.set([shownLine.range(effect.value)]);
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function showPreview(form, surface) {
  const pane = document.getElementById("preview");
  const text = document.getElementById("preview-text");
  const toggle = document.querySelector("[data-toggles-preview]");
  const { view } = surface;
  let timer, drawing, putBack;
  const ask = () => {
    clearTimeout(timer);
    timer = undefined;
    if (pane.hidden) return false;
    // htmx takes its time to read the page.
    if (!text.hasAttribute("data-htmx-powered")) return (timer = setTimeout(ask, READY_MILLISECONDS));
    surface.copyToArea();
    return text.dispatchEvent(new CustomEvent("instep-preview"));
  };
  const show = (isShown) => {
    pane.hidden = !isShown;
    toggle.setAttribute("aria-pressed", String(isShown));
    document.querySelector(".desk").classList.toggle("with-preview", isShown);
    ask();
  };
  surface.extend(shown);
  surface.onChange(() => (timer ??= setTimeout(ask, WAIT_MILLISECONDS)));
  surface.onMove((update) => update.selectionSet && showBlock(text, lineAt(view)));
  text.addEventListener("htmx:before:swap", () => (putBack = keepDiagrams(text, pane)));
  text.addEventListener("htmx:after:swap", () => {
    makeTabs();
    putBack?.();
    clearTimeout(drawing);
    drawing = setTimeout(drawDiagrams, DRAW_MILLISECONDS);
    showBlock(text, lineAt(view));
  });
  // The last preview stays if the server sends none; the line about saving shows the error.
  text.addEventListener("htmx:before:response", (event) => event.detail.ctx.response.status !== 200 && event.preventDefault());
  text.addEventListener("click", (event) => {
    // Links of the preview lead to their Markdown; the help center is where one follows them.
    if (event.target.closest("a")) event.preventDefault();
    const block = event.target.closest("[data-line]");
    if (block) showLine(view, Number(block.dataset.line));
  });
  toggle.addEventListener("click", () => {
    show(pane.hidden);
    remember(!pane.hidden);
  });
  toggle.hidden = false;
  show(isWanted());
}

const lineAt = (view) => view.state.doc.lineAt(view.state.selection.main.head).number;

function showLine(view, number) {
  const line = view.state.doc.line(Math.min(number, view.state.doc.lines));
  view.dispatch({ selection: { anchor: line.from }, scrollIntoView: true });
  view.dispatch({ effects: setShown.of(line.from) });
  view.focus();
}

const foldOf = (element) => element.parentElement.closest("details");

/** Mark the block that holds the line, and bring it into view. */
function showBlock(text, number) {
  const blocks = [...text.querySelectorAll(BLOCKS)];
  const found = blocks.filter((element) => Number(element.dataset.line) <= number).at(-1);
  // The source of a diagram stays folded below it.
  const block = found?.matches(DIAGRAM_SOURCE) ? found.parentElement : found;
  for (const other of text.querySelectorAll(".is-current")) if (other !== block) other.classList.remove("is-current");
  if (!block) return;
  block.classList.add("is-current");
  showPanelOf(block);
  for (let fold = foldOf(block); fold; fold = foldOf(fold)) fold.open = true;
  const pane = text.closest(".preview");
  const { top, bottom } = block.getBoundingClientRect();
  const frame = pane.getBoundingClientRect();
  if (top < frame.top || bottom > frame.bottom) pane.scrollTop += top - frame.top - frame.height / 3;
}

/** Next to a text that is translated there is no room for it at first. */
function isWanted() {
  if (document.querySelector(".source-text")) return false;
  try {
    return matchMedia(WIDE).matches && localStorage.getItem(STORAGE) !== "off";
  } catch {
    return matchMedia(WIDE).matches;
  }
}

function remember(isShown) {
  try {
    if (matchMedia(WIDE).matches) localStorage.setItem(STORAGE, isShown ? "on" : "off");
  } catch {
    // A browser that stores nothing shows it again next time.
  }
}
