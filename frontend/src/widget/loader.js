// What a page loads: one button. The panel comes with its first use; before that nothing is asked for and nothing is kept.
//
//     <script async src="https://help.example.com/widget.js" data-bot="BOT_ID" data-key="BOT_KEY"></script>
import { launcherText } from "./languages.js";
import launcherStyle from "./launcher.css";

/* global PANEL */
const COMMANDS = ["open", "close", "ask", "identify", "update", "on", "reset", "destroy"];

/** Everything that a page wants of one help center; the panel does it once it is there. */
class Widget {
  constructor({ site, bot, key, locale, button }) {
    Object.assign(this, { site, bot, key, locale, listeners: {}, settings: {}, places: new Set() });
    if (button !== "none") this.addLauncher();
  }

  addLauncher() {
    this.launcher = this.place(document.body.appendChild(document.createElement("div")));
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "launcher", textContent: launcherText(this.locale) });
    button.setAttribute("aria-haspopup", "dialog");
    button.addEventListener("click", () => this.run("toggle"));
    for (const sign of ["pointerenter", "focus"]) button.addEventListener(sign, () => this.panel(), { once: true });
    this.launcher.button = button;
    this.launcher.root.append(button);
  }

  /** A shadow tree in an element, which styles of the page don't reach. */
  place(element) {
    const root = element.attachShadow({ mode: "closed" });
    const style = new CSSStyleSheet();
    style.replaceSync(launcherStyle);
    root.adoptedStyleSheets = [style];
    const place = { element, root };
    this.places.add(place);
    return place;
  }

  /** The panel's code, asked for once; after a failure it is asked for again. */
  panel() {
    this.loading ??= import(this.site + PANEL).then(
      ({ open }) => open(this),
      (error) => {
        this.loading = undefined;
        throw error;
      },
    );
    return this.loading;
  }

  run(command, ...values) {
    if (command === "on") return (this.listeners[values[0]] ??= []).push(values[1]);
    if (command === "update") return Object.assign(this.settings, values[0]);
    if (command === "identify") return Object.assign(this.settings, { visitorToken: values[0] });
    if (command === "destroy") return this.destroy();
    // What was never opened needs no closing.
    if (command === "close" && !this.loading) return undefined;
    return this.panel().then((panel) => panel[command](...values), () => this.tell("error"));
  }

  tell(event, value) {
    for (const listener of this.listeners[event] ?? []) listener(value);
  }

  destroy() {
    for (const { element } of this.places) element.remove();
    this.loading?.then((panel) => panel.forget());
    widgets.delete(this.bot);
  }
}

const queued = window.Instep?.q ?? [];
const widgets = window.Instep?.widgets ?? new Map();

/** The first help center of the page, or the one that the last value names: `Instep("open", {bot: ID})`. */
function Instep(command, ...values) {
  const bot = values.at(-1)?.bot;
  const widget = bot ? widgets.get(bot) : widgets.values().next().value;
  if (widget && COMMANDS.includes(command)) return widget.run(command, ...values);
  return undefined;
}

class InstepHelp extends HTMLElement {
  connectedCallback() {
    const widget = widgets.get(this.getAttribute("bot")) ?? widgets.values().next().value;
    if (!widget || this.isFilled) return;
    this.isFilled = true;
    const place = widget.place(this);
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "inline", textContent: launcherText(widget.locale) });
    button.addEventListener("click", () => widget.panel().then((panel) => panel.openIn(place, button)));
    place.root.append(button);
  }
}

function begin() {
  const script = document.currentScript;
  const { bot, key, locale, button } = script?.dataset ?? {};
  if (!bot || !key || widgets.has(bot)) return;
  widgets.set(bot, new Widget({ site: new URL(script.src).origin, bot, key, locale, button }));
  window.Instep = Object.assign(Instep, { widgets });
  if (!customElements.get("instep-help")) customElements.define("instep-help", InstepHelp);
  for (const call of queued.splice(0)) Instep(...call);
}

begin();
