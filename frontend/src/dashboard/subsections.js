// In a narrow window the navigation of the settings scrolls sideways: the page that is shown stands in its middle.

export function centreCurrentSubsection(document) {
  const list = document.querySelector(".subsections ul");
  const current = list?.querySelector("[aria-current]");
  if (!current) return;
  const [room, link] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  list.scrollLeft += link.left - room.left - (room.width - link.width) / 2;
}
