// A source of an answer, read inside the panel.
import { render } from "./markdown.js";
import { element } from "./nodes.js";

export async function showArticle({ api, texts, announce, widget }, page, source) {
  const link = element("a", { href: source.url, target: "_blank", rel: "noopener noreferrer" }, texts.openPage);
  const title = element("h3", { tabindex: "-1", dir: "auto" }, source.title);
  page.append(title, element("p", {}, link));
  title.focus();
  try {
    const article = await api.article(source.articleId);
    page.append(element("div", { class: "text", dir: "auto", lang: article.locale }, render(article.contentMarkdown, { base: article.url })));
    scrollToHeading(page, source.heading);
  } catch {
    // The page itself is one click away; its passage is here in any case.
    page.append(element("blockquote", { dir: "auto" }, source.excerpt));
    widget.tell("error");
  }
}

function scrollToHeading(page, heading) {
  const place = [...page.querySelectorAll("h2, h3, h4")].find(({ textContent }) => heading?.endsWith(textContent));
  place?.scrollIntoView({ block: "start" });
}
