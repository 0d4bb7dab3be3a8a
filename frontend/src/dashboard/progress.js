// The line at the top while the server is at work.

export function showProgress(document) {
  let requests = 0;
  const change = (difference) => {
    requests += difference;
    const line = document.getElementById("progress");
    if (line) line.hidden = requests <= 0;
  };
  // Background requests, such as polling and prefetching, show no progress.
  const isAwaited = (event) => !event.target.closest?.("[data-quiet]");
  document.addEventListener("htmx:before:request", (event) => isAwaited(event) && change(1));
  document.addEventListener("htmx:finally:request", (event) => isAwaited(event) && change(-1));
}
