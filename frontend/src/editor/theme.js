// The theme of the editor uses the design tokens of the page, which shadow roots inherit.
import { EditorView } from "@codemirror/view";

const mono = { fontFamily: "var(--mono)", fontSize: ".92em" };

export const theme = EditorView.theme({
  "&": { color: "var(--ink)", fontSize: "1.02rem" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--sans)", lineHeight: "1.62", overflowX: "auto" },
  ".cm-content": { padding: "var(--s3) 0", caretColor: "var(--ink)", minHeight: "24rem" },
  ".cm-line": { padding: "0 var(--s4)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--ins-mark)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--marker)" },
  ".cm-searchMatch": { backgroundColor: "var(--marker)", outline: "1px solid var(--marker-line)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--marker-line)", color: "oklch(.2 .02 250)" },

  ".md-h1, .md-h2, .md-h3, .md-h4": { fontWeight: "700", letterSpacing: "-.012em", lineHeight: "1.3" },
  ".md-h1": { fontSize: "1.55em" },
  ".md-h2": { fontSize: "1.32em" },
  ".md-h3": { fontSize: "1.12em" },
  ".md-strong": { fontWeight: "700" },
  ".md-em": { fontStyle: "italic" },
  ".md-del": { textDecoration: "line-through" },
  ".md-code": { ...mono, backgroundColor: "var(--tint)", borderRadius: "var(--r1)", padding: ".1em .2em" },
  ".md-link": { color: "var(--blue)", textDecoration: "underline", textUnderlineOffset: ".18em", textDecorationThickness: "1px" },
  ".md-url": { ...mono, color: "var(--ink-2)" },
  ".md-mark": { color: "var(--ink-2)" },
  ".md-away": { color: "var(--ink-3)", fontWeight: "400" },
  ".md-quote": { color: "var(--ink-2)", boxShadow: "inset 3px 0 var(--rule)" },
  ".md-block": { ...mono, backgroundColor: "var(--tint)" },
  ".md-table": mono,
  ".md-html": { ...mono, color: "var(--ink-2)" },
  ".md-problem": { textDecoration: "underline wavy var(--amber)" },
  ".md-rule": { color: "var(--ink-3)" },
  ".md-shown": { backgroundColor: "var(--blue-bg)" },
  ".md-uploading": { backgroundColor: "var(--blue-bg)", borderRadius: "var(--r1)", color: "var(--ink-2)", padding: ".1em .4em" },

  ".cm-panels": { backgroundColor: "var(--tint)", color: "var(--ink)", borderColor: "var(--rule)" },
  ".cm-panel.cm-search": { padding: "var(--s2) var(--s3)", fontSize: "var(--t0)" },
  ".cm-panel.cm-search label": { display: "inline-flex", alignItems: "center", gap: ".25rem", minHeight: "1.5rem", fontSize: "var(--t-1)" },
  ".cm-panel.cm-search [name=close]": { color: "inherit", minWidth: "1.5rem", minHeight: "1.5rem" },
  ".cm-textfield": { border: "1px solid var(--edge)", borderRadius: "var(--r1)", backgroundColor: "var(--sheet)", color: "inherit", font: "inherit", minHeight: "1.75rem" },
  ".cm-button": { border: "1px solid var(--edge)", borderRadius: "var(--r1)", backgroundColor: "var(--sheet)", backgroundImage: "none", color: "inherit", font: "inherit", minHeight: "1.75rem", cursor: "pointer" },

  ".cm-tooltip": { border: "1px solid var(--rule)", borderRadius: "var(--r2)", backgroundColor: "var(--sheet)", color: "var(--ink)", boxShadow: "var(--float)", overflow: "hidden" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--sans)", fontSize: "var(--t0)", maxHeight: "18rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: ".35rem var(--s3)", minHeight: "1.75rem" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--blue-bg)", color: "var(--ink)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontStyle: "normal", marginInlineStart: "var(--s3)" },
});
