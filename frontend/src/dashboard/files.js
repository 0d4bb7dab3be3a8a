// The names and the sizes of the files that are chosen in the fields of `file_field`.

const STEPS = [
  [1024 * 1024, "MB"],
  [1024, "KB"],
];

const sizeInWords = (bytes) => {
  const [step, unit] = STEPS.find(([step]) => bytes >= step) ?? [1, "bytes"];
  return `${(bytes / step).toLocaleString("en", { maximumFractionDigits: step > 1 ? 1 : 0 })} ${unit}`;
};

const show = ({ files, labels, parentElement }) => {
  const chosen = parentElement.querySelector(".chosen");
  const name = document.createElement("bdi");
  name.textContent = files[0]?.name ?? "No file chosen";
  chosen.replaceChildren(name, files.length ? `, ${sizeInWords(files[0].size)}` : "");
};

export function showChosenFiles(document) {
  const showAll = () => document.querySelectorAll(".file > input").forEach(show);
  document.addEventListener("change", ({ target }) => target.matches(".file > input") && show(target));
  // After a step back the browser may have chosen the file again.
  addEventListener("pageshow", showAll);
}
