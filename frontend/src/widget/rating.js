// "Did this help?" below an answer or an article.
import { button, element } from "./nodes.js";

/** `send` tells the help center whether it helped. */
export function rating(panel, send) {
  const { texts, widget, field } = panel;
  const line = element("p", { class: "rating" });
  const rate = (helpful) => async () => {
    line.textContent = texts.thanks;
    // The buttons are gone, and the focus with them.
    (field.checkVisibility() ? field : panel.back).focus();
    panel.announce(texts.thanks);
    await send(helpful).catch(({ status }) => widget.tell("error", { status }));
  };
  line.append(element("span", {}, texts.helped), button(texts.yes, rate(true)), button(texts.no, rate(false)));
  return line;
}
