// Rows, columns and alignment of the table at the cursor; only the lines of that table are written.
import { syntaxTree } from "@codemirror/language";

const CELLS = /(?:\\.|[^\\|])*/g;
const ALIGNMENTS = ["---", ":--", ":-:", "--:"];

/** The table at the cursor: its lines, and the cursor's line and column in it; null outside of tables. */
export function tableAt(state) {
  const position = state.selection.main.head;
  let node = syntaxTree(state).resolveInner(position, -1);
  while (node && node.name !== "Table") node = node.parent;
  if (!node) return null;
  const first = state.doc.lineAt(node.from).number;
  const last = state.doc.lineAt(node.to).number;
  const lines = [];
  for (let number = first; number <= last; number++) lines.push(state.doc.line(number));
  const current = state.doc.lineAt(position);
  const column = cells(current.text.slice(0, position - current.from)).length - 1;
  return { lines, row: current.number - first, column: Math.max(0, column) };
}

/** The texts of the cells of a line, with the spaces around them. */
export function cells(text) {
  const trimmed = text.trim().replace(/^\|/, "");
  const inner = /(?:^|[^\\])\|$/.test(trimmed) ? trimmed.slice(0, -1) : trimmed;
  const texts = [];
  let rest = inner;
  for (;;) {
    CELLS.lastIndex = 0;
    const [cell] = CELLS.exec(rest);
    texts.push(cell);
    if (cell.length >= rest.length) return texts;
    rest = rest.slice(cell.length + 1);
  }
}

const written = (texts) => `|${texts.map((text) => (text.trim() ? ` ${text.trim()} ` : "  ")).join("|")}|`;

const inTable = (change) => (view) => {
  const table = tableAt(view.state);
  if (!table) return false;
  view.dispatch({ ...change(table), userEvent: "input", scrollIntoView: true });
  view.focus();
  return true;
};

/** A row below the cursor's; below the heading row it is the first one. */
export const addRow = inTable(({ lines, row }) => {
  const line = lines[Math.max(1, row)] ?? lines.at(-1);
  const empty = written(cells(lines[0].text).map(() => ""));
  return { changes: { from: line.to, insert: `\n${empty}` }, selection: { anchor: line.to + 3 } };
});

/** A column behind the cursor's. */
export const addColumn = inTable(({ lines, column }) => {
  const changes = lines.map((line, number) => {
    const texts = cells(line.text);
    texts.splice(column + 1, 0, number === 1 ? "---" : "");
    return { from: line.from, to: line.to, insert: written(texts) };
  });
  return { changes };
});

/** Take out the cursor's row; the heading and the line below it belong to every table. */
export const removeRow = inTable(({ lines, row }) => {
  if (row < 2) return {};
  return { changes: { from: lines[row - 1].to, to: lines[row].to }, selection: { anchor: lines[row - 1].from + 1 } };
});

/** Take out the cursor's column; the last one stays, because a table has at least one. */
export const removeColumn = inTable(({ lines, column }) => {
  if (cells(lines[0].text).length === 1) return {};
  const changes = lines.map((line) => {
    const texts = cells(line.text);
    texts.splice(column, 1);
    return { from: line.from, to: line.to, insert: written(texts) };
  });
  return { changes };
});

/** The next alignment of the cursor's column: as the language runs, start, centre, end. */
export const alignColumn = inTable(({ lines, column }) => {
  const rule = lines[1];
  const texts = cells(rule.text);
  const present = ALIGNMENTS.indexOf((texts[column] ?? "").trim().replace(/-+/, (dashes) => "-".repeat(3 - (texts[column].match(/:/g)?.length ?? 0))));
  texts[column] = ALIGNMENTS[(present + 1) % ALIGNMENTS.length];
  return { changes: { from: rule.from, to: rule.to, insert: written(texts) } };
});

/** From cell to cell; behind the last one begins a new row. */
const step = (direction) => (view) => {
  const table = tableAt(view.state);
  if (!table) return false;
  const places = table.lines.flatMap((line, row) => (row === 1 ? [] : placesOf(line)));
  const { head } = view.state.selection.main;
  const current = places.findLastIndex(({ from }) => from <= head);
  const next = places[current + direction];
  if (!next) return direction > 0 ? addRow(view) : false;
  view.dispatch({ selection: { anchor: next.from, head: next.to }, scrollIntoView: true });
  return true;
};

/** The position of each cell's words, or of an empty cell's cursor. */
function placesOf(line) {
  let at = line.from + line.text.indexOf("|") + 1;
  return cells(line.text).map((text) => {
    const before = text.trim() ? text.length - text.trimStart().length : Math.min(1, text.length);
    const from = at + before;
    at += text.length + 1;
    return { from, to: from + text.trim().length };
  });
}

export const tableKeymap = [{ key: "Tab", run: step(1), shift: step(-1) }];
