// Each block of code gets a button that copies it.
const SAID_MILLISECONDS = 2000;

export function offerCopies() {
  if (!navigator.clipboard) return;
  const { copy, copied } = document.body.dataset;
  for (const block of document.querySelectorAll(".prose pre")) {
    const frame = document.createElement("div");
    const button = document.createElement("button");
    frame.className = "copied";
    Object.assign(button, { type: "button", className: "button copy", textContent: copy });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent.replace(/\n$/, ""));
      button.textContent = copied;
      setTimeout(() => (button.textContent = copy), SAID_MILLISECONDS);
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
