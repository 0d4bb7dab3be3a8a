// The toolbar, and the keys that act in the whole editor.
import { openSearchPanel } from "@codemirror/search";
import * as formatting from "./formatting.js";
import { addColumn, addRow, alignColumn, removeColumn, removeRow, tableAt } from "./tables.js";

const COMMANDS = {
  bold: formatting.bold,
  italic: formatting.italic,
  heading: formatting.cycleHeading,
  link: formatting.link,
  list: formatting.bulletList,
  numbers: formatting.numberedList,
  code: formatting.code,
  table: formatting.table,
  row: addRow,
  column: addColumn,
  "remove-row": removeRow,
  "remove-column": removeColumn,
  align: alignColumn,
  search: (view) => openSearchPanel(view),
};
const STEPS = { ArrowRight: 1, ArrowLeft: -1 };

export function listenForCommands(form, surface, saving) {
  const bar = document.getElementById("tools");
  bar.hidden = false;
  const buttons = () => [...bar.querySelectorAll("button:not([hidden])")];
  // One stop for the Tab key; arrows go on from there (WAI-ARIA toolbar pattern).
  const rest = (button) => {
    for (const other of bar.querySelectorAll("button")) other.tabIndex = other === button ? 0 : -1;
  };
  rest(buttons()[0]);
  bar.addEventListener("focusin", (event) => rest(event.target.closest("button")));
  bar.addEventListener("keydown", (event) => {
    const all = buttons();
    const step = STEPS[event.key] * (getComputedStyle(bar).direction === "rtl" ? -1 : 1);
    const index = event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : all.indexOf(event.target) + step;
    if (Number.isNaN(index)) return;
    event.preventDefault();
    all[(index + all.length) % all.length].focus();
  });
  // The pointer leaves the selection of the text as it is.
  bar.addEventListener("mousedown", (event) => event.preventDefault());
  bar.addEventListener("click", (event) => {
    const command = COMMANDS[event.target.closest("button")?.dataset.command];
    command?.(surface.view);
  });
  const showTableTools = () => {
    const isInside = tableAt(surface.view.state) !== null;
    for (const button of bar.querySelectorAll("[data-in-table]")) button.hidden = !isInside;
  };
  surface.onMove(showTableTools);
  showTableTools();
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    if (event.key === "s") saving.press(event, "[value=save]");
    if (event.key === "Enter") saving.press(event, ".primary");
  });
}
