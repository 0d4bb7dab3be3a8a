// Elements from names, attributes and children: no text ever becomes markup (Trusted Types ask for that, too).

/** `attributes` with a function are listeners, with false, null or undefined they are left out. */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

export const button = (label, act, attributes = {}) => element("button", { type: "button", click: act, ...attributes }, label);
