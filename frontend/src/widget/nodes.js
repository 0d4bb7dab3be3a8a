// Elements from names, attributes and children: no text ever becomes markup (Trusted Types ask for that, too).
import { host } from "./host.js";

/** `attributes` with a function are listeners, with false, null or undefined they are left out. */
export const element = (name, attributes, ...children) => fill(host.createElement(name), attributes, children);

export const button = (label, act, attributes = {}) => element("button", { type: "button", click: act, ...attributes }, label);

const SVG = "http://www.w3.org/2000/svg";

/** A drawing of lines, which screen readers pass over: the button around it has a name. */
export function icon(path, attributes = {}) {
  const lines = fill(host.createElementNS(SVG, "path"), { d: path }, []);
  return fill(host.createElementNS(SVG, "svg"), { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", ...attributes }, [lines]);
}

function fill(node, attributes = {}, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** A list of articles; the whole row opens its article. */
export function articleRows(links, open) {
  return links.map((link) =>
    element(
      "li",
      { class: "row" },
      link.n && element("span", { class: "mark", "aria-hidden": "true" }, String(link.n)),
      element("div", { lang: link.locale }, button(link.title, () => open(link), { class: "title", dir: "auto" }), note(link)),
    ),
  );
}

const note = ({ heading, excerpt, title, version }) => {
  const words = heading && heading !== title ? heading : excerpt;
  const parts = [version, words].filter(Boolean);
  return parts.length > 0 && element("small", { dir: "auto" }, parts.join(" · "));
};
