// The texts that this browser keeps because the server does not have them yet: an entry for each tab that writes.
const PREFIX = "instep.kept:";
const LOCK = "instep.writes:";
const TAB = "instep.tab";
const MAX_AGE_MILLISECONDS = 30 * 86_400_000;

/** The entries of one person and one text. */
export class Keeper {
  constructor(form) {
    this.prefix = `${PREFIX}${form.dataset.person}:${form.dataset.storage}:`;
    this.tab = thisTab();
    this.setAside();
    // A lock tells other tabs that this one is still there; the browser ends it with the page.
    navigator.locks?.request(LOCK + this.prefix + this.tab, () => new Promise(() => {}));
  }

  /** Keep the fields; true if there was room. */
  keep(fields, base) {
    try {
      localStorage.setItem(this.prefix + this.tab, JSON.stringify({ fields, base, at: Date.now() }));
      return true;
    } catch {
      return false;
    }
  }

  drop(tab = this.tab) {
    try {
      localStorage.removeItem(this.prefix + tab);
    } catch {
      // A browser without storage has nothing to remove.
    }
  }

  /** The entry of this tab from before it was loaded again gets a name of its own: typing must not replace it. */
  setAside() {
    const entry = read(this.prefix + this.tab);
    if (!entry.fields) return;
    try {
      localStorage.setItem(`${this.prefix}${this.tab}~${entry.at}`, JSON.stringify(entry));
      this.drop();
    } catch {
      // Without room for a second entry the first one stays.
    }
  }

  /** Entries of tabs that are gone, and of this one before it was loaded again; the newest first. */
  async entries() {
    const writing = await tabsThatWrite(this.prefix);
    return storedKeys()
      .filter((key) => key.startsWith(this.prefix))
      .map((key) => ({ tab: key.slice(this.prefix.length), ...read(key) }))
      .filter(({ fields, tab }) => fields && tab !== this.tab && !writing.has(tab))
      .sort((left, right) => right.at - left.at);
  }
}

/** Remove the entries that nobody has come back for. */
export function forgetOldEntries() {
  for (const key of storedKeys()) {
    if (key.startsWith(PREFIX) && Date.now() - (read(key).at ?? 0) > MAX_AGE_MILLISECONDS) localStorage.removeItem(key);
  }
}

function thisTab() {
  const made = [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  try {
    const tab = sessionStorage.getItem(TAB) ?? made;
    sessionStorage.setItem(TAB, tab);
    return tab;
  } catch {
    return made;
  }
}

async function tabsThatWrite(prefix) {
  const held = (await navigator.locks?.query())?.held ?? [];
  return new Set(held.filter(({ name }) => name.startsWith(LOCK + prefix)).map(({ name }) => name.slice((LOCK + prefix).length)));
}

function storedKeys() {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

function read(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}
