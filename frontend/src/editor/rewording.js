// Words that a language model proposes for what is selected. Nothing changes until someone uses them.
import { isolateHistory } from "@codemirror/commands";
import { ChangeSet } from "@codemirror/state";
import { request } from "./saving.js";
import { signInAgain } from "./session.js";

const LINE_WORDS = { waiting: "The language model is writing.", there: "A proposal is shown above the text.", used: "The proposal is now in the text. Undo restores the old text." };
const MODEL_MILLISECONDS = 300_000;

export function proposeWords(form, surface) {
  const menu = document.getElementById("model-menu");
  if (menu) new Proposals(form, surface, menu);
}

class Proposals {
  constructor(form, surface, menu) {
    Object.assign(this, { form, menu, view: surface.view });
    this.line = document.getElementById("rewording-line");
    this.panel = document.getElementById("rewording");
    this.running = null;
    menu.hidden = false;
    menu.addEventListener("click", (event) => this.ask(event.target.closest("button")?.dataset.intent));
    // The pointer leaves the selection of the text as it is.
    menu.addEventListener("mousedown", (event) => event.preventDefault());
    // The pointer opens it without its focus, so that these listen to the whole page.
    document.addEventListener("keydown", (event) => event.key === "Escape" && menu.open && this.close());
    document.addEventListener("focusin", (event) => menu.contains(event.target) || (menu.open = false));
    document.addEventListener("pointerdown", (event) => menu.contains(event.target) || (menu.open = false));
    surface.onChange((update) => this.follow(update));
    this.part("use").addEventListener("click", () => this.use());
    this.part("copy-words").addEventListener("click", () => this.copy());
    this.part("leave").addEventListener("click", () => this.drop(""));
  }

  part = (name) => this.panel.querySelector(`[data-${name}]`);

  close() {
    this.menu.open = false;
    this.menu.querySelector("summary").focus();
  }

  /** Text typed in the meantime moves the part that was asked about. */
  follow({ changes }) {
    if (!this.running) return;
    this.running.changes = this.running.changes.compose(changes);
    this.showWhetherItFits();
  }

  async ask(intent) {
    if (!intent) return;
    this.close();
    this.drop(LINE_WORDS.waiting);
    const { doc, selection } = this.view.state;
    const { from, to } = selection.main.empty || intent === "write" ? { from: 0, to: doc.length } : selection.main;
    const running = { changes: ChangeSet.empty(doc.length), stop: new AbortController() };
    this.running = running;
    this.line.append(" ", button("Cancel", () => this.drop("Canceled.")));
    const texts = { before: doc.sliceString(0, from), selected: doc.sliceString(from, to), after: doc.sliceString(to) };
    const answer = await this.send({ intent, title: this.form.elements.title.value, ...texts }, running.stop.signal);
    if (this.running !== running) return;
    if (answer.status === 200) this.show(Object.assign(running, answer.state));
    else this.drop(answer.message ?? (answer.status === 0 ? "The server did not answer: try again." : "The server reported an error: try again."));
  }

  async send(fields, stop) {
    const body = new URLSearchParams({ ...fields, place: this.form.elements.place?.value ?? "", "form-token": this.form.elements["form-token"].value });
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MODEL_MILLISECONDS)]);
    const answer = await request(this.menu.dataset.address, { method: "POST", body, signal });
    return answer.status === 401 && (await signInAgain()) ? this.send(fields, stop) : answer;
  }

  show({ note, warnings, words }) {
    this.part("note").textContent = note;
    this.part("warnings").replaceChildren(...warnings.map((words) => element("li", words)));
    this.part("old").replaceChildren(...marked(words, "removed", "del"));
    this.part("new").replaceChildren(...marked(words, "added", "ins"));
    this.panel.hidden = false;
    this.line.replaceChildren(LINE_WORDS.there);
    this.showWhetherItFits();
    // Someone who writes goes on; to others the proposal is shown.
    if (!this.view.hasFocus) document.getElementById("rewording-heading").focus();
  }

  /** The current position of the part; null if its text has changed. */
  place() {
    const { changes, from, old } = this.running;
    const start = changes.mapPos(from, 1);
    const end = Math.max(start, changes.mapPos(from + old.length, -1));
    return this.view.state.doc.sliceString(start, end) === old ? { from: start, to: end } : null;
  }

  showWhetherItFits() {
    if (this.running?.old === undefined) return;
    const fits = this.place() !== null;
    this.part("use").hidden = !fits;
    this.part("copy-words").hidden = fits;
    this.part("stale").hidden = fits;
  }

  use() {
    const place = this.place();
    const insert = this.running.new;
    if (!place) return;
    this.drop(LINE_WORDS.used);
    this.view.dispatch({
      changes: { ...place, insert },
      selection: { anchor: place.from, head: place.from + insert.length },
      annotations: isolateHistory.of("full"),
      userEvent: "input.reword",
      scrollIntoView: true,
    });
    this.view.focus();
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.running.new);
      this.line.replaceChildren("Copied.");
    } catch {
      getSelection().selectAllChildren(this.part("new"));
      this.line.replaceChildren("The proposal is selected: copy it with your keyboard.");
    }
  }

  drop(words) {
    const hadFocus = this.panel.contains(document.activeElement) || this.line.contains(document.activeElement);
    this.running?.stop.abort();
    this.running = null;
    this.panel.hidden = true;
    this.line.replaceChildren(words);
    if (hadFocus) this.view.focus();
  }
}

const marked = (words, change, tag) =>
  words.filter(([kind]) => kind === "same" || kind === change).map(([kind, text]) => (kind === "same" ? text : element(tag, text)));

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function button(label, act) {
  const made = element("button", label);
  Object.assign(made, { type: "button", className: "button quiet" });
  made.addEventListener("click", act);
  return made;
}
