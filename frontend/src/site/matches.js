// The search shows what it finds while one types: a list of links below the field, the combobox of WAI-ARIA.
const PAUSE_MILLISECONDS = 180;
const MIN_CHARACTERS = 2;

export function searchAsOneTypes(form) {
  const field = form.querySelector("input[type=search]");
  const list = document.createElement("div");
  const texts = document.body.dataset;
  list.id = `matches-${[...document.forms].indexOf(form)}`;
  list.className = "matches";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", texts.results);
  form.append(list);
  for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", list.id], ["aria-expanded", "false"]]) {
    field.setAttribute(name, value);
  }
  let timer, request, chosen = -1;

  const options = () => [...list.children];
  const close = () => {
    clearTimeout(timer);
    request?.abort();
    list.hidden = true;
    field.setAttribute("aria-expanded", "false");
    choose(-1);
  };
  const choose = (place) => {
    chosen = place;
    options().forEach((option, index) => option.setAttribute("aria-selected", String(index === place)));
    if (place < 0) return field.removeAttribute("aria-activedescendant");
    field.setAttribute("aria-activedescendant", options()[place].id);
    options()[place].scrollIntoView({ block: "nearest" });
  };
  const show = ({ answer, articles }, words) => {
    const links = articles.map((article) => link(article));
    if (answer) links.unshift(link(answer, "answer"));
    links.push(askLink(form, words, texts.ask));
    links.forEach((option, index) => (option.id = `${list.id}-${index}`));
    list.replaceChildren(...links);
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    choose(-1);
  };
  const search = async () => {
    const words = field.value.trim();
    if (words.length < MIN_CHARACTERS) return close();
    request?.abort();
    request = new AbortController();
    try {
      const response = await fetch(`${form.dataset.matches}?q=${encodeURIComponent(words)}`, { signal: request.signal });
      if (response.ok && document.activeElement === field) show(await response.json(), words);
    } catch {
      // A newer search has taken its place, or the network is away: Enter leads to the page of results.
    }
  };

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(search, PAUSE_MILLISECONDS);
  });
  field.addEventListener("keydown", (event) => {
    const count = options().length;
    if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      close();
    } else if (event.key === "ArrowDown" && list.hidden) search();
    else if (list.hidden || count === 0) return;
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      // One place next to the options is the field itself.
      choose(((chosen + 1 + step + count + 1) % (count + 1)) - 1);
    } else if (event.key === "Enter" && chosen >= 0) {
      event.preventDefault();
      options()[chosen].click();
    }
  });
  form.addEventListener("submit", close);
  form.addEventListener("focusout", (event) => form.contains(event.relatedTarget) || close());
  // The press of a mouse must not take the focus from the field before the click.
  list.addEventListener("mousedown", (event) => event.preventDefault());
}

function link({ path, title, headings, excerpt, locale }, name = "") {
  const option = element("a", name);
  Object.assign(option, { href: path, tabIndex: -1, lang: locale });
  option.setAttribute("role", "option");
  option.append(element("strong", "", [title, ...headings].join(" › ")));
  const text = element("span");
  text.append(...excerpt.map(([piece, isMatch]) => (isMatch ? element("mark", "", piece) : piece)));
  option.append(text);
  return option;
}

function askLink(form, words, label) {
  const option = element("a", "ask");
  Object.assign(option, { href: `${form.getAttribute("action").replace(/search$/, "ask")}?q=${encodeURIComponent(words)}`, tabIndex: -1 });
  option.setAttribute("role", "option");
  option.append(element("strong", "", `${label} “${words}”`));
  return option;
}

function element(tag, className = "", text = "") {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(text);
  return made;
}
