// Questions and their answers, in the order in which they were asked.
import { render } from "./markdown.js";
import { articleRows, button, element } from "./nodes.js";
import { rating } from "./rating.js";
import { Failure } from "./requests.js";
import { randomNumber } from "./visitor.js";

const SECOND = 1000;

export class Conversation {
  constructor(panel) {
    Object.assign(this, { panel, id: undefined, isAsking: false, isWithPerson: false });
  }

  async ask(question) {
    const { panel } = this;
    const shown = element("p", { class: "question", dir: "auto" }, question);
    const answer = new Answer(panel, shown);
    panel.log.append(shown, answer.node);
    panel.reveal(shown);
    panel.widget.tell("ask");
    // With the same id the help center answers it once, however often it is sent.
    await this.send({ question, questionId: randomNumber() }, answer);
  }

  async send(asked, answer, isRepeated = false) {
    const { api, widget, pageUrl } = this.panel;
    const { locale } = api;
    this.isAsking = true;
    answer.begin();
    try {
      const values = { ...asked, conversationId: this.id, locale, pageUrl };
      const whole = await api.ask(values, (name, data) => answer.take(name, data));
      if (this !== this.panel.conversation) return;
      this.id = whole.conversationId;
      answer.finish(whole);
      widget.tell("answer", { answered: whole.answered });
    } catch (error) {
      const failure = error instanceof Failure ? error : new Failure(500);
      // An answer that broke off is often complete at the help center by now.
      if (failure.isCut && navigator.onLine && !isRepeated) return await this.send(asked, answer, true);
      answer.fail(failure, () => this.isAsking || this.send(asked, answer));
      widget.tell("error", { status: failure.status });
    } finally {
      this.isAsking = false;
    }
  }
}

class Answer {
  constructor(panel, question) {
    Object.assign(this, { panel, question, node: element("div", { class: "answer" }), body: element("div", { class: "text", dir: "auto" }) });
  }

  begin() {
    this.sources = [];
    this.text = "";
    const hadFocus = this.node.contains(this.panel.place.root.activeElement);
    this.node.setAttribute("aria-busy", "true");
    this.node.replaceChildren(element("p", { class: "working" }, this.panel.texts.working), this.body);
    this.panel.follow(this.question);
    if (hadFocus) this.panel.field.focus();
    this.panel.announce(this.panel.texts.working);
  }

  take(name, data) {
    if (name === "sources") this.sources = data.sources;
    if (name !== "delta" && name !== "replace") return;
    this.node.querySelector(".working")?.remove();
    this.text = name === "delta" ? this.text + data.text : data.text;
    this.draw();
  }

  draw() {
    const base = this.panel.config.helpUrl;
    this.body.replaceChildren(...render(this.text, { base, mark: (number) => this.mark(number) }));
    this.panel.follow(this.question);
  }

  mark(number) {
    const source = this.sources.find(({ n }) => n === number);
    return source && button(String(number), () => this.panel.showArticle(source), { class: "mark", "aria-label": `${number}: ${source.title}` });
  }

  finish(whole) {
    const { panel, body, node } = this;
    const { texts } = panel;
    Object.assign(this, { text: whole.answer, sources: whole.sources });
    const { locale } = whole.sources[0] ?? {};
    if (locale && whole.answered && !whole.translatedFrom) body.lang = locale;
    this.draw();
    node.removeAttribute("aria-busy");
    const rows = articleRows(whole.sources, (source) => panel.showArticle(source));
    const list = rows.length > 0 && element("ul", { class: "rows", "aria-label": texts.sources.replace("{count}", rows.length) }, rows);
    const note = whole.translatedFrom && element("p", { class: "hint" }, texts.translated);
    node.replaceChildren(body, note || "", list || "", this.next(whole));
    panel.follow(this.question);
    panel.announce(this.spoken);
  }

  /** An answer is rated; where there is none, the way leads to a person. */
  next({ answered, messageId }) {
    const { panel } = this;
    if (!answered) return button(panel.texts.person, () => panel.showPerson(), { class: "first" });
    return rating(panel, (helpful) => panel.api.send(`/chat/messages/${messageId}/feedback`, { helpful }));
  }

  /** The words alone: the numbers of sources would be read into the sentences. */
  get spoken() {
    const copy = this.body.cloneNode(true);
    for (const mark of copy.querySelectorAll(".mark")) mark.remove();
    const { length } = this.sources;
    return `${copy.textContent} ${length > 0 ? this.panel.texts.sources.replace("{count}", length) : ""}`.trim();
  }

  /** Words that have arrived stay; the same question goes out again when the visitor says so, or the connection is back. */
  fail(failure, again) {
    const { texts } = this.panel;
    const words = texts[failure.textName];
    this.node.removeAttribute("aria-busy");
    this.node.querySelector(".working")?.remove();
    const retry = button(texts.again, again);
    // A limit that says when it ends is not asked before.
    if (failure.seconds) {
      retry.disabled = true;
      setTimeout(() => (retry.disabled = false), failure.seconds * SECOND);
    }
    if (!navigator.onLine) window.addEventListener("online", () => retry.isConnected && again(), { once: true });
    this.node.append(element("p", { class: "failure" }, words, " ", retry));
    this.panel.follow(this.question);
    this.panel.announce(words);
  }
}
