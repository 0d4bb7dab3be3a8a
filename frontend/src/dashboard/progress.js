// The line at the top while the server is at work.

export function showProgress(document) {
  let requests = 0;
  const change = (difference) => {
    requests += difference;
    const line = document.getElementById("progress");
    if (line) line.hidden = requests <= 0;
  };
  document.addEventListener("htmx:before:request", () => change(1));
  document.addEventListener("htmx:finally:request", () => change(-1));
}
