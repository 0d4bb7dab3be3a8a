// Markdown as elements: the blocks and spans that articles use. Unknown marks stay visible as text.
import { element } from "./nodes.js";

const FENCE = /^(`{3,}|~{3,})\s*(\S*)[^`]*$/;
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/;
const RULE = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const QUOTE = /^ {0,3}> ?/;
const ALERT = /^\[!(\w+)\]\s*$/;
const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const DEFINITION = /^ {0,3}\[([^\]^]+)\]:\s*<?([^\s>]+)>?(?:\s.*)?$/;
const SAFE_LINK = /^(?:https?:|mailto:)/i;
// Tags that become elements; all others stay visible as text.
const TAG = "sub|sup|kbd|strong|em|del";
// The lines around what can be folded: its summary alone is shown as what it is.
const FOLD = /^ {0,3}(?=<)(?:<\/?details(?: open)?>)?\s*(?:<summary>(.*?)<\/summary>)?\s*$/;
const MAX_DEPTH = 12;
// The maximum length of a span. Without it, each sign that begins no span would be read to the end.
const FAR = "{0,2000}";
// Comments may be longer, such as one that holds a licence: they are not for readers.
const VERY_FAR = "{0,20000}";
const WORDS = `(?:[^[\\]]|\\[[^\\]]{0,200}\\])${FAR}`;
const TARGET = `\\(\\s*<?([^\\s)>]${FAR})>?(?:\\s[^)]{0,500})?\\)`;
const sticky = (pattern) => new RegExp(pattern, "y");
const SPANS = [
  ["code", sticky(`(\`+)([^]${FAR}?[^\`])\\1(?!\`)`)],
  ["image", sticky(`!\\[([^\\]]${FAR})\\]${TARGET}`)],
  ["link", sticky(`\\[(${WORDS})\\]${TARGET}`)],
  ["mark", /\[(\d{1,3})\]/y],
  ["reference", sticky(`\\[([^[\\]]${FAR})\\](?:\\[([^[\\]]${FAR})\\])?`)],
  ["break", /<br ?\/?>/iy],
  ["tag", sticky(`<(${TAG})>([^]${FAR}?)</\\1>`)],
  ["comment", sticky(`<!--[^]${VERY_FAR}?-->`)],
  ["address", /<((?:https?:|mailto:)[^\s>]+)>/y],
  ["strong", sticky(`(\\*\\*|__)(?=\\S)([^]${FAR}?\\S)\\1`)],
  ["em", sticky(`(\\*|_)(?=\\S)([^]${FAR}?\\S)\\1(?!\\w)`)],
  ["del", sticky(`~~(?=\\S)([^]${FAR}?\\S)~~`)],
  ["escape", /\\([!-/:-@[-`{-~])/y],
  ["bare", /https?:\/\/[^\s<>()\[\]"']*[^\s<>()\[\]"'.,:;!?]/y],
];

/**
 * `context` says what paths are relative to (`base`), makes the mark of a source from its number (`mark`) and a
 * picture from its words and address (`picture`), and keeps the addresses that links refer to (`definitions`).
 */
export function render(text, context, depth = 0) {
  let lines = text.replaceAll("\r\n", "\n").replace(/\n$/, "").split("\n");
  if (depth > MAX_DEPTH) return [element("p", {}, text)];
  if (depth === 0 && context.definitions) lines = withoutDefinitions(lines, context.definitions);
  const rest = new Lines(lines);
  const blocks = [];
  while (rest.length > 0) {
    if (rest.first.trim() === "") rest.shift();
    else blocks.push(block(rest, context, depth));
  }
  return blocks;
}

/** The lines that are still to be read. To shift an array of many lines would move all that are left, each time. */
class Lines {
  constructor(lines) {
    this.lines = lines;
    this.at = 0;
  }
  get length() {
    return this.lines.length - this.at;
  }
  get first() {
    return this.lines[this.at];
  }
  get second() {
    return this.lines[this.at + 1] ?? "";
  }
  shift() {
    this.at += 1;
    return this.lines[this.at - 1];
  }
}

/** The lines without those that only say where a link leads; code keeps its own. */
function withoutDefinitions(lines, definitions) {
  let isCode = false;
  return lines.filter((line) => {
    if (FENCE.test(line.trim())) isCode = !isCode;
    const [, name, target] = (!isCode && DEFINITION.exec(line)) || [];
    if (name && !definitions.has(name.toLowerCase())) definitions.set(name.toLowerCase(), target);
    return !name;
  });
}

function block(lines, context, depth) {
  const line = lines.first;
  const fence = FENCE.exec(line.trim());
  if (fence) return code(lines, fence[1]);
  const heading = HEADING.exec(line);
  if (heading) return take(lines, element(`h${Math.min(6, heading[1].length + 1)}`, {}, spans(heading[2], context)));
  if (RULE.test(line)) return take(lines, element("hr"));
  if (FOLD.test(line)) return fold(lines, context);
  if (QUOTE.test(line)) return quote(lines, context, depth);
  if (ITEM.test(line)) return list(lines, context, depth);
  if (line.includes("|") && TABLE_RULE.test(lines.second) && lines.second.includes("-")) return table(lines, context);
  return paragraph(lines, context);
}

function fold(lines, context) {
  const [, summary] = FOLD.exec(lines.first);
  return take(lines, summary ? element("p", {}, element("strong", {}, spans(summary, context))) : "");
}

function take(lines, node) {
  lines.shift();
  return node;
}

function code(lines, fence) {
  const indent = /^ */.exec(lines.shift())[0].length;
  const isEnd = (line) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0], "") === "";
  const body = [];
  while (lines.length > 0 && !isEnd(lines.first)) body.push(lines.shift().replace(new RegExp(`^ {0,${indent}}`), ""));
  lines.shift();
  return element("pre", { tabindex: "0" }, element("code", {}, body.join("\n")));
}

function quote(lines, context, depth) {
  const inner = [];
  while (QUOTE.test(lines.first ?? "")) inner.push(lines.shift().replace(QUOTE, ""));
  const alert = ALERT.exec(inner[0]);
  if (alert) inner.splice(0, 1, `**${alert[1][0].toUpperCase()}${alert[1].slice(1).toLowerCase()}**`, "");
  return element("blockquote", {}, render(inner.join("\n"), context, depth + 1));
}

function list(lines, context, depth) {
  const [, indent, sign] = ITEM.exec(lines.first);
  const isNumbered = /\d/.test(sign);
  const items = [];
  while (lines.length > 0) {
    const item = ITEM.exec(lines.first);
    if (!item || item[1].length !== indent.length || /\d/.test(item[2]) !== isNumbered) break;
    const width = lines.first.length - item[3].length;
    const inner = [item[3].replace(/^\[[ x]\] /i, (box) => (box === "[ ] " ? "☐ " : "☑ "))];
    lines.shift();
    while (lines.length > 0 && belongsToItem(lines, width)) inner.push(lines.shift().replace(new RegExp(`^\\s{0,${width}}`), ""));
    items.push(element("li", {}, contentOfItem(render(inner.join("\n"), context, depth + 1))));
  }
  return element(isNumbered ? "ol" : "ul", isNumbered ? { start: Number.parseInt(sign, 10) } : {}, items);
}

function belongsToItem(lines, width) {
  const { first: line, second: next } = lines;
  if (line.trim() === "") return next.startsWith(" ".repeat(width)) && next.trim() !== "";
  return line.startsWith(" ".repeat(width)) || (!ITEM.test(line) && !startsBlock(line));
}

// One paragraph needs no room around it.
const contentOfItem = (blocks) => (blocks[0]?.localName === "p" ? [...blocks[0].childNodes, ...blocks.slice(1)] : blocks);

const startsBlock = (line) => FENCE.test(line.trim()) || HEADING.test(line) || RULE.test(line) || FOLD.test(line) || QUOTE.test(line);

function table(lines, context) {
  const rows = [];
  while (lines.first?.includes("|")) rows.push(cells(lines.shift()));
  const [head, , ...body] = rows;
  const row = (name, texts) => element("tr", {}, texts.map((text) => element(name, {}, spans(text, context))));
  return element(
    "div",
    { class: "wide", tabindex: "0" },
    element("table", {}, element("thead", {}, row("th", head)), element("tbody", {}, body.map((texts) => row("td", texts)))),
  );
}

const cells = (line) => line.trim().replace(/^\||(?<!\\)\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));

function paragraph(lines, context) {
  const words = [lines.shift()];
  while (lines.length > 0 && lines.first.trim() !== "" && !startsBlock(lines.first) && !ITEM.test(lines.first)) words.push(lines.shift());
  return element("p", {}, spans(words.join("\n"), context));
}

function spans(text, context, depth = 0) {
  const nodes = [];
  let plain = "";
  const flush = () => plain && nodes.push(plain) && (plain = "");
  for (let at = 0; at < text.length; ) {
    const [span, length] = spanAt(text, at, context, depth);
    if (span === undefined) {
      plain += text[at];
      at += 1;
    } else {
      flush();
      nodes.push(span);
      at += length;
    }
  }
  flush();
  return nodes;
}

function spanAt(text, at, context, depth) {
  // Most characters begin nothing.
  if (!"`![<*_~\\h".includes(text[at]) || depth > MAX_DEPTH) return [];
  for (const [name, pattern] of SPANS) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match && !(isInsideWord(text, at) && (name === "bare" || (name === "em" && match[1] === "_")))) {
      return [make(name, match, context, depth), match[0].length];
    }
  }
  return [];
}

const isInsideWord = (text, at) => /\w/.test(text[at - 1] ?? "");

function make(name, match, context, depth) {
  const inner = (words) => spans(words, context, depth + 1);
  if (name === "code") return element("code", {}, match[2].replace(/^ (.*\S.*) $/, "$1"));
  if (name === "image") return image(match[1], match[2], context);
  if (name === "link") return link(match[2], inner(match[1]), context);
  if (name === "mark") return context.mark?.(Number(match[1])) ?? match[0];
  if (name === "address") return link(match[1], [match[1]], context);
  if (name === "bare") return link(match[0], [match[0]], context);
  if (name === "reference") return reference(match, inner, context);
  if (name === "break") return element("br");
  if (name === "tag") return element(match[1], {}, inner(match[2]));
  if (name === "comment") return "";
  if (name === "escape") return match[1];
  return element(name, {}, inner(match[2] ?? match[1]));
}

const link = (target, children, { base }) => linkTo(addressOf(target, base), children);

/** Without an address that is safe, the words alone. */
export function linkTo(address, children) {
  if (!address) return element("span", {}, children);
  return element("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, children);
}

function image(words, target, { base, picture }) {
  const address = addressOf(target, base);
  return (address && picture?.(words, new URL(address))) ?? words;
}

function reference([whole, words, name], inner, context) {
  const target = context.definitions?.get((name || words).toLowerCase());
  return target ? link(target, inner(words), context) : whole;
}

/** The whole address where it is one that a link may lead to, else null. */
export function addressOf(target, base) {
  try {
    const { href } = new URL(target, base);
    return SAFE_LINK.test(href) ? href : null;
  } catch {
    return null;
  }
}
