// The panel before the first question: a greeting, and articles on the subject of the page.
import { articleRows, element } from "./nodes.js";

export class Home {
  constructor(panel) {
    const { texts } = panel;
    this.panel = panel;
    this.list = element("ul", { class: "rows", "aria-label": texts.suggestions });
    this.suggested = element("div", { class: "suggested", hidden: true }, element("p", { class: "label", "aria-hidden": "true" }, texts.suggestions), this.list);
    this.node = element("div", { class: "home" }, element("p", { class: "greeting" }, texts.empty), this.suggested);
  }

  /** The articles for the page that the visitor is on now, which may be another one than before. */
  async fill() {
    const { panel, list } = this;
    const page = panel.pageUrl;
    if (this.page === page) return;
    this.page = page;
    try {
      const { results } = await panel.api.suggestions(page);
      if (this.page !== page) return;
      list.replaceChildren(...articleRows(results, (link) => panel.showArticle(link)));
      this.suggested.hidden = results.length === 0;
    } catch {
      // Asking needs none; the next opening tries again.
      this.page = undefined;
    }
  }
}
