// Mermaid diagrams, each drawn in a sandboxed frame of its own. Without this script, or if one can't be drawn, its
// source is shown.
// A frame loads the drawing script, which is large, so it waits until its place is about to be seen. A browser's own
// `loading="lazy"` loads more than a page height ahead.
const NEAR = "200px";
const PATIENCE_MILLISECONDS = 25_000;
const MAX_DIAGRAMS = 20;
const MAX_CHARACTERS = 10_000;
const MAX_HEIGHT = 4_000;
const MAX_WIDTH = 4_000;
// Sources that the server has folded, with and without a button that copies them. Authors can also name the language
// of code within a sentence.
const SOURCES = "details > summary + :is(pre, .copied) code.language-mermaid";
/** Ends the work of a drawing, by its place. */
const drawings = new WeakMap();

export function drawDiagrams() {
  const address = document.querySelector("script[data-diagram]")?.dataset.diagram;
  const sources = [...document.querySelectorAll(`.prose ${SOURCES}`)].slice(0, MAX_DIAGRAMS);
  for (const code of sources) {
    const text = code.textContent;
    const details = code.closest("details");
    const isDrawn = details.open || details.previousElementSibling?.matches(".diagram");
    if (address && !isDrawn && text.length <= MAX_CHARACTERS) draw(details, text, address);
  }
}

/** Take the drawings out of a text that is replaced; the result puts back those whose source is still there. */
export function keepDiagrams(text, parking) {
  const places = [...text.querySelectorAll(".diagram")];
  for (const place of places) move(place, parking, null);
  return () => {
    const sources = [...text.querySelectorAll(SOURCES)];
    for (const place of places) {
      const found = sources.findIndex((code) => code.textContent === place.dataset.source);
      const [code] = found < 0 ? [] : sources.splice(found, 1);
      if (code) move(place, code.closest("details").parentNode, code.closest("details"));
      else remove(place);
    }
  };
}

function remove(place) {
  drawings.get(place).abort();
  place.remove();
}

/** Frames load again where a browser can't move them. */
const move = (place, parent, next) => (parent.moveBefore ?? parent.insertBefore).call(parent, place, next);

/** A place that is narrower than its drawing scrolls, also by keyboard. */
function letScroll(place, label) {
  const isWide = place.scrollWidth > place.clientWidth;
  for (const [name, value] of Object.entries({ tabindex: "0", role: "group", "aria-label": label })) {
    if (isWide) place.setAttribute(name, value);
    else place.removeAttribute(name);
  }
}

function draw(details, text, address) {
  const place = document.createElement("div");
  const frame = document.createElement("iframe");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const drawing = new AbortController();
  const { signal } = drawing;
  drawings.set(place, drawing);
  place.className = "diagram";
  place.dataset.source = text;
  Object.assign(frame, { title: details.querySelector("summary").textContent, src: address });
  frame.sandbox = "allow-scripts";
  // A drawing has nothing that the keyboard could reach.
  frame.tabIndex = -1;
  let patience;
  const send = () => {
    clearTimeout(patience);
    patience = setTimeout(giveUp, PATIENCE_MILLISECONDS);
    frame.contentWindow?.postMessage({ text, isDark: dark.matches }, "*");
  };
  const receive = ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    if (data?.isReady) return send();
    clearTimeout(patience);
    if (!(data?.height > 0)) return giveUp();
    frame.height = Math.min(data.height, MAX_HEIGHT);
    frame.style.minWidth = `${Math.min(data.minWidth, MAX_WIDTH)}px`;
    letScroll(place, frame.title);
  };
  const giveUp = () => {
    // A text that was replaced has another source below the drawing.
    place.nextElementSibling?.setAttribute("open", "");
    remove(place);
  };
  addEventListener("message", receive, { signal });
  frame.addEventListener("load", () => (patience ??= setTimeout(giveUp, PATIENCE_MILLISECONDS)));
  details.before(place);
  const observer = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (!isIntersecting) return;
      observer.disconnect();
      dark.addEventListener("change", send, { signal });
      place.append(frame);
    },
    { rootMargin: NEAR },
  );
  observer.observe(place);
  signal.addEventListener("abort", () => {
    observer.disconnect();
    clearTimeout(patience);
  });
}
