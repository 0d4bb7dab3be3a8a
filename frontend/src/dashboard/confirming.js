// A form or a button with `data-question` asks it before the form is sent: what it does can't be undone, or is large.

export function askBeforeSending(document) {
  document.addEventListener(
    "submit",
    (event) => {
      const form = event.target;
      const asking = [event.submitter, form].find((element) => element && "question" in element.dataset);
      if (!asking || form === answered) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      ask(form, event.submitter, asking.dataset);
    },
    { capture: true },
  );
}

// The form that someone has just said yes to.
let answered = null;

function ask(form, button, dataset) {
  const { ownerDocument: document } = form;
  const dialog = document.createElement("dialog");
  const title = part(document, "h2", dataset.question);
  const answers = part(document, "form");
  const yes = part(document, "button", button.textContent.trim() || button.ariaLabel);
  const no = part(document, "button", "Cancel");
  title.id = "question-title";
  dialog.className = "dialog";
  dialog.setAttribute("aria-labelledby", title.id);
  answers.className = "buttons";
  answers.method = "dialog";
  no.className = "button";
  yes.className = "button danger";
  yes.value = "yes";
  answers.append(no, yes);
  dialog.append(title, part(document, "p", dataset.consequence), answers);
  dialog.addEventListener("close", () => {
    dialog.remove();
    button.focus();
    if (dialog.returnValue === "yes") send(form, button);
  });
  document.body.append(dialog);
  dialog.showModal();
}

function send(form, button) {
  answered = form;
  form.requestSubmit(button);
  answered = null;
}

function part(document, name, text = "") {
  const element = document.createElement(name);
  element.textContent = text;
  return element;
}
