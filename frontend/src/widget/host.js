// The document of the page that holds the widget. Elements of that page whose names are those of properties
// (`<img name="currentScript">`) shadow the properties of `document`, but never those of its prototype.
export const host = new Proxy(Document.prototype, {
  get(prototype, name) {
    const value = Reflect.get(prototype, name, document);
    return typeof value === "function" ? value.bind(document) : value;
  },
});
