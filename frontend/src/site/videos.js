// Videos that play on a click: before, nothing is loaded from where they are.
const PLAYERS = [
  [/^https:\/\/(?:(?:www|m)\.)?youtube(?:-nocookie)?\.com\/(?:watch\?(?:[^#]*&)?v=|embed\/|shorts\/|live\/)([\w-]+)/, "https://www.youtube-nocookie.com/embed/"],
  [/^https:\/\/youtu\.be\/([\w-]+)/, "https://www.youtube-nocookie.com/embed/"],
  [/^https:\/\/(?:www\.)?vimeo\.com\/(\d+)/, "https://player.vimeo.com/video/"],
  [/^https:\/\/player\.vimeo\.com\/video\/(\d+)/, "https://player.vimeo.com/video/"],
  [/^https:\/\/(?:www\.)?loom\.com\/(?:share|embed)\/(\w+)/, "https://www.loom.com/embed/"],
];
const FILE = /\.(?:mp4|m4v|mov|webm)$/i;

export function playVideos() {
  for (const link of document.querySelectorAll(".prose .markdown-video a[href]")) {
    const player = playerOf(link);
    if (!player) continue;
    const host = document.createElement("small");
    host.textContent = new URL(player.src).host;
    link.dataset.player = "";
    link.append(host);
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      link.replaceWith(player);
      player.focus();
    });
  }
}

/** The player of a link's video, not yet in the page; undefined for addresses of others. */
function playerOf(link) {
  const title = link.textContent;
  for (const [pattern, address] of PLAYERS) {
    const id = pattern.exec(link.href)?.[1];
    if (!id) continue;
    const frame = Object.assign(document.createElement("iframe"), { title, src: `${address}${id}?autoplay=1` });
    frame.allow = "autoplay; fullscreen; picture-in-picture";
    frame.sandbox = "allow-scripts allow-same-origin allow-presentation allow-popups";
    return frame;
  }
  const { origin, pathname } = new URL(link.href);
  if (origin !== location.origin || !FILE.test(pathname)) return undefined;
  const video = Object.assign(document.createElement("video"), { src: link.href, controls: true, autoplay: true, preload: "none" });
  video.ariaLabel = title;
  return video;
}
