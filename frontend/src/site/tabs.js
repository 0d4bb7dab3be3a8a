// Tabs (WAI-ARIA Authoring Practices). A choice counts for all groups that have a tab of the same name, on other pages too.
const groups = [];
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };
const STORAGE = "instep.tabs";
const MAX_REMEMBERED = 9;

export function makeTabs() {
  groups.length = 0;
  for (const group of document.querySelectorAll(".prose .markdown-tabs")) {
    const panels = [...group.children].filter((child) => child.matches(".markdown-tab"));
    const titles = panels.map((panel) => panel.querySelector(":scope > .markdown-title"));
    if (panels.length > 1 && titles.every(Boolean)) groups.push(tabGroup(group, panels, titles));
  }
  for (const group of groups) select(group, placeOf(group, chosenTitles()));
}

export function followFragments() {
  const named = namedElement();
  if (named) reveal(named);
  addEventListener("hashchange", () => reveal(namedElement()));
}

function namedElement() {
  const fragment = location.hash.slice(1);
  try {
    return document.getElementById(decodeURIComponent(fragment));
  } catch {
    return document.getElementById(fragment);
  }
}

/** The tabs that people chose, latest first. */
function chosenTitles() {
  try {
    return JSON.parse(localStorage[STORAGE]);
  } catch {
    return [];
  }
}

const placeOf = ({ tabs }, titles) =>
  titles.map((title) => tabs.findIndex(({ textContent }) => textContent === title)).find((place) => place >= 0) ?? 0;

function remember(title) {
  try {
    localStorage[STORAGE] = JSON.stringify([...new Set([title, ...chosenTitles()])].slice(0, MAX_REMEMBERED));
  } catch {
    // A browser that stores nothing shows the first tabs on the next page.
  }
}

function tabGroup(element, panels, titles) {
  const list = document.createElement("div");
  list.role = "tablist";
  const group = { panels, tabs: [] };
  group.tabs = panels.map((panel, place) => {
    const tab = document.createElement("button");
    const number = groups.length * 1000 + place;
    Object.assign(tab, { type: "button", role: "tab", id: `tab-${number}`, textContent: titles[place].textContent });
    Object.assign(panel, { role: "tabpanel", id: `panel-${number}`, tabIndex: 0 });
    tab.setAttribute("aria-controls", panel.id);
    panel.setAttribute("aria-labelledby", tab.id);
    panel.addEventListener("beforematch", () => choose(group, place));
    tab.addEventListener("click", () => choose(group, place));
    titles[place].hidden = true;
    return tab;
  });
  list.addEventListener("keydown", (event) => move(group, event));
  list.append(...group.tabs);
  element.prepend(list);
  return group;
}

function move(group, event) {
  const { tabs } = group;
  const along = getComputedStyle(event.currentTarget).direction === "rtl" ? -1 : 1;
  const at = tabs.indexOf(document.activeElement);
  const places = { Home: 0, End: tabs.length - 1 };
  const to = event.key in STEPS ? (at + along * STEPS[event.key] + tabs.length) % tabs.length : places[event.key];
  if (to === undefined || at < 0) return;
  event.preventDefault();
  choose(group, to);
  tabs[to].focus();
}

/** Show a panel, and those of its name elsewhere; the chosen tab stays where it is in the window. */
function choose(group, place) {
  const tab = group.tabs[place];
  const before = tab.getBoundingClientRect().top;
  for (const other of groups) {
    const same = other === group ? place : other.tabs.findIndex(({ textContent }) => textContent === tab.textContent);
    if (same >= 0) select(other, same);
  }
  scrollBy(0, tab.getBoundingClientRect().top - before);
  remember(tab.textContent);
}

function select(group, place) {
  group.panels.forEach((panel, at) => {
    const isSelected = at === place;
    group.tabs[at].ariaSelected = String(isSelected);
    group.tabs[at].tabIndex = isSelected ? 0 : -1;
    // A search in the page finds the words of panels that are not shown, too.
    if (isSelected) panel.removeAttribute("hidden");
    else panel.setAttribute("hidden", "until-found");
  });
}

/** Show the panels that an element is in. */
export function showPanelOf(element) {
  for (const group of groups) {
    const place = group.panels.findIndex((panel) => panel.contains(element));
    if (place >= 0) select(group, place);
  }
}

function reveal(element) {
  showPanelOf(element);
  element?.scrollIntoView();
}
