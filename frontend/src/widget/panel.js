// The panel: articles for the page, a conversation, an article inside of it, and a form for a person.
import { ArticleView } from "./article.js";
import { Conversation } from "./conversation.js";
import { Finder } from "./finder.js";
import { Home } from "./home.js";
import { host } from "./host.js";
import { textsIn } from "./languages.js";
import { button, element, icon } from "./nodes.js";
import { PersonForm } from "./person.js";
import { Api } from "./requests.js";
import panelStyle from "./panel.css";

const CROSS = "M6 6l12 12M18 6L6 18";
const ARROW = "M19 12H5m6-7l-7 7 7 7";

export class Panel {
  constructor(widget, place, config) {
    Object.assign(this, { widget, place, config, texts: textsIn(widget.language), api: new Api(widget), tops: new WeakMap(), trail: [] });
    this.isInline = Boolean(place.form);
    this.build();
    this.begin();
    this.putIntoPlace();
  }

  build() {
    const { texts, config } = this;
    const { dir, language } = this.widget;
    this.form = this.place.form ?? this.askForm();
    [this.field] = this.form.elements;
    this.status = element("p", { class: "hidden", role: "status" });
    this.closing = button(icon(CROSS), () => this.close(), { class: "quiet", "aria-label": texts.close, title: texts.close, hidden: this.isInline });
    this.back = button(icon(ARROW, { class: "icon along" }), () => this.leave(), { class: "quiet", "aria-label": texts.back, title: texts.back, hidden: true });
    this.person = button(texts.person, () => this.showPerson(), { class: "link" });
    this.main = element("div", { class: "main" });
    this.finder = new Finder(this);
    const attributes = { class: "panel", "aria-label": config.name, lang: language, dir, keydown: (event) => this.press(event), focusout: (event) => this.uncover(event) };
    this.dialog = element("section", { ...attributes, role: this.isInline ? "region" : "dialog", hidden: !this.isInline });
    const { accent } = config;
    if (accent) this.dialog.style.setProperty("--blue", `light-dark(${accent.light}, ${accent.dark})`);
    // Keys that are meant for the panel are no shortcuts of the page.
    for (const type of ["keydown", "keypress", "keyup"]) this.dialog.addEventListener(type, (event) => event.stopPropagation());
  }

  askForm() {
    const form = this.widget.askForm();
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    return form;
  }

  /** The form of a place in the page stays where it is: whoever writes in it goes on writing. */
  putIntoPlace() {
    const { root } = this.place;
    const style = new CSSStyleSheet();
    style.replaceSync(panelStyle);
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, style];
    const header = element("header", {}, this.back, element("h2", { dir: "auto" }, this.config.name), this.closing);
    const footer = element("footer", {}, this.person, this.status);
    const parts = [header, this.main, this.finder.node];
    if (this.isInline) {
      this.form.before(this.dialog);
      this.keepWriting(() => this.dialog.append(...parts, this.form, footer));
      this.home.fill();
    } else {
      this.dialog.append(...parts, this.form, footer);
      root.append(this.dialog);
      this.fitKeyboard();
    }
  }

  /** Moving an element takes the focus and the selection from it. */
  keepWriting(move) {
    const { field, place } = this;
    const { selectionStart, selectionEnd } = field;
    const active = place.root.activeElement;
    move();
    if (!active) return;
    active.focus({ preventScroll: true });
    field.setSelectionRange(selectionStart, selectionEnd);
    if (field.value) this.finder.type();
  }

  /** On a phone the keyboard covers a part of the window. */
  fitKeyboard() {
    const { visualViewport } = window;
    visualViewport?.addEventListener("resize", () => this.dialog.style.setProperty("--window", `${visualViewport.height}px`));
  }

  /** The page that questions come from: without what may be private in its address. */
  get pageUrl() {
    const { origin, pathname, hash } = location;
    return this.widget.settings.pageUrl ?? origin + pathname + (/^#!?\//.test(hash) ? hash : "");
  }

  begin() {
    this.log = element("div", { class: "log" });
    this.conversation = new Conversation(this);
    this.home = new Home(this);
    this.personForm = undefined;
    this.trail = [];
    this.show(this.home.node);
  }

  open() {
    const { place, dialog, field } = this;
    if (!this.isInline && dialog.hidden) {
      this.opener = host.activeElement;
      dialog.hidden = false;
      if (place.button) place.button.ariaExpanded = "true";
      this.widget.tell("open");
    }
    this.home.fill();
    if (!this.trail.length) field.focus();
  }

  close() {
    if (this.isInline || this.dialog.hidden) return;
    this.hide();
    const { place, opener } = this;
    const target = opener?.isConnected && opener !== place.element && opener !== host.body ? opener : place.button;
    target?.focus();
  }

  hide() {
    this.dialog.hidden = true;
    if (this.place.button) this.place.button.ariaExpanded = "false";
    this.widget.tell("close");
  }

  toggle() {
    return this.dialog.hidden ? this.open() : this.close();
  }

  /** On a phone the panel covers the page: what gets the focus there must be seen. */
  uncover({ relatedTarget }) {
    const isCovering = !this.isInline && this.dialog.offsetWidth >= host.documentElement.clientWidth;
    if (isCovering && relatedTarget && !this.dialog.contains(relatedTarget)) this.hide();
  }

  /** Open, and ask this at once. */
  ask(question) {
    this.open();
    if (typeof question === "string" && question.trim()) this.submit(question);
  }

  submit(question = this.field.value) {
    const words = question.trim();
    if (!words || this.conversation.isAsking) return;
    this.finder.clear();
    this.field.value = "";
    this.trail = [];
    this.show(this.log);
    this.conversation.ask(words);
  }

  /** Forget the conversation. */
  reset() {
    this.field.value = "";
    this.finder.clear();
    this.begin();
    if (this.isInline || !this.dialog.hidden) this.home.fill();
  }

  press(event) {
    if (event.key !== "Escape") return;
    if (this.trail.length) this.leave();
    else if (!this.finder.node.hidden) this.field.focus(this.finder.clear());
    else this.close();
  }

  showPerson() {
    this.personForm ??= new PersonForm(this);
    this.enter(this.personForm);
  }

  showArticle(link) {
    const view = new ArticleView(this, link);
    this.enter(view);
    view.load();
  }

  /** Go to a view; the way back leads to where the focus is now. */
  enter({ node, first }) {
    this.trail.push({ node: this.main.firstChild, focus: this.place.root.activeElement });
    this.show(node);
    first.focus();
  }

  leave() {
    const { node, focus } = this.trail.pop();
    this.show(node);
    (focus?.isConnected && focus.checkVisibility() ? focus : this.field).focus();
  }

  show(node) {
    const { main, tops } = this;
    if (main.firstChild) tops.set(main.firstChild, main.scrollTop);
    main.replaceChildren(node);
    main.scrollTop = tops.get(node) ?? 0;
    const isInside = this.trail.length > 0;
    this.back.hidden = !isInside;
    this.form.hidden = isInside;
    this.finder.node.hidden = isInside || this.finder.buttons.length === 0;
    this.person.hidden = node.matches(".person");
  }

  /** In the page itself it scrolls no further than it must. */
  reveal(node) {
    node.scrollIntoView({ block: this.isInline ? "nearest" : "start" });
    this.revealedTop = this.main.scrollTop;
  }

  /** A question goes up as its answer grows, unless the visitor has scrolled meanwhile. */
  follow(question) {
    if (!this.isInline && this.main.scrollTop === this.revealedTop) this.reveal(question);
  }

  /** Screen readers hear it once. */
  announce(words) {
    this.status.textContent = words;
  }
}
