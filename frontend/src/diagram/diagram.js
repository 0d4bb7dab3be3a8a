// Draws one Mermaid diagram, in a frame that can reach nothing: its text comes by message, its height goes back.
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
let count = 0;

const report = () => parent.postMessage({ height: Math.ceil(document.body.getBoundingClientRect().height) }, "*");

addEventListener("message", async ({ data, source }) => {
  if (source !== parent) return;
  try {
    mermaid.initialize({ ...OPTIONS, theme: data.isDark ? "dark" : "default" });
    count += 1;
    const { svg } = await mermaid.render(`diagram-${count}`, data.text.replaceAll(TAG, "#lt;"));
    document.body.innerHTML = svg;
    report();
  } catch {
    parent.postMessage({ height: 0 }, "*");
  }
});
// While a diagram is drawn, the body holds other things.
new ResizeObserver(() => document.querySelector("body > svg") && report()).observe(document.body);
parent.postMessage({ isReady: true }, "*");
