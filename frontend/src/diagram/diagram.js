// Draws one Mermaid diagram, in a frame that can reach nothing: its text comes by message, its size goes back.
import mermaid from "mermaid";

const OPTIONS = {
  startOnLoad: false,
  securityLevel: "strict",
  suppressErrorRendering: true,
  layout: "dagre",
  maxTextSize: 10_000,
  maxEdges: 300,
};
// Tags in a text stay text, other than these without attributes.
const TAG = /(?<!<)<(?=[a-z/!?])(?!\/?(?:br|b|i|u|em|strong|sub|sup|code)\s*\/?>)/gi;
// A wide drawing becomes smaller down to this, so that its words can be read, and scrolls sideways from there.
const MIN_SCALE = 0.75;
let count = 0;

const drawingOf = (document) => document.querySelector("body > svg");

function report(drawing) {
  const height = Math.ceil(document.body.getBoundingClientRect().height);
  const minWidth = Math.ceil(drawing.viewBox.baseVal.width * MIN_SCALE);
  parent.postMessage({ height, minWidth }, "*");
}

addEventListener("message", async ({ data, source }) => {
  if (source !== parent) return;
  try {
    mermaid.initialize({ ...OPTIONS, theme: data.isDark ? "dark" : "default" });
    count += 1;
    const { svg } = await mermaid.render(`diagram-${count}`, data.text.replaceAll(TAG, "#lt;"));
    document.body.innerHTML = svg;
    report(drawingOf(document));
  } catch {
    parent.postMessage({ height: 0 }, "*");
  }
});
// While a diagram is drawn, the body holds other things.
new ResizeObserver(() => drawingOf(document) && report(drawingOf(document))).observe(document.body);
parent.postMessage({ isReady: true }, "*");
