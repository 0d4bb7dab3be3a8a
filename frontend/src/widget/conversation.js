// Questions and their answers, in the order in which they were asked.
import { render } from "./markdown.js";
import { button, element } from "./nodes.js";

const BUSY = 429;

export class Conversation {
  constructor(panel) {
    Object.assign(this, { panel, id: undefined, isAsking: false });
  }

  async ask(question) {
    const { panel } = this;
    panel.log.querySelector(".greeting")?.remove();
    const answer = new Answer(panel, question);
    panel.log.append(element("p", { class: "question", dir: "auto" }, question), answer.node);
    answer.node.previousSibling.scrollIntoView({ block: "start" });
    panel.widget.tell("ask");
    await this.send(question, answer);
  }

  async send(question, answer) {
    const { api, settings, widget } = { ...this.panel, settings: this.panel.widget.settings };
    this.isAsking = true;
    answer.begin();
    try {
      const values = {
        question,
        conversationId: this.id,
        locale: widget.locale,
        pageUrl: settings.pageUrl ?? location.href.split("#")[0],
        visitorToken: settings.visitorToken,
      };
      const whole = await api.ask(values, (name, data) => answer.take(name, data));
      this.id = whole.conversationId;
      answer.finish(whole);
      widget.tell("answer", { answered: whole.answered });
    } catch (failure) {
      answer.fail(failure, () => this.send(question, answer));
      widget.tell("error");
    } finally {
      this.isAsking = false;
    }
  }
}

class Answer {
  constructor(panel, question) {
    Object.assign(this, { panel, question, node: element("div", { class: "answer" }) });
  }

  begin() {
    this.sources = [];
    this.text = "";
    this.body = element("div", { class: "text", dir: "auto" });
    this.node.setAttribute("aria-busy", "true");
    this.node.replaceChildren(element("p", { class: "working" }, this.panel.texts.working), this.body);
    this.panel.announce(this.panel.texts.working);
  }

  take(name, data) {
    if (name === "sources") this.sources = data.sources;
    if (name !== "delta") return;
    this.node.querySelector(".working")?.remove();
    this.text += data.text;
    this.draw();
  }

  draw() {
    const base = this.panel.config.helpUrl;
    this.body.replaceChildren(...render(this.text, { base, mark: (number) => this.mark(number) }));
  }

  mark(number) {
    const source = this.sources.find(({ n }) => n === number);
    return source && button(String(number), () => this.panel.showSource(source), { class: "mark", "aria-label": `${number}: ${source.title}` });
  }

  finish(whole) {
    const { panel } = this;
    Object.assign(this, { text: whole.answer, sources: whole.sources });
    this.draw();
    this.node.removeAttribute("aria-busy");
    this.node.replaceChildren(this.body, this.sourceList(), this.rating(whole.messageId));
    panel.announce(this.body.textContent);
  }

  sourceList() {
    const open = (source) => () => this.panel.showSource(source);
    const item = (source) =>
      element(
        "li",
        {},
        element("span", { class: "mark", "aria-hidden": "true" }, String(source.n)),
        element("div", {}, button(source.title, open(source), { class: "link" }), source.heading && element("small", {}, source.heading)),
      );
    return element("ul", { class: "sources" }, this.sources.map(item));
  }

  rating(messageId) {
    const { texts, api } = this.panel;
    const line = element("p", { class: "rating" });
    const rate = (helpful) => async () => {
      line.textContent = texts.thanks;
      this.panel.field.focus();
      await api.send(`/chat/messages/${messageId}/feedback`, { helpful }).catch(() => this.panel.widget.tell("error"));
    };
    line.append(texts.helped, " ", button(texts.yes, rate(true)), " ", button(texts.no, rate(false)));
    return line;
  }

  /** What has arrived stays; the same question goes out again when the visitor says so. */
  fail({ status, seconds }, again) {
    const { texts } = this.panel;
    const words = status === 0 ? texts.offline : status === BUSY ? texts.busy : texts.broken;
    this.node.removeAttribute("aria-busy");
    this.node.querySelector(".working")?.remove();
    const retry = button(texts.again, again);
    // A limit that says when it ends is not asked before.
    if (seconds) {
      retry.disabled = true;
      setTimeout(() => (retry.disabled = false), seconds * 1000);
    }
    this.node.append(element("p", { class: "failure" }, words, " ", retry));
    this.panel.announce(words);
  }
}
