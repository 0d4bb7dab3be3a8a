// Requests to the help center's own API. Nothing here keeps anything but the visitor's number, and that after a question.
const VISITOR = "instep.visitor";
const SECOND = 1000;
// What a stream sends at least every 15 seconds; after three times that the connection is dead.
const SILENCE_MILLISECONDS = 45 * SECOND;

/** A refusal or a failure: its status (0 for no answer), and how long to wait. */
export class Failure extends Error {
  constructor(status, seconds) {
    super(`status ${status}`);
    Object.assign(this, { status, seconds });
  }
}

export class Api {
  constructor({ site, bot, key }) {
    Object.assign(this, { site, bot, key });
  }

  config(locale) {
    const query = new URLSearchParams({ botKey: this.key, ...(locale && { locale }) });
    return this.request(`/widget/${this.bot}/config?${query}`);
  }

  article(id) {
    return this.request(`/widget/${this.bot}/articles/${id}?${new URLSearchParams({ botKey: this.key })}`);
  }

  send(path, values) {
    return this.request(path, { method: "POST", body: this.body(values) });
  }

  async request(path, options = {}) {
    const response = await this.fetch(path, options);
    return response.json();
  }

  /** Ask, and take the parts of the answer as they come; resolves to the whole of it. */
  async ask(values, take) {
    const stop = new AbortController();
    const options = { method: "POST", body: this.body({ ...values, visitor: visitor() }), signal: stop.signal };
    const response = await this.fetch("/chat", options, "text/event-stream");
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    try {
      for (;;) {
        const timer = setTimeout(() => stop.abort(), SILENCE_MILLISECONDS);
        const { value, done } = await reader.read().finally(() => clearTimeout(timer));
        if (done) break;
        const events = (rest + value).split("\n\n");
        rest = events.pop();
        for (const { name, data } of events.map(readEvent)) {
          if (name === "done") return data;
          if (name === "error") throw new Failure(data?.status ?? 500);
          take(name, data);
        }
      }
    } catch (error) {
      throw error instanceof Failure ? error : new Failure(0);
    }
    throw new Failure(0);
  }

  async fetch(path, options, accept = "application/json") {
    const headers = { Accept: accept, ...(options.body && { "Content-Type": "application/json" }) };
    let response;
    try {
      response = await fetch(this.site + path, { ...options, headers, credentials: "omit", referrerPolicy: "origin" });
    } catch {
      throw new Failure(0);
    }
    if (!response.ok) throw new Failure(response.status, Number(response.headers.get("Retry-After")) || 0);
    return response;
  }

  body(values) {
    const sent = Object.entries({ botId: this.bot, botKey: this.key, ...values }).filter(([, value]) => value !== undefined && value !== "");
    return JSON.stringify(Object.fromEntries(sent));
  }
}

function readEvent(text) {
  const lines = text.split("\n");
  const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  return { name: field("event"), data: data && JSON.parse(data) };
}

let visitorOfPage;

/** A random number that this browser is known by to the help center; where nothing may be kept, for this page alone. */
function visitor() {
  try {
    visitorOfPage ??= localStorage.getItem(VISITOR) ?? randomNumber();
    localStorage.setItem(VISITOR, visitorOfPage);
  } catch {
    visitorOfPage ??= randomNumber();
  }
  return visitorOfPage;
}

// `randomUUID` is missing on pages without encryption.
const randomNumber = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

export function forgetVisitor() {
  visitorOfPage = undefined;
  try {
    localStorage.removeItem(VISITOR);
  } catch {
    // Where nothing may be kept there is nothing to forget.
  }
}
