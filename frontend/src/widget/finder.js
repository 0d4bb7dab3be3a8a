// Articles for what is being typed: many questions are answered before they are asked.
import { articleRows, element } from "./nodes.js";

const PAUSE_MILLISECONDS = 180;
// Long enough that screen readers are not interrupted with each letter.
const TELL_MILLISECONDS = 900;
const MIN_CHARACTERS = 2;
const MAX_CHARACTERS = 500;

export class Finder {
  constructor(panel) {
    this.panel = panel;
    this.list = element("ul", { class: "rows", "aria-label": panel.texts.articles, keydown: (event) => this.move(event) });
    this.node = element("div", { class: "found", hidden: true }, this.list);
    panel.field.addEventListener("input", () => this.type());
    panel.field.addEventListener("keydown", (event) => this.enter(event));
  }

  get buttons() {
    return [...this.list.querySelectorAll("button")];
  }

  type() {
    this.stop();
    const words = this.panel.field.value.trim();
    if (words.length < MIN_CHARACTERS || words.length > MAX_CHARACTERS) return this.clear();
    this.timer = setTimeout(() => this.find(words), PAUSE_MILLISECONDS);
  }

  stop() {
    clearTimeout(this.timer);
    this.request?.abort();
  }

  async find(words) {
    const { panel } = this;
    this.request = new AbortController();
    const { signal } = this.request;
    try {
      const { results } = await panel.api.search(words, signal);
      if (signal.aborted) return;
      this.list.replaceChildren(...articleRows(results, (link) => panel.showArticle(link)));
      this.show(results.length > 0);
      this.timer = setTimeout(() => panel.announce(panel.texts.found.replace("{count}", results.length)), TELL_MILLISECONDS);
    } catch {
      // A question can be asked without it.
    }
  }

  show(isFound) {
    this.node.hidden = !isFound;
    this.panel.home.node.toggleAttribute("data-aside", isFound);
  }

  clear() {
    this.stop();
    this.show(false);
    this.list.replaceChildren();
  }

  /** From the field into the list: up to its end, which is nearest, down to its beginning. */
  enter(event) {
    const { buttons } = this;
    const target = { ArrowUp: buttons.at(-1), ArrowDown: buttons[0] }[event.key];
    if (!target || this.node.hidden) return;
    event.preventDefault();
    target.focus();
  }

  move(event) {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = this.buttons.indexOf(event.target) + step;
    (this.buttons[place] ?? this.panel.field).focus();
  }
}
