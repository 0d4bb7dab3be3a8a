// Pictures that are pasted or dropped: uploaded at once, and named by whoever put them there.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import { renewToken } from "./session.js";

const addUpload = StateEffect.define();
const endUpload = StateEffect.define();
// Lines of lists, quotations, tables, headings and code.
const IN_BLOCK = /^\s*([-*+>|#]|\d+[.)]|```|~~~)|^( {4}|\t)/;
const MAX_FILE_BYTES = 20 * 1024 * 1024;

class UploadMark extends WidgetType {
  constructor(name) {
    super();
    this.name = name;
  }

  toDOM() {
    const mark = document.createElement("span");
    mark.className = "md-uploading";
    mark.textContent = `Uploading ${this.name}`;
    return mark;
  }
}

/** Positions of pending uploads, which follow the text as people type. */
const uploads = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    let moved = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(addUpload)) moved = moved.update({ add: [Decoration.widget({ widget: new UploadMark(effect.value.name), id: effect.value.id }).range(effect.value.at)] });
      if (effect.is(endUpload)) moved = moved.update({ filter: (from, to, mark) => mark.spec.id !== effect.value });
    }
    return moved;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function acceptPictures(form, surface) {
  const { view } = surface;
  const line = document.getElementById("upload-line");
  const choose = document.querySelector("[data-command=picture]");
  const input = document.createElement("input");
  Object.assign(input, { type: "file", multiple: true });
  input.addEventListener("change", () => {
    takeAll(input.files, view.state.selection.main.head);
    input.value = "";
  });
  choose.addEventListener("click", () => input.click());

  const takeAll = (files, at) => {
    for (const file of files) upload(form, view, line, file, at);
    return files.length > 0;
  };
  surface.extend([
    uploads,
    EditorView.domEventHandlers({
      // Text that a word processor copies comes with a picture of it.
      paste: ({ clipboardData }) => {
        const isText = clipboardData.getData("text/html") && clipboardData.getData("text/plain").trim();
        return !isText && takeAll(clipboardData.files, view.state.selection.main.head);
      },
      drop: (event) => {
        const isTaken = takeAll(event.dataTransfer.files, view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length);
        if (isTaken) event.preventDefault();
        return isTaken;
      },
    }),
  ]);
}

async function upload(form, view, line, file, at) {
  const id = {};
  view.dispatch({ effects: addUpload.of({ id, name: file.name, at }) });
  const say = (words) => (line.textContent = words);
  try {
    if (file.size > MAX_FILE_BYTES) throw new Error("It is larger than 20 MiB: make it smaller.");
    const stored = await send(form, file, (percent) => say(`Uploading ${file.name}: ${percent} %`));
    insert(view, id, stored);
    say(stored.isPicture ? "Describe the image between the brackets for people who can't see it." : `${file.name} is linked.`);
  } catch (error) {
    view.dispatch({ effects: endUpload.of(id) });
    say(`${file.name} was not added. ${error.message}`);
  }
}

/** Put the picture where its mark stands, and the cursor where its description goes. */
function insert(view, id, { url, name, isPicture }) {
  let at = view.state.doc.length;
  for (const mark = view.state.field(uploads).iter(); mark.value; mark.next()) if (mark.value.spec.id === id) at = mark.from;
  const text = isPicture ? `![](${url})` : `[${name.replace(/[\\[\]]/g, "\\$&")}](${url})`;
  const { from, before, after } = isPicture ? placeOfPicture(view.state.doc, at) : { from: at, before: "", after: "" };
  view.dispatch({
    changes: { from, insert: before + text + after },
    effects: endUpload.of(id),
    selection: { anchor: from + before.length + (isPicture ? 2 : text.length) },
    userEvent: "input.paste",
    scrollIntoView: true,
  });
  view.focus();
}

/** A picture is a block of its own below the paragraph; in a list, a table or a quotation it stays at the cursor. */
function placeOfPicture(doc, at) {
  if (IN_BLOCK.test(doc.lineAt(at).text)) return { from: at, before: "", after: "" };
  let last = doc.lineAt(at);
  while (last.text.trim() && last.number < doc.lines && doc.line(last.number + 1).text.trim()) last = doc.line(last.number + 1);
  const hasWordsAbove = last.text.trim() || (last.number > 1 && doc.line(last.number - 1).text.trim());
  const hasWordsBelow = last.number < doc.lines && doc.line(last.number + 1).text.trim();
  return { from: last.to, before: hasWordsAbove ? (last.text.trim() ? "\n\n" : "\n") : "", after: hasWordsBelow ? "\n" : "" };
}

/** fetch() does not tell how much of a body has been sent. */
function send(form, file, onProgress) {
  return new Promise((resolve, reject) => {
    const request = Object.assign(new XMLHttpRequest(), { responseType: "json" });
    const fail = (message) => reject(new Error(message));
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(Math.round((100 * loaded) / total)));
    request.addEventListener("error", () => fail("The server can't be reached: try again."));
    request.addEventListener("load", () => {
      if (renewToken(body, request.getResponseHeader("Instep-Form-Token"))) return resolve(send(form, file, onProgress));
      const answer = request.response;
      if (request.status === 200 && answer) resolve(answer);
      else fail(answer?.message ?? (request.status === 401 ? "You are signed out: sign in, and add it again." : "The server refused the file: try again."));
    });
    const body = new FormData();
    body.append("form-token", form.elements["form-token"].value);
    body.append("file", file);
    request.open("POST", form.dataset.upload);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("HX-Request", "true");
    request.send(body);
  });
}
