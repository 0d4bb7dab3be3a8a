// The script that a page loads: one button. The panel comes with its first use; before that nothing is asked for and nothing is kept.
//
//     <script async src="https://help.example.com/widget.js" data-bot="BOT_ID" data-key="BOT_KEY"></script>
import { host } from "./host.js";
import { directionOf, languageOf, textsIn } from "./languages.js";
import launcherStyle from "./launcher.css";
import { forgetVisitor } from "./visitor.js";

/* global PANEL */
const COMMANDS = ["open", "close", "ask", "identify", "update", "on", "reset", "destroy"];
// Above all of a page's own styles, `!important` ones too, because they stand in the element itself.
const UNTOUCHED = "all: initial !important; color-scheme: ";
// Room for the launcher of another widget of the page.
const STEP = 60;

const make = (name, properties) => Object.assign(host.createElement(name), properties);

/** Everything that a page wants of one help center; the panel does it once it is there. */
class Widget {
  constructor({ site, bot, key, locale, version, button, scheme, accent, order }, number) {
    const language = languageOf(locale);
    Object.assign(this, { site, bot, key, locale, version, order, language, texts: textsIn(language), dir: directionOf(language) });
    Object.assign(this, { listeners: {}, settings: {}, places: new Set() });
    const element = make("div");
    element.style.cssText = `${UNTOUCHED}${{ light: "light", dark: "dark", auto: "light dark" }[scheme] ?? "inherit"} !important`;
    element.style.setProperty("--below", `${number * STEP}px`);
    this.corner = this.place(element);
    this.paint(accent?.split(" "));
    if (button !== "none") this.addLauncher();
    // Pages that replace their body when they are left for another one take the launcher along.
    this.observer = new MutationObserver(() => this.attach());
    this.observer.observe(host.documentElement, { childList: true });
    this.attach();
  }

  attach() {
    const { element } = this.corner;
    if (element.isConnected || !host.body) return;
    host.body.append(element);
    this.observer.observe(host.body, { childList: true });
  }

  /** The colors of the light and the dark scheme, which the tag may have and the help center says. */
  paint([light, dark = light] = []) {
    this.accent = light ? `light-dark(${light}, ${dark})` : "";
    for (const { element } of this.places) element.style.setProperty("--accent", this.accent);
  }

  addLauncher() {
    const button = make("button", { type: "button", className: "launcher", dir: this.dir, textContent: this.texts.help, ariaHasPopup: "dialog", ariaExpanded: "false" });
    button.addEventListener("click", () => this.run("toggle"));
    for (const sign of ["pointerenter", "focus"]) button.addEventListener(sign, () => this.load().catch(() => {}), { once: true });
    this.corner.button = button;
    this.corner.root.append(button);
  }

  /** A shadow tree in an element, which styles of the page don't reach. */
  place(element) {
    const root = element.attachShadow({ mode: "closed" });
    const style = new CSSStyleSheet();
    style.replaceSync(launcherStyle);
    root.adoptedStyleSheets = [style];
    const place = { element, root };
    this.places.add(place);
    if (this.accent) element.style.setProperty("--accent", this.accent);
    return place;
  }

  /** The field and its button: in the page they are there before the panel is. */
  askForm() {
    const { question, ask } = this.texts;
    const form = make("form", { className: "ask", dir: this.dir });
    form.append(
      make("input", { type: "text", name: "question", placeholder: question, ariaLabel: question, maxLength: 2000, autocomplete: "off", enterKeyHint: "send" }),
      make("button", { className: "first", textContent: ask }),
    );
    return form;
  }

  fill(place) {
    place.form = this.askForm();
    // The Tab key would have passed anything that only the focus brings above the field.
    place.form.addEventListener("focusin", () => this.load().catch(() => {}));
    place.form.addEventListener("input", () => this.panel(place).catch(() => {}));
    place.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.panel(place).then((panel) => panel.submit(), () => {});
    });
    place.root.append(place.form);
  }

  /** The panel's code and what the help center says of itself, asked for once; after a failure they are asked for again. */
  load() {
    this.loading ??= Promise.all([import(this.site + PANEL), this.config()]).catch((error) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  async config() {
    const query = new URLSearchParams({ botKey: this.key, ...(this.version && { version: this.version }) });
    const response = await fetch(`${this.site}/widget/${this.bot}/config?${query}`, { credentials: "omit", referrerPolicy: "origin" });
    if (response.status === 400 && this.version) {
      // A page that names a version too long still gets answers: those of the current one.
      console.warn(`Instep: the help center has no version ${this.version}`);
      this.version = undefined;
      return this.config();
    }
    if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
    const config = await response.json();
    if (config.accent) this.paint([config.accent.light, config.accent.dark]);
    return config;
  }

  /** The panel of a place, which is made when it is first wanted there. */
  async panel(place) {
    const waiting = place.button ?? place.form;
    try {
      if (waiting) waiting.ariaBusy = "true";
      const [{ Panel }, config] = await this.load();
      place.notice?.remove();
      return (place.panel ??= new Panel(this, place, config));
    } catch (error) {
      this.apologize(place);
      this.tell("error", { status: error.status ?? 0 });
      throw error;
    } finally {
      if (waiting) waiting.ariaBusy = null;
    }
  }

  apologize(place) {
    const { unavailable, again } = this.texts;
    const retry = make("button", { type: "button", textContent: again });
    retry.addEventListener("click", () => this.panel(place).then((panel) => panel.open(), () => {}));
    place.notice?.remove();
    place.notice = make("div", { className: "notice", dir: this.dir, role: "alert" });
    place.notice.append(make("p", { textContent: unavailable }), retry);
    place.root.append(place.notice);
  }

  run(command, value, listener) {
    if (command === "on") return this.listen(value, listener);
    if (command === "update") return void Object.assign(this.settings, value);
    if (command === "identify") return void (this.settings.visitorToken = value);
    if (command === "reset" || command === "destroy") return this[command]();
    // A panel that was never opened needs no closing.
    if (command === "close" && !this.corner.panel) return undefined;
    return this.panel(this.corner).then((panel) => panel[command](value), () => {});
  }

  listen(event, listener) {
    const listeners = (this.listeners[event] ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** A listener that fails is the page's affair: it stops nothing here. */
  tell(event, value) {
    for (const listener of this.listeners[event] ?? []) queueMicrotask(() => listener(value));
  }

  reset() {
    forgetVisitor(this);
    delete this.settings.visitorToken;
    for (const { panel } of this.places) panel?.reset();
  }

  destroy() {
    this.reset();
    this.observer.disconnect();
    for (const { element } of this.places) element.remove();
    widgets.delete(this.bot);
  }
}

const widgets = new Map();
/** Tags that load asynchronously run in any order, so that the one that stands first in the page counts as the first. */
const widgetOf = (bot) => (bot ? widgets.get(bot) : [...widgets.values()].sort((one, other) => one.order - other.order)[0]);

/** The first help center of the page, or the one that the last value names: `Instep("open", {bot: ID})`. */
function Instep(command, ...values) {
  const widget = widgetOf(values.at(-1)?.bot);
  return widget && COMMANDS.includes(command) ? widget.run(command, ...values) : undefined;
}

class InstepHelp extends HTMLElement {
  #widget;

  connectedCallback() {
    const widget = widgetOf(this.getAttribute("bot"));
    if (!widget || this.#widget) return;
    this.#widget = widget;
    widget.fill(widget.place(this));
  }
}

/** A page with a policy against scripts in attributes says it so: `<button data-instep="open">`. */
function press({ target }) {
  const { instep, question, bot } = target.closest?.("[data-instep]")?.dataset ?? {};
  if (instep) Instep(instep, question, { bot });
}

function begin(options) {
  const { bot, key } = options;
  if (!bot || !key) return;
  if (widgets.has(bot)) return widgets.get(bot).attach();
  widgets.set(bot, new Widget(options, widgets.size));
  for (const element of host.querySelectorAll("instep-help")) element.connectedCallback?.();
}

const script = host.currentScript;
const options = { ...script?.dataset, site: script && new URL(script.src).origin, order: [...host.scripts].findIndex(({ dataset }) => dataset.bot === script?.dataset.bot) };
// An element of the page with the id "Instep" is no earlier call.
const before = window.Instep instanceof Function ? window.Instep : undefined;
// A second tag, or the same one once more: the first that ran takes care of all.
const add =
  before?.add ??
  ((values) => {
    begin(values);
    if (!customElements.get("instep-help")) customElements.define("instep-help", InstepHelp);
    for (const call of (before?.q ?? []).splice(0)) Instep(...call);
  });

if (!before?.add) {
  window.Instep = Object.assign(Instep, { add });
  host.addEventListener("click", press);
}
if (host.body) add(options);
else host.addEventListener("DOMContentLoaded", () => add(options));
