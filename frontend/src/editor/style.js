// Violations of the style: marked in the text, and listed below it with buttons that show and fix them.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

const PAUSE_MILLISECONDS = 700;
const setMarks = StateEffect.define();

const marks = StateField.define({
  create: () => Decoration.none,
  update: (marks, { changes, effects }) => effects.find((effect) => effect.is(setMarks))?.value ?? marks.map(changes),
  provide: (field) => EditorView.decorations.from(field),
});

export function checkStyle(surface) {
  const list = document.getElementById("style");
  if (!list) return;
  const { view } = surface;
  let timer;
  surface.extend(marks);
  surface.onChange(() => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      surface.copyToArea();
      list.dispatchEvent(new CustomEvent("instep-style"));
    }, PAUSE_MILLISECONDS);
  });
  // Without an answer the last violations stay; the line about saving says what is wrong.
  list.addEventListener("htmx:before:response", (event) => event.detail.ctx.response.status !== 200 && event.preventDefault());
  list.addEventListener("htmx:after:swap", () => view.dispatch({ effects: setMarks.of(marksOf(list, view.state.doc)) }));
  list.addEventListener("click", (event) => {
    const row = event.target.closest("button") && event.target.closest("li");
    const range = row && rangeOf(view.state, row);
    if (!range) return;
    const isFix = "fixes" in event.target.closest("button").dataset;
    const insert = isFix ? row.dataset.fix : row.dataset.words;
    view.dispatch({
      ...(isFix && { changes: { ...range, insert }, userEvent: "input.style" }),
      selection: { anchor: range.from, head: range.from + insert.length },
      effects: EditorView.scrollIntoView(range.from, { y: "center" }),
    });
    view.focus();
  });
}

/** Words that have changed during the request are not marked: the next answer is about them. */
function marksOf(list, doc) {
  const places = [...list.querySelectorAll("li")].map((row) => ({ row, from: Number(row.dataset.from), to: Number(row.dataset.to) }));
  const current = places.filter(({ row, from, to }) => doc.sliceString(from, to) === row.dataset.words);
  return Decoration.set(current.map(({ row, from, to }) => Decoration.mark({ class: "md-problem", row }).range(from, to)), true);
}

/** The place of a violation by now; undefined if its words are different. */
function rangeOf(state, row) {
  let range;
  state.field(marks).between(0, state.doc.length, (from, to, mark) => {
    if (mark.spec.row === row && state.doc.sliceString(from, to) === row.dataset.words) range = { from, to };
  });
  return range;
}
