// The panel: a conversation, an article inside of it, and a form for a person. It is loaded with the first use.
import { Conversation } from "./conversation.js";
import { showArticle } from "./article.js";
import { languageOf } from "./languages.js";
import { button, element } from "./nodes.js";
import { PersonForm } from "./person.js";
import { Api, forgetVisitor } from "./requests.js";
import { isRightToLeft, textsIn } from "./texts.js";
import panelStyle from "./panel.css";

/** The panel of a widget, with what the help center says of itself. */
export async function open(widget) {
  const api = new Api(widget);
  const config = await api.config(widget.locale ?? languageOf());
  return new Panel(widget, api, config);
}

class Panel {
  constructor(widget, api, config) {
    Object.assign(this, { widget, api, config, texts: textsIn(widget.locale ?? languageOf()) });
    this.build();
    if (widget.launcher) this.putInto(widget.launcher);
  }

  build() {
    const { texts } = this;
    this.log = element("div", { class: "log", tabindex: "-1" });
    this.status = element("p", { class: "hidden", role: "status" });
    this.field = element("input", { type: "text", name: "question", "aria-label": texts.question, placeholder: texts.question, maxlength: "2000", autocomplete: "off", enterkeyhint: "send" });
    this.form = element("form", { class: "ask", submit: (event) => this.submit(event) }, this.field, element("button", { class: "first" }, texts.ask));
    this.close_ = button(texts.close, () => this.close(), { class: "quiet" });
    this.back = button(texts.back, () => this.showConversation(), { class: "quiet", hidden: true });
    this.person = button(texts.person, () => this.showPerson(), { class: "link" });
    this.main = element("div", { class: "main" });
    this.dialog = element(
      "section",
      { class: "panel", role: "dialog", "aria-label": this.config.name, hidden: true, keydown: (event) => this.press(event), focusout: (event) => this.uncover(event) },
      element("header", {}, this.back, element("h2", {}, this.config.name), this.close_),
      this.main,
      this.form,
      element("footer", {}, this.person, this.status),
    );
    this.dialog.dir = isRightToLeft(this.widget.locale ?? languageOf()) ? "rtl" : "ltr";
    this.dialog.lang = languageOf(this.widget.locale);
    this.conversation = new Conversation(this);
    this.showConversation();
  }

  putInto({ root }) {
    const style = new CSSStyleSheet();
    style.replaceSync(panelStyle);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets.slice(0, 1), style];
    root.append(this.dialog);
  }

  /** In a place of the page itself, where it stays. */
  openIn(place, former) {
    this.putInto(place);
    this.dialog.classList.add("inline");
    this.dialog.role = "region";
    this.close_.hidden = true;
    former.remove();
    this.open();
  }

  get isInline() {
    return this.dialog.classList.contains("inline");
  }

  open() {
    if (!this.dialog.isConnected) return;
    this.dialog.hidden = false;
    this.widget.launcher?.button.setAttribute("aria-expanded", "true");
    this.field.focus();
    this.widget.tell("open");
  }

  close() {
    if (this.isInline || this.dialog.hidden) return;
    this.hide();
    this.widget.launcher?.button.focus();
  }

  hide() {
    this.dialog.hidden = true;
    this.widget.launcher?.button.setAttribute("aria-expanded", "false");
    this.widget.tell("close");
  }

  /** On a phone the panel covers the page: what gets the focus there must be seen. */
  uncover({ relatedTarget }) {
    const isCovering = !this.isInline && this.dialog.offsetWidth >= document.documentElement.clientWidth;
    if (isCovering && relatedTarget && !this.dialog.contains(relatedTarget)) this.hide();
  }

  toggle() {
    return this.dialog.hidden ? this.open() : this.close();
  }

  /** Open, and ask this at once. */
  ask(question) {
    this.open();
    this.showConversation();
    if (question) return this.conversation.ask(String(question));
    return undefined;
  }

  /** Forget the conversation and the visitor. */
  reset() {
    forgetVisitor();
    this.conversation = new Conversation(this);
    this.log.replaceChildren();
    this.showConversation();
  }

  forget() {
    forgetVisitor();
  }

  submit(event) {
    event.preventDefault();
    const question = this.field.value.trim();
    if (!question || this.conversation.isAsking) return;
    this.field.value = "";
    this.showConversation();
    this.conversation.ask(question);
  }

  press(event) {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (this.back.hidden) this.close();
    else this.showConversation();
  }

  showConversation() {
    if (this.log.childElementCount === 0) this.log.append(element("p", { class: "greeting" }, this.texts.empty));
    this.show(this.log, false);
  }

  showPerson() {
    this.show(new PersonForm(this).node, true);
  }

  async showSource(source) {
    const page = element("div", { class: "article" });
    this.show(page, true);
    await showArticle(this, page, source);
  }

  show(node, isInside) {
    this.main.replaceChildren(node);
    this.back.hidden = !isInside;
    this.form.hidden = isInside;
    this.person.hidden = node.matches("form");
    if (isInside) (node.querySelector("input, [tabindex]") ?? this.back).focus();
    else if (!this.dialog.hidden) this.field.focus();
  }

  /** Screen readers hear it once, when all of it is there. */
  announce(words) {
    this.status.textContent = words;
  }
}
