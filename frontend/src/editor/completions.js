// Offers while someone types: blocks after `/` at the beginning of a line, own articles after `[`, parts and
// variables after `{{`.
import { startCompletion } from "@codemirror/autocomplete";
import { insertBlock, table } from "./formatting.js";

const BLOCK = /^[ \t]*\/[\p{L} ]*$/u;
const LINK = /\[[^\]\[\n]{0,80}$/;
const ADDRESS = /\]\([^)\s]{0,200}$/;
const REFERENCE = /\{\{[\w.-]{0,90}$/;
const WAIT_MILLISECONDS = 120;

const block = (text, start, end) => (view, completion, from, to) => {
  view.dispatch({ changes: { from, to } });
  insertBlock(view, text, start, end ?? start);
};

const BLOCKS = [
  ["Heading", "##", block("## ", 3)],
  ["Smaller heading", "###", block("### ", 4)],
  ["Bulleted list", "-", block("- ", 2)],
  ["Numbered list", "1.", block("1. ", 3)],
  ["Checklist", "- [ ]", block("- [ ] ", 6)],
  ["Quote", ">", block("> ", 2)],
  ["Note", "> [!NOTE]", block("> [!NOTE]\n> ", 12)],
  ["Tip", "> [!TIP]", block("> [!TIP]\n> ", 11)],
  ["Warning", "> [!WARNING]", block("> [!WARNING]\n> ", 15)],
  ["Code", "```", block("```\n\n```", 3)],
  ["Table", "| |", (view, completion, from, to) => (view.dispatch({ changes: { from, to } }), table(view))],
  ["Section to open", ":::details", block(":::details[More]\n\n:::", 11, 15)],
  ["Tabs", ":::tabs", block("::::tabs\n:::tab[First]\n\n:::\n:::tab[Second]\n\n:::\n::::", 16, 21)],
  ["Code group", ":::code-group", block(":::code-group\n```sh [npm]\n\n```\n```sh [pnpm]\n\n```\n:::", 21, 24)],
  ["Steps", ":::steps", block(":::steps\n1. \n2. \n:::", 12)],
  ["Cards", ":::cards", block("::::cards\n:::card\n[]()\n\n:::\n:::card\n[]()\n\n:::\n::::", 19)],
  ["Video", ":::video", block(":::video\n[Title](https://)\n:::", 10, 15)],
  ["Diagram", "```mermaid", block("```mermaid\nflowchart LR\n  A --> B\n```", 26, 33)],
  ["Formula", "```math", block("```math\n\n```", 8)],
  ["Picture with caption", '![]( "")', block('![]( "Caption")', 7, 14)],
  ["Part or variable", "{{ }}", (view, completion, from, to) => (write(view, from, to, "{{"), startCompletion(view))],
  ["Line", "---", block("---", 3)],
].map(([label, detail, apply]) => ({ label, detail, apply }));

export function completeBlocks(context) {
  const line = context.state.doc.lineAt(context.pos);
  const typed = line.text.slice(0, context.pos - line.from);
  if (!BLOCK.test(typed)) return null;
  const from = line.from + typed.indexOf("/");
  const words = typed.slice(typed.indexOf("/") + 1).trim().toLowerCase();
  const options = BLOCKS.filter(({ label }) => label.toLowerCase().includes(words));
  return options.length > 0 ? { from, options, filter: false } : null;
}

/** A completion source of the articles that the server finds at `address`. */
export const completeLinks = (address) => async (context) => {
  const words = context.matchBefore(LINK);
  const target = context.matchBefore(ADDRESS);
  if (!words && !target) return null;
  const from = words ? words.from : target.from + 2;
  const query = words ? words.text.slice(1) : target.text.slice(2);
  if (words && context.state.sliceDoc(words.from - 1, words.from) === "!") return null;
  if (query === "" && !context.explicit && words && /^[ xX]$/.test(context.state.sliceDoc(context.pos, context.pos + 1))) return null;
  return offer(context, address, query, from, (link) => optionOf(link, Boolean(words)));
};

/** A completion source of the parts and variables that the server finds at `address`. */
export const completeParts = (address) => async (context) => {
  const typed = context.matchBefore(REFERENCE);
  return typed && offer(context, address, typed.text.slice(2), typed.from, partOf);
};

async function offer(context, address, query, from, toOption) {
  await new Promise((resolve) => setTimeout(resolve, WAIT_MILLISECONDS));
  if (context.aborted) return null;
  const offers = await find(address, query);
  if (context.aborted || offers.length === 0) return null;
  return { from, filter: false, options: offers.map(toOption) };
}

async function find(address, query) {
  try {
    const response = await fetch(`${address}&q=${encodeURIComponent(query)}`, { headers: { "HX-Request": "true" } });
    return response.ok ? (await response.json()).offers : [];
  } catch {
    return [];
  }
}

const write = (view, from, to, insert) =>
  view.dispatch({ changes: { from, to, insert }, selection: { anchor: from + insert.length }, userEvent: "input.complete" });

const partOf = ({ reference, text }) => ({
  label: reference,
  detail: text,
  apply(view, completion, from, to) {
    // Braces that were closed by themselves belong to the reference.
    const closed = /^\}{0,2}/.exec(view.state.sliceDoc(to, to + 2))[0].length;
    write(view, from, to + closed, `{{${reference}}}`);
  },
});

const optionOf = ({ title, path }, hasWords) => ({
  label: title,
  detail: path.split("/").at(-1),
  apply(view, completion, from, to) {
    const insert = hasWords ? `[${escapeWords(title)}](${path})` : path;
    // A bracket that was closed by itself belongs to the link.
    const end = hasWords && view.state.sliceDoc(to, to + 1) === "]" ? to + 1 : to;
    write(view, from, end, insert);
  },
});

const escapeWords = (words) => words.replace(/[\\[\]]/g, "\\$&");
