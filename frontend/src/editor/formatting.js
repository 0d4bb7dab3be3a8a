// The buttons of the toolbar, which change the text around the cursor; each touches only the characters it must.
import { EditorSelection } from "@codemirror/state";

/** Put marks around the selection or the word at the cursor, or take them away. */
const wrap = (mark, name) => (view) => {
  const { state } = view;
  view.dispatch(
    state.changeByRange((range) => {
      const { from, to } = range.empty ? state.wordAt(range.from) ?? range : range;
      const before = state.sliceDoc(from - mark.length, from);
      const after = state.sliceDoc(to, to + mark.length);
      if (from !== to && before === mark && after === mark) {
        const changes = [{ from: from - mark.length, to: from }, { from: to, to: to + mark.length }];
        return { changes, range: EditorSelection.range(from - mark.length, to - mark.length) };
      }
      const changes = [{ from, insert: mark }, { from: to, insert: mark }];
      return { changes, range: EditorSelection.range(from + mark.length, to + mark.length) };
    }),
    { userEvent: `input.${name}`, scrollIntoView: true },
  );
  view.focus();
  return true;
};

/** Change the beginning of each selected line: `replace` gets the line and its index, and gives the new beginning. */
function changeLines(view, pattern, beginning) {
  const { state } = view;
  const { from, to } = state.selection.main;
  const first = state.doc.lineAt(from).number;
  const last = state.doc.lineAt(to).number;
  const changes = [];
  for (let number = first; number <= last; number++) {
    const line = state.doc.line(number);
    const [old] = pattern.exec(line.text);
    changes.push({ from: line.from, to: line.from + old.length, insert: beginning(old, number - first) });
  }
  view.dispatch({ changes, userEvent: "input", scrollIntoView: true });
  view.focus();
  return true;
}

const HEADING = /^#{0,6}[ \t]*/;
const LIST = /^[ \t]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?/;

/** No heading, then levels 2, 3 and 4, then none again: the first level is the title's. */
export const cycleHeading = (view) =>
  changeLines(view, HEADING, (old) => {
    const level = old.trim().length;
    return level === 0 ? "## " : level < 4 ? `${"#".repeat(Math.max(2, level + 1))} ` : "";
  });

export const bulletList = (view) => changeLines(view, LIST, (old) => (/[-*+]/.test(old) ? indent(old) : `${indent(old)}- `));
export const numberedList = (view) =>
  changeLines(view, LIST, (old, index) => (/\d/.test(old) ? indent(old) : `${indent(old)}${index + 1}. `));

const indent = (beginning) => /^[ \t]*/.exec(beginning)[0];

export const bold = wrap("**", "bold");
export const italic = wrap("*", "italic");

/** Marks within a line, a fenced block around several. */
export function code(view) {
  const { state } = view;
  const { from, to } = state.selection.main;
  if (state.doc.lineAt(from).number === state.doc.lineAt(to).number) return wrap("`", "code")(view);
  return insertBlock(view, ["```", state.sliceDoc(from, to), "```"].join("\n"), 3);
}

export function link(view) {
  const { state } = view;
  const { from, to } = state.selection.main;
  const words = state.sliceDoc(from, to);
  // With words selected the address is asked for; without any, the words that name an article are.
  const insert = words ? `[${words}]()` : "[";
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length - (words ? 1 : 0) }, userEvent: "input.type" });
  view.focus();
  return true;
}

export const table = (view) => insertBlock(view, "| Name | Meaning |\n| --- | --- |\n|  |  |", 2, 6);

/** Put a block in place of the selection, with empty lines around it; the selection begins at `start` within it. */
export function insertBlock(view, block, start, end = start) {
  const { state } = view;
  const { from, to } = state.selection.main;
  const before = state.sliceDoc(Math.max(0, from - 2), from);
  const after = state.sliceDoc(to, to + 2);
  const lead = from === 0 || before.endsWith("\n\n") ? "" : before.endsWith("\n") ? "\n" : "\n\n";
  const tail = after.startsWith("\n\n") || to === state.doc.length ? "\n" : after.startsWith("\n") ? "\n" : "\n\n";
  const at = from + lead.length;
  view.dispatch({
    changes: { from, to, insert: lead + block + tail },
    selection: { anchor: at + start, head: at + end },
    userEvent: "input",
    scrollIntoView: true,
  });
  view.focus();
  return true;
}

export const formattingKeymap = [
  { key: "Mod-b", run: bold },
  { key: "Mod-i", run: italic },
  { key: "Mod-e", run: code },
];
