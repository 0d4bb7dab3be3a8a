// The typed text is in this browser's storage at once, and at the server with every pause; the line says which is true.
import { carry } from "./carrying.js";
import { renewToken, signInAgain } from "./session.js";
import { areSame, baseOf, bodyOf, fieldsOf } from "./fields.js";
import { Keeper } from "./keeping.js";

const KEEP_MILLISECONDS = 150;
const SAVE_MILLISECONDS = 800;
const RETRY_MILLISECONDS = [1000, 2000, 4000, 8000, 15_000];
const ANSWER_MILLISECONDS = 20_000;
const KEPT = "kept in this browser";
const NOT_KEPT = "and this browser can't keep it: copy your text";

export const saveAsOneTypes = (form, surface) => new Saving(form, surface);

class Saving {
  constructor(form, surface) {
    Object.assign(this, { form, surface, keeper: new Keeper(form), line: document.getElementById("saving") });
    this.saved = "unsaved" in form.dataset ? {} : fieldsOf(form, surface);
    // A request whose answer got lost: the same text is sent again before a newer one, so that it is no conflict.
    this.unanswered = null;
    this.isSending = false;
    // A new text that is sent twice would become two.
    this.isSubmitting = false;
    // Another form of the page, which was sent before the server had the text.
    this.next = null;
    // The page of the text, which was new until now.
    this.page = null;
    // Someone else's text is replaced on purpose alone: by the button, not by typing.
    this.isRefused = "conflict" in form.dataset;
    this.isKept = true;
    this.failures = 0;
    const note = () => this.note();
    surface.onChange(note);
    form.addEventListener("input", note);
    form.addEventListener("submit", (event) => this.submit(event));
    document.addEventListener("submit", (event) => this.saveBefore(event));
    addEventListener("online", () => this.send());
    addEventListener("pagehide", () => this.leavePage());
    // A page that the browser brings back can be left again.
    addEventListener("pageshow", () => (this.isLeaving = false));
    document.addEventListener("visibilitychange", () => document.hidden && this.leavePage());
    // A page that could not save shows what it was sent, which is nowhere else.
    if ("unsaved" in form.dataset) this.keep();
  }

  get savesByItself() {
    return Boolean(this.form.dataset.autosave);
  }

  fields() {
    return fieldsOf(this.form, this.surface);
  }

  /** Something was typed. */
  note() {
    this.form.dataset.unsaved = "";
    this.keepTimer ??= setTimeout(() => this.keep(), KEEP_MILLISECONDS);
    if (this.isRefused || !this.savesByItself) return;
    if (this.failures === 0) this.say("Saving");
    this.sendTimer ??= setTimeout(() => this.send(), SAVE_MILLISECONDS);
  }

  keep() {
    clearTimeout(this.keepTimer);
    this.keepTimer = undefined;
    const fields = this.fields();
    if (areSame(fields, this.saved)) {
      this.keeper.drop();
      delete this.form.dataset.unsaved;
    } else {
      this.isKept = this.keeper.keep(fields, baseOf(this.form));
      if (!this.savesByItself) this.say(`Not saved yet, ${this.isKept ? KEPT : NOT_KEPT}`);
    }
  }

  leavePage() {
    if (this.page && carry(this.page, this.form, this.surface)) this.keeper.drop();
    else this.keep();
  }

  /** Send the present text; resolves to whether the server has it. */
  async send() {
    clearTimeout(this.sendTimer);
    this.sendTimer = undefined;
    if (!this.savesByItself || this.isSending || this.isRefused) return false;
    const fields = this.unanswered ?? this.fields();
    if (areTextsSame(fields, this.saved) && !this.unanswered) return this.tellSaved();
    this.isSending = true;
    this.unanswered = fields;
    const answer = await this.post(this.form.dataset.autosave, fields);
    this.isSending = false;
    return this.take(answer, fields);
  }

  async take(answer, fields) {
    if (answer.status === 200) {
      this.unanswered = null;
      this.failures = 0;
      this.form.elements.version.value = answer.state.version;
      this.savedAt = answer.state.savedAt;
      document.getElementById("unpublished").hidden = !answer.state.hasUnpublishedChanges;
      this.saved = { ...this.saved, title: fields.title, content: fields.content };
      if (areTextsSame(this.fields(), this.saved)) return this.tellSaved();
      return this.send();
    }
    this.keep();
    if (answer.status === 401) return this.signIn();
    if (answer.status === 409) return this.tellConflict(answer.state);
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) {
      this.unanswered = null;
      return this.fail("the server refused it", answer.message);
    }
    this.retry();
    return this.fail(answer.status === 0 ? "offline" : "the server reported an error");
  }

  retry() {
    const wait = RETRY_MILLISECONDS[Math.min(this.failures, RETRY_MILLISECONDS.length - 1)];
    this.failures += 1;
    clearTimeout(this.sendTimer);
    this.sendTimer = setTimeout(() => this.send(), wait);
  }

  async signIn() {
    this.fail("signed out");
    return (await signInAgain()) ? this.send() : false;
  }

  post(address, fields, act) {
    const body = bodyOf(this.form, fields);
    if (act) body.set("act", act);
    return request(address, { method: "POST", body });
  }

  /** The keys that save, publish and apply press the buttons. */
  press(event, selector) {
    event.preventDefault();
    if (!event.repeat) document.querySelector(`[form="editor"]${selector}`)?.click();
  }

  /** Send the whole form; what is wrong with it is shown by the page that the form leads to by itself. */
  async submit(event) {
    const act = event.submitter?.value ?? "save";
    event.preventDefault();
    this.keep();
    if (!this.form.reportValidity() || this.isLeaving || this.isSubmitting) return;
    if (this.isRefused) this.leave(act, event.submitter);
    else await this.saveForm(act);
  }

  /** Another form of the page, such as the one that resolves a place, is sent when the server has the text. */
  async saveBefore(event) {
    const { target, submitter } = event;
    if (target === this.form || event.defaultPrevented || !target.matches("main form[method=post]")) return;
    if (!this.savesByItself || (!this.isSubmitting && areSame(this.fields(), this.saved))) return;
    event.preventDefault();
    if ("conflict" in this.form.dataset && this.isRefused) return this.fail("someone else changed this text");
    this.next = () => target.requestSubmit(submitter);
    if (!this.isSubmitting) await this.saveForm("save");
  }

  async saveForm(act) {
    let isSaved = false;
    this.isSubmitting = true;
    try {
      isSaved = (await this.settle()) && (await this.sendForm(act));
    } finally {
      this.isSubmitting = false;
    }
    const { next } = this;
    this.next = null;
    if (isSaved) next?.();
  }

  async sendForm(act) {
    const fields = this.fields();
    const answer = await this.post(this.form.action, fields, act);
    if (answer.status === 200) return this.takeForm(answer.state, fields, act);
    if (answer.status === 401) {
      this.fail("signed out");
      return (await signInAgain()) && this.sendForm(act);
    }
    // The page of a refusal would have no field for the text.
    if (answer.status === 403) return this.fail("the server refused it", answer.message);
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) return this.leave(act);
    return this.fail(answer.status === 0 ? "offline" : "the server reported an error");
  }

  takeForm({ address, version, savedAt }, fields, act) {
    this.saved = fields;
    this.keep();
    if (address && !this.next) {
      this.isLeaving = true;
      if (act === "save") this.page = address;
      this.tellSent();
      return location.assign(address);
    }
    this.form.elements.version.value = version;
    this.savedAt = savedAt;
    for (const [name, value] of Object.entries(fields)) {
      const opened = this.form.elements[`opened-${name}`];
      if (opened) opened.value = value;
    }
    return this.tellSaved();
  }

  /** Wait until the server has what is on the screen; false where it can't get there now. */
  async settle() {
    if (!this.savesByItself) return true;
    while (this.isSending) await new Promise((resolve) => setTimeout(resolve, 50));
    return areTextsSame(this.fields(), this.saved) && !this.unanswered ? true : this.send();
  }

  leave(act, submitter) {
    this.isLeaving = true;
    this.tellSent();
    this.surface.copyToArea();
    const action = submitter?.getAttribute("formaction");
    if (action) this.form.action = action;
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name: "act", value: act });
    this.form.append(field);
    this.form.submit();
  }

  /** The page may be left without a question: what is on it goes to the server. */
  tellSent() {
    this.form.dispatchEvent(new CustomEvent("instep:sent", { bubbles: true }));
  }

  tellSaved() {
    this.keep();
    const moment = this.savedAt ? new Date(this.savedAt) : new Date();
    this.say(`Saved ${moment.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" })}`);
    return true;
  }

  tellConflict({ author, savedAt }) {
    this.isRefused = true;
    const time = new Date(savedAt).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
    this.fail(`${author} changed this text at ${time}`);
    const compare = document.createElement("button");
    Object.assign(compare, { type: "button", className: "button", textContent: "Compare" });
    compare.addEventListener("click", () => this.leave("save"));
    this.line.append(" ", compare);
    return false;
  }

  /** The sentence of a refusal, if it has one, says more than the reason. */
  fail(reason, sentence) {
    const place = this.isKept ? KEPT : NOT_KEPT;
    this.say(sentence ? `Not saved, ${place}. ${sentence}` : `Not saved: ${reason}, ${place}`, true);
    return false;
  }

  say(words, isBad = false) {
    if (this.line.textContent === words) return;
    this.line.textContent = words;
    this.line.classList.toggle("bad", isBad);
  }
}

const areTextsSame = (left, right) => areSame({ title: left.title, content: left.content }, { title: right.title, content: right.content });

/** The status of an answer (0 for none), its JSON if it is some, and the sentence of a refusal. */
export async function request(address, options = {}) {
  const headers = { Accept: "application/json", "HX-Request": "true" };
  try {
    const signal = AbortSignal.timeout(ANSWER_MILLISECONDS);
    const response = await fetch(address, { signal, ...options, headers, redirect: "error" });
    if (renewToken(options.body, response.headers.get("Instep-Form-Token"))) return request(address, options);
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    const state = isJson ? await response.json() : null;
    return { status: response.ok && !state ? 500 : response.status, state, message: state?.message };
  } catch {
    return { status: 0 };
  }
}
