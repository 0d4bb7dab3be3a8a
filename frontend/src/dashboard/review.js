// Review without waiting: the next draft is loaded while one is read, and shown in the moment of a decision.
//
// Everything here also works by forms and links alone; a step that finds nothing prepared leaves it to them.
import htmx from "htmx.org";
import { hasUnsavedText } from "./unsaved.js";

const PRESENCE_MILLISECONDS = 4000;
const SETTLING_MILLISECONDS = 500;
const REASON_KEYS = /^[1-5]$/;

export function review(document) {
  setInterval(() => tellPresence(document), PRESENCE_MILLISECONDS);
  const frame = document.getElementById("draft");
  if (!frame) return;
  const desk = new Desk(document, frame);
  desk.prepare();
  document.addEventListener("submit", (event) => desk.decide(event));
  document.addEventListener("click", (event) => desk.click(event));
  document.addEventListener("keydown", (event) => desk.type(event));
  document.addEventListener("change", (event) => desk.pick(event));
  addEventListener("popstate", () => location.reload());
  // A page that the browser brings back has been left, and can be left again.
  addEventListener("pageshow", (event) => event.persisted && (desk.isGoingOn = false));
}

/** Tell that someone is on this draft, and show who else is. */
function tellPresence(document) {
  const place = document.querySelector("main [data-presence]");
  const token = document.querySelector("input[name=form-token]");
  if (!place || !token || document.hidden) return;
  const values = { "form-token": token.value };
  htmx.ajax("POST", place.dataset.presence, { source: place, target: place, swap: "innerMorph", values });
}

const isDecision = (button) => button?.type === "submit" && button.form?.matches("[data-act]");

class Desk {
  constructor(document, frame) {
    this.document = document;
    this.frame = frame;
    // The next draft, out of the page, so that none of its keys act; or the promise of it.
    this.next = null;
    // True while someone waits for the next draft: keys until then are meant for none that they see.
    this.isGoingOn = false;
    // The last decision on its way to the server; null when all have arrived.
    this.sending = null;
    this.presenceTimer = 0;
  }

  get article() {
    return this.frame.querySelector("article");
  }

  find(selector) {
    return this.frame.querySelector(selector);
  }

  prepare() {
    this.setCurrent(this.changes()[0]);
    this.next = this.load(this.find("[data-next-draft]")?.getAttribute("href"));
    // A reviewer who only passes by is not on it.
    clearTimeout(this.presenceTimer);
    this.presenceTimer = setTimeout(() => tellPresence(this.document), SETTLING_MILLISECONDS);
  }

  /** The nodes of a draft's page, once they have come. */
  async load(href) {
    if (!href || !this.rowOf(href)) return null;
    const holder = this.document.createElement("div");
    holder.hidden = true;
    holder.inert = true;
    holder.dataset.quiet = "";
    this.document.body.append(holder);
    await htmx.ajax("GET", href, { source: holder, target: holder, swap: "innerHTML" });
    holder.remove();
    const article = holder.querySelector("article");
    if (!article) return null;
    const nodes = this.document.createDocumentFragment();
    nodes.append(...holder.childNodes);
    return { href, nodes, title: article.dataset.title };
  }

  rowOf(href) {
    return [...this.document.querySelectorAll("#queue .row")].find((row) => row.getAttribute("href") === href);
  }

  /** Show the next draft; `isSettled` takes the present one out of the list. */
  show(next, isSettled) {
    const row = this.rowOf(next.href);
    const before = this.document.querySelector("#queue .row[aria-current]");
    this.frame.replaceChildren(next.nodes);
    before?.removeAttribute("aria-current");
    if (isSettled && before) this.takeOut(before.closest("li"));
    this.count(isSettled);
    row.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
    this.document.body.classList.add("with-item");
    this.document.title = next.title;
    history.pushState({}, "", next.href);
    scrollTo(0, 0);
    this.article.tabIndex = -1;
    this.article.focus({ preventScroll: true });
    this.prepare();
  }

  /** A heading stands above the first draft of its source, what was looked at below the last. */
  takeOut(item) {
    const neighbours = [item.nextElementSibling, item.previousElementSibling];
    const [after, before] = neighbours.map((other) => (other?.dataset.source === item.dataset.source ? other : null));
    const heading = item.querySelector(".source");
    const verdicts = item.querySelector(".looked-at");
    if (heading && after) after.prepend(heading);
    if (verdicts && before) before.append(verdicts);
    item.remove();
  }

  count(isSettled) {
    const shown = this.document.querySelector("[data-queue-count]");
    const [place, total] = shown?.textContent.match(/\d+/g)?.map(Number) ?? [];
    if (!total) return;
    shown.textContent = isSettled ? `${Math.min(place, total - 1)} of ${total - 1}` : `${place + 1} of ${total}`;
    const waiting = this.document.querySelector(".sections [aria-current=page] .count");
    if (isSettled && waiting) waiting.textContent = String(Math.max(0, Number(waiting.textContent) - 1));
  }

  /** The next draft, which can be shown only once; null where the answer is a whole page. */
  async takeNext() {
    this.isGoingOn = true;
    try {
      return await this.next;
    } finally {
      this.next = null;
      this.isGoingOn = false;
    }
  }

  async decide(event) {
    const form = event.target;
    const button = event.submitter;
    if (!form.matches("[data-act]") || button?.matches("[data-whole-page]") || event.defaultPrevented) return;
    event.preventDefault();
    if (this.isGoingOn) return;
    const values = Object.fromEntries(new FormData(form, button));
    const address = button?.getAttribute("formaction") ?? form.getAttribute("action");
    const next = await this.takeNext();
    if (!next) return this.leave(form, button);
    this.show(next, values.when !== "release");
    const before = this.sending;
    const sending = this.send(address, values).then(() => before);
    this.sending = sending;
    await sending;
    if (this.sending === sending) this.sending = null;
  }

  /** Nothing is next: the answer is a whole page, and until it comes the same is not sent again. */
  async leave(form, button) {
    this.isGoingOn = true;
    await this.sending;
    // A form ignores that it is to be sent while the event of its sending is still on its way (HTML, 4.10.22.3).
    await new Promise((resolve) => setTimeout(resolve));
    form.removeAttribute("data-act");
    form.requestSubmit(button);
    form.setAttribute("data-act", "");
  }

  /** Send a decision; its answer, with the way back or with what went wrong, is a toast. */
  async send(address, values) {
    const source = this.document.createElement("span");
    source.hidden = true;
    this.document.body.append(source);
    const toasts = this.document.getElementById("toasts");
    // The request outlives the page: whoever goes on at once loses no decision.
    source.addEventListener("htmx:config:request", ({ detail }) => (detail.ctx.request.keepalive = true));
    source.addEventListener("htmx:error", () => toasts.append(this.lostToast()));
    for (const toast of toasts.querySelectorAll(".toast:not([role=alert])")) toast.remove();
    // Until the answer has come, nobody can say that there is nothing to undo.
    const nothing = this.document.querySelector("[data-shows-toast]");
    nothing?.setAttribute("disabled", "");
    await htmx.ajax("POST", address, { source, target: toasts, swap: "beforeend", values });
    nothing?.removeAttribute("disabled");
    source.remove();
  }

  lostToast() {
    const toast = this.document.createElement("div");
    toast.className = "toast";
    toast.setAttribute("role", "alert");
    toast.textContent = "The server can't be reached, so the last decision may not be saved: reload the page.";
    return toast;
  }

  click(event) {
    // The second half of a double click would decide about the draft that has come into the place of the first.
    if (event.detail > 1 && isDecision(event.target.closest?.("button"))) return event.preventDefault();
    const link = event.target.closest?.("a[href]");
    if (link && this.sending && !link.matches("[data-next-draft]") && !link.hash && !event.ctrlKey && !event.metaKey) {
      // A new page would end the request: it waits for the answer.
      event.preventDefault();
      this.sending.then(() => location.assign(link.href));
      return;
    }
    const target = event.target.closest?.("[data-next-draft], [data-switch], [data-steps]");
    if (!target || !this.frame.contains(target) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (target.matches("[data-next-draft]")) this.goOn(event);
    else if (target.matches("[data-switch]")) this.switchHunk(event, target);
    else this.step(Number(target.dataset.steps));
  }

  async goOn(event) {
    // The link leads away by itself, so that the browser asks first.
    if (hasUnsavedText(this.document)) return;
    event.preventDefault();
    if (this.isGoingOn) return;
    const next = await this.takeNext();
    if (next) this.show(next, false);
    else location.assign(event.target.closest("a").href);
  }

  changes() {
    return [...this.frame.querySelectorAll("[data-change]")];
  }

  /** The change that keys are about. */
  setCurrent(change) {
    this.find("[data-change][aria-current]")?.removeAttribute("aria-current");
    for (const marked of this.frame.querySelectorAll("[data-switch][data-key], .version-head[data-key]")) {
      delete marked.dataset.key;
    }
    if (!change) return;
    change.setAttribute("aria-current", "true");
    const button = this.switchOf(change);
    if (button) button.dataset.key = "x";
    change.querySelectorAll(".version-head").forEach((label, index) => (label.dataset.key = String(index + 1)));
  }

  /** A hunk of several blocks has its switch next to the first. */
  switchOf(change) {
    const [hunk] = (change.dataset.hunks ?? "").split(" ");
    return change.querySelector("[data-switch]") ?? (hunk ? this.find(`[data-switch="${hunk}"]`) : null);
  }

  step(difference) {
    const changes = this.changes();
    const place = changes.indexOf(this.find("[data-change][aria-current]"));
    const isBefore = !this.document.activeElement?.matches("[data-change]") && difference > 0 && place === 0;
    const change = changes[isBefore ? 0 : place + difference];
    if (!change) return;
    this.setCurrent(change);
    change.focus({ preventScroll: true });
    change.scrollIntoView({ block: "center" });
  }

  switchHunk(event, button) {
    event.preventDefault();
    const number = button.dataset.switch;
    const field = this.find("[data-act] [name=out]");
    const out = new Set(field.value.split(",").filter(Boolean));
    if (!out.delete(number)) out.add(number);
    field.value = [...out].sort((left, right) => left - right).join(",");
    button.textContent = out.has(number) ? "Include" : "Leave out";
    button.setAttribute("aria-pressed", String(out.has(number)));
    for (const change of this.changes()) {
      const hunks = change.dataset.hunks.split(" ");
      change.toggleAttribute("data-left-out", hunks.every((hunk) => out.has(hunk)));
    }
    for (const tab of this.frame.querySelectorAll(".tabs a, .fold > a, .formal > a")) {
      const address = new URL(tab.href);
      address.searchParams.set("out", field.value);
      tab.href = address.pathname + address.search;
    }
  }

  type(event) {
    const isField = event.target.matches?.("input, select, textarea, [contenteditable]");
    const reasons = this.find(".dismissal:popover-open");
    if (reasons && REASON_KEYS.test(event.key) && !isField && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      reasons.querySelector(`[data-reason="${event.key}"]`).click();
    }
  }

  /** A pick leads on to the next conflict without one. */
  pick(event) {
    const conflict = event.target.closest?.(".conflict");
    if (!conflict || event.target.type !== "radio" || event.target.value === "own") return;
    const open = this.changes().find((other) => !other.querySelector(":checked"));
    if (open) {
      this.setCurrent(open);
      open.focus({ preventScroll: true });
      open.scrollIntoView({ block: "center" });
    } else this.find("[data-conflict-form] .primary")?.focus();
  }
}
