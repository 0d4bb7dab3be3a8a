// Requests to the help center's own API.
import { visitorOf } from "./visitor.js";

const SECOND = 1000;
// A stream sends something at least every 15 seconds; after three times that the connection is dead.
const SILENCE_MILLISECONDS = 45 * SECOND;
const PATIENCE_MILLISECONDS = 20 * SECOND;

/** A refusal or a failure: its status (0 for no answer), how long to wait, and whether an answer broke off. */
export class Failure extends Error {
  constructor(status, { seconds = 0, isCut = false } = {}) {
    super(`status ${status}`);
    Object.assign(this, { status, seconds, isCut });
  }

  get textName() {
    if (this.isCut && navigator.onLine) return "cut";
    if (this.status === 0) return "offline";
    return this.status === 429 ? "busy" : "broken";
  }
}

const proofOf = (token) => token && { "Visitor-Token": token };

export class Api {
  constructor(widget) {
    this.widget = widget;
  }

  /** The language whose articles are preferred. */
  get locale() {
    return this.widget.locale || this.widget.language;
  }

  article(id) {
    return this.read(`articles/${encodeURIComponent(id)}`, {});
  }

  search(q, signal) {
    return this.read("search", { q, locale: this.locale }, signal);
  }

  suggestions(pageUrl) {
    return this.read("suggestions", { pageUrl, locale: this.locale });
  }

  read(path, values, signal) {
    const { bot, key, version } = this.widget;
    const query = new URLSearchParams({ botKey: key, ...(version && { version }), ...values });
    return this.identified((token) => this.request(`/widget/${bot}/${path}?${query}`, { headers: proofOf(token), signal }));
  }

  /** Send a request with the token of a signed-in visitor, and without it after a 400. If that succeeds, the token was refused: most expire. */
  async identified(send) {
    const { settings } = this.widget;
    const { visitorToken } = settings;
    try {
      return await send(visitorToken);
    } catch (error) {
      if (error.status !== 400 || !visitorToken) throw error;
      const answer = await send();
      if (settings.visitorToken === visitorToken) delete settings.visitorToken;
      // The page can identify the visitor again.
      this.widget.tell("error", { status: error.status });
      return answer;
    }
  }

  /** A picture of the help center as a bitmap: pages whose policy knows no pictures of others show it, too. */
  async picture(address) {
    const options = { headers: proofOf(this.widget.settings.visitorToken), signal: AbortSignal.timeout(PATIENCE_MILLISECONDS) };
    const response = await this.fetch(address.pathname, options, "image/*");
    return createImageBitmap(await response.blob());
  }

  send(path, values) {
    return this.request(path, { method: "POST", body: this.body(values) });
  }

  async request(path, { signal, ...options }) {
    const response = await this.fetch(path, { ...options, signal: signal ?? AbortSignal.timeout(PATIENCE_MILLISECONDS) });
    return response.json();
  }

  /** Ask, and take the parts of the answer as they come; resolves to the whole of it. */
  ask(values, take) {
    return this.identified((visitorToken) => this.stream({ ...values, visitorToken }, take));
  }

  async stream(values, take) {
    const stop = new AbortController();
    let timer;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stop.abort(), SILENCE_MILLISECONDS);
    };
    wait();
    const options = { method: "POST", body: this.body({ ...values, version: this.widget.version, visitor: visitorOf(this.widget) }), signal: stop.signal };
    try {
      const response = await this.fetch("/chat", options, "text/event-stream");
      return await readStream(response.body, take, wait);
    } catch (error) {
      throw error instanceof Failure ? error : new Failure(0, { isCut: true });
    } finally {
      clearTimeout(timer);
    }
  }

  async fetch(path, options, accept = "application/json") {
    const headers = { Accept: accept, ...(options.body && { "Content-Type": "application/json" }), ...options.headers };
    let response;
    try {
      response = await fetch(this.widget.site + path, { ...options, headers, credentials: "omit", referrerPolicy: "origin" });
    } catch {
      throw new Failure(0);
    }
    if (!response.ok) throw new Failure(response.status, { seconds: Number(response.headers.get("Retry-After")) || 0 });
    return response;
  }

  body(values) {
    const { bot, key } = this.widget;
    const sent = Object.entries({ botId: bot, botKey: key, ...values }).filter(([, value]) => value !== undefined && value !== "");
    return JSON.stringify(Object.fromEntries(sent));
  }
}

async function readStream(body, take, wait) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) throw new Failure(0, { isCut: true });
    wait();
    const events = (rest + value).split("\n\n");
    rest = events.pop();
    for (const { name, data } of events.map(readEvent)) {
      if (name === "done") return data;
      if (name === "error") throw new Failure(500);
      take(name, data);
    }
  }
}

function readEvent(text) {
  const lines = text.split("\n");
  const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  return { name: field("event"), data: data && JSON.parse(data) };
}
