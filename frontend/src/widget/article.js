// An article, read inside the panel: a source of an answer, or one that was found.
import { addressOf, linkTo, render } from "./markdown.js";
import { element } from "./nodes.js";
import { rating } from "./rating.js";

// More pixels than a panel shows on the finest screen would only take memory.
const MAX_PICTURE_WIDTH = 1200;

export class ArticleView {
  constructor(panel, link) {
    Object.assign(this, { panel, link });
    this.first = element("h3", { tabindex: "-1", dir: "auto" }, link.title);
    const page = linkTo(addressOf(link.url, panel.config.helpUrl), [panel.texts.openPage]);
    this.node = element("div", { class: "article", "aria-busy": "true" }, this.first, element("p", {}, page));
  }

  async load() {
    const { panel, link, node } = this;
    const { api, widget } = panel;
    try {
      const article = await api.article(link.articleId);
      const picture = (words, address) => pictureOf(api, words, address);
      const text = render(article.contentMarkdown, { base: article.url, picture, definitions: new Map() });
      node.append(element("div", { class: "text", dir: "auto", lang: article.locale }, text));
      node.append(rating(panel, (helpful) => api.send("/feedback", { articleId: link.articleId, helpful })));
      this.showHeading();
    } catch ({ status = 0 }) {
      // The page itself is one click away; its passage is here in any case.
      node.append(element("blockquote", { dir: "auto", class: "lines" }, link.excerpt));
      widget.tell("error", { status });
    }
    node.removeAttribute("aria-busy");
  }

  /** The passage that it was opened for. */
  showHeading() {
    const { heading } = this.link;
    const place = [...this.node.querySelectorAll("h2, h3, h4, h5, h6")].find(({ textContent }) => textContent === heading);
    if (place) this.panel.reveal(place);
  }
}

/** Pictures of the help center alone: those of others would tell them who reads. */
function pictureOf(api, words, address) {
  if (address.origin !== api.widget.site) return words;
  const canvas = element("canvas", { role: "img", "aria-label": words, width: 1, height: 1 });
  api.picture(address).then(
    (bitmap) => {
      const width = Math.min(bitmap.width, MAX_PICTURE_WIDTH);
      Object.assign(canvas, { width, height: Math.round((bitmap.height * width) / bitmap.width) });
      canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    },
    () => canvas.replaceWith(words),
  );
  return canvas;
}
