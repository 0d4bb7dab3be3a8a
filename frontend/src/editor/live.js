// Live preview: headings, emphasis, code and links look like what they become; the marks stay, and step back.
import { ensureSyntaxTree, syntaxTree } from "@codemirror/language";
import { Decoration, ViewPlugin } from "@codemirror/view";

const PARSE_MILLISECONDS = 20;
const LINES = {
  ATXHeading1: "md-h1",
  ATXHeading2: "md-h2",
  ATXHeading3: "md-h3",
  ATXHeading4: "md-h4",
  ATXHeading5: "md-h4",
  ATXHeading6: "md-h4",
  SetextHeading1: "md-h1",
  SetextHeading2: "md-h2",
  Blockquote: "md-quote",
  FencedCode: "md-block",
  CodeBlock: "md-block",
  Table: "md-table",
  HTMLBlock: "md-html",
  HorizontalRule: "md-rule",
};
const SPANS = {
  StrongEmphasis: "md-strong",
  Emphasis: "md-em",
  Strikethrough: "md-del",
  InlineCode: "md-code",
  Autolink: "md-link",
  URL: "md-url",
  HTMLTag: "md-html",
};
const MARKS = new Set(["HeaderMark", "EmphasisMark", "CodeMark", "LinkMark", "QuoteMark", "ListMark", "StrikethroughMark", "TableDelimiter", "TaskMarker", "CodeInfo"]);
// The parser of Markdown takes the mark of an alert for a link.
const ALERT = /^\[!\w+\]$/;
const NAMELESS_PICTURE = /^!\[\s*\]/;

const line = (name) => Decoration.line({ class: name });
const span = (name) => Decoration.mark({ class: name });
const lineDecorations = Object.fromEntries([...new Set(Object.values(LINES))].map((name) => [name, line(name)]));
const spanDecorations = Object.fromEntries([...new Set(Object.values(SPANS))].map((name) => [name, span(name)]));
const words = span("md-link");
const mark = span("md-mark");
const markAway = span("md-mark md-away");
const nameless = Decoration.mark({ class: "md-problem", attributes: { title: "Describe this image for people who can't see it" } });

export const livePreview = ViewPlugin.fromClass(
  class {
    constructor(view) {
      this.decorations = decorate(view);
    }

    update(update) {
      const hasParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
      if (update.docChanged || update.viewportChanged || update.selectionSet || hasParsed) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function decorate(view) {
  const { state } = view;
  const active = activeLines(state);
  const decorations = [];
  for (const { from, to } of view.visibleRanges) {
    const tree = ensureSyntaxTree(state, to, PARSE_MILLISECONDS) ?? syntaxTree(state);
    tree.iterate({ from, to, enter: (node) => decorateNode(state, node, from, to, active, decorations) });
  }
  return Decoration.set(decorations, true);
}

function decorateNode(state, node, from, to, active, decorations) {
  const { name } = node;
  if (name in LINES) {
    for (let at = state.doc.lineAt(Math.max(node.from, from)); at.from <= Math.min(node.to, to); ) {
      decorations.push(lineDecorations[LINES[name]].range(at.from));
      if (at.number === state.doc.lines) break;
      at = state.doc.line(at.number + 1);
    }
  }
  if (node.from === node.to) return;
  if (name in SPANS) decorations.push(spanDecorations[SPANS[name]].range(node.from, node.to));
  if (name === "Image" || (name === "Link" && !ALERT.test(state.sliceDoc(node.from, node.to)))) decorateWords(node, decorations);
  if (MARKS.has(name)) {
    const isActive = active.has(state.doc.lineAt(node.from).number);
    decorations.push((isActive ? mark : markAway).range(node.from, node.to));
  }
  if (name === "Image" && NAMELESS_PICTURE.test(state.sliceDoc(node.from, node.from + 20))) {
    decorations.push(nameless.range(node.from, Math.min(node.to, node.from + 3)));
  }
}

/** The words of a link look like one, not its address. */
function decorateWords({ node }, decorations) {
  const [open, close] = node.getChildren("LinkMark");
  if (close && close.from > open.to) decorations.push(words.range(open.to, close.from));
}

function activeLines(state) {
  const numbers = new Set();
  for (const range of state.selection.ranges) {
    const last = state.doc.lineAt(range.to).number;
    for (let number = state.doc.lineAt(range.from).number; number <= last; number++) numbers.add(number);
  }
  return numbers;
}
