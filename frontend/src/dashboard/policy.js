// Trusted Types: htmx alone may parse HTML, which comes from our server; code made of strings is refused, even to it.
import htmx from "htmx.org";

const parseHtml = { createHTML: (html) => html };
const refuseCode = () => {
  throw new EvalError("Attributes can't contain code.");
};

htmx.registerExtension("instep", {
  init({ initSecurity }) {
    initSecurity(window.trustedTypes?.createPolicy("instep", parseHtml) ?? parseHtml, refuseCode, refuseCode);
  },
});
